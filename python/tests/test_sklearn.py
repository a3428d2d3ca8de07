"""The estimators with scikit-learn: its own checks, pipelines, searches, clones and pickles.

One check is expected to fail, for the reason that ``PenaltyTuner._more_tags`` gives.
"""

import pickle
import warnings

import numpy as np
import pytest

sklearn = pytest.importorskip("sklearn")

from sklearn.base import clone, is_classifier, is_regressor  # noqa: E402
from sklearn.model_selection import GridSearchCV, cross_val_predict, cross_val_score  # noqa: E402
from sklearn.pipeline import make_pipeline  # noqa: E402
from sklearn.preprocessing import StandardScaler  # noqa: E402
from sklearn.utils.estimator_checks import parametrize_with_checks  # noqa: E402

import sustain  # noqa: E402

ESTIMATORS = [
    sustain.LabelCleaner(n_jobs=1),
    sustain.PenaltyTuner(n_jobs=1),
    sustain.PenaltyTuner("squared", n_jobs=1),
    sustain.PenaltyTuner("huber", n_jobs=1),
]


@parametrize_with_checks(ESTIMATORS)
def test_checks_of_scikit_learn(estimator, check):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        check(estimator)


def blobs(seed=0, rows=300, classes=3):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, classes, rows)
    return rng.normal(size=(rows, 6)) + 2 * np.eye(classes, 6)[y], np.array(["ant", "bee", "cat"])[y]


def test_kinds():
    assert is_classifier(sustain.LabelCleaner()) and is_classifier(sustain.PenaltyTuner())
    assert is_regressor(sustain.PenaltyTuner("squared")) and not hasattr(
        sustain.PenaltyTuner("poisson"), "predict_proba"
    )


@pytest.mark.parametrize("estimator", [sustain.LabelCleaner(), sustain.PenaltyTuner()], ids=["cleaner", "tuner"])
def test_pipelines_and_searches(estimator):
    X, y = blobs(rows=150)
    estimator = clone(estimator).set_params(n_jobs=1)
    pipeline = make_pipeline(StandardScaler(), estimator)
    assert cross_val_score(pipeline, X, y, cv=3).mean() > 0.8
    predicted = cross_val_predict(clone(estimator), X, y, cv=3, method="predict_proba")
    assert predicted.shape == (150, 3) and np.allclose(predicted.sum(axis=1), 1, atol=1e-5)
    search = GridSearchCV(estimator, {"folds": [3, 5]}, cv=2).fit(X, y)
    assert search.best_params_["folds"] in (3, 5) and search.best_score_ > 0.8


@pytest.mark.parametrize("estimator", [sustain.LabelCleaner(), sustain.PenaltyTuner()], ids=["cleaner", "tuner"])
def test_pickles_are_safetensors(estimator):
    X, y = blobs()
    estimator.fit(X, y)
    again = pickle.loads(pickle.dumps(estimator))
    assert again.get_params() == estimator.get_params()
    assert set(vars(again)) == set(vars(estimator))
    for name, value in vars(estimator).items():
        if isinstance(value, np.ndarray):
            assert value.dtype == getattr(again, name).dtype
            np.testing.assert_array_equal(value, getattr(again, name), err_msg=name)
    np.testing.assert_array_equal(estimator.predict_proba(X), again.predict_proba(X))
    safetensors = pytest.importorskip("safetensors.numpy")
    assert "coef_" in safetensors.load(estimator.__getstate__()["fitted"])


def test_feature_names():
    pandas = pytest.importorskip("pandas")
    X, y = blobs()
    frame = pandas.DataFrame(X, columns=list("abcdef"))
    tuner = sustain.PenaltyTuner().fit(frame, pandas.Series(y))
    assert tuner.feature_names_in_.tolist() == list("abcdef") and tuner.n_features_in_ == 6
    with pytest.raises(ValueError, match="Feature names must be in the same order"):
        tuner.predict(frame[list("fedcba")])
    with pytest.warns(UserWarning, match="does not have valid feature names"):
        tuner.predict(X)
