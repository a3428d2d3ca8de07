"""Arrays, frames, sparse matrices and tensors as the rows of ``rows.h``, without a copy where the memory fits.

| input | copied |
|---|---|
| NumPy array or ``np.memmap`` of float32, uint8 or bool, in C order | no |
| tensor with ``__dlpack__`` (PyTorch, JAX, CuPy on the host) of these types | no |
| scipy CSR matrix of float32 with sorted int32 indices | the row pointers only |
| other sparse matrices | yes, to CSR |
| float64, float16, bfloat16, integers, other orders, lists, data frames | yes, to float32 |
| anything that is standardized | yes, to float32 |
"""

from __future__ import annotations

import ctypes
import warnings
from contextlib import contextmanager
from typing import Any, Iterator, List, Mapping, NamedTuple, Optional, Sequence, Tuple

import numpy as np

from . import _api
from ._context import Context
from ._library import load

#: A feature of bytes above this value makes them pixels, which are used as parts of 255.
_PIXEL = 127


def is_sparse(X: Any) -> bool:
    """Whether ``X`` is a scipy sparse matrix or array."""
    return hasattr(X, "tocsr") and hasattr(X, "nnz")


def is_frame(X: Any) -> bool:
    """Whether ``X`` is a frame of pandas or polars."""
    return hasattr(X, "columns") and hasattr(X, "to_numpy")


def refuse_masked(X: Any, name: str) -> None:
    """NumPy takes what is under a mask for a number."""
    if isinstance(X, np.ma.MaskedArray) and np.any(X.mask):
        raise ValueError(f"{name} has masked entries: fill them in, or leave their rows out")


def without_gradient(X: Any) -> Any:
    """A PyTorch tensor without its gradient, and with bfloat16, which NumPy does not have, as float32; others as they
    are."""
    if not hasattr(X, "detach"):
        return X
    X = X.detach()
    return X.float() if str(X.dtype) == "torch.bfloat16" else X


def warn_of_order(given: Mapping[str, Any]) -> None:
    """Warns where the indices of frames and series have the same entries in another order: rows are taken by their
    place. Where one index was made anew, places are right."""
    named = [(name, value.index) for name, value in given.items() if hasattr(value, "iloc") and hasattr(value, "index")]
    for name, index in named[1:]:
        first, other = named[0][1], index
        if len(first) != len(other) or first.equals(other) or not (first.is_unique and other.is_unique):
            continue
        if other.isin(first).all():
            warnings.warn(
                f"{named[0][0]} and {name} have the same index in another order, and rows are taken by their place: "
                f"if rows of one index belong together, give {name}.loc[{named[0][0]}.index]",
                stacklevel=5,
            )


def columns_of(X: Any) -> List[Any]:
    """The columns of a frame, also where several have one name."""
    return [X.iloc[:, k] for k in range(X.shape[1])] if hasattr(X, "iloc") else [X[name] for name in X.columns]


def _check_pointers(X: Any) -> None:
    start, entries = np.asarray(X.indptr), min(len(X.data), len(X.indices))
    if len(start) != X.shape[0] + 1 or start[0] < 0 or start[-1] > entries or (np.diff(start) < 0).any():
        raise ValueError("the row pointers of X do not fit its values: the sparse matrix is damaged")
    used = X.indices[: start[-1]]
    if len(used) and (used.min() < 0 or used.max() >= X.shape[1]):
        raise ValueError(f"the indices of X are not all in 0 to {X.shape[1] - 1}: the sparse matrix is damaged")


def _sparse(X: Any) -> Any:
    """A CSR matrix of float32 whose indices are sorted and occur once."""
    if X.dtype.kind == "c":
        raise ValueError("Complex data not supported: X holds complex numbers")
    csr = X.tocsr()
    _check_pointers(csr)  # what follows reads where they point
    if not csr.has_canonical_format:
        csr = csr.copy()
        csr.sum_duplicates()
    with np.errstate(over="ignore"):
        return csr.astype(np.float32, copy=False)


def _frame(X: Any, name: str) -> np.ndarray:
    """The numbers of a pandas or polars frame."""
    for column in X.columns:
        values = np.asarray(X[column])
        if values.dtype.kind in "OUSTV":
            text = next((value for value in values.tolist() if isinstance(value, (str, bytes))), None)
            if text is not None:
                raise ValueError(
                    f"could not convert string to float: column {column!r} of {name} holds text ({text!r:.40}); "
                    'encode it as numbers (encoder="auto", or a TableEncoder), or leave it out'
                )
    if hasattr(X, "iloc"):
        return X.to_numpy(dtype=np.float32, na_value=np.nan) if _has_missing_type(X) else X.to_numpy()
    return X.to_numpy()


def _has_missing_type(X: Any) -> bool:
    """Whether a column has one of pandas's own types, which mark missing values by ``NA``."""
    return any(not isinstance(kind, np.dtype) for kind in X.dtypes)


def _dense(X: Any, name: str) -> np.ndarray:
    if is_frame(X):
        return _frame(X, name)
    if not isinstance(X, np.ndarray) and hasattr(X, "__dlpack__") and hasattr(np, "from_dlpack"):
        try:
            return np.from_dlpack(without_gradient(X))
        except (RuntimeError, BufferError, TypeError) as error:
            raise TypeError(
                f"{name} is a tensor that NumPy cannot read ({error}): move it to the host's memory"
            ) from error
    refuse_masked(X, name)
    return np.asarray(X)


def _number(array: np.ndarray, name: str) -> np.ndarray:
    """The array as float32, uint8 or, of booleans, the same memory as uint8."""
    if array.dtype.kind == "c":
        raise ValueError(f"Complex data not supported: {name} holds complex numbers")
    if array.dtype == np.bool_:
        return array.view(np.uint8)
    if array.dtype in (np.uint8, np.float32):
        return array
    if array.dtype.kind in "mM":
        raise TypeError(f"{name} holds dates or times: give numbers")
    try:
        with np.errstate(over="ignore"):  # infinite numbers are refused later, with their place
            return array.astype(np.float64).astype(np.float32) if array.dtype.kind == "O" else array.astype(np.float32)
    except TypeError as error:
        raise TypeError(f"{name} holds an object that is no number: {error}") from error
    except ValueError as error:
        raise ValueError(
            f"{name} holds text or lists of different lengths: {error}; columns of text are encoded where {name} is a DataFrame"
        ) from error


def features(X: Any, name: str = "X", pictures: bool = False) -> Any:
    """Features as a dense array (float32 or uint8, C order) or a CSR matrix of float32, two axes.

    Parameters
    ----------
    X : array, frame, sparse matrix or tensor
        The features.
    name : str
        What it is called in messages.
    pictures : bool
        Whether arrays of 3 or 4 axes are pictures. Their rows become one axis.
    """
    if is_sparse(X):
        result = _sparse(X)
    else:
        result = _number(_dense(X, name), name)
        if pictures and result.ndim in (3, 4):
            result = result.reshape(len(result), -1)
        if result.ndim != 2:
            raise ValueError(
                f"Expected 2D array, got {result.ndim}D array instead: {name} has the shape {result.shape}. "
                "Reshape your data: one row for each sample (a single feature: X.reshape(-1, 1))"
            )
        result = np.ascontiguousarray(result)
    for axis, what in enumerate(("sample", "feature")):
        if result.shape[axis] == 0:
            raise ValueError(f"Found array with 0 {what}(s) (shape={result.shape}) while a minimum of 1 is required.")
    return result


def picture_shape(X: Any) -> Optional[Tuple[int, int, int]]:
    """Height, width and channels of the pictures that ``X`` holds; None where it holds rows."""
    shape: Sequence[int] = getattr(X, "shape", ())
    if len(shape) not in (3, 4) or is_sparse(X):
        return None
    height, width, *channels = (int(size) for size in shape[1:])
    return (height, width, channels[0] if channels else 1)


def same_form(parts: Sequence[Any]) -> List[Any]:
    """Parts of one data set stored in one way: bytes beside floats become floats."""
    if len({is_sparse(part) for part in parts}) > 1:
        raise ValueError("one part of the data is sparse and another is dense: store them in the same way")
    if is_sparse(parts[0]) or len({part.dtype for part in parts}) == 1:
        return list(parts)
    return [part.astype(np.float32, copy=False) for part in parts]


def byte_unit(parts: Sequence[Any]) -> float:
    """What a byte is multiplied with: 1/255 for pixels, 1 for 0 and 1; 0 where bytes are neither, and for floats."""
    if is_sparse(parts[0]) or parts[0].dtype != np.uint8:
        return 0.0
    largest = max(int(part.max()) for part in parts)
    return 1 / 255 if largest > _PIXEL else 1.0 if largest <= 1 else 0.0


class Rows:
    """A ``sustain_rows`` and the arrays that it borrows.

    Parameters
    ----------
    X : array or CSR matrix, as ``features`` returns it, or None
        None: labels alone.
    labels : int32 array, optional
        Class numbers.
    targets : float32 array, optional
        Numbers to predict.
    unit : float
        What a byte is multiplied with.
    """

    def __init__(
        self, X: Any, labels: Optional[np.ndarray] = None, targets: Optional[np.ndarray] = None, unit: float = 1.0
    ) -> None:
        self.struct = rows = _api.sustain_rows()
        self._kept: List[Any] = [X, labels, targets]
        given = X if X is not None else labels
        assert given is not None
        rows.count = given.shape[0]
        rows.dim = X.shape[1] if X is not None else 0
        if X is not None and is_sparse(X):
            self._take_sparse(X)
        elif X is not None and X.dtype == np.uint8:
            rows.bytes, rows.byte_scale = X.ctypes.data, unit
        elif X is not None:
            rows.values = X.ctypes.data
        if labels is not None:
            rows.labels = labels.ctypes.data
        if targets is not None:
            rows.targets = targets.ctypes.data

    def _take_sparse(self, X: Any) -> None:
        if X.shape[1] > np.iinfo(np.int32).max:
            raise ValueError(f"X has {X.shape[1]} columns: at most {np.iinfo(np.int32).max} are possible")
        _check_pointers(X)
        start = np.ascontiguousarray(X.indptr, np.int64)
        columns = np.ascontiguousarray(X.indices, np.int32)
        values = np.ascontiguousarray(X.data, np.float32)
        self._kept += [start, columns, values]
        self.struct.start, self.struct.columns, self.struct.values = (
            start.ctypes.data,
            columns.ctypes.data,
            values.ctypes.data,
        )

    @property
    def pointer(self) -> Any:
        """The address of the structure."""
        return ctypes.byref(self.struct)


class Scaling(NamedTuple):
    """How features were scaled before a fit: ``(x * unit - mean) * factor``."""

    unit: float
    mean: Optional[np.ndarray]
    factor: Optional[np.ndarray]
    reason: str

    def apply(self, X: Any) -> Any:
        """The scaled features, a copy; ``X`` itself where nothing is scaled."""
        if self.factor is None:
            return X
        if is_sparse(X):
            scaled = X.copy()
            scaled.data = X.data * self.factor[X.indices]
            return scaled
        scaled = np.multiply(X, np.float32(self.unit), dtype=np.float32) if X.dtype == np.uint8 else X.copy()
        if self.mean is not None:
            scaled -= self.mean
        scaled *= self.factor
        return scaled

    def undo(self, weights: np.ndarray, bias: np.ndarray) -> Tuple[np.ndarray, np.ndarray]:
        """The model of the features as given, from weights (scores, features) and bias (scores) of the scaled ones."""
        weights = weights.astype(np.float64)
        bias = bias.astype(np.float64)
        if self.factor is not None:
            weights = weights * self.factor
        if self.mean is not None:
            bias = bias - weights @ self.mean.astype(np.float64)
        return weights * self.unit, bias

    def undo_values(self, values: np.ndarray, feature: np.ndarray) -> np.ndarray:
        """Values of features as given, from values of the scaled ones."""
        if self.factor is not None:
            values = values / self.factor[feature]
        if self.mean is not None:
            values = values + self.mean[feature]
        return values / self.unit


#: The values of the parameter ``standardize``.
STANDARDIZE = {"auto": _api.SUSTAIN_SCALING_AUTO, True: _api.SUSTAIN_SCALING_ON, False: _api.SUSTAIN_SCALING_OFF}


def scale(
    context: Context, parts: Sequence[Any], mode: Any, center: bool = True, encoding: Any = None
) -> Tuple[List[Any], Scaling]:
    """Scales features by the first part, as the library decides (``sustain_scaling_create``).

    Parameters
    ----------
    context : Context
        The context.
    parts : list of arrays
        Features of parts of one data set, the training rows first.
    mode : {"auto", True, False}
        Whether they are scaled.
    center : bool
        Whether means are subtracted: not where the model has no intercept.
    encoding : pointer, optional
        The encoding of the table that the features are from.

    Returns
    -------
    parts : list
        The features, scaled where needed.
    scaling : Scaling
        What was done.
    """
    if mode not in STANDARDIZE:
        raise ValueError(f'standardize is {mode!r}: give "auto", True or False')
    unit = byte_unit(parts)
    if unit == 0.0:
        unit = 1.0
        parts = [part if is_sparse(part) else part.astype(np.float32, copy=False) for part in parts]
    rows = Rows(parts[0], unit=unit)
    dataset = _api.sustain_dataset()
    dataset.rows, dataset.source, dataset.context = rows.struct, b"X", context.handle
    dataset.encoding = encoding
    out = ctypes.POINTER(_api.sustain_scaling)()
    context.call("sustain_scaling_create", ctypes.byref(dataset), STANDARDIZE[mode], ctypes.byref(out))
    try:
        found = out.contents
        dim = parts[0].shape[1]
        mean = read(found.mean, np.float32, dim) if center else None
        scaling = Scaling(unit, mean, read(found.factor, np.float32, dim), (found.reason or b"").decode())
    finally:
        context.lib.sustain_scaling_destroy(out)
    if scaling.factor is not None and not all(np.isfinite(part).all() for part in scaling[1:3] if part is not None):
        return list(parts), scaling._replace(mean=None, factor=None)  # the job refuses the number and names its place
    return [scaling.apply(part) for part in parts], scaling


def read(address: Optional[int], dtype: Any, shape: Any) -> Any:
    """A copy of an array of the library; None where there is none."""
    if not address:
        return None
    size = int(np.prod(shape)) * np.dtype(dtype).itemsize
    return np.frombuffer(ctypes.string_at(address, size), dtype).reshape(shape).copy()


def defaults(kind: Any, function: str) -> Any:
    """An options structure with the library's defaults."""
    options = kind()
    getattr(load(), function)(ctypes.sizeof(options), ctypes.byref(options))
    return options


@contextmanager
def owned(context: Context, create: str, destroy: str, *arguments: Any) -> Iterator[ctypes.c_void_p]:
    """An object of the library for the time of a ``with`` block; ``create`` takes the context first, its place last."""
    out = ctypes.c_void_p()
    context.run(create, context.handle, *arguments, ctypes.byref(out))
    try:
        yield out
    finally:
        getattr(context.lib, destroy)(out)
