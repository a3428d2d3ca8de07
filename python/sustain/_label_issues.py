"""Label issues and label quality with the arguments that users of cleanlab know."""

from __future__ import annotations

import ctypes
from typing import Any, Dict, Optional, Tuple

import numpy as np

from ._clean import LabelCleaner
from ._clean_inputs import by_class, classes_of, probabilities, tables_of
from ._context import Context
from ._estimator import check_labels

_SCORES = ("probability", "self_confidence", "normalized_margin", "confidence_weighted_entropy")


def _scores(codes: np.ndarray, table: np.ndarray, method: str) -> np.ndarray:
    """The scores that are computed from a row's own probabilities."""
    p = np.asarray(table, np.float64)
    own = p[np.arange(len(codes)), codes]
    if method == "self_confidence":
        return own
    if method == "normalized_margin":
        others = p.copy()
        others[np.arange(len(codes)), codes] = -1
        return (own - others.max(axis=1) + 1) / 2
    entropy = -np.sum(p * np.log(np.clip(p, 1e-300, None)), axis=1) / np.log(p.shape[1])
    ratio = np.clip(entropy / np.clip(own, 1e-300, None), 1e-300, None)
    return np.log1p(ratio) / ratio


def _cleaned(labels: Any, pred_probs: Any, verified: Any, options: Dict[str, Any]) -> LabelCleaner:
    return LabelCleaner(**options).fit(None, labels, pred_probs=pred_probs, verified=verified)


def find_label_issues(
    labels: Any,
    pred_probs: Any,
    *,
    verified: Any = None,
    return_indices_ranked_by: Optional[str] = None,
    flag: str = "f1",
    verified_are: str = "random",
    n_jobs: Optional[int] = -1,
) -> np.ndarray:
    """Which labels are likely wrong, by the out-of-fold probabilities of any model.

    Parameters
    ----------
    labels : array of shape (n_rows,)
        The given labels. Integers from 0 are the columns of ``pred_probs``; other labels are
        classes in sorted order.
    pred_probs : array of shape (n_rows, n_classes)
        Probabilities by a model that was not trained on the row; or a list of such arrays, which
        are combined.
    verified : dict or array, optional
        Labels that a person has checked, as in ``LabelCleaner.fit``.
    return_indices_ranked_by : {None, "probability", "self_confidence", "normalized_margin", \
"confidence_weighted_entropy"}
        None: return a mask. Else return the rows of the issues, worst first by this score.
    flag : str
        Which labels are flagged, as in ``LabelCleaner``.
    verified_are : str
        How verified rows were chosen, as in ``LabelCleaner``.
    n_jobs : int or None
        Number of threads.

    Returns
    -------
    issues : ndarray
        A boolean mask of shape (n_rows,), or row numbers.

    Examples
    --------
    >>> import numpy as np, sustain
    >>> labels = np.array([0, 0, 1, 1, 0, 1] * 20)
    >>> pred_probs = np.where(np.eye(2, dtype=bool)[labels], 0.9, 0.1)
    >>> pred_probs[3] = [0.95, 0.05]
    >>> sustain.find_label_issues(labels, pred_probs, return_indices_ranked_by="self_confidence")
    array([3])
    """
    _check_score(return_indices_ranked_by, "return_indices_ranked_by", (None, *_SCORES))
    cleaner = _cleaned(labels, pred_probs, verified, dict(flag=flag, verified_are=verified_are, n_jobs=n_jobs))
    if return_indices_ranked_by is None:
        return cleaner.is_issue_
    if return_indices_ranked_by == "probability":
        return cleaner.order_[cleaner.is_issue_[cleaner.order_]]
    rows = np.flatnonzero(cleaner.is_issue_)
    scores = _scores(cleaner._given, _first_table(pred_probs, check_labels(labels, "labels")), return_indices_ranked_by)
    return rows[np.argsort(scores[rows], kind="stable")]


def get_label_quality_scores(
    labels: Any,
    pred_probs: Any,
    *,
    method: str = "probability",
    verified: Any = None,
    verified_are: str = "random",
    n_jobs: Optional[int] = -1,
) -> np.ndarray:
    """A score between 0 and 1 for every label; low scores are likely wrong.

    Parameters
    ----------
    labels, pred_probs, verified, verified_are, n_jobs
        As in ``find_label_issues``.
    method : {"probability", "self_confidence", "normalized_margin", "confidence_weighted_entropy"}
        "probability": the probability that the label is right, as ``LabelCleaner.label_quality_``,
        which uses ``verified``. The others are computed from a row's own probabilities.

    Returns
    -------
    scores : ndarray of shape (n_rows,)
        The scores.

    Examples
    --------
    >>> import numpy as np, sustain
    >>> labels = np.array([0, 1, 1])
    >>> pred_probs = np.array([[0.75, 0.25], [0.5, 0.5], [0.0, 1.0]])
    >>> sustain.get_label_quality_scores(labels, pred_probs, method="self_confidence")
    array([0.75, 0.5 , 1.  ])
    """
    _check_score(method, "method", _SCORES)
    if method == "probability":
        return _cleaned(labels, pred_probs, verified, dict(verified_are=verified_are, n_jobs=n_jobs)).label_quality_
    given = check_labels(labels, "labels")
    table = _first_table(pred_probs, given)
    _, codes = classes_of(given, [table], by_class(pred_probs, given))
    with Context() as context:
        context.call("sustain_probabilities_check", context.handle, ctypes.byref(probabilities(table, "pred_probs")))
    return _scores(codes, table, method)


def _first_table(pred_probs: Any, labels: np.ndarray) -> np.ndarray:
    """The probabilities; the mean of several sets."""
    tables = tables_of(by_class(pred_probs, labels), "pred_probs", len(labels))
    return tables[0] if len(tables) == 1 else np.mean([table.astype(np.float64) for table in tables], axis=0)


def _check_score(value: Any, name: str, known: Tuple[Any, ...]) -> None:
    if value not in known:
        raise ValueError(f"{name} is {value!r}: give one of {', '.join(map(repr, known))}")
