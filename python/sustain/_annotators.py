"""Several labels for a row, by annotators of unknown quality."""

from __future__ import annotations

import ctypes
import warnings
from typing import Any, List, NamedTuple

import numpy as np

from . import _api
from ._context import Context
from ._estimator import check_labels, encode, is_missing, number_of, vector, whole_of


class AnnotatorEstimate(NamedTuple):
    """What ``dawid_skene`` returns.

    Attributes
    ----------
    rows : ndarray of shape (n_rows,)
        The rows that have labels, sorted.
    labels : ndarray of shape (n_rows,)
        The likeliest label of each.
    probabilities : ndarray of shape (n_rows, n_classes)
        The probability of each class.
    classes : ndarray
        The classes, sorted.
    annotators : ndarray of shape (n_annotators,)
        The annotators, sorted.
    counts : ndarray of shape (n_annotators,)
        How many labels each one gave.
    accuracy : ndarray of shape (n_annotators,)
        The estimated share of right labels.
    accuracy_interval : ndarray of shape (n_annotators, 2)
        Its 95 % confidence interval.
    """

    rows: np.ndarray
    labels: np.ndarray
    probabilities: np.ndarray
    classes: np.ndarray
    annotators: np.ndarray
    counts: np.ndarray
    accuracy: np.ndarray
    accuracy_interval: np.ndarray


def dawid_skene(
    rows: Any, annotators: Any, labels: Any, *, max_iter: int = 100, tol: float = 1e-6
) -> AnnotatorEstimate:
    """The class of each row and the accuracy of each annotator, by the method of Dawid and Skene (1979).

    Parameters
    ----------
    rows, annotators, labels : arrays of shape (n_labels,)
        One entry for each label that was given: the row, who gave it, and the label. Numbers or text.
    max_iter : int
        Iterations of expectation maximization at most.
    tol : float
        It ends when no probability changes by more than this.

    Returns
    -------
    estimate : AnnotatorEstimate
        Labels and probabilities of the rows, accuracy of the annotators.

    Examples
    --------
    >>> import sustain
    >>> rows = [0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3]
    >>> who = ["ann", "ben", "cy"] * 4
    >>> given = ["cat", "cat", "dog", "dog", "dog", "dog", "cat", "cat", "cat", "dog", "dog", "cat"]
    >>> estimate = sustain.dawid_skene(rows, who, given)
    >>> estimate.labels.tolist()
    ['cat', 'dog', 'cat', 'dog']
    >>> bool(estimate.accuracy[2] < estimate.accuracy[0])
    True
    """
    given = check_labels(labels, "labels")
    classes, codes = encode(given, "labels")
    for values, name in ((rows, "rows"), (annotators, "annotators")):
        if any(map(is_missing, vector(values, name, len(given)).tolist())):
            raise ValueError(f"{name} has a missing entry: leave its label out")
    names, row_codes = np.unique(vector(rows, "rows", len(given)), return_inverse=True)
    people, people_codes = np.unique(vector(annotators, "annotators", len(given)), return_inverse=True)
    kind = np.dtype([("row", np.int64), ("annotator", np.int32), ("label", np.int32)])
    table = np.empty(len(given), kind)
    table["row"], table["annotator"], table["label"] = row_codes, people_codes, codes
    options = _api.sustain_annotators_options()
    posterior = np.empty((len(names), len(classes)), np.float32)
    quality = (_api.sustain_annotator * len(people))()
    annotation = ctypes.POINTER(_api.sustain_annotation)
    said: List[str] = []
    with Context(log=said.append) as context:
        context.lib.sustain_annotators_defaults_for(ctypes.sizeof(options), ctypes.byref(options))
        options.rows, options.annotators, options.classes = len(names), len(people), len(classes)
        options.rounds, options.tolerance = whole_of(max_iter, "max_iter"), number_of(tol, "tol")
        context.run(
            "sustain_annotators_estimate",
            context.handle,
            ctypes.byref(options),
            ctypes.cast(table.ctypes.data, annotation),
            len(table),
            posterior.ctypes.data,
            quality,
        )
    for line in said:
        warnings.warn(line, stacklevel=2)
    return AnnotatorEstimate(
        rows=names,
        labels=classes[posterior.argmax(axis=1)],
        probabilities=posterior,
        classes=classes,
        annotators=people,
        counts=np.array([a.labels for a in quality]),
        accuracy=np.array([a.accuracy for a in quality]),
        accuracy_interval=np.array([(a.low, a.high) for a in quality]),
    )
