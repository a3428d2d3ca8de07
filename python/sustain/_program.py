"""The program ``sustain``, as the wheel carries it: the command line, and its answers as data."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from typing import Any, Dict, List, Optional, Sequence, Union

from . import _api
from ._context import thread_count
from ._errors import ArgumentError, StateError
from ._library import program
from ._problem import BaseProblem

#: Options of the program that are written as in C; all others have dashes.
_AS_IN_C = {field[0] for s in (_api.sustain_quadratic_options, _api.sustain_constants) for field in s._fields_}
_USAGE = 2  # the program's exit code for a command that it refuses


def main() -> None:
    """The command ``sustain`` of an installed wheel."""
    try:
        path = program()
    except StateError as error:
        sys.exit(f"sustain: {error}")
    os.execv(path, ["sustain", *sys.argv[1:]])


def flags(options: Dict[str, Any]) -> List[str]:
    """Options as the program takes them: True is a flag, None and False are left out.

    Examples
    --------
    >>> flags({"runs": 3, "trusted_count": 500, "upper_dim": 4, "plot": True, "out": None})
    ['--runs', '3', '--trusted-count', '500', '--upper_dim', '4', '--plot']
    """
    words: List[str] = []
    for name, value in options.items():
        flag = "--" + (name if name in _AS_IN_C else name.replace("_", "-"))
        if value is True:
            words.append(flag)
        elif value is not None and value is not False:
            words += [flag, repr(float(value)) if isinstance(value, float) else str(value)]
    return words


def answer(*words: str) -> Any:
    """Calls the program and reads the JSON that it prints.

    Raises
    ------
    ArgumentError
        The program refused the command; with its sentence.
    StateError
        It failed.
    """
    done = subprocess.run([program(), *words, "--json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL)
    if done.returncode != 0:
        lines = done.stderr.decode("utf-8", "replace").strip().splitlines() or [f"the program ended with code {done.returncode}"]
        sentence = lines[-1][len("sustain: ") :] if lines[-1].startswith("sustain: ") else lines[-1]
        raise (ArgumentError if done.returncode == _USAGE else StateError)(sentence)
    return json.loads(done.stdout)


def compare(
    task: Optional[str] = None,
    solvers: Union[str, Sequence[str], None] = None,
    *,
    runs: Optional[int] = None,
    budget: Optional[int] = None,
    x: Optional[str] = None,
    out: Union[str, "os.PathLike[str]", None] = None,
    n_jobs: Optional[int] = -1,
    **options: Any,
) -> Any:
    """Runs algorithms side by side on the same data with the same seeds: ``sustain compare``.

    Parameters
    ----------
    task : {"clean", "tune", "meta", "quadratic"}, optional
        What to solve; with ``figure=4`` the settings of a figure of the paper.
    solvers : sequence of str, optional
        Names, each perhaps with parameters: ``["sustain", "stocbio:batch=1000"]``. Default: chosen
        for the task.
    runs : int, optional
        Runs of each algorithm, each with a seed of its own.
    budget : int, optional
        Where every run ends, in the unit of ``x``.
    x : {"gradients", "samples", "products", "calls", "iterations", "seconds"}, optional
        What is counted.
    out : path, optional
        The folder for all files: the page report.html, and the runs, which are not computed again.
        Default: nothing is kept.
    n_jobs : int, optional
        Runs at the same time; -1: one for each processor. Only the seconds depend on it.
    **options
        Other options of the command and of the task: ``dataset="fashion-mnist"``, ``noise=0.3``.

    Returns
    -------
    pandas.DataFrame
        A row for each algorithm and measurement: what was used, and each quantity with its mean over the
        runs and the ends of its interval (``_low``, ``_high``). A list of dicts without pandas.

    Examples
    --------
    >>> rows = compare("quadratic", ["sustain", "soba"], runs=2, budget=50)
    >>> len(rows) > 10
    True
    """
    names = solvers if solvers is None or isinstance(solvers, str) else ",".join(solvers)
    given = dict(options, solvers=names, runs=runs, budget=budget, x=x, threads=0 if n_jobs == -1 else thread_count(n_jobs))
    with tempfile.TemporaryDirectory(prefix="sustain-") as folder:
        given["out"] = os.path.join(folder, "compare") if out is None else os.fspath(out)
        found = answer("compare", *([task] if task is not None else []), *flags(given), "--quiet")
    rows = [
        _measurement(panel["title"], curve["label"], point)
        for panel in found["panels"]
        for curve in panel["curves"]
        for point in curve["points"]
    ]
    try:
        import pandas
    except ImportError:
        return rows
    return pandas.DataFrame(rows)


def _measurement(panel: str, label: str, point: Dict[str, Any]) -> Dict[str, Any]:
    row: Dict[str, Any] = {"panel": panel, "solver": label}
    for name, value in point.items():
        if isinstance(value, dict):
            row[name] = _number(value.get("mean"))
            row[name + "_low"], row[name + "_high"] = _number(value.get("low")), _number(value.get("high"))
        else:
            row[name] = _number(value)
    return row


def _number(value: Any) -> Any:
    """JSON has no NaN: the program writes null."""
    return float("nan") if value is None else value


def plan(
    problem: Union[BaseProblem, str, None] = None,
    *,
    iterations: Optional[float] = None,
    epsilon: Optional[float] = None,
    theorem: Optional[str] = None,
    **constants: Any,
) -> Dict[str, Any]:
    """Steps, bounds and samples that Theorems 3.2 and 3.3 give for the constants of a problem.

    Parameters
    ----------
    problem : Problem, sustain.torch.Problem, CompiledProblem or "quadratic", optional
        Its constants are estimated where they are not given (``BaseProblem.constants``).
    iterations : float, optional
        Plan for this many iterations.
    epsilon : float, optional
        Plan for the number of iterations at which the bound is this.
    theorem : {"nonconvex", "strongly-convex", "both"}, optional
        Default: both if mu_f is known and positive.
    **constants
        ``mu_g=1.0``, ``L_g=4.0`` and so on; options of the problem "quadratic".

    Returns
    -------
    dict
        "constants", and "nonconvex" and "strongly_convex" with steps, bound and samples.

    Examples
    --------
    >>> found = plan("quadratic", iterations=1000)
    >>> found["nonconvex"]["iterations"]
    1000
    """
    options: Dict[str, Any] = dict(iterations=iterations, epsilon=epsilon, theorem=theorem)
    if isinstance(problem, BaseProblem):
        estimated = problem.constants()
        constants = {**{name: value for name, value in estimated.items() if value == value}, **constants}
    elif problem is not None:
        options["problem"] = problem
    found: Dict[str, Any] = answer("plan", *flags({**options, **constants}))
    return found
