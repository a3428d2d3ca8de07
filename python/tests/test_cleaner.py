"""LabelCleaner: what it finds, what it takes, what it refuses, and that the program finds the same."""

import json
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
import warnings

import numpy as np
import pytest

import sustain
from sustain._library import program


def noisy(rows=500, wrong=0.1, seed=0, dim=8, classes=3):
    """Features, given labels, right labels."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, classes, rows)
    X = (rng.normal(size=(rows, dim)) + 3 * np.eye(classes, dim)[truth]).astype(np.float32)
    y = np.where(rng.random(rows) < wrong, (truth + rng.integers(1, classes, rows)) % classes, truth)
    return X, y, truth


def auc(quality, wrong):
    order = np.argsort(np.argsort(quality)) + 1
    n = wrong.sum()
    return 1 - (order[wrong].sum() - n * (n + 1) / 2) / (n * (len(wrong) - n))


def ring(rows, wrong=0.2, seed=0):
    """A ring around a disc, far from 0: features, given labels, right labels."""
    rng = np.random.default_rng(seed)
    truth, angle = rng.integers(0, 2, rows), rng.uniform(0, 2 * np.pi, rows)
    radius = np.where(truth == 1, rng.uniform(2, 3, rows), rng.uniform(0, 1.7, rows))
    X = np.stack([50 + radius * np.cos(angle), 0.1 * radius * np.sin(angle)], axis=1).astype(np.float32)
    return X, np.where(rng.random(rows) < wrong, 1 - truth, truth), truth


@pytest.mark.parametrize("checked", [False, True])
def test_classes_that_no_linear_score_separates(checked):
    X, y, truth = ring(500)
    new, _, labels = ring(300, seed=1)
    verified = np.where(np.arange(500) % 5 == 0, truth, -1) if checked else None
    cleaner = sustain.LabelCleaner().fit(X, y, verified=verified)
    probabilities = cleaner.predict_proba(new)
    assert (cleaner.predict(new) == labels).mean() > 0.9
    angles = new @ cleaner.waves_.T + cleaner.phases_
    waves = np.hstack([np.cos(angles), np.sin(angles)]) @ cleaner.fourier_coef_.T
    scores = new @ cleaner.coef_.T + cleaner.intercept_ + waves
    expected = np.exp(scores - scores.max(axis=1, keepdims=True))
    np.testing.assert_allclose(probabilities, expected / expected.sum(axis=1, keepdims=True), atol=1e-3)
    again = pickle.loads(pickle.dumps(cleaner))
    np.testing.assert_array_equal(again.predict_proba(new), probabilities)
    cleaner.fit(new, new[:, 0] > 50)  # a linear score separates these
    assert cleaner.waves_ is None and cleaner.fourier_coef_ is None
    assert (cleaner.predict(new) == (new[:, 0] > 50)).mean() > 0.95


def test_finds_wrong_labels():
    X, y, truth = noisy()
    trusted, labels, _ = noisy(100, 0, 1)
    cleaner = sustain.LabelCleaner().fit(X, y, trusted, labels)
    wrong = y != truth
    assert auc(cleaner.label_quality_, wrong) > 0.97
    low, high = cleaner.estimated_errors_interval_
    assert low <= wrong.sum() <= high and low <= cleaner.estimated_errors_ <= high
    assert (cleaner.suggested_[cleaner.is_issue_] == truth[cleaner.is_issue_]).mean() > 0.9
    assert (cleaner.suggested_[~cleaner.is_issue_] == y[~cleaner.is_issue_]).all()
    assert cleaner.weights_.shape == (500,) and cleaner.weights_[wrong].mean() < cleaner.weights_[~wrong].mean()
    np.testing.assert_allclose(cleaner.probability_wrong_, 1 - cleaner.label_quality_)
    assert cleaner.score(X, truth) > 0.95
    assert len(cleaner.history_) > 2 and (np.diff(cleaner.history_.iteration) > 0).all() and cleaner.result_["solver"]
    assert len(pickle.loads(pickle.dumps(cleaner)).history_) == len(cleaner.history_)


def test_issues_are_worst_first():
    pandas = pytest.importorskip("pandas")
    X, y, _ = noisy()
    names = np.array(["ant", "bee", "cat"])
    cleaner = sustain.LabelCleaner().fit(pandas.DataFrame(X).rename(columns=str), pandas.Series(names[y]))
    issues = cleaner.issues_
    assert issues.index.name == "row" and len(issues) == cleaner.is_issue_.sum() > 10
    assert issues["label_quality"].is_monotonic_increasing
    assert (issues["given"] == names[y][issues.index]).all() and (issues["given"] != issues["suggested"]).all()
    assert cleaner.weights_ is None and np.isnan(cleaner.estimated_errors_interval_).all()


def test_verified_rows():
    X, y, truth = noisy(seed=2)
    rows = np.random.default_rng(0).choice(500, 100, replace=False)
    by_row = sustain.LabelCleaner().fit(X, y, verified={int(row): truth[row] for row in rows})
    marks = np.full(500, -1)
    marks[rows] = truth[rows]
    np.testing.assert_array_equal(
        by_row.label_quality_, sustain.LabelCleaner().fit(X, y, verified=marks).label_quality_
    )
    some = np.array([None] * 500, dtype=object)
    some[rows] = truth[rows]
    np.testing.assert_array_equal(by_row.label_quality_, sustain.LabelCleaner().fit(X, y, verified=some).label_quality_)
    assert (by_row.label_quality_[rows] == (y[rows] == truth[rows])).all()
    low, high = by_row.estimated_errors_interval_
    assert low <= (y != truth).sum() <= high
    for code, errors in enumerate(by_row.class_errors_):
        checked = [row for row in rows if y[row] == errors["name"]]
        assert errors["name"] == by_row.classes_[code] and errors["checked"] == len(checked)
        assert errors["wrong"] == sum(y[row] != truth[row] for row in checked)
        assert errors["error_rate_low"] <= errors["wrong"] / len(checked) <= errors["error_rate_high"]


def test_decisions_of_a_page(tmp_path):
    X, y, truth = noisy(seed=2)
    path = tmp_path / "decisions.csv"
    lines = [f"r0,{row},{y[row]},class,{truth[row]}" for row in range(60)] + ["r0,60,1,unsure,"]
    path.write_text("run,row,given,decision,label\n" + "\n".join(lines) + "\n")
    cleaner = sustain.LabelCleaner(verified_are="mixed").fit(X, y, verified=path)
    expected = sustain.LabelCleaner(verified_are="mixed").fit(X, y, verified=dict(enumerate(truth[:60])))
    np.testing.assert_array_equal(cleaner.label_quality_, expected.label_quality_)
    path.write_text("\ufeffLabel;Row\n" + "\n".join(f"{truth[row]} ;{row}" for row in range(60)) + "\n", encoding="utf-8")
    cleaner.fit(X, y, verified=path)  # as a spreadsheet writes it
    np.testing.assert_array_equal(cleaner.label_quality_, expected.label_quality_)
    path.write_text("row,label\n3,7\n")
    with pytest.raises(ValueError, match="line 2: the label '7' never occurs"):
        cleaner.fit(X, y, verified=path)


def test_groups():
    X, y, truth = noisy()
    groups = np.where(y != truth, "careless", "careful")
    cleaner = sustain.LabelCleaner().fit(X, y, groups=groups)
    first, second = cleaner.group_errors_
    assert first["name"] == "careless" and first["error_rate"] > 0.5 > second["error_rate"] and "weight" not in first
    cleaner.fit(X, y, verified=dict(enumerate(truth[:100])), groups=groups)
    weights = {row["name"]: row["weight"] for row in cleaner.group_errors_}
    assert 0 < weights["careless"] < weights["careful"] < 1
    assert all(row["weight_low"] <= row["weight"] <= row["weight_high"] for row in cleaner.group_errors_)
    assert (
        first["rows"] == (y != truth).sum()
        and first["error_rate_low"] <= first["error_rate"] <= first["error_rate_high"]
    )


def test_dawid_skene():
    generator = np.random.default_rng(4)
    truth = generator.integers(0, 3, 400)
    quality = {"ann": 0.9, "ben": 0.8, "cy": 0.7, "dee": 1 / 3, "eve": 1 / 3}
    rows, who, given = [], [], []
    for name, share in quality.items():
        right = generator.random(400) < share
        rows += (1000 + np.arange(400)).tolist()
        who += [name] * 400
        given += [f"c{k}" for k in np.where(right, truth, (truth + generator.integers(1, 3, 400)) % 3)]
    estimate = sustain.dawid_skene(rows, who, given)
    assert estimate.classes.tolist() == ["c0", "c1", "c2"] and estimate.rows[0] == 1000
    assert (estimate.labels == np.array([f"c{k}" for k in truth])).mean() > 0.9
    np.testing.assert_allclose(estimate.probabilities.sum(axis=1), 1, rtol=1e-5)
    assert estimate.annotators.tolist() == list(quality) and (estimate.counts == 400).all()
    np.testing.assert_allclose(estimate.accuracy, list(quality.values()), atol=0.07)
    low, high = estimate.accuracy_interval.T
    assert (low < estimate.accuracy).all() and (estimate.accuracy < high).all()
    with pytest.raises(ValueError, match="annotators has 2 entries"):
        sustain.dawid_skene([0, 1, 2], ["a", "b"], [0, 1, 0])
    with pytest.raises(sustain.ArgumentError, match="rounds must be at least 1"):
        sustain.dawid_skene([0, 1], ["a", "b"], [0, 1], max_iter=0)


def test_probabilities_of_other_models():
    X, y, truth = noisy()
    scores = X[:, :3].astype(np.float64)
    p = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
    expected = sustain.LabelCleaner().fit(None, y, pred_probs=p)
    assert auc(expected.label_quality_, y != truth) > 0.95 and expected.coef_ is None
    by_column = np.asfortranarray(p)
    np.testing.assert_array_equal(
        expected.label_quality_, sustain.LabelCleaner().fit(None, y, pred_probs=by_column).label_quality_
    )
    for kind in (np.float32, np.float16):
        other = sustain.LabelCleaner().fit(None, y, pred_probs=p.astype(kind))
        np.testing.assert_allclose(other.label_quality_, expected.label_quality_, atol=0.02)
    both = sustain.LabelCleaner().fit(X, y, pred_probs=[p, p.astype(np.float32)])
    assert len(both.result_["sources"]) >= 2
    with pytest.raises(ValueError, match="no features"):
        expected.predict(X)
    with pytest.raises(ValueError, match="sum|logits"):
        sustain.LabelCleaner().fit(None, y, pred_probs=3 * p)
    with pytest.raises(ValueError, match=r"\(500, number of classes\)"):
        sustain.LabelCleaner().fit(None, y, pred_probs=p[:-1])


def test_functions_of_cleanlab():
    _, y, truth = noisy(rows=400)
    rng = np.random.default_rng(3)
    p = rng.dirichlet(np.ones(3), 400) * 0.3 + 0.7 * np.eye(3)[truth]
    mask = sustain.find_label_issues(y, p)
    assert mask.dtype == bool and mask.shape == (400,) and (y != truth)[mask].mean() > 0.9
    ranked = sustain.find_label_issues(y, p, return_indices_ranked_by="self_confidence")
    own = sustain.get_label_quality_scores(y, p, method="self_confidence")
    assert sorted(ranked) == np.flatnonzero(mask).tolist() and (np.diff(own[ranked]) >= 0).all()
    np.testing.assert_array_equal(own, p[np.arange(400), y])
    margin = sustain.get_label_quality_scores(y, p, method="normalized_margin")
    other = np.array([max(p[i, k] for k in range(3) if k != y[i]) for i in range(400)])
    np.testing.assert_allclose(margin, (own - other + 1) / 2)
    entropy = sustain.get_label_quality_scores(y, p, method="confidence_weighted_entropy")
    ratio = -(p * np.log(p)).sum(axis=1) / np.log(3) / own
    np.testing.assert_allclose(entropy, np.log(1 + ratio) / ratio)
    assert auc(sustain.get_label_quality_scores(y, p), y != truth) > 0.95
    verified = {row: int(truth[row]) for row in range(50)}
    assert (sustain.get_label_quality_scores(y, p, verified=verified)[:50] == (y == truth)[:50]).all()
    with pytest.raises(ValueError, match="method is 'best'"):
        sustain.get_label_quality_scores(y, p, method="best")


def test_a_class_without_a_label_keeps_its_column():
    y = np.array([0, 2] * 40)
    p = np.full((80, 3), 0.05)
    p[np.arange(80), y] = 0.9
    assert sustain.LabelCleaner().fit(None, y, pred_probs=p).classes_.tolist() == [0, 1, 2]


def test_warns_where_nothing_can_be_concluded():
    generator = np.random.default_rng(0)
    y = generator.integers(0, 3, 300)
    with pytest.warns(UserWarning, match="the features predict the labels no better than always saying"):
        sustain.LabelCleaner().fit(generator.normal(size=(300, 4)), y)
    with pytest.warns(UserWarning, match="pred_probs predict the labels no better than always saying"):
        sustain.find_label_issues(y, np.tile([0.5, 0.3, 0.2], (300, 1)))
    for table in (np.eye(3)[y], np.full((300, 3), 1 / 3)):  # in sample; flat
        with pytest.warns(UserWarning, match="in every row the given label is the likeliest class"):
            assert sustain.find_label_issues(y, table).sum() == 0
    with pytest.warns(UserWarning, match="there are 6 rows: too few"):
        sustain.find_label_issues([0, 0, 1, 1, 0, 1], np.eye(2)[[0, 0, 1, 1, 1, 1]])
    for estimator in (sustain.LabelCleaner(), sustain.PenaltyTuner()):
        with pytest.raises(ValueError, match="all 300 training rows have the same features"):
            estimator.fit(np.ones((300, 2)), y)
    for call in (lambda: sustain.find_label_issues([], np.zeros((0, 3))), lambda: sustain.dawid_skene([], [], [])):
        with pytest.raises(ValueError, match="is empty"):
            call()


def test_parameters_that_are_no_numbers_are_named():
    X, y, _ = _blobs()
    for estimator, name, value in (
        (sustain.LabelCleaner, "folds", 2.5),
        (sustain.LabelCleaner, "batch", "64"),
        (sustain.LabelCleaner, "c", "small"),
        (sustain.PenaltyTuner, "folds", object()),
        (sustain.PenaltyTuner, "huber_threshold", "x"),
    ):
        with pytest.raises(ValueError, match=f"{name} is .*: give a"):
            estimator(**{name: value}).fit(X, y)
    with pytest.raises(ValueError, match="max_iter is 'x': give a whole number"):
        sustain.dawid_skene([0, 0, 1, 1], ["a", "b"] * 2, [0, 1, 1, 1], max_iter="x")
    assert sustain.LabelCleaner(folds=np.float64(4)).fit(X, y).is_issue_.shape == y.shape


# ---- input ----


def same(a, b):
    np.testing.assert_array_equal(a.label_quality_, b.label_quality_)
    np.testing.assert_array_equal(a.coef_, b.coef_)


def test_every_form_of_rows_gives_the_same(tmp_path):
    X, y, _ = noisy(200)
    expected = sustain.LabelCleaner().fit(X, y)
    np.save(tmp_path / "X.npy", X)
    forms = [
        X.astype(np.float64),
        X.tolist(),
        np.asfortranarray(X),
        np.load(tmp_path / "X.npy", mmap_mode="r"),
        np.repeat(X, 2, 1)[:, ::2],
    ]
    for form in forms:
        same(expected, sustain.LabelCleaner().fit(form, y))


def test_float32_and_bytes_are_not_copied():
    from sustain._rows import Rows, features

    for X in (np.ones((4, 3), np.float32), np.ones((4, 3), np.uint8), np.ones((4, 3), bool)):
        taken = features(X)
        assert taken.ctypes.data == X.ctypes.data
        struct = Rows(taken).struct
        assert X.ctypes.data in (struct.values, struct.bytes)


def test_tensors():
    torch = pytest.importorskip("torch")
    from sustain._rows import features

    X, y, _ = noisy(200)
    tensor = torch.tensor(X, requires_grad=True)
    assert features(tensor).ctypes.data == tensor.data_ptr()
    same(sustain.LabelCleaner().fit(X, y), sustain.LabelCleaner().fit(tensor, torch.tensor(y)))
    rounded = tensor.bfloat16()  # which NumPy does not have
    same(sustain.LabelCleaner().fit(rounded.detach().float().numpy(), y), sustain.LabelCleaner().fit(rounded, y))
    probabilities = torch.softmax(2 * tensor[:, :3], 1)  # with a gradient
    wanted = sustain.LabelCleaner().fit(None, y, pred_probs=probabilities.detach().numpy())
    same(wanted, sustain.LabelCleaner().fit(None, y, pred_probs=probabilities))
    half = sustain.LabelCleaner().fit(None, y, pred_probs=[probabilities, probabilities.bfloat16()])
    assert half.is_issue_.sum() == pytest.approx(wanted.is_issue_.sum(), abs=3)


def test_damaged_sparse_rows():
    sparse = pytest.importorskip("scipy.sparse")
    y = np.arange(60) % 3
    for name, place, value, says in (
        ("indptr", 3, 10**6, "row pointers"),
        ("indptr", 60, 10**6, "row pointers"),
        ("indptr", 0, -1, "row pointers"),
        ("indices", 1, -1, "indices"),
        ("indices", 0, 99, "indices"),
    ):
        X = sparse.csr_matrix(np.ones((60, 4)))
        damaged = getattr(X, name).copy()
        damaged[place] = value
        setattr(X, name, damaged)
        with pytest.raises(ValueError, match=says):
            sustain.LabelCleaner().fit(X, y)


@pytest.mark.filterwarnings("ignore:60 of the 60 classes")
def test_a_label_for_every_row():
    with pytest.raises(ValueError, match="a label of its own"):
        sustain.LabelCleaner().fit(np.random.default_rng(0).normal(size=(60, 4)), np.arange(60))


def test_sparse_rows():
    sparse = pytest.importorskip("scipy.sparse")
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 300)
    X = sparse.random(300, 50, 0.1, random_state=0, format="csr", dtype=np.float32) + sparse.csr_matrix(
        np.eye(2, 50, dtype=np.float32)[y]
    )
    expected = sustain.LabelCleaner().fit(X.tocsr(), y)
    assert expected.score(X, y) > 0.9
    same(expected, sustain.LabelCleaner().fit(X.tocoo(), y))
    same(expected, sustain.LabelCleaner().fit(X.tocsc(), y))
    wide = X.tocsr()
    wide.indices, wide.indptr = wide.indices.astype(np.int64), wide.indptr.astype(np.int64)
    same(expected, sustain.LabelCleaner().fit(wide, y))
    broken = X.tocsr().copy()
    broken.indices[0] = 99
    with pytest.raises(ValueError):
        sustain.LabelCleaner().fit(broken, y)


def test_bytes_are_the_numbers_that_they_hold():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 400)
    X = np.clip(rng.normal(100 + 60 * y[:, None], 30, (400, 9)), 0, 255).astype(np.uint8)
    cleaner = sustain.LabelCleaner().fit(X, y)
    np.testing.assert_allclose(cleaner.predict_proba(X), cleaner.predict_proba(X.astype(np.float32)), atol=1e-5)
    mixed = sustain.LabelCleaner().fit(X, y, X.astype(float)[:100], y[:100])
    assert mixed.score(X, y) > 0.9
    counts = (X > 100).astype(np.uint8) * 3
    assert sustain.LabelCleaner().fit(counts, y).score(counts, y) > 0.8


def test_same_bits_for_any_number_of_threads():
    X, y, truth = noisy()
    verified = dict(enumerate(truth[:60]))
    expected = sustain.LabelCleaner(n_jobs=1).fit(X, y, verified=verified)
    for jobs in (2, 3, 8):
        same(expected, sustain.LabelCleaner(n_jobs=jobs).fit(X, y, verified=verified))


def test_eight_fits_in_eight_threads():
    sets = [noisy(200, seed=seed) for seed in range(8)]

    def fit(k):
        X, y, truth = sets[k]
        return sustain.LabelCleaner(n_jobs=2).fit(X, y, verified=dict(enumerate(truth[:50])))

    results = [None] * 8
    threads = [threading.Thread(target=lambda k=k: results.__setitem__(k, fit(k))) for k in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for k in range(8):
        same(fit(k), results[k])


def test_ctrl_c():
    X, y, truth = noisy(2000, dim=50)
    cleaner = sustain.LabelCleaner(iterations=10**9)
    threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
    start = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        cleaner.fit(X, y, verified=dict(enumerate(truth[:100])))
    assert time.monotonic() - start < 5
    same(cleaner.set_params(iterations=50).fit(X, y), sustain.LabelCleaner(iterations=50).fit(X, y))


def bad_row(value):
    X, y, _ = noisy(50)
    X[7, 3] = value
    return X, y


@pytest.mark.parametrize(
    "change, kind, sentence",
    [
        (lambda X, y: (*bad_row(np.nan), {}), ValueError, "column 3 of training row 7 is not finite.*give a DataFrame"),
        (lambda X, y: (100 * bad_row(np.inf)[0], y, {}), ValueError, "column 3 of training row 7 is not finite"),
        (lambda X, y: (X, np.zeros(50), {}), ValueError, "at least two classes"),
        (lambda X, y: (X, y + 0.5, {}), ValueError, "Unknown label type: continuous"),
        (lambda X, y: (X, y[:-1], {}), ValueError, "50 rows, but y has 49"),
        (lambda X, y: (X, None, {}), ValueError, "y is None"),
        (lambda X, y: (X.astype(object) + 1j, y, {}), (ValueError, TypeError), ""),
        (lambda X, y: (X * 1j, y, {}), ValueError, "Complex data not supported"),
        (lambda X, y: (np.full((50, 2), "a"), y, {}), ValueError, "could not convert.*is a DataFrame"),
        (lambda X, y: (np.array([[{}, {}]] * 50), y, {}), TypeError, "no number"),
        (lambda X, y: (X[:3], y[:3], {}), ValueError, "fewer than the 5 folds"),
        (lambda X, y: (X[0], y, {}), ValueError, "Expected 2D array"),
        (lambda X, y: (X, y, {"X_trusted": X}), ValueError, "X_trusted needs y_trusted"),
        (lambda X, y: (X, y, {"X_trusted": X[:, :2], "y_trusted": y}), ValueError, "X_trusted has 2"),
        (lambda X, y: (X, y, {"X_trusted": X, "y_trusted": y + 9}), ValueError, "entry 0 of y_trusted"),
        (lambda X, y: (X, y, {"verified": {0: 1, 50: 1}}), ValueError, "the row 50: rows are numbered by position, 0 to 49"),
        (lambda X, y: (X, y, {"verified": {"a7": 1}}), ValueError, "the row 'a7': rows are numbered by position"),
        (lambda X, y: (X, y, {"verified": {5: 8}}), ValueError, "entry 0 of verified is 8"),
        (lambda X, y: (X, y, {"groups": y[:3]}), ValueError, "groups has 3"),
        (lambda X, y: (X, y > 0, {"pred_probs": np.full(50, 0.5)}), ValueError, r"column_stack\(\[1 - p, p\]\)"),
        (lambda X, y: (X, y > 0, {"pred_probs": np.full((50, 1), 0.5)}), ValueError, r"column_stack\(\[1 - p, p\]\)"),
        (lambda X, y: (None, y, {}), ValueError, "X is None"),
        (lambda X, y: (X, y, {"pred_probs": np.eye(3)[y], "trusted_pred_probs": np.eye(3)[y]}), ValueError, "needs y_trusted"),
        (lambda X, y: (X, y, {"pred_probs": np.ma.masked_equal(np.eye(3)[y], 0)}), ValueError, "masked entries"),
    ],
)
def test_bad_input_is_refused(change, kind, sentence):
    X, y, _ = noisy(50)
    X, y, options = change(X, y)
    with pytest.raises(kind, match=sentence):
        sustain.LabelCleaner().fit(X, y, **options)


@pytest.mark.parametrize(
    "options",
    [
        {"flag": "best"},
        {"flag": "count"},
        {"folds": 1},
        {"solver": "none"},
        {"verified_are": "?"},
        {"c": -1},
        {"standardize": 2},
        {"random_state": "a"},
    ],
)
def test_bad_parameters_are_refused(options):
    X, y, truth = noisy(50)
    with pytest.raises(ValueError):
        sustain.LabelCleaner(**options).fit(X, y, verified=dict(enumerate(truth[:20])))
    if "solver" in options:  # also where no solver is used
        with pytest.raises(ValueError, match="solver is 'none'"):
            sustain.LabelCleaner(**options).fit(X, y)


def test_text_columns_are_named():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"age": [1, 2, 3], "city": ["Rome", "Oslo", "Bern"]})
    with pytest.raises(ValueError, match="column 'city' of X holds text"):
        sustain.LabelCleaner(encoder=None).fit(frame, [0, 1, 0])
    missing = pandas.DataFrame({"age": pandas.array([1, 2, None] * 10, dtype="Int64")})
    with pytest.raises(ValueError, match="column 0 of training row 2 is not finite"):
        sustain.LabelCleaner(encoder=None).fit(missing, [0, 1, 0] * 10)


def test_a_refused_fit_leaves_the_next_one_alone():
    X, y, _ = noisy(100)
    cleaner = sustain.LabelCleaner()
    with pytest.raises(ValueError):
        cleaner.fit(X, np.zeros(100))
    with pytest.raises(ValueError, match="not fitted"):
        cleaner.predict(X)
    same(cleaner.fit(X, y), sustain.LabelCleaner().fit(X, y))
    names = np.array(["ant", "bee", "cat"])[y]
    for estimator in (cleaner, sustain.PenaltyTuner().fit(X, y)):
        before = estimator.predict(X)
        with pytest.raises(ValueError):
            estimator.fit(np.where(X == X[3, 3], np.nan, X), names)
        np.testing.assert_array_equal(estimator.predict(X), before)


# ---- the program, pages, notebooks ----


def test_the_program_finds_the_same(tmp_path):
    X, y, truth = noisy(seed=5)
    trusted, labels, _ = noisy(100, 0, 6)
    for name, array in (("X", X), ("y", y), ("t", trusted), ("l", labels)):
        np.save(tmp_path / f"{name}.npy", array)
    command = [
        program(),
        "clean",
        "--features",
        "X.npy",
        "--labels",
        "y.npy",
        "--trusted",
        "t.npy",
        "--trusted-labels",
        "l.npy",
    ]
    subprocess.run([*command, "--out", "run", "--seed", "3", "--json"], cwd=tmp_path, check=True, capture_output=True)
    result = json.loads((tmp_path / "run" / "result.json").read_text())
    cleaner = sustain.LabelCleaner(random_state=3, baselines=True).fit(X, y, trusted, labels)
    np.testing.assert_array_equal(np.load(tmp_path / "run" / "weights.npy"), cleaner.weights_)
    table = np.genfromtxt(tmp_path / "run" / "labels.csv", delimiter=",", names=True)
    np.testing.assert_allclose(table["label_quality"], cleaner.label_quality_, rtol=1e-5)
    np.testing.assert_array_equal(table["is_issue"], cleaner.is_issue_)
    for name in (
        "issues",
        "iterations",
        "estimated_errors",
        "estimated_errors_low",
        "noise_estimated",
        "trusted_accuracy",
        "ranking_reason",
        "solver",
    ):
        assert (
            cleaner.result_[name] == pytest.approx(result[name], rel=1e-9)
            if isinstance(result[name], float)
            else cleaner.result_[name] == result[name]
        )
    assert cleaner.result_["baselines"]["margin"]["trusted_accuracy"] == pytest.approx(
        result["baselines"]["margin"]["trusted_accuracy"] or np.nan, nan_ok=True
    )
    page = (tmp_path / "run" / "report.html").read_text()
    assert result["review_id"] in page and result["review_id"] in open(cleaner.report(tmp_path / "page.html")).read()


def test_the_page(tmp_path):
    X, y, _ = noisy(300, dim=12)
    pictures = np.clip(X * 40 + 100, 0, 255).astype(np.uint8).reshape(-1, 3, 4)
    cleaner = sustain.LabelCleaner().fit(pictures, y, groups=np.arange(300) % 3)
    path = cleaner.report(tmp_path / "page.html")
    text = open(path).read()
    assert f"{cleaner.is_issue_.sum()} of 300 labels look wrong" in text and '"pictures"' in text
    shown = cleaner._repr_html_()
    assert "data:image/png;base64," in shown and f"{cleaner.is_issue_.sum()} of 300 labels look wrong" in shown
    again = pickle.loads(pickle.dumps(cleaner))
    assert "labels look wrong" in open(again.report(tmp_path / "again.html")).read()
    np.testing.assert_array_equal(again._gallery, cleaner._gallery)
    with pytest.raises(OSError, match="nowhere"):
        cleaner.report(tmp_path / "nowhere" / "page.html")
    assert "text of row 7" in open(cleaner.report(path, show=[f"text of row {row}" for row in range(300)])).read()
    with pytest.raises(ValueError, match="1 entries to show, but there are 300 rows"):
        cleaner.report(path, show=["a"])


def test_classes_that_differ_in_letters():
    X, y, _ = noisy(60, dim=4)
    labels = np.array(["ant", "bee", "Ant "])[y % 3]
    with pytest.warns(UserWarning, match="the classes 'Ant ' and 'ant' of y differ in capital letters or blanks alone"):
        sustain.LabelCleaner(n_jobs=1).fit(X, labels)


def test_labels_that_identify_rows():
    X, y, _ = noisy(60, dim=4)
    with pytest.warns(UserWarning, match="29 of the 30 classes of y have one or two rows"):
        sustain.LabelCleaner(n_jobs=1).fit(X, np.r_[np.arange(29), np.full(31, 29)])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        sustain.LabelCleaner(n_jobs=1).fit(X, y)


# ---- memory, NumPy alone ----


def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="needs /proc")
def test_memory_does_not_grow():
    X, y, truth = noisy(100, dim=50)
    fit = lambda: sustain.LabelCleaner(iterations=20, n_jobs=1).fit(
        X, y, verified=dict(enumerate(truth[:30]))
    )  # noqa: E731
    for _ in range(10):
        fit()
    before = resident()
    for _ in range(50):
        fit()
    assert resident() - before < 1 << 20


ALONE = """
import sys
for name in ("sklearn", "pandas", "scipy", "torch", "matplotlib"):
    sys.modules[name] = None
import pickle
import numpy as np, sustain
rng = np.random.default_rng(0)
y = rng.integers(0, 2, 200)
X = rng.normal(size=(200, 4)) + 3 * np.eye(2, 4)[y]
for estimator in (sustain.LabelCleaner(), sustain.PenaltyTuner(), sustain.PenaltyTuner("squared")):
    assert estimator.set_params(n_jobs=1).fit(X, y).score(X, y) > 0.5, estimator
    assert "n_jobs=1" in repr(estimator), estimator
    assert (pickle.loads(pickle.dumps(estimator)).predict(X) == estimator.predict(X)).all()
cleaner = sustain.LabelCleaner().fit(X, np.where(rng.random(200) < 0.1, 1 - y, y))
assert list(cleaner.issues_.dtype.names)[:3] == ["row", "given", "suggested"]
assert sorted(cleaner.get_params())[0] == "baselines"
for bad in (lambda: cleaner.set_params(nothing=1), lambda: sustain.LabelCleaner().predict(X)):
    try:
        bad()
    except ValueError:
        continue
    raise AssertionError("not refused")
print("done")
"""


def test_numpy_alone():
    assert subprocess.run([sys.executable, "-c", ALONE], capture_output=True, text=True, check=True).stdout == "done\n"


def _blobs(count=240, classes=3):
    generator = np.random.default_rng(5)
    truth = generator.integers(0, classes, count)
    X = generator.normal(size=(count, 6)) + 3 * np.eye(classes, 6)[truth]
    return X, np.where(generator.random(count) < 0.1, (truth + 1) % classes, truth), truth


def test_verified_in_all_forms():
    X, y, truth = _blobs()
    rows = list(range(0, 240, 3))
    wanted = sustain.LabelCleaner().fit(X, y, verified={row: truth[row] for row in rows}).estimated_errors_interval_
    pd = pytest.importorskip("pandas")
    some = [float(truth[row]) if row % 3 == 0 else None for row in range(240)]
    for given in (
        pd.DataFrame({"row": np.array(rows, float), "label": truth[rows].astype(float)}),
        pd.DataFrame({"row": range(240), "label": some}),
        dict(enumerate(some)),
        pd.Series(some),
    ):
        found = sustain.LabelCleaner().fit(X, y, verified=given)
        np.testing.assert_array_equal(found.estimated_errors_interval_, wanted)
    with pytest.raises(ValueError, match="row 3 twice"):
        sustain.LabelCleaner().fit(X, y, verified=pd.DataFrame({"row": [3, 3], "label": [0, 1]}))
    with pytest.raises(ValueError, match="booleans"):
        sustain.LabelCleaner().fit(X, y, verified=np.arange(240) % 3 == 0)
    signs = np.where(y > 0, 1, -1)
    with pytest.raises(ValueError, match="-1 is a class"):
        sustain.LabelCleaner().fit(X, signs, verified=np.where(np.arange(240) % 3 == 0, signs, -1))


def test_decisions_as_spreadsheets_write_them(tmp_path):
    X, y, truth = _blobs()
    rows = range(0, 240, 3)
    wanted = sustain.LabelCleaner().fit(X, y, verified={row: truth[row] for row in rows}).estimated_errors_interval_
    lines = [f"{row};{truth[row]}.0\r\n" for row in rows]
    path = tmp_path / "decisions.csv"
    path.write_bytes("".join(["sep=;\r\n", "Row;Label\r\n", *lines, ";\r\n"]).encode())
    found = sustain.LabelCleaner().fit(X, y, verified=path)
    np.testing.assert_array_equal(found.estimated_errors_interval_, wanted)
    path.write_text("row,label\n3,0\n3,1\n")
    with pytest.raises(ValueError, match="line 3: row 3 appears twice"):
        sustain.LabelCleaner().fit(X, y, verified=path)
    path.write_text("row,label\n" + "".join(f"{row}.0,{truth[row]}\n" for row in rows))
    found = sustain.LabelCleaner().fit(X, y, verified=path)
    np.testing.assert_array_equal(found.estimated_errors_interval_, wanted)
    for content, sentence in (
        (b"", "no row with a label"),
        (b'row,label\n3,"0\n6,1\n', "unexpected end of data"),
        (b"row,label,label\n3,0,1\n", "the column 'label' twice"),
        ("row,label\n3,0\n".encode("utf-16"), "not UTF-8"),
        (b"run,row,given,decision,label\nr,3,0,keep,1\n", "'keep' is of the given label '0'"),
    ):
        path.write_bytes(content)
        with pytest.raises(ValueError, match=sentence):
            sustain.LabelCleaner().fit(X, y, verified=path)


def test_what_is_missing_or_masked_is_refused():
    X, y, _ = _blobs()
    with pytest.raises(ValueError, match="X has masked entries"):
        sustain.LabelCleaner().fit(np.ma.masked_greater(X, 4), y)
    with pytest.raises(ValueError, match="y has masked entries"):
        sustain.LabelCleaner().fit(X, np.ma.masked_equal(y, 0))
    with pytest.raises(ValueError, match="entry 5 is missing"):
        sustain.LabelCleaner().fit(X, [None if row == 5 else label for row, label in enumerate(y)])
    with pytest.raises(ValueError, match="entry 2 is nan"):
        sustain.dawid_skene([0, 0, 1, 1], ["a", "b", "a", "b"], [0, 1, np.nan, 1])
    with pytest.warns(UserWarning, match="of 1 rows whose labels are all the same, 1 get another class"):
        sustain.dawid_skene([0, 0, 1, 1], ["a", "b", "a", "b"], [0, 1, 1, 1])
    with pytest.raises(ValueError, match="rows has a missing entry"):
        sustain.dawid_skene([0, 0, np.nan, 1], ["a", "b", "a", "b"], [0, 1, 1, 1])


def test_a_series_of_verified_rows_needs_the_rows_of_y():
    pd = pytest.importorskip("pandas")
    X, y, truth = _blobs()
    index = np.random.default_rng(0).permutation(len(y))
    labels, right = pd.Series(y, index=index), pd.Series(truth, index=index)
    wanted = sustain.LabelCleaner().fit(X, y, verified=dict(enumerate(truth[:100])))
    for given in (labels, y.tolist()):
        frame = pd.DataFrame(X, index=index)
        with pytest.raises(ValueError, match="not clear which rows"):
            sustain.LabelCleaner().fit(frame, given, verified=right[:100])
    same(wanted, sustain.LabelCleaner().fit(X, labels, verified=right[:100].reindex(labels.index)))
    same(wanted, sustain.LabelCleaner().fit(X, pd.Series(y), verified=pd.Series(truth[:100])))
    with pytest.warns(UserWarning, match="y and verified have the same index in another order"):
        sustain.LabelCleaner().fit(X, labels, verified=right[:100].reindex(range(len(y))))
    with pytest.raises(ValueError, match="columns 'id', 'kind': it needs the columns 'row' and 'label'"):
        sustain.LabelCleaner().fit(X, labels, verified=pd.DataFrame({"id": [1], "kind": [0]}))


def test_columns_of_probabilities_are_found_by_class():
    pd = pytest.importorskip("pandas")
    _, y, truth = _blobs()
    y, truth = y % 2, truth % 2
    p = np.column_stack([0.9 - 0.8 * truth, 0.1 + 0.8 * truth])
    wanted = sustain.LabelCleaner().fit(None, y, pred_probs=p)
    swapped = pd.DataFrame(p[:, ::-1], columns=[1, 0])
    for labels in (y, y.astype(float)):
        same(wanted, sustain.LabelCleaner().fit(None, labels, pred_probs=swapped))
    same(wanted, sustain.LabelCleaner().fit(None, y > 0, pred_probs=swapped.rename(columns={0: False, 1: True})))
    for column in (np.arange(len(y)), [f"a{row}" for row in range(len(y))]):
        with pytest.raises(ValueError, match="the column 'id' of pred_probs is no class of y and holds no probabilities"):
            sustain.LabelCleaner().fit(None, y, pred_probs=swapped.assign(id=column))


def test_warns_of_rows_and_columns_in_another_order():
    pd = pytest.importorskip("pandas")
    X, y, truth = _blobs()
    frame, labels = pd.DataFrame(X), pd.Series(y)
    with pytest.warns(UserWarning, match="X and y have the same index in another order"):
        sustain.LabelCleaner().fit(frame, labels.sample(frac=1, random_state=0))
    with pytest.warns(UserWarning, match="X and y have the same index"):
        sustain.PenaltyTuner("squared").fit(frame, (labels + 0.5).sample(frac=1, random_state=0))
    many = np.arange(300) % 10
    swapped = 0.01 + 0.9 * np.eye(10)[many][:, [0, 1, 3, 2, 4, 5, 6, 7, 8, 9]]
    with pytest.warns(UserWarning, match="likeliest class is 2 have the label 3"):
        sustain.LabelCleaner().fit(None, many, pred_probs=swapped)
    with pytest.raises(ValueError, match="no column for the class 'eel'"):
        names = np.array(["cat", "dog", "eel"])[y % 3]
        sustain.LabelCleaner().fit(None, names, pred_probs=pd.DataFrame(np.eye(3)[y % 3], columns=["ant", "cat", "dog"]))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        predicted = np.where(np.arange(240), y, (y + 1) % 2)
        sustain.LabelCleaner().fit(None, y + 1, pred_probs=pd.DataFrame(np.eye(y.max() + 1)[predicted]))
        sustain.LabelCleaner().fit(frame[::-1], labels[::-1])
        sustain.LabelCleaner().fit(frame, labels.set_axis(range(1000, 1240)))
