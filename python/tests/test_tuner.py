"""PenaltyTuner: that its models minimize what they should, what it takes and refuses."""

import numpy as np
import pytest

import sustain


def table(rows=400, seed=0, dim=12, noise=0.5):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, dim)).astype(np.float32)
    score = X[:, 0] * 2 - X[:, 1] + noise * rng.normal(size=rows)
    return X, score


def gradient(tuner, X, residual, scale=1.0):
    """Of the mean loss and the penalties, for one score; 0 at the minimum."""
    n = len(X)
    return np.r_[X.astype(float).T @ residual / n + tuner.penalties_ * np.ravel(tuner.coef_), residual.mean() * scale]


def own_share(tuner):
    return next(row["share"] for row in tuner.candidates_ if row["selected"])


@pytest.mark.parametrize("standardize", [False, True])
def test_the_model_minimizes_its_objective(standardize):
    X, score = table(dim=2)
    X = X * [1, 30] + [0, 5]
    y = (score > 0).astype(int)
    tuner = sustain.PenaltyTuner(standardize=standardize).fit(X, y)
    p = tuner.predict_proba(X)
    np.testing.assert_allclose(p.sum(axis=1), 1)
    np.testing.assert_allclose(p[:, 1], 1 / (1 + np.exp(-tuner.decision_function(X))))
    if own_share(tuner) == 1:
        assert np.abs(gradient(tuner, X, p[:, 1] - y) / np.r_[X.std(axis=0), 1]).max() < 1e-3
    squared = sustain.PenaltyTuner("squared", standardize=standardize).fit(X, score)
    if own_share(squared) == 1:
        assert np.abs(gradient(squared, X, squared.predict(X) - score) / np.r_[X.std(axis=0), 1]).max() < 1e-3
    assert 1 in (own_share(tuner), own_share(squared))


def test_what_was_tried():
    X, score = table()
    tuner = sustain.PenaltyTuner("squared").fit(X, score)
    assert [row["name"] for row in tuner.candidates_][0] == "one"
    assert [row["name"] for row in tuner.candidates_ if row["selected"]] == [tuner.selected_]
    assert (np.diff(tuner.path_["penalty"]) < 0).all() and len(tuner.path_["loss"]) == len(tuner.path_["penalty"]) > 5
    assert tuner.penalties_.shape == tuner.coef_.shape == (12,) and (tuner.penalties_ >= 0).all()
    assert tuner.score(X, score) > 0.85


def test_absolute_penalties():
    X, score = table(dim=20)
    X = X * np.linspace(1, 5, 20) + 2
    for penalty, name in (("l1", "lasso"), ("elastic-net", "elastic net")):
        tuner = sustain.PenaltyTuner("squared", penalty=penalty, standardize=True).fit(X, score)
        assert tuner.selected_ == name and (tuner.coef_ == 0).any() and tuner.score(X, score) > 0.85
    tuner = sustain.PenaltyTuner("squared", penalty="l1", standardize=True).fit(X, score)
    assert own_share(tuner) == 1
    slope = (
        X.T @ (tuner.predict(X) - score) / len(X)
    )  # of the mean loss: within the penalty, and on it where a coefficient is not 0
    used = tuner.coef_ != 0
    np.testing.assert_allclose(slope[used], -tuner.penalties_[used] * np.sign(tuner.coef_[used]), rtol=0.02)
    assert (np.abs(slope[~used]) <= 1.02 * tuner.penalties_[~used]).all()
    with pytest.raises(ValueError, match="penalty is 'l2'"):
        sustain.PenaltyTuner(penalty="l2").fit(X, score > 0)


def test_huber_threshold():
    X, score = table(200)
    score[:20] += 50
    robust = sustain.PenaltyTuner("huber").fit(X, score)
    assert np.abs(robust.predict(X[20:]) - score[20:]).mean() < 1
    near = sustain.PenaltyTuner("huber", huber_threshold=1e4).fit(X, score)
    plain = sustain.PenaltyTuner("squared").fit(X, score)
    np.testing.assert_allclose(near.intercept_, plain.intercept_, rtol=0.05)


def test_validation_rows_and_groups():
    X, score = table(600)
    y = np.where(score > 0, "up", "down")
    tuner = sustain.PenaltyTuner().fit(X[:400], y[:400], X[400:], y[400:], groups=["a"] * 6 + ["b"] * 6)
    assert "groups" in [row["name"] for row in tuner.candidates_] and tuner.score(X, y) > 0.85
    assert tuner.classes_.tolist() == ["down", "up"] and tuner.coef_.shape == (1, 12)


def test_three_classes_and_losses():
    X, score = table(200, dim=5)
    y = np.digitize(score, [-1, 1])
    tuner = sustain.PenaltyTuner().fit(X, y)
    assert tuner.coef_.shape == (3, 5) and tuner.decision_function(X).shape == (200, 3) and tuner.score(X, y) > 0.7
    np.testing.assert_array_equal(tuner.coef_, sustain.PenaltyTuner("softmax").fit(X, y).coef_)
    two = sustain.PenaltyTuner("softmax").fit(X, score > 0)
    assert two.decision_function(X).shape == (200,) and two.classes_.tolist() == [False, True]
    counts = np.random.default_rng(0).poisson(np.exp(score / 4))
    poisson = sustain.PenaltyTuner("poisson").fit(X, counts)
    assert (poisson.predict(X) > 0).all() and abs(poisson.predict(X).mean() / counts.mean() - 1) < 0.1
    assert sustain.PenaltyTuner("huber").fit(X, score).score(X, score) > 0.8


def test_sparse_is_dense():
    sparse = pytest.importorskip("scipy.sparse")
    rng = np.random.default_rng(0)
    X = np.where(rng.random((300, 40)) < 0.1, rng.random((300, 40)), 0).astype(np.float32)
    y = (X[:, :5].sum(axis=1) > 0.3).astype(int)
    dense = sustain.PenaltyTuner(standardize=False).fit(X, y)
    other = sustain.PenaltyTuner(standardize=False).fit(sparse.csr_matrix(X), y)
    np.testing.assert_allclose(dense.predict_proba(X), other.predict_proba(sparse.csc_matrix(X)), atol=1e-3)


def test_weights_and_factors():
    X, score = table()
    y = (score > 0).astype(int)
    weights = np.r_[np.zeros(100), np.ones(300)]
    left_out = sustain.PenaltyTuner().fit(X, y, sample_weight=weights)
    np.testing.assert_array_equal(left_out.coef_, sustain.PenaltyTuner().fit(X[100:], y[100:]).coef_)
    free = sustain.PenaltyTuner(penalty_factors=np.r_[0, np.ones(11)]).fit(X, y)
    assert free.penalties_[0] < 1e-6 < free.penalties_[1]
    none = sustain.PenaltyTuner(fit_intercept=False, standardize=True).fit(X + 3, y)
    assert none.intercept_ == 0


def test_same_bits_for_any_number_of_threads():
    X, score = table()
    expected = sustain.PenaltyTuner("squared", n_jobs=1).fit(X, score)
    for jobs in (2, 8):
        np.testing.assert_array_equal(expected.coef_, sustain.PenaltyTuner("squared", n_jobs=jobs).fit(X, score).coef_)


@pytest.mark.parametrize(
    "options, change, sentence",
    [
        ({}, {"X": np.full((400, 12), np.nan)}, "is not finite"),
        ({}, {"y": np.zeros(400)}, "at least two classes"),
        ({}, {"y": np.linspace(0, 1, 400)}, "continuous.*loss='squared'"),
        ({}, {"y": [f"row {row}" for row in range(400)]}, "a label of its own"),
        ({"loss": "squared"}, {"y": np.arange("2024-01", "2057-05", dtype="datetime64[M]")}, "dates or durations"),
        ({}, {"sample_weight": 2.0}, "sample_weight should be a 1d array"),
        ({"loss": "squared"}, {"y": np.full(400, np.inf)}, "Input y contains NaN or infinity"),
        ({"loss": "squared"}, {"y": ["a"] * 400}, "must hold numbers"),
        ({"loss": "squared"}, {"y": [1.0, None] * 200}, "its entry 1 is nan; leave such rows out"),
        ({"loss": "poisson"}, {"y": np.full(400, -1.0)}, "counts"),
        ({"loss": "hinge"}, {}, "loss is 'hinge'"),
        ({"folds": 1}, {}, "folds"),
        ({"penalty_factors": [1, 2]}, {}, "penalty_factors has 2"),
        ({}, {"groups": ["a"] * 400}, "groups has 400"),
        ({}, {"sample_weight": -np.ones(400)}, "negative"),
        ({}, {"X_valid": np.zeros((3, 12))}, "go together"),
    ],
)
def test_bad_input_is_refused(options, change, sentence):
    X, score = table()
    given = {"X": X, "y": (score > 0).astype(int), **change}
    with pytest.raises((ValueError, TypeError), match=sentence):
        sustain.PenaltyTuner(**options).fit(**given)


def test_numbers_taken_for_classes_are_pointed_out():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(303, 1))
    with pytest.warns(UserWarning, match="101 different numbers, each taken for a class.*loss='squared'"):
        sustain.PenaltyTuner(penalty="l1", folds=2).fit(X, np.arange(303) % 101)


def test_bad_rows_to_predict():
    X, score = table()
    tuner = sustain.PenaltyTuner("squared").fit(X, score)
    X[5, 2] = np.inf
    with pytest.raises(ValueError, match="row 5, column 2"):
        tuner.predict(X)
    with pytest.raises(ValueError, match="X has 3 features, but PenaltyTuner is expecting 12"):
        tuner.predict(X[:, :3])


def test_an_encoder_needs_a_frame():
    X, score = table()
    tuner = sustain.PenaltyTuner("squared", encoder=sustain.TableEncoder(missing="refuse"))
    assert tuner.get_params()["encoder"].get_params()["missing"] == "refuse"
    with pytest.raises(TypeError, match="X is a ndarray: give a DataFrame"):
        tuner.fit(X, score)
    assert tuner.set_params(encoder="auto").fit(X, score).encoder_ is None


@pytest.mark.parametrize("standardize", [False, True])
def test_splines(standardize):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(500, 3)) * [1, 20, 1] + [0, 100, 2]
    score = 3 * np.abs(X[:, 0]) + X[:, 1] / 20 + 0.3 * rng.normal(size=500)
    test = rng.normal(size=(500, 3)) * [1, 20, 1] + [0, 100, 2]
    right = 3 * np.abs(test[:, 0]) + test[:, 1] / 20
    tuner = sustain.PenaltyTuner("squared", standardize=standardize).fit(X, score)
    linear = sustain.PenaltyTuner("squared", standardize=standardize, splines=False).fit(X, score)
    assert tuner.selected_ == "splines" and linear.splines_ is None
    assert np.mean((tuner.predict(test) - right) ** 2) < 0.05 < 1 < np.mean((linear.predict(test) - right) ** 2)
    s = tuner.splines_
    above = np.maximum(test[:, s["feature"]] - s["knot"], 0)
    assert above.shape[1] == len(s["coef"]) == len(s["penalty"]) and set(s["feature"]) == {0, 1, 2}
    np.testing.assert_allclose(tuner.predict(test), test @ tuner.coef_ + above @ s["coef"] + tuner.intercept_, rtol=1e-5)
    inside = [(s["knot"][s["feature"] == j].min(), s["knot"][s["feature"] == j].max()) for j in range(3)]
    assert all(X[:, j].min() < low < high < X[:, j].max() for j, (low, high) in enumerate(inside))
    classes = sustain.PenaltyTuner(standardize=standardize).fit(X, np.where(score > 7.5, "high", "low"))
    assert classes.selected_ == "splines" and classes.score(test, np.where(right > 7.5, "high", "low")) > 0.93
    three = sustain.PenaltyTuner(standardize=standardize).fit(X, np.digitize(score, [6.5, 8]))
    assert three.splines_ is None or three.splines_["coef"].shape == (3, len(three.splines_["knot"]))
    scipy = pytest.importorskip("scipy.sparse")
    np.testing.assert_allclose(tuner.predict(scipy.csr_matrix(test)), tuner.predict(test), rtol=1e-5)
    with pytest.raises(ValueError, match="splines is 'yes'"):
        sustain.PenaltyTuner(splines="yes").fit(X, score > 7)


@pytest.mark.parametrize("loss", ["squared", "logistic", "softmax"])
def test_fourier(loss):
    rng = np.random.default_rng(4)
    X, test = (2 * rng.random((400, 3)) * [1, 20, 1] + [0, 100, 2] for _ in range(2))

    def score(rows):
        return 4 * (rows[:, 0] - 1) * (rows[:, 1] - 120) / 20

    noise = 0.1 * rng.normal(size=400)
    cuts = {"squared": None, "logistic": [0], "softmax": [-0.5, 0.5]}[loss]
    y, right = (s if cuts is None else np.digitize(s, cuts) for s in (score(X) + noise, score(test)))
    tuner = sustain.PenaltyTuner(loss).fit(X, y)
    without = sustain.PenaltyTuner(loss, fourier=False).fit(X, y)
    linear = sustain.PenaltyTuner(loss, splines=False).fit(X, y)
    assert tuner.selected_ == "fourier" and without.fourier_ is None and linear.fourier_ is None
    assert tuner.score(test, right) > 0.85 > without.score(test, right)
    f = tuner.fourier_
    angle = test @ f["waves"].T + f["phase"]
    scores = test @ np.atleast_2d(tuner.coef_).T + tuner.intercept_
    scores = scores + np.hstack([np.cos(angle), np.sin(angle)]) @ np.atleast_2d(f["coef"]).T
    if tuner.splines_ is not None:
        above = np.maximum(test[:, tuner.splines_["feature"]] - tuner.splines_["knot"], 0)
        scores = scores + above @ np.atleast_2d(tuner.splines_["coef"]).T
    said = tuner.predict(test) if loss == "squared" else tuner.decision_function(test)
    np.testing.assert_allclose(said, scores if loss == "softmax" else scores[:, 0], rtol=1e-4, atol=1e-4)
    with pytest.raises(ValueError, match="fourier is 'yes'"):
        sustain.PenaltyTuner(fourier="yes").fit(X, score(X) > 0)
