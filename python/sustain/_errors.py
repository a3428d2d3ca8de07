"""The exceptions of the package: each is also the built-in one that Python users expect."""

from __future__ import annotations

from typing import Dict, Type

from . import _api


class Error(Exception):
    """A call of the library failed. The message is the library's sentence.

    Attributes
    ----------
    status : str
        The name of the status in ``status.h``, for example ``"MISSING_ORACLE"``.
    """

    status = ""


class ArgumentError(Error, ValueError):
    """An argument, a parameter, a name or an option has a value that is not valid."""


class NumericalError(Error, ArithmeticError):
    """The computation cannot be continued: it diverged, or a value is not finite."""


class FileError(Error, OSError):
    """A file could not be read or written."""


class FormatError(Error, ValueError):
    """A file does not have the expected form, or belongs to something else."""


class StateError(Error, RuntimeError):
    """The call is not possible now, or with this library."""


_CLASSES: Dict[int, Type[BaseException]] = {
    _api.SUSTAIN_PRECISION: StateError,
    _api.SUSTAIN_VERSION: StateError,
    _api.SUSTAIN_MEMORY: MemoryError,
    _api.SUSTAIN_MEMORY_LIMIT: MemoryError,
    _api.SUSTAIN_ORACLE_FAILED: StateError,
    _api.SUSTAIN_DRAW_DROPPED: StateError,
    _api.SUSTAIN_NOT_FINITE: NumericalError,
    _api.SUSTAIN_DIVERGED: NumericalError,
    _api.SUSTAIN_NOT_CONVERGED: NumericalError,
    _api.SUSTAIN_NOT_CONVEX: NumericalError,
    _api.SUSTAIN_ORDER: StateError,
    _api.SUSTAIN_IO: FileError,
    _api.SUSTAIN_FORMAT: FormatError,
    _api.SUSTAIN_MISMATCH: FormatError,
    _api.SUSTAIN_CANCELLED: KeyboardInterrupt,
    _api.SUSTAIN_WRITE: FileError,
}


def error_of(status: int, name: str, sentence: str) -> BaseException:
    """The exception for a status that is not OK."""
    error = _CLASSES.get(status, ArgumentError)(sentence)
    if isinstance(error, Error):
        error.status = name
    return error
