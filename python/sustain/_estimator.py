"""What the estimators share: parameters, checks of their input, the form in which they are pickled."""

from __future__ import annotations

import inspect
import json
import struct
import warnings
from contextlib import contextmanager
from typing import Any, Dict, Iterator, List, Mapping, Optional, Tuple

import numpy as np

from ._errors import ArgumentError
from ._result import History
from ._rows import features, is_sparse, refuse_masked, without_gradient

__all__ = ["BaseEstimator", "ClassifierMixin", "RegressorMixin", "TransformerMixin"]
__all__ += ["DataConversionWarning", "NotFittedError"]

try:
    from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin, TransformerMixin
    from sklearn.exceptions import DataConversionWarning, NotFittedError

    HAS_SKLEARN = True
except ImportError:  # NumPy alone: the same interface
    HAS_SKLEARN = False

    class NotFittedError(ValueError, AttributeError):  # type: ignore[no-redef]
        """The estimator is used before it was fitted."""

    class DataConversionWarning(UserWarning):  # type: ignore[no-redef]
        """A column vector was given where a vector was expected."""

    class BaseEstimator:  # type: ignore[no-redef]
        """Parameters are the arguments of ``__init__``, stored under their names."""

        @classmethod
        def _get_param_names(cls) -> List[str]:
            names = [name for name in inspect.signature(cls.__init__).parameters if name != "self"]
            return sorted(names)

        def get_params(self, deep: bool = True) -> Dict[str, Any]:
            """The parameters by name."""
            return {name: getattr(self, name) for name in self._get_param_names()}

        def set_params(self, **params: Any) -> Any:
            """Sets parameters by name."""
            known = self._get_param_names()
            for name, value in params.items():
                if name not in known:
                    raise ValueError(f"Invalid parameter {name!r} for estimator {self}. Valid parameters are: {known}.")
                setattr(self, name, value)
            return self

        def __repr__(self) -> str:
            defaults = {name: p.default for name, p in inspect.signature(type(self).__init__).parameters.items()}
            shown = [
                f"{name}={value!r}" for name, value in self.get_params().items() if value is not defaults.get(name)
            ]
            return f"{type(self).__name__}({', '.join(shown)})"

    class ClassifierMixin:  # type: ignore[no-redef]
        """The score of classifiers."""

        _estimator_type = "classifier"

        def score(self, X: Any, y: Any) -> float:
            """The share of rows whose label is predicted."""
            return float(np.mean(self.predict(X) == np.asarray(y)))  # type: ignore[attr-defined]

    class RegressorMixin:  # type: ignore[no-redef]
        """The score of regression models."""

        _estimator_type = "regressor"

        def score(self, X: Any, y: Any) -> float:
            """The coefficient of determination."""
            y = np.asarray(y, float)
            residual = ((y - self.predict(X)) ** 2).sum()  # type: ignore[attr-defined]
            return float(1 - residual / ((y - y.mean()) ** 2).sum())

    class TransformerMixin:  # type: ignore[no-redef]
        """Nothing: ``TableEncoder`` has all methods."""


def seed_of(random_state: Any) -> int:
    """A seed for the library: an integer as it is, or drawn from a generator of NumPy; None: from its global one."""
    if isinstance(random_state, (int, np.integer)) and not isinstance(random_state, bool):
        if random_state < 0:
            raise ValueError(f"random_state is {random_state}: a seed is not negative")
        return int(random_state)
    if random_state is None:
        return int(np.random.randint(0, 2**31 - 1))
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(0, 2**31 - 1))
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(0, 2**31 - 1))
    raise ValueError(f"random_state is {random_state!r}: give an integer, a generator of NumPy or None")


def whole_of(value: Any, name: str) -> int:
    """A parameter that is a whole number, also 5.0."""
    if isinstance(value, (int, float, np.number)) and not isinstance(value, bool) and value == np.floor(value):
        return int(value)
    raise ValueError(f"{name} is {value!r}: give a whole number")


def number_of(value: Any, name: str) -> float:
    """A parameter that is a number."""
    if isinstance(value, (int, float, np.number)) and not isinstance(value, bool):
        return float(value)
    raise ValueError(f"{name} is {value!r}: give a number")


# ---- labels ----


def vector(y: Any, name: str, length: Optional[int] = None) -> np.ndarray:
    """An array of one axis; a column is taken with a warning."""
    if y is None:
        raise ValueError(f"the estimator requires y to be passed, but the target y is None ({name})")
    if is_sparse(y):
        raise TypeError(f"{name} is sparse: give a dense array of one axis")
    refuse_masked(y, name)
    array = np.asarray(without_gradient(y))
    if array.dtype.kind == "c":
        raise ValueError(f"Complex data not supported: {name} holds complex numbers")
    if array.ndim == 2 and array.shape[1] == 1:
        warnings.warn(
            f"A column-vector y was passed when a 1d array was expected ({name}): use y.ravel()",
            DataConversionWarning,
            stacklevel=4,
        )
        array = array.ravel()
    if array.ndim != 1:
        raise ValueError(f"{name} should be a 1d array, got an array of shape {array.shape} instead.")
    if length is not None and len(array) != length:
        raise ValueError(f"there are {length} rows, but {name} has {len(array)} entries: give one for each row")
    return array


def targets(y: Any, name: str, length: Optional[int] = None) -> np.ndarray:
    """Numbers to predict, as float32."""
    array = vector(y, name, length)
    if array.dtype.kind in "mM":
        raise TypeError(f"{name} holds dates or durations: give numbers, such as (y - y.min()) / np.timedelta64(1, 'D')")
    if array.dtype.kind == "O":
        array = np.array([np.nan if is_missing(value) else value for value in array.tolist()], object)
    try:
        with np.errstate(over="ignore"):
            result = np.ascontiguousarray(array.astype(np.float64), np.float32)
    except (TypeError, ValueError) as error:
        raise type(error)(f"{name} must hold numbers for this loss: {error}") from error
    bad = np.flatnonzero(~np.isfinite(result))
    if len(bad):
        raise ValueError(f"Input {name} contains NaN or infinity: its entry {bad[0]} is {array[bad[0]]}; leave such rows out")
    return result


def check_labels(y: Any, name: str = "y", length: Optional[int] = None, advice: str = "") -> np.ndarray:
    """Labels of classes: integers, booleans or text. Numbers with fractions are refused, with advice."""
    array = vector(y, name, length)
    if array.dtype.kind == "f":
        bad = np.flatnonzero(~np.isfinite(array))
        if len(bad):
            raise ValueError(f"Input {name} contains NaN or infinity: its entry {bad[0]} is {array[bad[0]]}; leave such rows out")
        fractions = np.flatnonzero(array != np.floor(array))
        if len(fractions):
            raise ValueError(
                f"Unknown label type: continuous. Entry {fractions[0]} of {name} is {array[fractions[0]]}: "
                f"labels are classes, not numbers with fractions{advice}"
            )
    elif array.dtype.kind not in "iubOUS":
        raise ValueError(f"Unknown label type: {array.dtype}. {name} must hold integers or text")
    missing = next((i for i, value in enumerate(array.tolist()) if is_missing(value)), -1) if array.dtype.kind == "O" else -1
    if missing >= 0:
        raise ValueError(f"Input {name} contains NaN or None: its entry {missing} is missing; leave such rows out")
    return array


def is_missing(value: Any) -> bool:
    """Whether a value is None, NaN, or pandas's NA or NaT."""
    return value is None or (isinstance(value, float) and value != value) or type(value).__name__ in ("NAType", "NaTType")


def encode(y: np.ndarray, name: str) -> Tuple[np.ndarray, np.ndarray]:
    """The classes, sorted, and the class number of each label as int32."""
    try:
        classes, codes = np.unique(y, return_inverse=True)
    except TypeError as error:
        raise TypeError(
            f"the labels in {name} cannot be sorted, as they are of different types: {error}; write all as text"
        ) from error
    if y.dtype.kind == "O" and not all(isinstance(value, (str, int, bool, np.integer)) for value in classes):
        raise ValueError(f"Unknown label type: {type(classes[0]).__name__}. {name} must hold integers or text")
    if len(classes) == 0:
        raise ValueError(f"{name} is empty: there are no labels")
    if len(classes) < 2:
        raise ValueError(
            f"all labels in {name} are {classes[0]!r}: there must be at least two classes (there is one class)"
        )
    return classes, codes.astype(np.int32)


def codes_of(y: np.ndarray, classes: np.ndarray, name: str) -> np.ndarray:
    """The class numbers of labels among known classes."""
    number = {value: code for code, value in enumerate(classes.tolist())}
    codes = np.fromiter((number.get(value, -1) for value in y.tolist()), np.int32, len(y))
    unknown = np.flatnonzero(codes < 0)
    if len(unknown):
        raise ValueError(f"entry {unknown[0]} of {name} is {y[unknown[0]]!r}, which never occurs in y")
    return codes


# ---- a fitted model as bytes ----

_NAMES = {"F32": np.float32, "F64": np.float64, "I32": np.int32, "I64": np.int64, "U8": np.uint8, "BOOL": np.bool_}
_TYPES = {np.dtype(kind): name for name, kind in _NAMES.items()}


def pack(arrays: Mapping[str, np.ndarray], metadata: Mapping[str, str]) -> bytes:
    """Arrays in the safetensors layout.

    Examples
    --------
    >>> arrays, metadata = unpack(pack({"w": np.arange(3.0)}, {"name": "a"}))
    >>> arrays["w"], metadata
    (array([0., 1., 2.]), {'name': 'a'})
    """
    header: Dict[str, Any] = {"__metadata__": dict(metadata)}
    at = 0
    for name, array in arrays.items():
        header[name] = {
            "dtype": _TYPES[array.dtype],
            "shape": list(array.shape),
            "data_offsets": [at, at + array.nbytes],
        }
        at += array.nbytes
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    return b"".join(
        [struct.pack("<Q", len(text)), text, *(np.ascontiguousarray(array).tobytes() for array in arrays.values())]
    )


def unpack(data: bytes) -> Tuple[Dict[str, np.ndarray], Dict[str, str]]:
    """Arrays and metadata of bytes in the safetensors layout."""
    (length,) = struct.unpack("<Q", data[:8])
    header = json.loads(data[8 : 8 + length])
    metadata = header.pop("__metadata__", {})
    arrays = {}
    for name, row in header.items():
        first, last = (8 + length + offset for offset in row["data_offsets"])
        arrays[name] = np.frombuffer(data[first:last], _NAMES[row["dtype"]]).reshape(row["shape"]).copy()
    return arrays, metadata


def _plain(value: Any) -> Any:
    """A value for JSON."""
    if isinstance(value, np.ndarray):  # text, or within a dict: other arrays are tensors
        return {"dtype": value.dtype.str, "array": value.tolist()}
    if isinstance(value, History):
        return {"history": value._rows}
    if isinstance(value, (np.integer, np.floating, np.bool_)):
        return value.item()
    raise TypeError(f"a {type(value).__name__} cannot be saved")


def _restored(value: Dict[str, Any]) -> Any:
    if set(value) == {"dtype", "array"}:
        return np.array(value["array"], dtype=value["dtype"])
    if set(value) == {"history"}:
        history = History()
        history._rows = value["history"]
        return history
    return value


class Estimator(BaseEstimator):  # type: ignore[misc]
    """Checks of input, and pickling through safetensors."""

    @contextmanager
    def _all_or_nothing(self) -> Iterator[None]:
        """A fit that fails leaves the estimator as it was."""
        before = dict(self.__dict__)
        try:
            yield
        except BaseException as error:
            self.__dict__.clear()
            self.__dict__.update(before)
            if isinstance(error, ArgumentError) and str(error).startswith("the feature") and "NaN" in str(error):
                error.args = (f"{error}: replace it, or give a DataFrame, in which values may be missing",)
            raise

    def _fitted(self) -> None:
        if not self.__sklearn_is_fitted__():
            raise NotFittedError(f"This {type(self).__name__} instance is not fitted yet: call fit first")

    def _take(self, X: Any, pictures: bool = False) -> Any:
        """Features to fit: records their number and names."""
        names = feature_names(X)
        self.__dict__.pop("feature_names_in_", None)
        taken = features(X, pictures=pictures)
        if names is not None:
            self.feature_names_in_ = names
        self.n_features_in_ = int(taken.shape[1])
        return taken

    def _again(self, X: Any, pictures: bool = False) -> Any:
        """Features to predict: must be as they were in ``fit``."""
        self._fitted()
        _compare_names(type(self).__name__, getattr(self, "feature_names_in_", None), feature_names(X))
        taken = features(X, pictures=pictures)
        if taken.shape[1] != self.n_features_in_:
            raise ValueError(
                f"X has {taken.shape[1]} features, but {type(self).__name__} "
                f"is expecting {self.n_features_in_} features as input"
            )
        return taken

    # -- pickling

    def __getstate__(self) -> Dict[str, Any]:
        names = [
            name
            for name, value in vars(self).items()
            if (name.startswith("_") or name.endswith("_")) and not isinstance(value, Estimator)
        ]
        arrays, others = {}, {}
        for name in names:
            value = getattr(self, name)
            if isinstance(value, np.ndarray) and value.dtype in _TYPES:
                arrays[name] = value
            else:
                others[name] = value
        fitted = pack(arrays, {"attributes": json.dumps(others, default=_plain)}) if names else None
        params = {name: value for name, value in vars(self).items() if name not in names}
        return {"params": params, "fitted": fitted}

    def __setstate__(self, state: Dict[str, Any]) -> None:
        self.__dict__.update(state["params"])
        if state["fitted"] is None:
            return
        arrays, metadata = unpack(state["fitted"])
        self.__dict__.update(arrays)
        self.__dict__.update(json.loads(metadata["attributes"], object_hook=_restored))

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "coef_")


def feature_names(X: Any) -> Optional[np.ndarray]:
    """The names of the columns of a frame, where all are text."""
    columns = getattr(X, "columns", None)
    if columns is None or is_sparse(X):
        return None
    names = list(columns)
    text = [isinstance(name, str) for name in names]
    if names and all(text):
        return np.array(names, dtype=object)
    if any(text):
        raise TypeError(
            "the names of the columns of X are text and other things: use text for all of them, X.columns.astype(str)"
        )
    return None


def _compare_names(estimator: str, fitted: Optional[np.ndarray], given: Optional[np.ndarray]) -> None:
    if fitted is None and given is None:
        return
    if fitted is None:
        warnings.warn(
            f"X has feature names, but {estimator} was fitted without feature names", UserWarning, stacklevel=4
        )
        return
    if given is None:
        warnings.warn(
            f"X does not have valid feature names, but {estimator} was fitted with feature names",
            UserWarning,
            stacklevel=4,
        )
        return
    if len(fitted) == len(given) and (fitted == given).all():
        return
    unseen, missing = sorted(set(given) - set(fitted)), sorted(set(fitted) - set(given))
    message = "The feature names should match those that were passed during fit.\n"
    for title, names in (("unseen at fit time", unseen), ("seen at fit time, yet now missing", missing)):
        if names:
            shown = "".join(f"- {name}\n" for name in names[:5]) + ("- ...\n" if len(names) > 5 else "")
            message += f"Feature names {title}:\n{shown}"
    if not unseen and not missing:
        message += "Feature names must be in the same order as they were in fit.\n"
    raise ValueError(message)
