"""Finds and loads the shared libraries, and gives their functions with prototypes.

Searched in this order, for each precision:

1. the folders in the environment variable ``SUSTAIN_LIBRARY_PATH``;
2. the package's own folder ``_libs``, which a wheel carries;
3. ``build/release`` and ``build/double`` of the source tree that this file is in;
4. where the system's loader looks for libraries.
"""

from __future__ import annotations

import ctypes
import os
import sys
import threading
from pathlib import Path
from typing import Any, Dict, Iterator, List

from . import _api
from ._errors import StateError

_HERE = Path(__file__).resolve().parent
_SONAME = "{}.{}".format(_api.SUSTAIN_VERSION_NUMBER // 10000, _api.SUSTAIN_VERSION_NUMBER // 100 % 100)
#: What a library of the table needs to be loaded before it.
_BELOW = {"sustain": (), "sustain-learn": ("sustain",), "sustain-fewshot": ("sustain", "sustain-learn")}
_FOLDERS = {"float": "release", "double": "double"}


def _file_name(library: str) -> str:
    return f"lib{library}.{_SONAME}.dylib" if sys.platform == "darwin" else f"lib{library}.so.{_SONAME}"


def _folders(precision: str) -> Iterator[Path]:
    for folder in os.environ.get("SUSTAIN_LIBRARY_PATH", "").split(os.pathsep):
        if folder:
            yield Path(folder)
    yield _HERE / "_libs"
    source = _HERE.parent.parent
    if (source / "include" / "sustain" / "sustain.h").exists():
        yield source / "build" / _FOLDERS[precision]


def program() -> str:
    """The path of the program ``sustain`` that belongs to this package.

    Raises
    ------
    StateError
        If there is none.
    """
    for folder in _folders("float"):
        for path in (folder / "sustain", folder.parent / "bin" / "sustain"):
            if path.is_file() and os.access(path, os.X_OK):
                return str(path)
    for folder_name in os.environ.get("PATH", "").split(os.pathsep):
        # The entry point of this package would call itself: it is a script, not the program.
        path = Path(folder_name) / "sustain"
        if path.is_file() and os.access(path, os.X_OK):
            with path.open("rb") as file:
                if file.read(2) != b"#!":
                    return str(path)
    raise StateError("the program sustain was not found: build it with make, or install it with make install")


class Library:
    """The functions of all libraries of one precision as attributes; each is loaded at its first use.

    Parameters
    ----------
    precision : {"float", "double"}
        What the library computes with.
    """

    def __init__(self, precision: str) -> None:
        if precision not in _FOLDERS:
            raise ValueError(f'there is no precision "{precision}": give "float" or "double"')
        self.precision = precision
        self.real = ctypes.c_double if precision == "double" else ctypes.c_float
        self._loaded: Dict[str, ctypes.CDLL] = {}
        self._lock = threading.RLock()

    def path(self, library: str = "sustain") -> str:
        """The file that a library was loaded from."""
        return str(self._load(library)._name)

    def _load(self, library: str) -> ctypes.CDLL:
        with self._lock:
            if library not in self._loaded:
                for below in _BELOW[library]:
                    self._load(below)
                self._loaded[library] = self._open(library)
            return self._loaded[library]

    def _open(self, library: str) -> ctypes.CDLL:
        name = _file_name(library + ("-double" if self.precision == "double" else ""))
        tried: List[str] = []
        for path in [str(folder / name) for folder in _folders(self.precision)] + [name]:
            if os.sep in path and not os.path.exists(path):
                continue
            try:
                return ctypes.CDLL(path)
            except OSError as error:
                tried.append(str(error))
        reason = f" ({'; '.join(tried)})" if tried else ""
        raise StateError(f"{name} was not found or cannot be loaded{reason}: build it with make, or name its folder in SUSTAIN_LIBRARY_PATH")

    def __getattr__(self, name: str) -> Any:
        if name not in _api.FUNCTIONS:
            raise AttributeError(name)
        library, result, arguments = _api.FUNCTIONS[name]
        function = getattr(self._load(library), name)
        function.restype, function.argtypes = result, arguments
        setattr(self, name, function)
        return function


_libraries: Dict[str, Library] = {}


def load(precision: str = "float") -> Library:
    """The library of a precision; the same object at each call."""
    if precision not in _libraries:
        _libraries.setdefault(precision, Library(precision))
    return _libraries[precision]
