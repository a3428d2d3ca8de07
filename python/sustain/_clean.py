"""Finding wrong labels (``clean.h``)."""

from __future__ import annotations

import ctypes
import time
import warnings
from typing import Any, Dict, List, Mapping, Optional, Union

import numpy as np

from . import _api, _page
from ._clean_inputs import (
    by_class,
    check_order,
    classes_of,
    flag_of,
    probabilities,
    tables_of,
    verified_of,
    warn_of_classes,
)
from ._context import Context
from ._estimator import ClassifierMixin, check_labels, codes_of, number_of, seed_of, vector, whole_of
from ._progress import progress_bar
from ._registry import solvers
from ._result import History, counts_of
from ._rows import Rows, Scaling, defaults, owned, picture_shape, read, warn_of_order
from ._table import TableEncoder, TableEstimator

_VERIFIED_ARE = {
    "random": _api.SUSTAIN_VERIFIED_RANDOM,
    "worst-first": _api.SUSTAIN_VERIFIED_WORST_FIRST,
    "mixed": _api.SUSTAIN_VERIFIED_MIXED,
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
        self.group_names = np.zeros(0, str)
        self.group_codes: Optional[np.ndarray] = None
        self.group_weights: Optional[np.ndarray] = None  # (3, groups) with their intervals, where the library learned them
        self.kept: List[Any] = []  # arrays that structures borrow


class LabelCleaner(ClassifierMixin, TableEstimator):  # type: ignore[misc]
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
        Penalty of the classifier in the bilevel problem (its lower level): c times its squared weights.
    fit_intercept : bool
        Whether the classifiers have a bias.
    folds : int
        Number of folds for everything that is computed out of fold, 2 to 20.
    standardize : {"auto", True, False}
        Whether features are scaled to mean 0 and standard deviation 1. "auto": where their scales
        differ. Bytes are used as parts of 255.
    encoder : {"auto", None} or TableEncoder
        How frames become features. "auto": where a frame has columns that are not numbers, or
        missing values, as ``TableEncoder()`` does it. Free text must be named:
        ``TableEncoder(text_columns=["body"])``. None: such frames are refused.
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
        The estimated number of wrong labels.
    estimated_errors_interval_ : ndarray of shape (2,)
        Its 95 % confidence interval; NaN where no label is known to be right.
    issues_ : DataFrame, or structured array without pandas
        The flagged labels, worst first.
    group_errors_ : list of dict
        With ``groups``: name, rows, error_rate and its interval for each group, worst first; and
        the learned weight of its rows with its interval, where features are given and some labels are known to be
        right.
    class_errors_ : list of dict
        With ``verified``: for each class its name, how many of its labels were checked and were
        wrong, error_rate and its 95 % interval (Clopper and Pearson).
    order_ : ndarray of shape (n_rows,)
        Row numbers, worst first.
    classes_ : ndarray
        The classes, sorted.
    coef_, intercept_ : ndarray
        The final classifier, trained on cleaned and trusted rows, for features as they were given.
    waves_, phases_, fourier_coef_ : ndarray or None
        Its random Fourier features, where they are a gain: with ``angles = X @ waves_.T + phases_``
        ``np.hstack([np.cos(angles), np.sin(angles)]) @ fourier_coef_.T`` is added to the scores
        ``X @ coef_.T + intercept_``.
    history_ : History
        The evaluations of the solver, as ``sustain.minimize`` returns them.
    result_ : dict
        Everything else, with the names of the program's ``result.json``.
    encoder_ : TableEncoder or None
        What made features of the frame; None where it was not needed. ``coef_`` has a coefficient
        for each of its features, ``encoder_.get_feature_names_out()``.
    n_features_in_ : int
        Number of features, or of columns of a frame.
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

    def __init__(
        self,
        solver: str = "auto",
        *,
        c: float = 0.001,
        fit_intercept: bool = True,
        folds: int = 5,
        standardize: Union[str, bool] = "auto",
        encoder: Union[None, str, TableEncoder] = "auto",
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
        self.encoder = encoder
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
            ``pred_probs`` are used. docs/python.md lists what is copied.
        y : array of shape (n_rows,)
            The labels, some of them wrong: integers or text.
        X_trusted, y_trusted : arrays, optional
            Rows whose labels are right, which are not among the others.
        verified : dict, array, frame or path, optional
            Rows of the data whose label a person has checked: {row: right label}; a DataFrame with
            the columns row and label, or a Series of labels by row number; an array or Series with
            the right label of each row, None (or NaN, or -1) where it was not checked; or a CSV
            file with the columns row and label, such as the decisions.csv that the page of
            ``report`` exports (then set ``verified_are="worst-first"``, or ``"mixed"`` where rows
            drawn at random are among them).
        pred_probs : array of shape (n_rows, n_classes), or a list of such arrays
            Out-of-fold probabilities of any models: each row is predicted by a model that was not
            trained on it (``cross_val_predict``). Columns are the classes in sorted order; those of
            a DataFrame with the names of the classes may have any order.
        groups : array of shape (n_rows,), optional
            An annotator or a source of each row: error rates are in ``group_errors_``.
        trusted_pred_probs : likewise, optional
            The same models on the trusted rows.

        Returns
        -------
        self : LabelCleaner
            The fitted estimator.
        """
        with self._all_or_nothing():
            self._fit(X, y, X_trusted, y_trusted, verified, pred_probs, groups, trusted_pred_probs)
        return self

    def _fit(
        self,
        X: Any,
        y: Any,
        X_trusted: Any,
        y_trusted: Any,
        verified: Any,
        pred_probs: Any,
        groups: Any,
        trusted_pred_probs: Any,
    ) -> None:
        begun = time.perf_counter()
        shape = picture_shape(X)
        warn_of_order({"X": X, "y": y, "pred_probs": pred_probs, "groups": groups, "verified": verified})
        data = self._check(X, y, X_trusted, y_trusted, verified, pred_probs, trusted_pred_probs)
        if groups is not None:
            names, codes = np.unique(vector(groups, "groups", len(data.codes)).astype(str), return_inverse=True)
            data.group_names, data.group_codes = names, codes.astype(np.int32)
        with Context(self.n_jobs, log=print if self.verbose else None) as context:
            parts, self._scaling = self._scale(context, data.parts) if data.parts else ([], None)
            unit = self._scaling.unit if self._scaling else 1.0
            training = Rows(parts[0] if parts else None, data.codes, unit=unit)
            trusted = None
            if data.trusted_codes is not None:
                trusted = Rows(parts[1] if parts else None, data.trusted_codes, unit=unit)
            options = self._options(data)
            arguments = ctypes.byref(options), training.pointer, trusted.pointer if trusted else None
            with owned(context, "sustain_clean_create", "sustain_clean_destroy", *arguments) as job:
                self._solve(context, job, data)
        self._group(data)
        self._gallery = _page.gallery(X, shape, self.order_)
        self._shown = _page.shown(_page.words(X), self.order_)
        self.result_["total_seconds"] = time.perf_counter() - begun
        self.result_["trusted"] = 0 if data.trusted_codes is None else len(data.trusted_codes)
        self.result_["standardization"] = self._scaling.reason if self._scaling else ""
        del self._scaling

    def _check(
        self, X: Any, y: Any, X_trusted: Any, y_trusted: Any, verified: Any, pred_probs: Any, trusted_pred_probs: Any
    ) -> _Data:
        data = _Data()
        self.encoder_ = None
        if X is None and pred_probs is None:
            raise ValueError("X is None: give features, or the probabilities of a model in pred_probs")
        if X is not None:
            data.parts.append(self._take(X, pictures=True))
            if data.parts[0].shape[0] == 1:
                raise ValueError(f"X has 1 sample: at least as many as folds ({self.folds}) are needed")
        labels = check_labels(y, "y", data.parts[0].shape[0] if data.parts else None)
        pred_probs = by_class(pred_probs, labels)
        tables = tables_of(pred_probs, "pred_probs", len(labels))
        self.classes_, data.codes = classes_of(labels, tables, pred_probs)
        warn_of_classes(data.codes, self.classes_)
        for table in tables:
            check_order(table, data.codes, self.classes_)
        if y_trusted is not None:
            self._check_trusted(data, X_trusted, y_trusted)
        elif X_trusted is not None:
            raise ValueError("X_trusted needs y_trusted: the labels of these rows")
        data.verified = verified_of(verified, self.classes_, len(labels), y if hasattr(y, "iloc") else X)
        if trusted_pred_probs is not None and data.trusted_codes is None:
            raise ValueError("trusted_pred_probs needs y_trusted: the labels of these rows")
        trusted_count = 0 if data.trusted_codes is None else len(data.trusted_codes)
        trusted_tables = tables_of(by_class(trusted_pred_probs, self.classes_), "trusted_pred_probs", trusted_count)
        data.probabilities = [probabilities(table, "pred_probs") for table in tables]
        data.trusted_probabilities = [probabilities(table, "trusted_pred_probs") for table in trusted_tables]
        if data.trusted_probabilities and len(tables) != len(trusted_tables):
            raise ValueError(
                f"pred_probs has {len(tables)} sets of probabilities, trusted_pred_probs {len(trusted_tables)}: "
                "give the same models"
            )
        data.kept += [tables, trusted_tables]
        return data

    def _check_trusted(self, data: _Data, X_trusted: Any, y_trusted: Any) -> None:
        if data.parts:
            if X_trusted is None:
                raise ValueError("y_trusted needs X_trusted: the features of these rows")
            part = self._part(X_trusted, "X_trusted", pictures=True)
            if part.shape[1] != data.parts[0].shape[1]:
                raise ValueError(f"X has {data.parts[0].shape[1]} features, X_trusted has {part.shape[1]}")
            data.parts.append(part)
        labels = check_labels(y_trusted, "y_trusted", data.parts[1].shape[0] if data.parts else None)
        data.trusted_codes = codes_of(labels, self.classes_, "y_trusted")

    def _options(self, data: _Data) -> _api.sustain_clean_options:
        options = defaults(_api.sustain_clean_options, "sustain_clean_defaults_for")
        options.classes, options.c, options.intercept = len(self.classes_), number_of(self.c, "c"), bool(self.fit_intercept)
        options.folds, options.seed = whole_of(self.folds, "folds"), seed_of(self.random_state)
        options.batch = whole_of(self.batch or 0, "batch")
        options.baselines = bool(self.baselines)
        if self.solver != "auto":
            if self.solver not in [solver.name for solver in solvers()]:  # also where none is used
                raise ValueError(f"solver is {self.solver!r}: give 'auto', or a name of sustain.solvers()")
            options.solver = self.solver.encode()
        options.flag, options.flag_value = flag_of(self.flag)
        if self.verified_are not in _VERIFIED_ARE:
            raise ValueError(f'verified_are is {self.verified_are!r}: give "random", "worst-first" or "mixed"')
        options.verified_are = _VERIFIED_ARE[self.verified_are]
        if data.verified is not None:
            options.verified = data.verified.ctypes.data
        for name, tables in (("pred_probs", data.probabilities), ("trusted_pred_probs", data.trusted_probabilities)):
            if tables:
                pointers = (ctypes.POINTER(_api.sustain_probabilities) * len(tables))(
                    *(ctypes.pointer(table) for table in tables)
                )
                data.kept.append(pointers)
                setattr(
                    options, name, ctypes.cast(pointers, ctypes.POINTER(ctypes.POINTER(_api.sustain_probabilities)))
                )
        options.pred_prob_count = len(data.probabilities)
        if data.group_codes is not None:
            options.groups, options.group = len(data.group_names), data.group_codes.ctypes.data
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
                stopping.iterations, stopping.every, stopping.seconds = whole_of(self.iterations, "iterations"), 0, 0
            with progress_bar(self.verbose, stopping.iterations) as bar:
                observer = _api.sustain_observer(lambda user, address: context.guard(self._observe, bar, address) or 0)
                stopping.observer = observer
                context.run("sustain_solver_run", solver, ctypes.byref(stopping), ctypes.byref(run))
        result = _api.sustain_clean_result()
        context.run("sustain_clean_finish", job, run.x, run.y, ctypes.byref(result))
        self._warn_of_doubt(result, data)
        self._keep(result, data)
        self._classes(context, job, data)
        self.result_ = _page.result(context, job, run, result)

    def _warn_of_doubt(self, result: _api.sustain_clean_result, data: _Data) -> None:
        if result.doubt == _api.SUSTAIN_CLEAN_DOUBT_FREQUENT:
            warnings.warn(
                f"{'pred_probs predict' if data.probabilities else 'the features predict'} the labels no better than always "
                f"saying {self.classes_.tolist()[result.frequent]!r}, the most frequent label: the flags mean little. Give "
                "others, or check rows (verified=)",
                stacklevel=5,
            )
        elif result.doubt == _api.SUSTAIN_CLEAN_DOUBT_ALL:
            warnings.warn(
                "in every row the given label is the likeliest class of pred_probs, so that none looks wrong: if the model was "
                "trained on these labels, that says nothing. Give probabilities out of fold (cross_val_predict)",
                stacklevel=5,
            )

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
        self.order_ = read(result.order, np.uint32, n).astype(np.int64)
        self.weights_ = read(result.weight, np.float32, n)
        self._given, self._suggested = data.codes, read(result.suggested, np.int32, n)
        checked = read(result.verified, np.int32, n)
        self._verified = checked if checked is not None else np.full(n, -1, np.int32)
        self.estimated_errors_ = float(result.estimated_errors)
        self.estimated_errors_interval_ = np.array([result.estimated_low, result.estimated_high])
        if result.group_weight:
            ends = (result.group_weight, result.group_weight_low, result.group_weight_high)
            data.group_weights = np.array([read(end, np.float64, len(data.group_names)) for end in ends])
        self.coef_ = self.intercept_ = None
        self.waves_: Optional[np.ndarray] = None
        self.phases_: Optional[np.ndarray] = None
        self.fourier_coef_: Optional[np.ndarray] = None
        if result.y and self._scaling is not None:
            size = classes * dim + (classes if result.model.intercept else 0)
            model = read(result.y, np.float32, size)
            bias = model[classes * dim :] if result.model.intercept else np.zeros(classes)
            coef, intercept = self._scaling.undo(model[: classes * dim].reshape(classes, dim), bias)
            self.coef_, self.intercept_ = coef.astype(np.float32), intercept.astype(np.float32)
            if result.model.fourier:
                self._keep_fourier(result.model.fourier.contents, self._scaling, dim, classes)

    def _keep_fourier(self, fourier: _api.sustain_fourier, scaling: Scaling, dim: int, classes: int) -> None:
        count = int(fourier.waves)
        w = read(fourier.w, np.float32, count * (dim + 1))
        waves, phases = scaling.undo(w[: count * dim].reshape(count, dim), w[count * dim :])
        self.waves_, self.phases_ = waves.astype(np.float32), phases.astype(np.float32)
        self.fourier_coef_ = read(fourier.v, np.float32, classes * 2 * count).reshape(classes, 2 * count)

    def _classes(self, context: Context, job: ctypes.c_void_p, data: _Data) -> None:
        self.__dict__.pop("class_errors_", None)
        if data.verified is None:
            return
        rate, self.class_errors_ = _api.sustain_clean_rate(), []
        for code, name in enumerate(self.classes_.tolist()):
            context.call("sustain_clean_noise", job, code, -1, ctypes.byref(rate))
            columns = {"checked": rate.checked, "wrong": rate.wrong, "error_rate": rate.rate}
            interval = {"error_rate_low": rate.low, "error_rate_high": rate.high}
            self.class_errors_.append({"name": name, **columns, **interval})

    def _group(self, data: _Data) -> None:
        """Error rates of the groups, and their weights, with intervals."""
        for name in ("group_errors_", "_groups"):
            self.__dict__.pop(name, None)
        if data.group_codes is None:
            return
        count = len(data.group_names)
        errors = (_api.sustain_group_errors * count)()
        with Context() as context:
            context.call(
                "sustain_clean_group_errors",
                context.handle,
                count,
                len(data.group_codes),
                data.group_codes.ctypes.data,
                self.label_quality_.ctypes.data,
                errors,
            )
        columns = {
            "name": data.group_names,
            "rows": np.array([e.rows for e in errors]),
            "error_rate": np.array([e.rate for e in errors]),
            "error_rate_low": np.array([e.low for e in errors]),
            "error_rate_high": np.array([e.high for e in errors]),
        }
        if data.group_weights is not None:
            columns.update(zip(("weight", "weight_low", "weight_high"), data.group_weights))
        table = [dict(zip(columns, row)) for row in zip(*(column.tolist() for column in columns.values()))]
        self.group_errors_ = sorted(table, key=lambda row: -row["error_rate"])
        self._groups = data.group_names[data.group_codes]

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
        if self.waves_ is not None and self.phases_ is not None and self.fourier_coef_ is not None:
            waves = np.concatenate([self.waves_.ravel(), self.phases_])
            fourier = _api.sustain_fourier(len(self.phases_), waves.ctypes.data, self.fourier_coef_.ctypes.data)
            options.fourier = ctypes.pointer(fourier)
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
        likeliest = self.predict_proba(X).argmax(axis=1)
        return self.classes_[likeliest]

    def report(self, path: Any, show: Any = None) -> str:
        """Writes the page of the run: one HTML file to review the labels with, as ``sustain clean`` writes it.

        Parameters
        ----------
        path : str or path
            The file.
        show : DataFrame or dict of columns, optional
            What the page shows of each row, in the order of ``y``: a text, a title. None: the
            columns of the frame that ``fit`` was given which are not numbers.

        Returns
        -------
        path : str
            Its name.
        """
        self._fitted()
        return _page.write(self, path, show)

    def _repr_html_(self) -> str:
        if not hasattr(self, "label_quality_"):
            return _page.element("pre", repr(self))
        return _page.notebook(self)

    def _repr_mimebundle_(self, **kwargs: Any) -> Dict[str, str]:
        return {"text/plain": repr(self), "text/html": self._repr_html_()}
