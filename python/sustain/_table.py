"""Frames with text, categories and missing values as features (``table.h``)."""

from __future__ import annotations

import csv
import ctypes
import datetime
import itertools
import json
import logging
import os
import re
import tempfile
import warnings
from collections import Counter
from contextlib import contextmanager
from typing import Any, Callable, Collection, Iterator, List, Optional, Sequence, Tuple, Union

import numpy as np

from . import _api
from ._context import Context, logger
from ._errors import FormatError
from ._estimator import Estimator, TransformerMixin, feature_names
from ._rows import Scaling, columns_of, features, is_frame, owned, read, same_form, scale

_MISSING = {"mean": _api.SUSTAIN_MISSING_MEAN, "refuse": _api.SUSTAIN_MISSING_REFUSE}
#: Rows to predict from which on a warning says that most of them have what no row of ``fit`` had.
_MANY_ROWS = 20
#: What sentences of the library call options of the program, and what they are here.
_HINTS = {
    "(text-column)": "(TableEncoder(text_columns=[...]))",
    " or as what identifies rows (id-column)": "",
    "(ignore-column)": "(TableEncoder(ignore_columns=[...]))",
    "name it as such (id-column)": "leave it out (TableEncoder(ignore_columns=[...]))",
    "it is neither IDX, NPY, NPZ, CSV, LIBSVM text, CIFAR binary nor a packed data set": "text has control characters",
}

_Log = Optional[Callable[[str], object]]


class TableEncoder(TransformerMixin, Estimator):  # type: ignore[misc]
    """Makes features of the columns of a frame: numbers, categories, text, with missing values.

    The library encodes the frame as it encodes a CSV file, so that the features are those of the
    program for the same table. ``LabelCleaner`` and ``PenaltyTuner`` use an encoder by themselves.

    A column of numbers is one feature; a missing value becomes the mean of the column, and a second
    feature marks it. Dates and times become days, and parts of the year, the week and the day;
    durations become days. A column of text with few different values has a feature for each of them, and
    one in common for rare ones and for those that ``fit`` has not seen. Free text must be named, and
    becomes TF-IDF of words and pairs of words. docs/formats.md has the details.

    Parameters
    ----------
    text_columns : name or list of names, optional
        Columns of free text.
    ignore_columns : name or list of names, optional
        Columns that are not used.
    categorical : "auto", name or list of names
        Columns that are categories even if they hold numbers, besides those of pandas's type
        "category" and those of text with few different values.
    missing : {"mean", "refuse"}
        What is done with missing numbers.

    Attributes
    ----------
    encoding_ : str
        What ``fit`` has found, as JSON; model files of the program store the same.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray
        Their names.

    Examples
    --------
    Numbers with missing values, and categories::

        frame = pandas.DataFrame({"age": [30, None, 50, 41], "city": ["Rome", "Oslo", "Rome", "Oslo"]})
        encoder = sustain.TableEncoder()
        encoder.fit_transform(frame)[1]     # 40.33, 1, 1, 0
        encoder.get_feature_names_out()     # age, age (missing), city=Oslo, city=Rome
    """

    _names: np.ndarray  # of the features
    _column: np.ndarray  # the place of the column that each feature comes from

    def __init__(
        self,
        text_columns: Union[None, str, Sequence[Any]] = None,
        ignore_columns: Union[None, str, Sequence[Any]] = None,
        categorical: Union[None, str, Sequence[Any]] = "auto",
        missing: str = "mean",
    ) -> None:
        self.text_columns = text_columns
        self.ignore_columns = ignore_columns
        self.categorical = categorical
        self.missing = missing

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "encoding_")

    def fit(self, X: Any, y: Any = None) -> "TableEncoder":
        """Decides what becomes of each column.

        Parameters
        ----------
        X : DataFrame
            The rows.
        y : object
            Not used.

        Returns
        -------
        self : TableEncoder
            The fitted encoder.
        """
        self._fit(X)
        return self

    def fit_transform(self, X: Any, y: Any = None) -> Any:
        """Fits the encoder and returns the features.

        Parameters
        ----------
        X : DataFrame
            The rows.
        y : object
            Not used.

        Returns
        -------
        features : float32 array; CSR matrix where there is text, or many categories
            One row for each row of ``X``.
        """
        return self._fit(X)

    def transform(self, X: Any) -> Any:
        """The features of rows.

        Parameters
        ----------
        X : DataFrame
            The rows. Columns are found by name, and others than those of ``fit`` are ignored.

        Returns
        -------
        features : float32 array; CSR matrix where there is text, or many categories
            One row for each row of ``X``.
        """
        return self._transform(X)

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """Names of the features: "age", "age (missing)", "city=Rome", "body:net profit".

        Parameters
        ----------
        input_features : object
            Not used.

        Returns
        -------
        names : ndarray of str
            The names.
        """
        self._fitted()
        return self._names

    # ---- what estimators use ----

    def _fit(self, X: Any, log: _Log = None) -> Any:
        names = _names(X, "X")
        if self.missing not in _MISSING:
            raise ValueError(f'missing is {self.missing!r}: give "mean" or "refuse"')
        text, ignored, declared = (self._places(X, name) for name in ("text_columns", "ignore_columns", "categorical"))
        of_type = [k for k, column in enumerate(columns_of(X)) if is_category(column) and k not in (*text, *ignored)]
        categories = sorted({*declared, *of_type})
        options = _api.sustain_table_options(size=ctypes.sizeof(_api.sustain_table_options))
        options.missing = _MISSING[self.missing]
        options.text_columns = _list(text)  # not None, even if empty: a table with "a:1" in it is no LIBSVM text
        options.categorical = _list(categories) or None
        options.ignore_columns = _list(ignored) + b"," * bool(ignored) + _spare(names).encode()
        _check_finite(X, [k for k in range(len(names)) if k not in ignored], "X")
        with _file(X, range(len(names)), names, [names[k] for k in categories], "X", log) as (context, path):
            with _dataset(context, path, table=ctypes.pointer(options)) as dataset:
                result = _features(dataset.rows)
                found = context.lib.sustain_table_encoding_features(dataset.encoding)
                encoding = _text(context, dataset.encoding)
                self._names = np.array([name.decode("utf-8", "replace") for name in found.names[: found.dim]], object)
                group = read(found.group, np.int32, found.dim)
        self.encoding_ = encoding
        self._column = np.array([column["at"] for column in json.loads(encoding)["columns"]], np.int32)[group]
        self.feature_names_in_ = np.array(names, object)
        self.n_features_in_ = len(names)
        return result

    def _transform(self, X: Any, name: str = "X", log: _Log = None) -> Any:
        self._fitted()
        given = {column: k for k, column in enumerate(_names(X, name))}
        columns = json.loads(self.encoding_)["columns"]
        used = [self.feature_names_in_[column["at"]] for column in columns]
        categories = [at for at, column in zip(used, columns) if column["kind"] == "category"]
        absent = [column for column in used if column not in given]
        if absent:
            shown = ", ".join(map(repr, absent[:5])) + (", ..." if len(absent) > 5 else "")
            raise ValueError(f"{name} has no column {shown}, which fit was given")
        places = [given[column] for column in used]
        _check_finite(X, places, name)
        with _file(X, places, used, categories, name, _warning(log)) as (context, path), self._opened(context) as encoding:
            with _dataset(context, path, encoding=encoding) as dataset:
                return _features(dataset.rows)

    @contextmanager
    def _opened(self, context: Context) -> Iterator[Any]:
        """The encoding as an object of the library."""
        read, destroy = "sustain_table_encoding_read", "sustain_table_encoding_destroy"
        with owned(context, read, destroy, b"the encoding", self.encoding_.encode()) as encoding:
            yield encoding

    def _places(self, X: Any, parameter: str) -> List[int]:
        """The places of the columns that a parameter names."""
        wanted = getattr(self, parameter)
        if wanted is None or (parameter == "categorical" and isinstance(wanted, str) and wanted == "auto"):
            return []
        wanted = [wanted] if isinstance(wanted, str) else list(wanted)
        names = list(X.columns)
        for name in wanted:
            if name not in names:
                shown = ", ".join(map(repr, names[:20])) + (", ..." if len(names) > 20 else "")
                raise ValueError(f"{parameter} names {name!r}, which is no column of X; they are {shown}")
        return [names.index(name) for name in wanted]


class TableEstimator(Estimator):
    """Estimators whose parameter ``encoder`` says how frames become features."""

    encoder: Any
    encoder_: Optional[TableEncoder] = None
    standardize: Any
    fit_intercept: bool

    def _log(self) -> _Log:
        return print if getattr(self, "verbose", False) else None

    def _take(self, X: Any, pictures: bool = False) -> Any:
        self.encoder_ = _encoder_for(self.encoder, X)
        if self.encoder_ is None:
            return super()._take(X, pictures)
        self.__dict__.pop("feature_names_in_", None)
        names = feature_names(X)
        taken = features(self.encoder_._fit(X, self._log()))
        if names is not None:
            self.feature_names_in_ = names
        self.n_features_in_ = self.encoder_.n_features_in_
        return taken

    def _again(self, X: Any, pictures: bool = False) -> Any:
        self._fitted()
        if self.encoder_ is not None:
            return self._part(X, "X")
        self._refuse_missing(X, "X")
        return super()._again(X, pictures)

    def _part(self, X: Any, name: str, pictures: bool = False) -> Any:
        """Features of further rows of ``fit``, or of rows to predict."""
        if self.encoder_ is None:
            self._refuse_missing(X, name)
            return features(X, name, pictures)
        return features(self.encoder_._transform(X, name, self._log()), name)

    def _refuse_missing(self, X: Any, name: str) -> None:
        for place, column in enumerate(columns_of(X) if is_frame(X) else []):
            if _has_missing(column):
                raise ValueError(
                    f"{name} contains NaN in column {X.columns[place]!r}, and no value was missing in the rows of fit: "
                    "give encoder=TableEncoder(), which then encodes the column in any case"
                )

    def _scale(self, context: Context, parts: List[Any]) -> Tuple[List[Any], Scaling]:
        """Features, scaled by the first part."""
        arguments = context, same_form(parts), self.standardize, self.fit_intercept
        if self.encoder_ is None:
            return scale(*arguments)
        with self.encoder_._opened(context) as encoding:
            return scale(*arguments, encoding)


def _encoder_for(wanted: Any, X: Any) -> Optional[TableEncoder]:
    """A new encoder, where ``X`` needs one."""
    if isinstance(wanted, TableEncoder):
        return TableEncoder(**wanted.get_params(deep=False))
    if wanted is not None and wanted != "auto":
        raise ValueError(f'encoder is {wanted!r}: give "auto", a TableEncoder or None')
    needed = wanted == "auto" and is_frame(X) and any(_is_odd(column) for column in columns_of(X))
    return TableEncoder() if needed else None


# ---- columns ----


def is_category(column: Any) -> bool:
    """Whether a column has pandas's type "category"."""
    return getattr(column.dtype, "name", "") == "category"


def _has_missing(column: Any) -> bool:
    missing = column.isna() if hasattr(column, "isna") else column.is_null()
    values = np.asarray(column)
    return bool(missing.any()) or (values.dtype.kind == "f" and bool(np.isnan(values).any()))


def _is_odd(column: Any) -> bool:
    """Whether a column holds something else than numbers, or misses values."""
    if is_category(column) or _has_missing(column):
        return True
    values = np.asarray(column)
    if str(column.dtype).startswith("period"):
        return True
    words = (str, bytes, datetime.date, datetime.time)
    return values.dtype.kind in "mMUST" or (values.dtype.kind == "O" and any(isinstance(v, words) for v in values.tolist()))


def _names(X: Any, name: str) -> List[str]:
    """The names of the columns of a frame as text, each of which must occur once."""
    if not is_frame(X):
        raise TypeError(f"{name} is a {type(X).__name__}: give a DataFrame, whose columns have names")
    names = [str(column).strip(" \r") for column in X.columns]
    twice = [column for column, times in Counter(names).items() if times > 1]
    if twice:
        raise ValueError(f"two columns of {name} have the name {twice[0]!r}: give each its own")
    for axis, what in enumerate(("sample", "feature")):
        if X.shape[axis] == 0:
            raise ValueError(f"Found array with 0 {what}(s) (shape={X.shape}) while a minimum of 1 is required.")
    return names


def _check_finite(X: Any, places: Sequence[int], name: str) -> None:
    columns = columns_of(X)
    for place in places:
        values = np.asarray(columns[place])
        infinite = np.flatnonzero(np.isinf(values)) if values.dtype.kind == "f" else np.zeros(0, int)
        if len(infinite):
            raise ValueError(f"{name} contains infinity in row {infinite[0]}, column {X.columns[place]!r}")


def _list(places: Sequence[int]) -> bytes:
    """Columns as the library takes them: numbers from 1."""
    return ",".join(str(place + 1) for place in places).encode()


# ---- the frame as a file ----


def _spare(names: Sequence[str]) -> str:
    """A name that no column has."""
    name = "(end)"
    while name in names:
        name += ")"
    return name


def _as_category(column: Any) -> Any:
    """A column of pandas whose whole numbers are integers: those with missing values among them were floats."""
    if is_category(column) and column.cat.categories.dtype.kind == "f":
        column = column.astype(column.cat.categories.dtype)
    if column.dtype.kind == "f" and bool((column.dropna() % 1 == 0).all()):
        column = column.astype("Int64")
    return column


def _write(X: Any, places: Sequence[int], names: Sequence[str], categories: Collection[str], path: str) -> None:
    """Writes columns of a frame as CSV. One more column, which is named in the options, says that the first line has
    names even if they look like numbers, and keeps rows without any value."""
    if hasattr(X, "iloc"):
        table = X.iloc[:, list(places)]
        table.columns = list(names)
        changed = {name: _as_category(table[name]) for name in categories}
        for name in names:
            if name not in changed and table[name].dtype.kind == "m":
                changed[name] = table[name].dt.total_seconds() / 86400
        table.assign(**changed, **{_spare(names): 0}).to_csv(path, index=False, encoding="utf-8")
        return
    columns = columns_of(X)
    with open(path, "w", newline="", encoding="utf-8") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow([*names, _spare(names)])
        out.writerows(zip(*(columns[place].to_list() for place in places), [0] * X.shape[0]))


@contextmanager
def _file(
    X: Any, places: Sequence[int], names: Sequence[str], categories: Collection[str], name: str, log: _Log
) -> Iterator[Tuple[Context, str]]:
    """Columns of a frame as a file, and a context whose sentences call it by ``name``."""
    with tempfile.TemporaryDirectory(prefix="sustain-") as folder:
        path = os.path.join(folder, "table.csv")
        try:
            _write(X, places, names, categories, path)
        except UnicodeEncodeError as error:
            raise ValueError(
                f"{name} holds a text or a name with {error.object[error.start]!r}, which UTF-8 cannot write: replace it"
            ) from error
        with Context(log=_calling(log, path, name)) as context:
            try:
                yield context, path
            except FormatError as error:
                error.args = (_explained(str(error), path, name),)
                raise


@contextmanager
def _dataset(context: Context, path: str, **options: Any) -> Iterator[Any]:
    """The file as the library reads it."""
    reading = _api.sustain_read_options(size=ctypes.sizeof(_api.sustain_read_options), **options)
    out = ctypes.POINTER(_api.sustain_dataset)()
    context.run("sustain_dataset_read", context.handle, os.fsencode(path), ctypes.byref(reading), ctypes.byref(out))
    try:
        yield out.contents
    finally:
        context.lib.sustain_dataset_destroy(out)


def _warning(log: _Log) -> _Log:
    """A log that also warns where most of many rows have what no row of ``fit`` had."""

    def say(line: str) -> None:
        found = re.search(r" in (\d+) of (\d+) rows", line)
        if found and int(found[2]) >= _MANY_ROWS and 2 * int(found[1]) > int(found[2]):
            warnings.warn(line)
        (log or logger.info)(line)

    return say


def _calling(log: _Log, path: str, name: str) -> _Log:
    """A log whose lines call the file by ``name``."""
    if log is None and not logger.isEnabledFor(logging.INFO):
        return None
    say = log or logger.info
    return lambda line: say(_explained(line, path, name))


def _explained(sentence: str, path: str, name: str) -> str:
    """A sentence about the file as one about the frame, whose rows are counted from 0."""

    def place(match: "re.Match[str]") -> str:
        return f"row {_row(path, int(match[1]))}, column"

    sentence = re.sub(r"\bline (\d+), column", place, sentence.replace(path, name))
    for ours, here in _HINTS.items():
        sentence = sentence.replace(ours, here)
    return re.sub(r"column \d+ \('(.*?)'\)", r"column '\1'", sentence)


def _row(path: str, line: int) -> int:
    """The row that a line of a file is in: a line ends a row where all quotes are closed."""
    row, quotes = -1, 0
    with open(path, "rb") as file:
        for text in itertools.islice(file, line - 1):
            quotes += text.count(b'"')
            row += quotes % 2 == 0
    return row


def _features(rows: Any) -> Any:
    """The features of a data set, copied."""
    n, dim = int(rows.count), int(rows.dim)
    if not rows.start:
        return read(rows.values, np.float32, (n, dim))
    try:
        from scipy.sparse import csr_matrix
    except ImportError:
        raise ImportError("the features of this table are sparse, which needs SciPy: install scipy") from None
    start = read(rows.start, np.int64, n + 1)
    size = int(start[-1])
    return csr_matrix((read(rows.values, np.float32, size), read(rows.columns, np.int32, size), start), (n, dim))


def _text(context: Context, encoding: Any) -> str:
    """An encoding as JSON."""
    out = ctypes.c_void_p()
    context.call("sustain_table_encoding_write", encoding, ctypes.byref(out))
    assert out.value
    try:
        return ctypes.string_at(out.value).decode()
    finally:
        ctypes.CDLL(None).free(out)
