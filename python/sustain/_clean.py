"""Finding wrong labels (``clean.h``)."""

from __future__ import annotations

import csv
import ctypes
import os
import time
from typing import Any, Dict, List, Mapping, Optional, Sequence, Set, Tuple, Union

import numpy as np

from . import _api, _page
from ._context import Context
from ._estimator import ClassifierMixin, Estimator, check_labels, codes_of, encode, seed_of, vector
from ._progress import progress_bar
from ._result import History, counts_of
from ._rows import Rows, defaults, features, owned, picture_shape, read, same_form, scale

_VERIFIED_ARE = {
    "random": _api.SUSTAIN_VERIFIED_RANDOM,
    "worst-first": _api.SUSTAIN_VERIFIED_WORST_FIRST,
    "mixed": _api.SUSTAIN_VERIFIED_MIXED,
}
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


class _Data:
    """What ``fit`` was given, checked and as the library takes it."""

    def __init__(self) -> None:
        self.parts: List[Any] = []  # features: training, then trusted rows
        self.codes = np.zeros(0, np.int32)
        self.trusted_codes: Optional[np.ndarray] = None
        self.verified: Optional[np.ndarray] = None
        self.probabilities: List[_api.sustain_probabilities] = []
        self.trusted_probabilities: List[_api.sustain_probabilities] = []
        self.kept: List[Any] = []  # arrays that structures borrow


class LabelCleaner(ClassifierMixin, Estimator):  # type: ignore[misc]
    """Finds the labels that look wrong, and trains a classifier without them.

    It combines classifiers that were trained without the row they judge, the labels that are known
    to be right (trusted rows, or rows of the data that were verified) and, if given, probabilities
    of any other models. With trusted or verified rows it learns a weight for every label by
    data hyper-cleaning, a bilevel problem.

    Parameters
    ----------
    solver : str
        An algorithm of ``sustain.solvers()``; "auto": chosen for the job.
    c : float
        Regularization of the lower level.
    fit_intercept : bool
        Whether the classifiers have a bias.
    folds : int
        Of everything that is computed out of fold, 2 to 20.
    standardize : {"auto", True, False}
        Whether features are scaled to mean 0 and standard deviation 1. "auto": where their scales
        differ. Bytes are used as parts of 255.
    flag : str
        Which labels are flagged: "f1" (as many as maximize the expected F1), "precision=0.9",
        "recall=0.95", "count=100" or "rate" (as many as are estimated to be wrong).
    verified_are : {"random", "worst-first", "mixed"}
        How verified rows were chosen. Only rows drawn at random measure how many labels are wrong.
    batch, iterations : int, optional
        Of the solver; None: chosen for the job.
    solver_params : dict, optional
        Other parameters of the solver by name.
    baselines : bool
        Whether baselines are computed for the page of ``report``.
    random_state : int, generator of NumPy or None
        Seed of the folds and of the solver. Same seed, same result.
    n_jobs : int or None
        Number of threads; -1: all processors, None: 1. The result does not depend on it.
    verbose : bool, optional
        None: a progress bar on a terminal and in a notebook. True: also the steps of the work.

    Attributes
    ----------
    label_quality_ : ndarray of shape (n_rows,)
        The probability that the label is right.
    probability_wrong_ : ndarray of shape (n_rows,)
        1 minus that.
    is_issue_ : ndarray of shape (n_rows,)
        Whether the label is flagged.
    suggested_ : ndarray of shape (n_rows,)
        The label that the row should have; the given one where it is not flagged.
    weights_ : ndarray of shape (n_rows,) or None
        The learned weight of each label; None where no label is known to be right.
    estimated_errors_ : float
        How many labels are wrong.
    estimated_errors_interval_ : ndarray of shape (2,)
        Its 95 % confidence interval; NaN where no label is known to be right.
    issues_ : DataFrame, or structured array without pandas
        The flagged labels, worst first.
    group_errors_ : list of dict
        With ``groups``: name, rows, error_rate and its interval for each group, worst first.
    order_ : ndarray of shape (n_rows,)
        Row numbers, worst first.
    classes_ : ndarray
        The classes, sorted.
    coef_, intercept_ : ndarray
        The final classifier, trained on cleaned and trusted rows, for features as they were given.
    history_ : History
        The evaluations of the solver, as ``sustain.minimize`` returns them.
    result_ : dict
        Everything else, with the names of the program's ``result.json``.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray
        Names of the columns, where ``X`` is a frame.

    Examples
    --------
    >>> import numpy as np, sustain
    >>> rng = np.random.default_rng(0)
    >>> truth = rng.integers(0, 3, 600)
    >>> X = rng.normal(size=(600, 5)) + 3 * np.eye(3, 5)[truth]
    >>> y = truth.copy()
    >>> y[:30] = (y[:30] + 1) % 3
    >>> cleaner = sustain.LabelCleaner().fit(X[:500], y[:500], X[500:], y[500:])
    >>> bool(cleaner.is_issue_[:30].mean() > 0.7), bool(cleaner.is_issue_[30:].mean() < 0.03)
    (True, True)
    """

    _not_saved = ("_gallery",)

    def __init__(
        self,
        solver: str = "auto",
        *,
        c: float = 0.001,
        fit_intercept: bool = True,
        folds: int = 5,
        standardize: Union[str, bool] = "auto",
        flag: str = "f1",
        verified_are: str = "random",
        batch: Optional[int] = None,
        iterations: Optional[int] = None,
        solver_params: Optional[Mapping[str, Any]] = None,
        baselines: bool = False,
        random_state: Any = 0,
        n_jobs: Optional[int] = -1,
        verbose: Optional[bool] = None,
    ) -> None:
        self.solver = solver
        self.c = c
        self.fit_intercept = fit_intercept
        self.folds = folds
        self.standardize = standardize
        self.flag = flag
        self.verified_are = verified_are
        self.batch = batch
        self.iterations = iterations
        self.solver_params = solver_params
        self.baselines = baselines
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    # ---- fitting ----

    def fit(
        self,
        X: Any,
        y: Any,
        X_trusted: Any = None,
        y_trusted: Any = None,
        verified: Any = None,
        pred_probs: Any = None,
        groups: Any = None,
        trusted_pred_probs: Any = None,
    ) -> "LabelCleaner":
        """Finds the wrong labels in ``y``.

        Parameters
        ----------
        X : array, frame, sparse matrix or tensor of shape (n_rows, n_features), or None
            The features. Pictures may have 3 or 4 axes: (n, height, width[, channels]). None: only
            ``pred_probs`` are used. ``sustain._rows`` lists what is copied.
        y : array of shape (n_rows,)
            The labels, some of them wrong: integers or text.
        X_trusted, y_trusted : arrays, optional
            Rows whose labels are right, which are not among the others.
        verified : dict, array or path, optional
            Rows of the data whose label a person has checked: {row: right label}; an array with
            the right label of each row, None (or NaN, or -1) where it was not checked; or a CSV
            file with the columns row and label, such as the decisions.csv that the page of
            ``report`` exports (then set ``verified_are="mixed"``).
        pred_probs : array of shape (n_rows, n_classes), or a list of such arrays
            Probabilities of any models that were not trained on the row they speak of
            (``cross_val_predict``). Columns are the classes in sorted order.
        groups : array of shape (n_rows,), optional
            An annotator or a source of each row: error rates are in ``group_errors_``.
        trusted_pred_probs : likewise, optional
            The same models on the trusted rows.

        Returns
        -------
        self : LabelCleaner
            The fitted estimator.
        """
        begun = time.perf_counter()
        shape = picture_shape(X)
        data = self._check(X, y, X_trusted, y_trusted, verified, pred_probs, trusted_pred_probs)
        group = None if groups is None else vector(groups, "groups", len(data.codes))
        with Context(self.n_jobs, log=print if self.verbose else None) as context:
            parts, self._scaling = scale(context, same_form(data.parts), self.standardize, self.fit_intercept) if data.parts else ([], None)
            unit = self._scaling.unit if self._scaling else 1.0
            training = Rows(parts[0] if parts else None, data.codes, unit=unit)
            trusted = None
            if data.trusted_codes is not None:
                trusted = Rows(parts[1] if parts else None, data.trusted_codes, unit=unit)
            options = self._options(data)
            arguments = ctypes.byref(options), training.pointer, trusted.pointer if trusted else None
            with owned(context, "sustain_clean_create", "sustain_clean_destroy", *arguments) as job:
                self._solve(context, job, data)
        self._group(group)
        self._gallery = _page.gallery(X, shape, self.order_)
        self.result_["total_seconds"] = time.perf_counter() - begun
        self.result_["trusted"] = 0 if data.trusted_codes is None else len(data.trusted_codes)
        self.result_["standardization"] = self._scaling.reason if self._scaling else ""
        del self._scaling
        return self

    def _check(
        self, X: Any, y: Any, X_trusted: Any, y_trusted: Any, verified: Any, pred_probs: Any, trusted_pred_probs: Any
    ) -> _Data:
        data = _Data()
        if X is None and pred_probs is None:
            raise ValueError("X is None: give features, or the probabilities of a model in pred_probs")
        if X is not None:
            data.parts.append(self._take(X, pictures=True))
            if data.parts[0].shape[0] == 1:
                raise ValueError(f"X has 1 sample: at least as many as folds ({self.folds}) are needed")
        labels = check_labels(y, "y", data.parts[0].shape[0] if data.parts else None)
        tables = _tables(pred_probs, "pred_probs", len(labels))
        self.classes_, data.codes = _classes(labels, tables)
        if y_trusted is not None:
            self._check_trusted(data, X_trusted, y_trusted)
        elif X_trusted is not None:
            raise ValueError("X_trusted needs y_trusted: the labels of these rows")
        data.verified = _verified(verified, self.classes_, len(labels))
        trusted_count = 0 if data.trusted_codes is None else len(data.trusted_codes)
        trusted_tables = _tables(trusted_pred_probs, "trusted_pred_probs", trusted_count)
        data.probabilities = [_probabilities(table, "pred_probs") for table in tables]
        data.trusted_probabilities = [_probabilities(table, "trusted_pred_probs") for table in trusted_tables]
        if data.trusted_probabilities and len(tables) != len(trusted_tables):
            raise ValueError(
                f"pred_probs has {len(tables)} sets of probabilities, trusted_pred_probs {len(trusted_tables)}: give the same models"
            )
        data.kept += [tables, trusted_tables]
        return data

    def _check_trusted(self, data: _Data, X_trusted: Any, y_trusted: Any) -> None:
        if data.parts:
            if X_trusted is None:
                raise ValueError("y_trusted needs X_trusted: the features of these rows")
            part = features(X_trusted, "X_trusted", pictures=True)
            if part.shape[1] != data.parts[0].shape[1]:
                raise ValueError(f"X has {data.parts[0].shape[1]} features, X_trusted has {part.shape[1]}")
            data.parts.append(part)
        labels = check_labels(y_trusted, "y_trusted", data.parts[1].shape[0] if data.parts else None)
        data.trusted_codes = codes_of(labels, self.classes_, "y_trusted")

    def _options(self, data: _Data) -> _api.sustain_clean_options:
        options = defaults(_api.sustain_clean_options, "sustain_clean_defaults_for")
        options.classes, options.c, options.intercept = len(self.classes_), self.c, bool(self.fit_intercept)
        options.folds, options.seed, options.batch = self.folds, seed_of(self.random_state), self.batch or 0
        options.baselines = bool(self.baselines)
        if self.solver != "auto":
            options.solver = self.solver.encode()
        options.flag, options.flag_value = _flag(self.flag)
        if self.verified_are not in _VERIFIED_ARE:
            raise ValueError(f'verified_are is {self.verified_are!r}: give "random", "worst-first" or "mixed"')
        options.verified_are = _VERIFIED_ARE[self.verified_are]
        if data.verified is not None:
            options.verified = data.verified.ctypes.data
        for name, tables in (("pred_probs", data.probabilities), ("trusted_pred_probs", data.trusted_probabilities)):
            if tables:
                pointers = (ctypes.POINTER(_api.sustain_probabilities) * len(tables))(*(ctypes.pointer(table) for table in tables))
                data.kept.append(pointers)
                setattr(options, name, ctypes.cast(pointers, ctypes.POINTER(ctypes.POINTER(_api.sustain_probabilities))))
        options.pred_prob_count = len(data.probabilities)
        return options

    def _solve(self, context: Context, job: ctypes.c_void_p, data: _Data) -> None:
        lib = context.lib
        solver = lib.sustain_clean_solver(job)
        run = _api.sustain_result()
        self.history_ = History()
        if solver:
            for name, value in (self.solver_params or {}).items():
                context.call("sustain_solver_set", solver, str(name).encode(), str(value).encode())
            stopping = lib.sustain_clean_stopping(job)
            if self.iterations is not None:
                stopping.iterations, stopping.every, stopping.seconds = self.iterations, 0, 0
            with progress_bar(self.verbose, stopping.iterations) as bar:
                observer = _api.sustain_observer(lambda user, address: context.guard(self._observe, bar, address) or 0)
                stopping.observer = observer
                context.run("sustain_solver_run", solver, ctypes.byref(stopping), ctypes.byref(run))
        result = _api.sustain_clean_result()
        context.run("sustain_clean_finish", job, run.x, run.y, ctypes.byref(result))
        self._keep(result, data)
        self.result_ = _page.result(context, job, run, result)

    def _observe(self, bar: Any, address: int) -> None:
        progress = _api.sustain_progress.from_address(address)
        names = ("iteration", "seconds", "upper_value", "upper_norm", "lower_norm")
        self.history_._add({**{name: getattr(progress, name) for name in names}, **counts_of(progress.counts)})
        bar.show(progress.iteration, progress.upper_value)

    def _keep(self, result: _api.sustain_clean_result, data: _Data) -> None:
        n, dim, classes = int(result.count), int(data.parts[0].shape[1]) if data.parts else 0, len(self.classes_)
        self.label_quality_ = read(result.quality, np.float32, n)
        self.probability_wrong_ = 1 - self.label_quality_
        self.is_issue_ = read(result.is_issue, np.uint8, n).astype(bool)
        self.order_ = read(result.order, np.int64, n)
        self.weights_ = read(result.weight, np.float32, n)
        self._given, self._suggested = data.codes, read(result.suggested, np.int32, n)
        self._verified = read(result.verified, np.int32, n)
        self.estimated_errors_ = float(result.estimated_errors)
        self.estimated_errors_interval_ = np.array([result.estimated_low, result.estimated_high])
        self.coef_ = self.intercept_ = None
        if result.y and self._scaling is not None:
            size = classes * dim + (classes if result.model.intercept else 0)
            model = read(result.y, np.float32, size)
            bias = model[classes * dim :] if result.model.intercept else np.zeros(classes)
            coef, intercept = self._scaling.undo(model[: classes * dim].reshape(classes, dim), bias)
            self.coef_, self.intercept_ = coef.astype(np.float32), intercept.astype(np.float32)

    def _group(self, groups: Optional[np.ndarray]) -> None:
        """Each label is wrong with its probability, independently: the sum has the variance of Bernoulli numbers."""
        for name in ("group_errors_", "_groups"):
            if hasattr(self, name):
                delattr(self, name)
        if groups is None:
            return
        names, codes = np.unique(groups.astype(str), return_inverse=True)
        wrong = self.probability_wrong_.astype(np.float64)
        rows = np.bincount(codes)
        rate = np.bincount(codes, wrong) / rows
        off = 1.96 * np.sqrt(np.bincount(codes, wrong * (1 - wrong))) / rows
        low, high = np.maximum(rate - off, 0), np.minimum(rate + off, 1)
        table = zip(names.tolist(), rows.tolist(), rate.tolist(), low.tolist(), high.tolist())
        keys = ("name", "rows", "error_rate", "error_rate_low", "error_rate_high")
        self.group_errors_ = sorted((dict(zip(keys, row)) for row in table), key=lambda row: -row["error_rate"])
        self._groups = names[codes]

    # ---- results ----

    @property
    def suggested_(self) -> np.ndarray:
        """The label that each row should have."""
        self._fitted()
        return self.classes_[self._suggested]

    @property
    def issues_(self) -> Any:
        """The flagged labels, worst first."""
        self._fitted()
        rows = self.order_[self.is_issue_[self.order_]]
        columns: Dict[str, np.ndarray] = {
            "row": rows,
            "given": self.classes_[self._given[rows]],
            "suggested": self.classes_[self._suggested[rows]],
            "label_quality": self.label_quality_[rows],
            "probability_wrong": self.probability_wrong_[rows],
        }
        if self.weights_ is not None:
            columns["weight"] = self.weights_[rows]
        if hasattr(self, "_groups"):
            columns["group"] = self._groups[rows]
        try:
            import pandas
        except ImportError:
            return np.rec.fromarrays(list(columns.values()), names=",".join(columns))  # type: ignore[call-overload]
        return pandas.DataFrame(columns).set_index("row")

    def predict_proba(self, X: Any) -> np.ndarray:
        """Probabilities of the classes by the final classifier.

        Parameters
        ----------
        X : array, frame, sparse matrix or tensor of shape (n_rows, n_features)
            The features, as in ``fit``.

        Returns
        -------
        probabilities : ndarray of shape (n_rows, n_classes)
            Their columns are ``classes_``.
        """
        self._fitted()
        if self.coef_ is None:
            raise ValueError("fit was given no features, so there is no classifier to predict with")
        rows = Rows(self._again(X, pictures=True))
        options = defaults(_api.sustain_softmax_options, "sustain_softmax_defaults_for")
        options.classes, options.intercept = len(self.classes_), True
        model = np.concatenate([self.coef_.ravel(), self.intercept_])
        probabilities = np.empty((rows.struct.count, len(self.classes_)), np.float32)
        with Context(self.n_jobs) as context:
            context.run(
                "sustain_softmax_predict",
                context.handle,
                ctypes.byref(options),
                rows.pointer,
                model.ctypes.data,
                probabilities.ctypes.data,
                None,
            )
        return probabilities

    def predict(self, X: Any) -> np.ndarray:
        """The likeliest class of each row by the final classifier.

        Parameters
        ----------
        X : array, frame, sparse matrix or tensor of shape (n_rows, n_features)
            The features, as in ``fit``.

        Returns
        -------
        labels : ndarray of shape (n_rows,)
            Of ``classes_``.
        """
        return self.classes_[self.predict_proba(X).argmax(axis=1)] if hasattr(self, "classes_") else self.predict_proba(X)

    def report(self, path: Any) -> str:
        """Writes the page of the run: one HTML file to review the labels with, as ``sustain clean`` writes it.

        Parameters
        ----------
        path : str or path
            The file.

        Returns
        -------
        path : str
            Its name.
        """
        self._fitted()
        return _page.write(self, path)

    def _repr_html_(self) -> str:
        if not hasattr(self, "label_quality_"):
            return _page.element("pre", repr(self))
        return _page.notebook(self)

    def _repr_mimebundle_(self, **kwargs: Any) -> Dict[str, str]:
        return {"text/plain": repr(self), "text/html": self._repr_html_()}


# ---- checks of arguments ----


def _flag(text: str) -> Tuple[int, float]:
    name, _, value = str(text).partition("=")
    try:
        if name in _FLAGS and bool(value) == (name in ("precision", "recall", "count")):
            return _FLAGS[name], float(value or 0)
    except ValueError:
        pass
    raise ValueError(f'flag is {text!r}: give "f1", "precision=P", "recall=R", "count=N" or "rate"')


def _tables(given: Any, name: str, count: int) -> List[np.ndarray]:
    """Sets of probabilities as a list of arrays (rows, classes) of floats."""
    if given is None:
        return []
    several = isinstance(given, (list, tuple)) and len(given) > 0 and np.ndim(given[0]) == 2
    tables = [np.asarray(table) for table in (given if several else [given])]
    for k, table in enumerate(tables):
        if table.ndim != 2 or table.shape[0] != count:
            raise ValueError(f"{name} has the shape {table.shape}: give ({count}, number of classes), one row for each label")
        if table.dtype not in _FLOATS:
            try:
                tables[k] = table.astype(np.float64)
            except (TypeError, ValueError) as error:
                raise type(error)(f"{name} must hold probabilities: {error}") from error
        if not (tables[k].flags.c_contiguous or tables[k].flags.f_contiguous):
            tables[k] = np.ascontiguousarray(tables[k])
    return tables


def _probabilities(table: np.ndarray, source: str) -> _api.sustain_probabilities:
    """The structure of the library for an array, which it borrows."""
    result = _api.sustain_probabilities()
    result.count, result.classes = table.shape
    result.values, result.type = table.ctypes.data, _FLOATS[table.dtype]
    result.by_column = not table.flags.c_contiguous
    result.source = source.encode()
    return result


def _classes(labels: np.ndarray, tables: Sequence[np.ndarray]) -> Tuple[np.ndarray, np.ndarray]:
    """Classes and class numbers. Where a class has a column of probabilities but no label, integers from 0 number the columns."""
    if tables and labels.dtype.kind in "iuf":
        columns = tables[0].shape[1]
        if len(labels) and labels.min() >= 0 and labels.max() < columns and len(np.unique(labels)) < columns:
            return np.arange(columns), labels.astype(np.int32)
    classes, codes = encode(labels, "y")
    for table in tables:
        if table.shape[1] != len(classes):
            raise ValueError(f"pred_probs has {table.shape[1]} columns, but y has {len(classes)} classes: {classes[:20].tolist()}")
    return classes, codes


def _decisions(path: Any, classes: np.ndarray) -> Dict[int, Any]:
    """Rows and labels of a CSV file with the columns row and label: decisions.csv of a page, or a list made by hand."""
    by_name = {str(value): value for value in classes.tolist()}
    decided: Dict[int, Any] = {}
    with open(path, newline="", encoding="utf-8-sig") as file:
        for number, line in enumerate(csv.DictReader(file), 2):
            row, label = line.get("row"), line.get("label")
            if row is None or label is None or not row.strip().isdigit():
                raise ValueError(f"{path}, line {number}: it needs the columns row and label, and row must be a number")
            if label in by_name:
                decided[int(row)] = by_name[label]
            elif label != "":
                raise ValueError(f"{path}, line {number}: the label {label!r} never occurs in y")
    return decided


def _verified(given: Any, classes: np.ndarray, count: int) -> Optional[np.ndarray]:
    """The class number that a person found for each row, -1: not checked."""
    if given is None:
        return None
    codes = np.full(count, -1, np.int32)
    if isinstance(given, (str, os.PathLike)):
        given = _decisions(given, classes)
    if hasattr(given, "keys") and not hasattr(given, "to_numpy"):
        rows = np.array(list(given.keys()))
        if len(rows) and (rows.dtype.kind not in "iu" or rows.min() < 0 or rows.max() >= count):
            raise ValueError(f"verified names rows that are not in 0 to {count - 1}")
        values: List[Any] = list(given.values())
    else:
        table = vector(given, "verified", count)
        unchecked: Set[Any] = {None} if -1 in classes.tolist() else {None, -1}
        rows = np.array([i for i, v in enumerate(table.tolist()) if v not in unchecked and v == v], np.int64)
        values = [table[i] for i in rows]
    if len(rows):
        codes[rows] = codes_of(np.array(values), classes, "verified")
    return codes


# ---- for people who know cleanlab ----

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
    scores = _scores(cleaner._given, _first_table(pred_probs, len(cleaner._given)), return_indices_ranked_by)
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
    table = _first_table(pred_probs, len(given))
    _, codes = _classes(given, [table])
    with Context() as context:
        context.call("sustain_probabilities_check", context.handle, ctypes.byref(_probabilities(table, "pred_probs")))
    return _scores(codes, table, method)


def _first_table(pred_probs: Any, count: int) -> np.ndarray:
    """The probabilities; the mean of several sets."""
    tables = _tables(pred_probs, "pred_probs", count)
    return tables[0] if len(tables) == 1 else np.mean([table.astype(np.float64) for table in tables], axis=0)


def _check_score(value: Any, name: str, known: Tuple[Any, ...]) -> None:
    if value not in known:
        raise ValueError(f"{name} is {value!r}: give one of {', '.join(map(repr, known))}")
