"""The algorithms of the library."""

from __future__ import annotations

from html import escape
from typing import Any, Dict, List, NamedTuple, Optional, Tuple

from . import _api
from ._library import load


class Parameter(NamedTuple):
    """A parameter of an algorithm."""

    name: str
    default: Any
    least: Optional[float]
    most: Optional[float]
    choices: Optional[Tuple[str, ...]]
    help: str


class Solver(NamedTuple):
    """An algorithm: what it does, where it was published, what it needs.

    Attributes
    ----------
    complexity : str
        Samples (upper, lower level) that are proved to reach |grad ell|^2 <= epsilon.
    needs : tuple of str
        Functions of a problem, as ``problem.h`` names them.
    deterministic : bool
        It draws nothing: all samples at once.
    parameters : dict of Parameter
        By name.
    """

    name: str
    title: str
    reference: str
    complexity: str
    needs: Tuple[str, ...]
    deterministic: bool
    parameters: Dict[str, Parameter]


class Solvers(List[Solver]):
    """The list of algorithms; in a notebook, a table."""

    def named(self, name: str) -> Solver:
        """The algorithm of a name."""
        for solver in self:
            if solver.name == name:
                return solver
        raise KeyError(name)

    def __repr__(self) -> str:
        return "\n".join(f"{solver.name:<8}  {solver.title}" for solver in self)

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><th style='text-align:left'>{escape(s.name)}</th><td style='text-align:left'>{escape(s.title)}</td>"
            f"<td>{escape(s.complexity)}</td></tr>"
            for s in self
        )
        return f"<table><tr><th>name</th><th>what it does</th><th>samples, upper and lower</th></tr>{rows}</table>"


def solvers() -> Solvers:
    """The algorithms that ``minimize`` knows, with their parameters.

    Returns
    -------
    Solvers
        A list of `Solver`.

    Examples
    --------
    >>> solvers().named("sustain").needs
    ('f_grad', 'g_grad_y', 'g_hess_vec', 'g_cross_vec')
    >>> solvers().named("sustain").parameters["batch"].default
    1
    """
    library = load("float")
    return Solvers(_solver(library.sustain_solver_at(i).contents) for i in range(library.sustain_solver_count()))


def _solver(info: Any) -> Solver:
    names = {
        value: _FIELDS.get(name[len("SUSTAIN_NEEDS_") :], name[len("SUSTAIN_NEEDS_") :].lower())
        for name, value in vars(_api).items()
        if name.startswith("SUSTAIN_NEEDS_")
    }
    return Solver(
        name=info.name.decode(),
        title=info.title.decode(),
        reference=info.reference.decode(),
        complexity=(info.complexity or b"").decode(),
        needs=tuple(name for bit, name in sorted(names.items()) if info.needs & bit),
        deterministic=bool(info.deterministic),
        parameters={row.name.decode(): _parameter(row) for row in info.parameters[: info.parameter_count]},
    )


#: Needs that are not functions, as problem.h names them.
_FIELDS = {"EXPECTATION": "has_expectation", "FINITE_SUM": "samples"}


def _parameter(row: Any) -> Parameter:
    name, text = row.name.decode(), row.help.decode()
    if row.type == _api.SUSTAIN_PARAMETER_CHOICE:
        choices = tuple(row.choices.decode().split("|"))
        return Parameter(name, choices[int(row.initial)], None, None, choices, text)
    kind = int if row.type == _api.SUSTAIN_PARAMETER_INTEGER else float
    return Parameter(name, kind(row.initial), row.least, row.most, None, text)
