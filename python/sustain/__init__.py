"""sustain: stochastic bilevel optimization, wrong labels, tuned penalties, few-shot learning."""

from __future__ import annotations

from ._api import SUSTAIN_VERSION_NUMBER
from ._errors import ArgumentError, Error, FileError, FormatError, NumericalError, StateError

__version__ = "{}.{}.{}".format(
    SUSTAIN_VERSION_NUMBER // 10000, SUSTAIN_VERSION_NUMBER // 100 % 100, SUSTAIN_VERSION_NUMBER % 100
)
__all__ = ["ArgumentError", "Error", "FileError", "FormatError", "NumericalError", "StateError", "__version__"]
