"""What a run returns: the point, its history, what it used, why it stopped."""

from __future__ import annotations

from html import escape
from typing import Any, Dict, Iterator, List

import numpy as np

#: Columns of a history, as the library names them.
COLUMNS = (
    "iteration",
    "seconds",
    "upper_value",
    "upper_norm",
    "lower_norm",
    "samples_upper",
    "samples_lower",
    "gradients_upper",
    "gradients_lower",
    "hessian_products",
    "cross_products",
)


def counts_of(counts: Any) -> Dict[str, int]:
    """The counts of C's structure by name."""
    return {
        "samples_upper": counts.samples[0],
        "samples_lower": counts.samples[1],
        "gradients_upper": counts.gradients[0],
        "gradients_lower": counts.gradients[1],
        "hessian_products": counts.hessian_products,
        "cross_products": counts.cross_products,
    }


class History:
    """The evaluations of a run, in their order: an array for each column.

    Attributes
    ----------
    iteration, seconds : ndarray
        When; seconds are those of optimization, without evaluations and callbacks.
    upper_value : ndarray
        f(x_t, y_t).
    upper_norm, lower_norm : ndarray
        Norms of the last directions of x and y.
    samples_upper, samples_lower, gradients_upper, gradients_lower, hessian_products, cross_products : ndarray
        What the run had used until then.
    """

    def __init__(self) -> None:
        self._rows: List[List[float]] = []

    def _add(self, row: Dict[str, float]) -> None:
        self._rows.append([row[name] for name in COLUMNS])

    def __len__(self) -> int:
        return len(self._rows)

    def __dir__(self) -> List[str]:
        return [*super().__dir__(), *COLUMNS]

    def __getattr__(self, name: str) -> np.ndarray:
        if name not in COLUMNS:
            raise AttributeError(name)
        kind = np.float64 if name in ("seconds", "upper_value", "upper_norm", "lower_norm") else np.int64
        at = COLUMNS.index(name)
        return np.array([row[at] for row in self._rows], dtype=kind)

    def __getitem__(self, name: str) -> np.ndarray:
        if name not in COLUMNS:
            raise KeyError(name)
        result: np.ndarray = getattr(self, name)
        return result

    def __iter__(self) -> Iterator[Dict[str, float]]:
        return (dict(zip(COLUMNS, row)) for row in self._rows)

    def __repr__(self) -> str:
        if not self._rows:
            return "History: no evaluations"
        first, last = self._rows[0], self._rows[-1]
        return f"History: {len(self)} evaluations, upper value {first[2]:.6g} to {last[2]:.6g}, iteration {last[0]:,}"

    def to_frame(self) -> Any:
        """The history as a pandas DataFrame."""
        import pandas

        return pandas.DataFrame({name: self[name] for name in COLUMNS})

    def plot(self, x: str = "iteration", y: str = "upper_value", ax: Any = None, **options: Any) -> Any:
        """Draws one column against another with matplotlib.

        Parameters
        ----------
        x, y : str
            Columns.
        ax : matplotlib.axes.Axes, optional
            Where to draw; default: new axes.
        **options
            For ``Axes.plot``.

        Returns
        -------
        matplotlib.axes.Axes
        """
        if ax is None:
            from matplotlib import pyplot

            ax = pyplot.subplots()[1]
        ax.plot(self[x], self[y], **options)
        ax.set_xlabel(x.replace("_", " "))
        ax.set_ylabel(y.replace("_", " "))
        return ax

    def _svg(self, width: int = 320, height: int = 90) -> str:
        """A small drawing of the upper value, for notebooks."""
        values = self.upper_value
        finite = np.isfinite(values)
        if finite.sum() < 2:
            return ""
        t, v = self.iteration[finite].astype(float), values[finite]
        px = 4 + (width - 8) * (t - t[0]) / max(t[-1] - t[0], 1)
        py = 4 + (height - 8) * (v.max() - v) / max(v.max() - v.min(), np.finfo(float).tiny)
        points = " ".join(f"{a:.1f},{b:.1f}" for a, b in zip(px, py))
        return (
            f"<svg width='{width}' height='{height}' role='img' aria-label='upper value over iterations'>"
            f"<polyline points='{points}' fill='none' stroke='currentColor' stroke-width='1.5'/></svg>"
        )

    def _repr_html_(self) -> str:
        return f"<p>{escape(repr(self))}</p>{self._svg()}"


class Result:
    """What ``minimize`` returns.

    Attributes
    ----------
    x, y : ndarray
        The point; of torch problems the dicts of tensors that they were made of.
    upper_value : float
        f at the last point.
    iterations : int
        Done in all, with those before a resumed checkpoint.
    seconds : float
        Of optimization.
    stop : str
        Why it stopped, a name of ``SUSTAIN_STOP_LIST``: "ITERATIONS", "SECONDS", "OBSERVER" ...
    reason : str
        The same as a sentence.
    counts : dict
        What was used: samples, gradients and products.
    history : History
        The evaluations of this call.
    solver : str
        The algorithm, as "auto" chose it.
    parameters : dict
        Its parameters as text.
    halvings, dropped : int
        How often the step was halved after a divergence; draws that the problem dropped.
    point : int
        The iteration that x and y belong to.
    """

    def __init__(self, **fields: Any) -> None:
        self.x: Any = fields["x"]
        self.y: Any = fields["y"]
        self.upper_value: float = fields["upper_value"]
        self.iterations: int = fields["iterations"]
        self.seconds: float = fields["seconds"]
        self.stop: str = fields["stop"]
        self.reason: str = fields["reason"]
        self.counts: Dict[str, int] = fields["counts"]
        self.history: History = fields["history"]
        self.solver: str = fields["solver"]
        self.parameters: Dict[str, str] = fields["parameters"]
        self.halvings: int = fields["halvings"]
        self.dropped: int = fields["dropped"]
        self.point: int = fields["point"]

    def _rows(self) -> Dict[str, str]:
        return {
            "solver": self.solver,
            "upper value": f"{self.upper_value:.6g}",
            "iterations": f"{self.iterations:,}",
            "seconds": f"{self.seconds:.3g}",
            "stopped": self.reason,
            "used": ", ".join(f"{value:,} {name.replace('_', ' ')}" for name, value in self.counts.items() if value),
        }

    def __repr__(self) -> str:
        rows = self._rows()
        width = max(map(len, rows))
        return "\n".join(f"{name:>{width}}: {value}" for name, value in rows.items())

    def _repr_html_(self) -> str:
        cells = "".join(
            f"<tr><th style='text-align:left'>{escape(name)}</th><td style='text-align:left'>{escape(value)}</td></tr>"
            for name, value in self._rows().items()
        )
        return f"<table>{cells}</table>{self.history._svg()}"
