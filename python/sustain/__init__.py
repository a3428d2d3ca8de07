"""sustain: stochastic bilevel optimization, wrong labels, tuned penalties, few-shot learning.

Minimize f(x, y*(x)) over x, where y*(x) minimizes g(x, y) over y, and f and g are means over random
samples. Write a problem with NumPy (``Problem``) or PyTorch (``sustain.torch.Problem``), check its
derivatives, and call ``minimize``.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from ._api import SUSTAIN_VERSION_NUMBER
from ._check import CheckReport, CheckRow
from ._errors import ArgumentError, Error, FileError, FormatError, NumericalError, StateError
from ._minimize import Progress, minimize
from ._oracles import Draw, DropDraw
from ._problem import BaseProblem, CompiledProblem, Problem, quadratic
from ._program import compare, plan
from ._registry import Parameter, Solver, Solvers, solvers
from ._result import History, Result

__version__ = "{}.{}.{}".format(
    SUSTAIN_VERSION_NUMBER // 10000, SUSTAIN_VERSION_NUMBER // 100 % 100, SUSTAIN_VERSION_NUMBER % 100
)
__all__ = [
    "ArgumentError",
    "BaseProblem",
    "CheckReport",
    "CheckRow",
    "CompiledProblem",
    "Draw",
    "DropDraw",
    "Error",
    "FileError",
    "FormatError",
    "History",
    "NumericalError",
    "Parameter",
    "Problem",
    "Progress",
    "Result",
    "Solver",
    "Solvers",
    "StateError",
    "__version__",
    "compare",
    "minimize",
    "plan",
    "quadratic",
    "solvers",
]

if TYPE_CHECKING:
    from ._annotators import dawid_skene
    from ._clean import LabelCleaner
    from ._fewshot import FewShot
    from ._label_issues import find_label_issues, get_label_quality_scores
    from ._table import TableEncoder
    from ._tune import PenaltyTuner

#: Names that are imported at their first use, as scikit-learn is then imported too where it is there.
_ESTIMATORS = {
    "FewShot": "_fewshot",
    "LabelCleaner": "_clean",
    "PenaltyTuner": "_tune",
    "TableEncoder": "_table",
    "dawid_skene": "_annotators",
    "find_label_issues": "_label_issues",
    "get_label_quality_scores": "_label_issues",
}
__all__ += ["FewShot", "LabelCleaner", "PenaltyTuner", "TableEncoder"]
__all__ += ["dawid_skene", "find_label_issues", "get_label_quality_scores"]


def __getattr__(name: str) -> Any:
    if name not in _ESTIMATORS:
        raise AttributeError(f"module 'sustain' has no attribute {name!r}")
    return getattr(import_module("." + _ESTIMATORS[name], __name__), name)
