"""Linear models with tuned penalties (``select.h``)."""

from __future__ import annotations

import ctypes
import warnings
from typing import Any, Callable, Dict, List, Optional, Tuple, Union

import numpy as np

from . import _api
from ._context import Context
from ._estimator import (
    ClassifierMixin,
    Estimator,
    RegressorMixin,
    check_labels,
    codes_of,
    encode,
    number_of,
    seed_of,
    targets,
    vector,
    whole_of,
)
from ._rows import Rows, Scaling, defaults, is_sparse, owned, read, warn_of_order
from ._table import TableEncoder, TableEstimator

_NUMBERS = {
    "squared": _api.SUSTAIN_REGTUNE_SQUARED,
    "huber": _api.SUSTAIN_REGTUNE_HUBER,
    "poisson": _api.SUSTAIN_REGTUNE_POISSON,
}
_CLASSES = ("logistic", "softmax")
_PENALTIES = {
    "auto": _api.SUSTAIN_SELECT_AUTO,
    "l1": _api.SUSTAIN_SELECT_L1,
    "elastic-net": _api.SUSTAIN_SELECT_ELASTIC_NET,
}
#: Candidates whose penalties are of absolute values.
_ABSOLUTE = ("lasso", "elastic net")
#: More classes than this, if they are numbers, are probably no classes.
_MANY_CLASSES = 100
#: Rows that are multiplied at a time where a copy is needed.
_BLOCK = 65536
#: Knots of a feature's spline, at most: as in the program.
_KNOTS = 10
#: Waves of Fourier features, at most: as in the program.
_WAVES = 128


class _OfClasses:
    """A method that exists only with a loss for classes, as scikit-learn asks for."""

    def __init__(self, method: Callable[..., Any]) -> None:
        self.method = method
        self.__doc__ = method.__doc__

    def __get__(self, tuner: Any, kind: Any = None) -> Any:
        if tuner is None:
            return self.method
        if tuner.loss in _NUMBERS:
            raise AttributeError(
                f"PenaltyTuner(loss={tuner.loss!r}) predicts numbers and has no {self.method.__name__}"
            )
        return self.method.__get__(tuner, kind)


class PenaltyTuner(TableEstimator):
    """A linear model whose penalties are tuned, and whose number of penalties is selected.

    The model minimizes the mean loss plus ``1/2 sum_j penalty_j coef_j^2``. The penalties are one
    number for all features, or depend on their scale, their weights, their group, or are one
    number for each feature; or they are of absolute values (lasso). Each form is judged by rows
    that were not used to tune it, and the simplest one within one standard error of the best is
    selected. The last two candidates are a model that is piecewise linear in each feature (linear
    splines), and one with interactions (random Fourier features, close to a Gaussian kernel); each
    is selected where it is better than what would be selected without it by 1.5 standard
    errors. The model is then fitted to all rows.

    Parameters
    ----------
    loss : {"logistic", "softmax", "squared", "huber", "poisson"}
        "logistic" is for classes, and is the same as "softmax" where there are more than two.
        The other three predict numbers.
    penalty : {"auto", "l1", "elastic-net"}
        "auto" selects among all forms. "l1" (the lasso) and "elastic-net" set coefficients to 0,
        and only their strength is tuned.
    splines : {"auto", False}
        "auto": with ``penalty="auto"`` and dense features, linear splines are a candidate. False:
        the model is linear in the features.
    fourier : {"auto", False}
        "auto": where splines are a candidate and there are no penalty factors, random Fourier
        features are one as well. False: none.
    folds : int, optional
        Of cross-validation, 2 to 20; None: chosen by the number of rows. Not used where there are
        validation rows.
    fit_intercept : bool
        Whether the model has an intercept, which is not penalized.
    standardize : {"auto", True, False}
        Whether features are scaled before the fit. "auto": where their scales differ. Attributes
        refer to the features as they were given.
    encoder : {"auto", None} or TableEncoder
        How frames become features. "auto": where a frame has columns that are not numbers, or
        missing values, as ``TableEncoder()`` does it. Free text must be named:
        ``TableEncoder(text_columns=["body"])``. None: such frames are refused.
    penalty_factors : array of shape (n_features,), optional
        Factors of the penalties; 0: the feature is not penalized. Of a frame with an encoder: one
        for each column.
    huber_threshold : float, optional
        The error up to which Huber's loss is squared; None: 1.345 times a robust deviation of the
        errors.
    random_state : int, generator of NumPy or None
        Seed of the folds. Same seed, same result.
    n_jobs : int or None
        Number of threads; -1: all processors, None: 1. The result does not depend on it.
    verbose : bool
        Whether the steps of the work are printed.

    Attributes
    ----------
    penalties_ : ndarray of shape (n_features,)
        The selected penalties, of coefficients of the features as they were given; of their
        absolute values where ``selected_`` is "lasso" or "elastic net".
    coef_ : ndarray of shape (1, n_features), (n_classes, n_features) or (n_features,)
        The coefficients: of two classes, of more, of numbers.
    splines_ : dict of ndarray, or None
        Where the model has linear splines: ``feature`` and ``knot`` of shape (n_knots,), ``coef``
        and ``penalty``. The model adds ``coef[..., k] * max(X[:, feature[k]] - knot[k], 0)``.
    fourier_ : dict of ndarray, or None
        Where Fourier features were selected: ``waves`` of shape (n_waves, n_features), ``phase``,
        ``coef`` of shape (..., 2 n_waves) and ``penalty``. With ``angle = X @ waves.T + phase`` the
        model adds ``np.hstack([np.cos(angle), np.sin(angle)]) @ coef.T``.
    intercept_ : ndarray or float
        The intercepts, likewise.
    selected_ : str
        The selected form: "one", "scaled", "lasso", "elastic net", "adaptive", "groups",
        "features", "splines" or "fourier".
    candidates_ : list of dict
        What was tried: name, detail, numbers (how many hyperparameters), estimate and error (mean
        loss on rows that these were not chosen by, and its standard error), difference and
        difference_error (from "one"), seconds, selected, and share: the model is the sum of the
        candidates' own models times these.
    path_ : dict of ndarray
        The path of single penalties, from large to small: penalty, held-out loss and its standard
        error.
    classes_ : ndarray
        The classes, sorted; not with a loss for numbers.
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
    >>> X = rng.normal(size=(300, 20))
    >>> y = np.where(X[:, 0] - X[:, 1] + 0.5 * rng.normal(size=300) > 0, "yes", "no")
    >>> tuner = sustain.PenaltyTuner().fit(X, y)
    >>> tuner.classes_, bool(tuner.score(X, y) > 0.85)
    (array(['no', 'yes'], dtype='<U3'), True)
    """

    def __init__(
        self,
        loss: str = "logistic",
        *,
        penalty: str = "auto",
        splines: Union[str, bool] = "auto",
        fourier: Union[str, bool] = "auto",
        folds: Optional[int] = None,
        fit_intercept: bool = True,
        standardize: Union[str, bool] = "auto",
        encoder: Union[None, str, TableEncoder] = "auto",
        penalty_factors: Any = None,
        huber_threshold: Optional[float] = None,
        random_state: Any = 0,
        n_jobs: Optional[int] = -1,
        verbose: bool = False,
    ) -> None:
        self.loss = loss
        self.penalty = penalty
        self.splines = splines
        self.fourier = fourier
        self.folds = folds
        self.fit_intercept = fit_intercept
        self.standardize = standardize
        self.encoder = encoder
        self.penalty_factors = penalty_factors
        self.huber_threshold = huber_threshold
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    @property
    def _estimator_type(self) -> str:
        return "regressor" if self.loss in _NUMBERS else "classifier"

    def _more_tags(self) -> Dict[str, Any]:
        positive = self.loss == "poisson"
        return {
            "requires_y": True,
            "poor_score": positive,
            "requires_positive_y": positive,
            "_xfail_checks": {
                "check_sample_weights_invariance": "the check changes the order of the rows, by which folds are drawn"
            },
        }

    def __sklearn_tags__(self) -> Any:
        mixin = RegressorMixin if self.loss in _NUMBERS else ClassifierMixin
        return type("PenaltyTuner", (mixin, Estimator), {})().__sklearn_tags__()

    # ---- fitting ----

    def fit(
        self, X: Any, y: Any, X_valid: Any = None, y_valid: Any = None, groups: Any = None, sample_weight: Any = None
    ) -> "PenaltyTuner":
        """Tunes the penalties and fits the model.

        Parameters
        ----------
        X : array, frame, sparse matrix or tensor of shape (n_rows, n_features)
            The features. docs/python.md lists what is copied.
        y : array of shape (n_rows,)
            Labels of classes (integers or text), or numbers to predict.
        X_valid, y_valid : arrays, optional
            Rows to choose the penalties by; without them cross-validation is used.
        groups : array of shape (n_features,), optional
            The group of each feature: features of a group may get a penalty in common. Of a frame
            with an encoder: of each column; by default a column is a group.
        sample_weight : array of shape (n_rows,), optional
            Weights of the rows. Rows of weight 0 are left out.

        Returns
        -------
        self : PenaltyTuner
            The fitted estimator.
        """
        with self._all_or_nothing():
            self._fit(X, y, X_valid, y_valid, groups, sample_weight)
        return self

    def _fit(self, X: Any, y: Any, X_valid: Any, y_valid: Any, groups: Any, sample_weight: Any) -> None:
        if self.loss not in _CLASSES and self.loss not in _NUMBERS:
            raise ValueError(f"loss is {self.loss!r}: give one of {', '.join(map(repr, (*_CLASSES, *_NUMBERS)))}")
        if self.penalty not in _PENALTIES:
            raise ValueError(f"penalty is {self.penalty!r}: give one of {', '.join(map(repr, _PENALTIES))}")
        for name in ("splines", "fourier"):
            if getattr(self, name) is not False and getattr(self, name) != "auto":
                raise ValueError(f"{name} is {getattr(self, name)!r}: give 'auto' or False")
        warn_of_order({"X": X, "y": y, "sample_weight": sample_weight})
        parts = [self._take(X)]
        if parts[0].shape[0] == 1:
            raise ValueError("X has 1 sample: several are needed to choose penalties by")
        if (X_valid is None) != (y_valid is None):
            raise ValueError("X_valid and y_valid go together: give both or none")
        if X_valid is not None:
            parts.append(self._part(X_valid, "X_valid"))
            if parts[1].shape[1] != parts[0].shape[1]:
                raise ValueError(f"X has {parts[0].shape[1]} features, X_valid has {parts[1].shape[1]}")
        answers = self._answers(y, y_valid, parts)
        parts, answers, weights = _weigh(sample_weight, parts, answers)
        with Context(self.n_jobs, log=print if self.verbose else None) as context:
            parts, scaling = self._scale(context, parts)
            self._run(context, parts, answers, weights, groups, scaling)

    def _answers(self, y: Any, y_valid: Any, parts: List[Any]) -> List[np.ndarray]:
        """Class numbers, -1 and 1 for two classes of the logistic loss, or targets; of training and validation rows."""
        given = [(y, "y", parts[0].shape[0])] + (
            [(y_valid, "y_valid", parts[1].shape[0])] if y_valid is not None else []
        )
        if self.loss in _NUMBERS:
            return [targets(values, name, length) for values, name, length in given]
        advice = "; for numbers to predict give loss='squared'"
        labels = [check_labels(values, name, length, advice) for values, name, length in given]
        self.classes_, codes = encode(labels[0], "y")
        if 2 < len(self.classes_) == len(codes):
            raise ValueError(f"each of the {len(codes)} rows has a label of its own, so that no row says anything of another")
        if len(self.classes_) > _MANY_CLASSES and self.classes_.dtype.kind in "iuf":
            warnings.warn(
                f"y has {len(self.classes_)} different numbers, each taken for a class, which is slow; "
                "for numbers to predict give loss='squared'",
                stacklevel=4,
            )
        answers = [codes] + [codes_of(part, self.classes_, "y_valid") for part in labels[1:]]
        return [2 * part - 1 for part in answers] if self._signs() else answers

    def _signs(self) -> bool:
        return self.loss == "logistic" and len(self.classes_) == 2

    def _options(self, dim: int, weights: Optional[np.ndarray], groups: Any) -> Tuple[Any, List[Any]]:
        """The options, and the arrays that they borrow."""
        options = defaults(_api.sustain_select_options, "sustain_select_defaults_for")
        kept: List[Any] = []
        if self.loss in _NUMBERS:
            options.loss = _NUMBERS[self.loss]
        else:
            options.loss = _api.SUSTAIN_REGTUNE_LOGISTIC if self._signs() else _api.SUSTAIN_REGTUNE_SOFTMAX
            options.classes = len(self.classes_)
        options.intercept, options.folds, options.seed = (
            bool(self.fit_intercept),
            whole_of(self.folds or 0, "folds"),
            seed_of(self.random_state),
        )
        options.form, options.huber_threshold = _PENALTIES[self.penalty], number_of(self.huber_threshold or 0, "huber_threshold")
        options.knots, options.waves = _KNOTS if self.splines else 0, _WAVES if self.splines and self.fourier else 0
        if groups is None:
            groups = self._columns(dim)
        else:
            groups = self._for_features(groups, "groups", dim)
        if groups is not None:
            names, codes = np.unique(groups, return_inverse=True)
            kept.append(codes.astype(np.int32))
            options.groups, options.group = len(names), kept[-1].ctypes.data
        if self.penalty_factors is not None:
            factors = self._for_features(self.penalty_factors, "penalty_factors", dim)
            kept.append(np.ascontiguousarray(factors, np.float64))
            options.factors = kept[-1].ctypes.data
        if weights is not None:
            kept.append(weights)
            options.weights = weights.ctypes.data
        return options, kept

    def _columns(self, dim: int) -> Optional[np.ndarray]:
        """The column of a frame that each feature comes from, where there are several of several features."""
        columns = None if self.encoder_ is None else self.encoder_._column
        return columns if columns is not None and 2 <= len(np.unique(columns)) < dim else None

    def _for_features(self, values: Any, name: str, dim: int) -> np.ndarray:
        """Values of the features, from those of the columns where there is an encoder."""
        if self.encoder_ is None:
            return vector(values, name, dim)
        return vector(values, name, self.n_features_in_)[self.encoder_._column]

    def _run(
        self,
        context: Context,
        parts: List[Any],
        answers: List[np.ndarray],
        weights: Optional[np.ndarray],
        groups: Any,
        scaling: Scaling,
    ) -> None:
        name = "targets" if self.loss in _NUMBERS else "labels"
        rows = [Rows(part, unit=scaling.unit, **{name: answer}) for part, answer in zip(parts, answers)]
        options, kept = self._options(parts[0].shape[1], weights, groups)
        if scaling.factor is not None:
            options.scaling = scaling.factor.ctypes.data
        arguments = ctypes.byref(options), rows[0].pointer, rows[1].pointer if len(rows) > 1 else None
        result = _api.sustain_select_result()
        with owned(context, "sustain_select_create", "sustain_select_destroy", *arguments) as selection:
            context.run("sustain_select_run", selection, ctypes.byref(result))
            self._keep(result, parts[0].shape[1], scaling)
        del kept

    def _keep(self, result: _api.sustain_select_result, dim: int, scaling: Scaling) -> None:
        width = 1 if self.loss in _NUMBERS or self._signs() else len(self.classes_)
        knots = result.splines.contents.count if result.splines else 0
        waves = result.fourier.contents.waves if result.fourier else 0
        features = dim + knots + 2 * waves
        model = read(result.y, np.float64, width * (features + 1))
        weights, bias = model[: width * features].reshape(width, features), model[width * features :]
        coef, intercept = scaling.undo(weights[:, :dim], bias)
        factor = (
            np.full(dim, scaling.unit) if scaling.factor is None else scaling.unit * scaling.factor.astype(np.float64)
        )
        numbers = self.loss in _NUMBERS
        self.coef_, self.intercept_ = (coef[0], float(intercept[0])) if numbers else (coef, intercept)
        rows = [result.candidates[i] for i in range(result.count)]
        fields = [row[0] for row in _api.sustain_select_candidate._fields_]
        self.candidates_ = [{field: _plain(getattr(row, field)) for field in fields} for row in rows]
        for row, share in zip(self.candidates_, read(result.share, np.float64, result.count).tolist()):
            row["share"] = share
        self.selected_ = self.candidates_[result.selected]["name"]
        penalties = read(result.penalty, np.float64, features)
        self.penalties_ = penalties[:dim] / (factor if self.selected_ in _ABSOLUTE else factor**2)
        self.splines_ = None
        if knots:
            feature = read(result.splines.contents.feature, np.int32, knots)
            knot = scaling.undo_values(read(result.splines.contents.knot, np.float64, knots), feature)
            own = weights[:, dim : dim + knots] * factor[feature]
            self.splines_ = {
                "feature": feature,
                "knot": knot,
                "coef": own[0] if numbers else own,
                "penalty": penalties[dim : dim + knots] / factor[feature] ** 2,
            }
        self.fourier_ = None
        if waves:
            numbers_of_waves = read(result.fourier.contents.w, np.float32, waves * (dim + 1)).astype(np.float64)
            own, phase = scaling.undo(numbers_of_waves[: waves * dim].reshape(waves, dim), numbers_of_waves[waves * dim :])
            coef = weights[:, dim + knots :]
            self.fourier_ = {
                "waves": own,
                "phase": phase,
                "coef": coef[0] if numbers else coef,
                "penalty": penalties[dim + knots :],
            }
        points = [result.path[i] for i in range(result.path_count)]
        self.path_ = {
            "penalty": np.exp([point.log_penalty for point in points]),
            "loss": np.array([point.loss for point in points]),
            "error": np.array([point.error for point in points]),
        }

    # ---- predicting ----

    def _scores(self, X: Any) -> np.ndarray:
        """Scores (rows, width), in double."""
        taken = self._again(X)
        weights = np.atleast_2d(self.coef_).T
        if is_sparse(taken) and (self.splines_ is not None or self.fourier_ is not None):
            taken = taken.toarray()
        if is_sparse(taken):
            _check_finite(taken.data)
            return taken @ weights + self.intercept_
        scores = np.empty((taken.shape[0], weights.shape[1]))
        for first in range(0, len(taken), _BLOCK):
            block = taken[first : first + _BLOCK].astype(np.float64)
            scores[first : first + _BLOCK] = block @ weights + self.intercept_
            if self.splines_ is not None:
                above = np.maximum(block[:, self.splines_["feature"]] - self.splines_["knot"], 0)
                scores[first : first + _BLOCK] += above @ np.atleast_2d(self.splines_["coef"]).T
            if self.fourier_ is not None:
                angle = block @ self.fourier_["waves"].T + self.fourier_["phase"]
                z = np.hstack([np.cos(angle), np.sin(angle)])
                scores[first : first + _BLOCK] += z @ np.atleast_2d(self.fourier_["coef"]).T
        if not np.isfinite(scores).all():
            _check_finite(taken)
        return scores

    @_OfClasses
    def decision_function(self, X: Any) -> np.ndarray:
        """Scores of the classes; of the second class where there are two.

        Parameters
        ----------
        X : array, frame, sparse matrix or tensor of shape (n_rows, n_features)
            The features, as in ``fit``.

        Returns
        -------
        scores : ndarray of shape (n_rows,) or (n_rows, n_classes)
            The scores.
        """
        scores = self._scores(X)
        if scores.shape[1] == 2:
            scores = scores[:, 1:] - scores[:, :1]
        return scores[:, 0] if scores.shape[1] == 1 else scores

    @_OfClasses
    def predict_proba(self, X: Any) -> np.ndarray:
        """Probabilities of the classes.

        Parameters
        ----------
        X : array, frame, sparse matrix or tensor of shape (n_rows, n_features)
            The features, as in ``fit``.

        Returns
        -------
        probabilities : ndarray of shape (n_rows, n_classes)
            Their columns are ``classes_``.
        """
        scores = self._scores(X)
        if scores.shape[1] == 1:
            scores = np.hstack([np.zeros_like(scores), scores])
        powers = np.exp(scores - scores.max(axis=1, keepdims=True))
        return powers / powers.sum(axis=1, keepdims=True)

    def predict(self, X: Any) -> np.ndarray:
        """The likeliest class of each row, or the number to expect.

        Parameters
        ----------
        X : array, frame, sparse matrix or tensor of shape (n_rows, n_features)
            The features, as in ``fit``.

        Returns
        -------
        answers : ndarray of shape (n_rows,)
            Labels of ``classes_``, or numbers.
        """
        scores = self._scores(X)
        if self.loss in _NUMBERS:
            return np.exp(scores[:, 0]) if self.loss == "poisson" else scores[:, 0]
        return self.classes_[scores.argmax(axis=1) if scores.shape[1] > 1 else (scores[:, 0] > 0).astype(int)]

    def score(self, X: Any, y: Any) -> float:
        """The share of rows whose label is predicted, or the coefficient of determination of predicted numbers.

        Parameters
        ----------
        X : array, frame, sparse matrix or tensor of shape (n_rows, n_features)
            The features, as in ``fit``.
        y : array of shape (n_rows,)
            The answers.

        Returns
        -------
        score : float
            The score.
        """
        mixin = RegressorMixin if self.loss in _NUMBERS else ClassifierMixin
        return float(mixin.score(self, X, y))


def _plain(value: Any) -> Any:
    return value.decode() if isinstance(value, bytes) else value


def _check_finite(values: np.ndarray) -> None:
    bad = np.argwhere(~np.isfinite(values))
    if len(bad):
        place = f" in row {bad[0][0]}, column {bad[0][1]}" if values.ndim == 2 else ""
        raise ValueError(f"X contains NaN or infinity{place}")


def _weigh(
    given: Any, parts: List[Any], answers: List[np.ndarray]
) -> Tuple[List[Any], List[np.ndarray], Optional[np.ndarray]]:
    """Weights of all rows; rows of weight 0 are left out. Validation rows have the mean weight."""
    if given is None:
        return parts, answers, None
    weights = vector(given, "sample_weight", parts[0].shape[0]).astype(np.float64)
    if not np.isfinite(weights).all() or (weights < 0).any():
        raise ValueError("sample_weight contains NaN, infinity or a negative number: weights are at least 0")
    used = np.flatnonzero(weights > 0)
    if len(used) == 0:
        raise ValueError("all entries of sample_weight are 0: there is nothing to fit on")
    if len(used) < len(weights):
        parts, answers, weights = [parts[0][used], *parts[1:]], [answers[0][used], *answers[1:]], weights[used]
    rest = np.full(sum(part.shape[0] for part in parts[1:]), weights.mean())
    return parts, answers, np.concatenate([weights, rest])
