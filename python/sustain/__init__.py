"""sustain: stochastic bilevel optimization, wrong labels, tuned penalties, few-shot learning.

Minimize f(x, y*(x)) over x, where y*(x) minimizes g(x, y) over y, and f and g are means over random
samples. Write a problem with NumPy (``Problem``) or PyTorch (``sustain.torch.Problem``), check its
derivatives, and call ``minimize``.
"""

from __future__ import annotations

from ._api import SUSTAIN_VERSION_NUMBER
from ._check import CheckReport, CheckRow
from ._errors import ArgumentError, Error, FileError, FormatError, NumericalError, StateError
from ._minimize import Progress, minimize
from ._problem import BaseProblem, CompiledProblem, Draw, DropDraw, Problem, quadratic
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
    "Problem",
    "Progress",
    "Result",
    "StateError",
    "__version__",
    "minimize",
    "quadratic",
]
