"""Functions of Python as functions of a problem in C: draws, vectors at addresses, exceptions."""

from __future__ import annotations

import ctypes
import functools
from typing import Any, Callable, Dict, Optional, Tuple, Union

import numpy as np

from . import _api
from ._context import Context

OPS: Dict[str, Any] = {field[0]: field[1] for field in _api.sustain_problem_ops._fields_}
#: Functions of a problem, as problem.h names them: what each returns ("value", "x", "y", "xy", "yy").
_RETURNS = {
    "f_value": "value",
    "f_grad": "x+y",
    "g_value": "value",
    "g_grad_y": "y",
    "g_hess_vec": "y",
    "g_cross_vec": "x",
    "g_grad_x": "x",
    "g_hess": "yy",
    "g_cross": "xy",
}
_WITH_VECTOR = ("g_hess_vec", "g_cross_vec")


class DropDraw(Exception):
    """Raise it in a function of a problem to drop this random draw: the solver goes on with the next."""


class Draw:
    """A random draw of a stream: ``size`` samples, which ``key`` names.

    Attributes
    ----------
    size : int
        How many samples.
    key : int
        64 bits. The same key must give the same samples: SUSTAIN evaluates one draw at two points.
    """

    __slots__ = ("size", "key")

    def __init__(self, size: int, key: int) -> None:
        self.size, self.key = size, key

    def generator(self) -> np.random.Generator:
        """A generator of random numbers for this draw, the same at each call.

        Examples
        --------
        >>> draw = Draw(4, key=7)
        >>> bool((draw.generator().normal(size=4) == draw.generator().normal(size=4)).all())
        True
        """
        return np.random.Generator(np.random.Philox(key=self.key))


class Vectors:
    """Vectors of the library, at an address, as arrays and back."""

    def __init__(self, dtype: np.dtype, upper_dim: int, lower_dim: int) -> None:
        real = ctypes.c_double if dtype == np.float64 else ctypes.c_float
        self.dtype = dtype
        self.shapes: Dict[str, Tuple[int, ...]] = {
            "x": (upper_dim,),
            "y": (lower_dim,),
            "yy": (lower_dim, lower_dim),
            "xy": (upper_dim, lower_dim),
        }
        self.kinds = {name: real * int(np.prod(shape)) for name, shape in self.shapes.items() if len(shape) == 1}
        self.real = real

    def read(self, name: str, address: int) -> np.ndarray:
        """A copy of the vector at an address."""
        return array_at(self.kinds[name], address, self.dtype).copy()

    def write(self, name: str, address: int, value: Any, function: str) -> None:
        """Writes what a function returned to an address."""
        shape = self.shapes[name]
        array = np.asarray(value)
        if array.shape != shape:
            raise ValueError(f"{function} returned an array of shape {array.shape}: {shape} is needed")
        kind = self.kinds.get(name) or self.real * array.size
        array_at(kind, address, self.dtype).reshape(shape)[...] = array

    def writer_of(self, x: np.ndarray, y: np.ndarray) -> Callable[[int, int], None]:
        """A function that writes x and y to two addresses."""

        def write(to_x: int, to_y: int) -> None:
            ctypes.memmove(to_x, x.ctypes.data, x.nbytes)
            ctypes.memmove(to_y, y.ctypes.data, y.nbytes)

        return write


@functools.lru_cache(maxsize=256)  # making a type takes longer than using it
def indices(size: int) -> Any:
    """The ctypes of an array of sample numbers."""
    return ctypes.c_int64 * size


def array_at(kind: Any, address: int, dtype: Any) -> np.ndarray:
    """The memory at an address, which holds an array of ctypes of this kind, as an array."""
    return np.frombuffer(kind.from_address(address), dtype)


def draw_of(address: Optional[int]) -> Union[None, np.ndarray, Draw]:
    """The batch at an address: None, an array of sample numbers, or a draw of a stream."""
    if address is None:
        return None
    batch = _api.sustain_batch.from_address(address)
    if batch.index is None:
        return Draw(batch.size, batch.key)
    return array_at(indices(batch.size), batch.index, np.int64).copy()


def guarded(function: Callable[..., None], context: Context) -> Callable[..., int]:
    """An oracle that returns what problem.h asks for; exceptions are kept for the caller of the library."""

    def oracle(*arguments: Any) -> int:
        try:
            function(*arguments)
            return 0
        except DropDraw:
            return 1
        except BaseException as error:
            context.keep(error)
            return -1

    return oracle


def oracle_of(name: str, function: Callable, vectors: Vectors, context: Context) -> Callable[..., int]:
    """The C form of one function of a problem."""
    returns = _RETURNS[name]
    read, write = vectors.read, vectors.write

    def value(own: Optional[int], batch: Optional[int], x: int, y: int, out: int, work: Optional[int]) -> None:
        result = function(draw_of(batch), read("x", x), read("y", y))
        ctypes.c_double.from_address(out).value = float(result)

    def both(own: Optional[int], batch: Optional[int], x: int, y: int, fx: int, fy: int, work: Optional[int]) -> None:
        result = function(draw_of(batch), read("x", x), read("y", y))
        if not isinstance(result, (tuple, list)) or len(result) != 2:
            raise TypeError(f"{name} must return two arrays, the gradients in x and in y")
        write("x", fx, result[0], f"{name} (in x)")
        write("y", fy, result[1], f"{name} (in y)")

    def product(own: Optional[int], batch: Optional[int], x: int, y: int, v: int, out: int, work: Optional[int]) -> None:
        write(returns, out, function(draw_of(batch), read("x", x), read("y", y), read("y", v)), name)

    def plain(own: Optional[int], batch: Optional[int], x: int, y: int, out: int, work: Optional[int]) -> None:
        write(returns, out, function(draw_of(batch), read("x", x), read("y", y)), name)

    forms: Dict[str, Callable[..., None]] = {"value": value, "x+y": both, "product": product}
    return guarded(forms.get("product" if name in _WITH_VECTOR else returns, plain), context)


def projection_of(function: Callable, vectors: Vectors, context: Context) -> Callable[..., int]:
    def project(own: Optional[int], x: int) -> None:
        vectors.write("x", x, function(vectors.read("x", x)), "project_x")

    return guarded(project, context)
