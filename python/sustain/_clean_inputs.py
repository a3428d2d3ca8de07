"""Arguments of ``LabelCleaner``, checked and as the library takes them."""

from __future__ import annotations

import csv
import os
import re
import warnings
from typing import Any, Dict, List, Optional, Sequence, Tuple

import numpy as np

from . import _api
from ._estimator import codes_of, encode, is_missing, vector
from ._rows import columns_of, is_frame, is_sparse, refuse_masked, without_gradient

_FEW_ROWS = 20
_FLAGS = {
    "f1": _api.SUSTAIN_CLEAN_FLAG_F1,
    "precision": _api.SUSTAIN_CLEAN_FLAG_PRECISION,
    "recall": _api.SUSTAIN_CLEAN_FLAG_RECALL,
    "count": _api.SUSTAIN_CLEAN_FLAG_COUNT,
    "rate": _api.SUSTAIN_CLEAN_FLAG_RATE,
}
_FLOATS = {
    np.dtype(np.float16): _api.SUSTAIN_FLOAT16,
    np.dtype(np.float32): _api.SUSTAIN_FLOAT32,
    np.dtype(np.float64): _api.SUSTAIN_FLOAT64,
}


def flag_of(text: str) -> Tuple[int, float]:
    name, _, value = str(text).partition("=")
    try:
        if name in _FLAGS and bool(value) == (name in ("precision", "recall", "count")):
            return _FLAGS[name], float(value or 0)
    except ValueError:
        pass
    raise ValueError(f'flag is {text!r}: give "f1", "precision=P", "recall=R", "count=N" or "rate"')


def tables_of(given: Any, name: str, count: int) -> List[np.ndarray]:
    """Sets of probabilities as a list of arrays (rows, classes) of floats."""
    if given is None:
        return []
    several = isinstance(given, (list, tuple)) and len(given) > 0 and np.ndim(without_gradient(given[0])) == 2
    tables = [np.asarray(without_gradient(table)) for table in (given if several else [given])]
    for table in given if several else [given]:
        refuse_masked(table, name)
        if is_sparse(table):
            raise TypeError(f"{name} is sparse: give {name}.toarray()")
    for k, table in enumerate(tables):
        if table.shape in ((count,), (count, 1)):
            raise ValueError(
                f"{name} has one number for each row: give a column for each class; of the probabilities p of the second of "
                "two classes np.column_stack([1 - p, p])"
            )
        if table.ndim != 2 or table.shape[0] != count:
            raise ValueError(
                f"{name} has the shape {table.shape}: give ({count}, number of classes), one row for each label"
            )
        if table.dtype not in _FLOATS:
            try:
                tables[k] = table.astype(np.float64)
            except (TypeError, ValueError) as error:
                raise type(error)(f"{name} must hold probabilities: {error}") from error
        if not (tables[k].flags.c_contiguous or tables[k].flags.f_contiguous):
            tables[k] = np.ascontiguousarray(tables[k])
    return tables


def probabilities(table: np.ndarray, source: str) -> _api.sustain_probabilities:
    """The structure of the library for an array, which it borrows."""
    result = _api.sustain_probabilities()
    result.count, result.classes = table.shape
    result.values, result.type = table.ctypes.data, _FLOATS[table.dtype]
    result.by_column = not table.flags.c_contiguous
    result.source = source.encode()
    return result


def by_class(given: Any, labels: np.ndarray) -> Any:
    """Probabilities whose columns have the names of the classes, in sorted order; others as they are."""
    if isinstance(given, (list, tuple)) and any(map(is_frame, given)):
        return [by_class(table, labels) for table in given]
    names = _class_columns(given, labels)
    if names is None:
        return given
    if not hasattr(given, "iloc"):
        return given[list(names)]
    columns = list(given.columns)
    return given.iloc[:, [columns.index(name) for name in names]]  # given[[True, False]] would choose rows


def _class_columns(given: Any, labels: np.ndarray) -> Optional[Dict[Any, Any]]:
    """The class of each column of a frame, in sorted order, where the classes of all labels are among the columns."""
    if not is_frame(given):
        return None
    known = {_class_name(label): label for label in np.unique(labels).tolist()}
    names = {_class_name(name): name for name in given.columns}
    if not set(known) <= set(names):
        if set(known) & set(names) and list(given.columns) != list(range(len(names))):
            lacking = next(label for name, label in known.items() if name not in names)
            raise ValueError(f"pred_probs has no column for the class {lacking!r}: its columns are {list(names)[:20]}")
        return None
    for name, column in zip(names, columns_of(given)):
        if name not in known:
            _refuse_other(name, np.asarray(column))
    if labels.dtype.kind not in "iuf":
        return {names[name]: known.get(name, name) for name in sorted(names)}
    if not all(name in known or name.isdigit() for name in names):
        return None
    return {names[name]: known.get(name, int(float(name))) for name in sorted(names, key=float)}


def _class_name(label: Any) -> str:
    """The name of a class: 1 and 1.0, as a column with missing labels has it, are one."""
    return str(int(label)) if isinstance(label, float) and label.is_integer() else str(label)


def _refuse_other(name: str, column: np.ndarray) -> None:
    """A column of a frame of probabilities that no label belongs to may be a class, but not an identifier."""
    if column.dtype.kind not in "fiub" or not (np.abs(column - 0.5) <= 0.51).all():
        raise ValueError(f"the column {name!r} of pred_probs is no class of y and holds no probabilities: leave it out")


def check_order(table: np.ndarray, codes: np.ndarray, classes: np.ndarray) -> None:
    """Columns in another order than the classes: most rows with a predicted column have another label, the same one."""
    count = np.zeros((len(classes), len(classes)), np.int64)
    np.add.at(count, (table.argmax(axis=1), codes), 1)
    fits = np.where(count.max(axis=1) == count.diagonal(), np.arange(len(classes)), count.argmax(axis=1))
    moved = np.flatnonzero(fits != np.arange(len(classes)))
    if len(moved) and 2 * count.trace() < count.max(axis=1).sum():
        k = moved[0]
        raise ValueError(
            f"the columns of pred_probs are in another order than the classes: column {k} fits the label "
            f"{classes[fits[k]]!r}, not {classes[k]!r}. Give the classes in sorted order, or a DataFrame with their names"
        )
    for k in moved:  # two columns that are exchanged, or two classes that people took for each other
        other = fits[k]
        if k < other and fits[other] == k and all(2 * count[i].max() > count[i].sum() for i in (k, other)):
            warnings.warn(
                f"most rows whose likeliest class is {classes[k]!r} have the label {classes[other]!r}, and the other way round: "
                "if two columns of pred_probs are exchanged, give the classes in sorted order, or a DataFrame with their names",
                stacklevel=4,
            )


def classes_of(labels: np.ndarray, tables: Sequence[np.ndarray], given: Any = None) -> Tuple[np.ndarray, np.ndarray]:
    """Classes and class numbers. Where a class has probabilities but no label, integers from 0 number the columns, and
    frames of probabilities (``given``) name them."""
    columns = _class_columns(given[0] if isinstance(given, (list, tuple)) and given else given, labels)
    if columns is not None and len(columns) > len(np.unique(labels)):
        classes = np.array(list(columns.values()))
        return classes, np.searchsorted(classes, labels).astype(np.int32)
    if tables and labels.dtype.kind in "iuf":
        count = tables[0].shape[1]
        if len(labels) and labels.min() >= 0 and labels.max() < count and len(np.unique(labels)) < count:
            return np.arange(count), labels.astype(np.int32)
    classes, codes = encode(labels, "y")
    for table in tables:
        if table.shape[1] != len(classes):
            raise ValueError(
                f"pred_probs has {table.shape[1]} columns, but y has {len(classes)} classes: {classes[:20].tolist()}"
            )
    return classes, codes


def warn_of_classes(codes: np.ndarray, names: np.ndarray) -> None:
    """Few rows; labels that are identifiers by mistake have hundreds of classes of a row or two; classes that differ in
    capital letters or blanks alone are nearly always one."""
    seen: Dict[str, str] = {}
    for name in names.tolist() if names.dtype.kind in "OU" else []:
        first = seen.setdefault(str(name).strip().lower(), str(name))
        if first != str(name):
            warnings.warn(
                f"the classes {first!r} and {str(name)!r} of y differ in capital letters or blanks alone: if they are one, "
                "write them alike",
                stacklevel=5,
            )
            break
    if len(codes) < _FEW_ROWS:
        warnings.warn(f"there are {len(codes)} rows: too few to conclude anything from", stacklevel=5)
    counts = np.bincount(codes)
    rare, classes = int(np.sum((counts > 0) & (counts <= 2))), int(np.sum(counts > 0))
    if len(codes) >= _FEW_ROWS and 2 * rare > classes:
        warnings.warn(
            f"{rare} of the {classes} classes of y have one or two rows, of which nothing can be learned: if these labels "
            "identify rows, give the classes instead; if they are classes, join the rare ones",
            stacklevel=5,
        )


def _decisions(path: Any, classes: np.ndarray) -> Dict[int, Any]:
    """Rows and labels of a CSV file with the columns row and label: decisions.csv of a page, or a list made by hand."""
    try:
        return _read_decisions(path, classes)
    except UnicodeDecodeError as error:
        raise ValueError(f"{path}: it is not UTF-8: save it as UTF-8 (in a spreadsheet: 'CSV UTF-8')") from error
    except csv.Error as error:
        raise ValueError(f"{path}: it cannot be read as CSV: {error}") from error


def _read_decisions(path: Any, classes: np.ndarray) -> Dict[int, Any]:
    by_name = {str(value): value for value in classes.tolist()}
    decided: Dict[int, Any] = {}
    with open(path, newline="", encoding="utf-8-sig") as file:
        header = file.readline()
        stated = re.fullmatch(r"sep=([,;\t|])\r?\n", header)  # as spreadsheets write it
        header = file.readline() if stated else header
        delimiter = stated[1] if stated else max(",;\t", key=header.count)
        names = [name.strip().lower() for name in next(csv.reader([header], delimiter=delimiter), [])]
        for twice in (name for name in ("row", "label") if names.count(name) > 1):
            raise ValueError(f"{path}: its first line has the column {twice!r} twice")
        lines = csv.DictReader(file, names, delimiter=delimiter, strict=True)  # an open quote would hide the rest
        for number, line in enumerate(lines, 3 if stated else 2):
            row, label = re.sub(r"\.0+$", "", (line.get("row") or "").strip()), line.get("label")
            if not any(field for field in line.values()):
                continue  # an empty line of a spreadsheet
            if label is None or not row.isdigit():
                raise ValueError(f"{path}, line {number}: it needs the columns row and label, and row must be a number")
            if line.get("decision") == "keep" and label != line.get("given"):
                raise ValueError(
                    f"{path}, line {number}: 'keep' is of the given label {line.get('given')!r}, but its label is {label!r}: "
                    "write 'class', or the given label"
                )
            label = label if label in by_name else label.strip()
            label = label if label in by_name else re.sub(r"\.0+$", "", label)  # "1.0", as a table with missing labels has
            if label not in by_name and label != "":
                raise ValueError(f"{path}, line {number}: the label {label!r} never occurs in y")
            if label != "" and decided.setdefault(int(row), by_name[label]) != by_name[label]:
                raise ValueError(f"{path}, line {number}: row {int(row)} appears twice, with two labels: keep one of them")
    if not decided:
        raise ValueError(f"{path}: it has no row with a label: it needs the columns row and label")
    return decided


def _pairs(rows: List[Any], labels: List[Any]) -> Dict[Any, Any]:
    """The label of each row, of a frame; a row that appears twice must have one label."""
    pairs: Dict[Any, Any] = {}
    for row, label in zip(rows, labels):
        row = int(row) if isinstance(row, float) and row.is_integer() else row
        if not is_missing(label) and pairs.setdefault(row, label) != label:
            raise ValueError(f"verified has row {row} twice, as {pairs[row]!r} and as {label!r}: keep one of them")
    return pairs


def _refuse_ambiguous(given: Any, y: Any) -> None:
    """A Series of some rows says which by its index: by row number, unless y has an index of its own."""
    index = getattr(y, "index", None)
    if index is not None and hasattr(index, "equals") and index.tolist() != list(range(len(index))):
        raise ValueError(
            "verified is a Series of some rows, and y has an index of its own, so that it is not clear which rows are meant: "
            "give verified.reindex(y.index) if both have the same index, or a dict {row: label} with rows by position"
        )


def verified_of(given: Any, classes: np.ndarray, count: int, y: Any = None) -> Optional[np.ndarray]:
    """The class number that a person found for each row, -1: not checked. ``y``: the labels as they were given."""
    if given is None:
        return None
    if is_frame(given) and not {"row", "label"} <= set(given.columns):
        shown = ", ".join(map(repr, list(given.columns)[:20]))
        raise ValueError(f"verified is a DataFrame with the columns {shown}: it needs the columns 'row' and 'label'")
    codes = np.full(count, -1, np.int32)
    if isinstance(given, (str, os.PathLike)):
        given = _decisions(given, classes)
    elif is_frame(given):
        given = _pairs(given["row"].to_list(), given["label"].to_list())
    elif hasattr(given, "index") and hasattr(given, "to_dict") and len(given) != count:
        _refuse_ambiguous(given, y)
        given = given.to_dict()  # a Series of some rows, which its index numbers
    if hasattr(given, "keys") and not hasattr(given, "to_numpy"):
        given = {row: label for row, label in given.items() if not is_missing(label)}
        rows = np.array(list(given.keys()))
        if len(rows) and (rows.dtype.kind not in "iu" or rows.min() < 0 or rows.max() >= count):
            outside = (row for row in given if not isinstance(row, (int, np.integer)) or not 0 <= row < count)
            other = next(outside, next(iter(given)))
            raise ValueError(f"verified names the row {other!r}: rows are numbered by position, 0 to {count - 1}, not by an index")
        values: List[Any] = list(given.values())
    else:
        table = vector(given, "verified", count)
        if table.dtype == np.bool_ and classes.dtype != np.bool_:
            raise ValueError("verified holds booleans: give the right label of each row, None where it was not checked")
        signs = -1 in classes.tolist()
        rows = np.array(
            [i for i, v in enumerate(table.tolist()) if not is_missing(v) and (signs or v != -1)], np.int64
        )
        values = [table[i] for i in rows]
        if signs and len(rows) == count and -1 in values:
            raise ValueError("-1 is a class of y, and cannot say which rows were not checked: give None for them, or a dict")
    if len(rows):
        codes[rows] = codes_of(np.array(values), classes, "verified")
    return codes
