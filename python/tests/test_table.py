"""TableEncoder: the features of the program, from a frame; and the estimators that use it by themselves."""

import json
import logging
import os
import pickle
import re
import subprocess
import tempfile
import warnings

import numpy as np
import pytest

pandas = pytest.importorskip("pandas")

import sustain  # noqa: E402
from sustain._estimator import unpack  # noqa: E402
from sustain._library import program  # noqa: E402


def messy(rows=300, seed=0):
    """A table with everything in it, and labels that follow from it."""
    rng = np.random.default_rng(seed)
    age = rng.normal(40, 10, rows)
    city = rng.choice(["Rome", 'the "old" town', "Oslo, north", "line\nbreak"], rows)
    frame = pandas.DataFrame(
        {
            "age": np.where(rng.random(rows) < 0.1, np.nan, age),
            "city": pandas.Categorical(city),
            "zip": rng.choice([7, 10, 123], rows),
            "member": rng.random(rows) < 0.5,
            "income": pandas.array(np.where(rng.random(rows) < 0.2, None, rng.integers(0, 99, rows)), dtype="Int64"),
            "2024": rng.normal(size=rows).astype(np.float32),
        }
    )
    frame.loc[3, "city"] = None
    return frame, np.where((age > 40) ^ (city == "Rome"), "yes", "no")


def words(rows=200, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, rows)
    vocabulary = np.array([["profit", "share", "market"], ["match", "goal", "team"]])
    text = [" ".join(rng.choice(vocabulary[k], 4)) + f" item{i % 7}, 12:30" for i, k in enumerate(y)]
    return pandas.DataFrame({"body": text, "size": rng.normal(size=rows) ** 5}), y


def packed(frame, folder, *options):
    """The features that the program makes of the frame as CSV, and its encoding."""
    frame.to_csv(folder / "t.csv", index=False)
    command = [program(), "data", "pack", folder / "t.csv", "--out", folder / "t.safetensors", *options]
    subprocess.run(command, check=True, capture_output=True)
    return unpack((folder / "t.safetensors").read_bytes())


def test_features_are_those_of_the_program(tmp_path):
    frame, y = messy()
    encoder = sustain.TableEncoder(categorical=["zip"], ignore_columns="member")
    X = encoder.fit_transform(frame)
    # A label column that is given by name says that "2024" is a name.
    options = "--categorical", "city,zip", "--ignore-column", "member", "--label-column", "y"
    arrays, about = packed(frame.assign(y=y), tmp_path, *options)
    np.testing.assert_array_equal(X, arrays["features"])
    assert X.dtype == np.float32 and json.loads(encoder.encoding_)["columns"] == json.loads(about["table"])["columns"]
    names = encoder.get_feature_names_out().tolist()
    assert names[:3] == ["age", "age (missing)", "city=Oslo, north"] and "zip=10" in names and "2024" in names
    np.testing.assert_array_equal(X, encoder.transform(frame))


def test_text_is_that_of_the_program(tmp_path):
    sparse = pytest.importorskip("scipy.sparse")
    frame, _ = words()
    X = sustain.TableEncoder(text_columns=["body"]).fit_transform(frame)
    arrays, _ = packed(frame, tmp_path, "--text-column", "body")
    assert sparse.issparse(X) and X.dtype == np.float32
    for mine, theirs in ((X.data, "values"), (X.indices, "columns"), (X.indptr, "start")):
        np.testing.assert_array_equal(mine, arrays[theirs])


def test_columns_are_found_by_name():
    frame, _ = messy()
    encoder = sustain.TableEncoder().fit(frame)
    X = encoder.transform(frame)
    np.testing.assert_array_equal(X, encoder.transform(frame[frame.columns[::-1]].assign(more="text")))
    np.testing.assert_array_equal(X[:1], encoder.transform(frame[:1]))
    with pytest.raises(ValueError, match="X has no column 'city', '2024', which fit was given"):
        encoder.transform(frame.drop(columns=["city", "2024"]))
    unseen = encoder.transform(frame.assign(city="Bern"))
    names = encoder.get_feature_names_out()
    assert (unseen[:, encoder._column == 1] == (names[encoder._column == 1] == "city=(other)")).all()
    again = pickle.loads(pickle.dumps(encoder))
    np.testing.assert_array_equal(X, again.transform(frame))
    assert again.get_params() == encoder.get_params() and again.set_params(missing="refuse").missing == "refuse"


def test_the_example():
    frame = pandas.DataFrame({"age": [30, None, 50, 41], "city": ["Rome", "Oslo", "Rome", "Oslo"]})
    encoder = sustain.TableEncoder()
    np.testing.assert_allclose(encoder.fit_transform(frame)[1], [121 / 3, 1, 1, 0])
    assert encoder.get_feature_names_out().tolist() == ["age", "age (missing)", "city=Oslo", "city=Rome"]


def test_one_column_and_names_that_are_numbers():
    frame = pandas.DataFrame({0: ["a", None, "b", "a", None, "b"]})
    encoder = sustain.TableEncoder().fit(frame)
    assert encoder.get_feature_names_out().tolist() == ["0=(missing)", "0=a", "0=b"]
    assert encoder.transform(frame).sum(axis=0).tolist() == [2, 2, 2]


def test_categories_that_are_numbers():
    """A missing value makes floats of integers, which are the same categories."""
    frame = pandas.DataFrame({"zip": [1, 2, 1, 2], "x": [0.5, 1, 2, 3]})
    for column in (frame.zip, frame.zip.astype("category"), frame.zip.astype(float).astype("category")):
        encoder = sustain.TableEncoder(categorical=["zip"]).fit(frame.assign(zip=column))
        assert encoder.get_feature_names_out().tolist() == ["zip=1", "zip=2", "x"]
        later = encoder.transform(pandas.DataFrame({"zip": [2, np.nan], "x": [0, 0]}))
        assert later.tolist() == [[0, 1, 0], [0, 0, 0]]


@pytest.mark.parametrize(
    "options, change, sentence",
    [
        ({}, {"note": [f"note {i}" for i in range(300)]}, r"^X: column 'note' is text with 300 .*text_columns="),
        ({}, {"day": ["3/4/2024", "5/6/2024", "7/8/2024"] * 100}, r"^X: row 0, column 'day': '3/4/2024' may .*ignore_columns="),
        ({"missing": "refuse", "ignore_columns": ["income", "age"]}, {}, "^X: row 3, column 'city': the value is "),
        ({"missing": "zero"}, {}, "missing is 'zero'"),
        ({"text_columns": "body"}, {}, "text_columns names 'body', which is no column of X; they are 'age', 'city'"),
        ({"text_columns": "zip", "categorical": "zip"}, {}, "column 3 has two roles"),
        ({}, {" age": 1.0}, "two columns of X have the name 'age'"),
        ({"ignore_columns": "zip"}, {"zip": np.inf, "city": "\x01"}, "^X: text has control characters"),
        ({}, {"age": np.inf}, "X contains infinity in row 0, column 'age'"),
    ],
)
def test_bad_tables_are_refused(options, change, sentence):
    frame, _ = messy()
    with pytest.raises(ValueError, match=sentence):
        sustain.TableEncoder(**options).fit(frame.assign(**change))


def test_dates_are_those_of_the_program(tmp_path):
    """Every type of pandas for dates, with the features of the same table as CSV, bit for bit."""
    frame, y = messy()
    hours = pandas.to_timedelta(np.random.default_rng(4).integers(0, 900 * 24, len(y)), unit="h")
    day = pandas.Series(pandas.Timestamp("2021-01-01") + hours)
    dates = frame[["age"]].assign(day=day, missing=day.mask(day.dt.hour == 3), date=[d.date() for d in day])
    dates = dates.assign(time=[d.time() for d in day], zone=day.dt.tz_localize("UTC").dt.tz_convert("Europe/Oslo"))
    dates = dates.assign(month=day.dt.to_period("M"), text=day.dt.strftime("%d/%m/%Y"), price=[f"${1000 + i:,}" for i in range(len(y))])
    every = ["year sin", "Monday", "day sin"]
    expected = dict(day=every, missing=every, date=every[:2], time=every[2:], zone=every, month=every[:2], text=every[:2], price=[])
    arrays, _ = packed(dates.assign(y=y), tmp_path, "--label-column", "y")
    encoder = sustain.TableEncoder()
    X = encoder.fit_transform(dates)
    np.testing.assert_array_equal(X, arrays["features"])
    names = encoder.get_feature_names_out().tolist()
    for name in dates.columns[1:]:
        assert name in names and [cycle for cycle in every if f"{name} ({cycle})" in names] == expected[name]
    tuner = sustain.PenaltyTuner(penalty="l1", n_jobs=1).fit(dates[:100], y[:100])
    np.testing.assert_array_equal(tuner.encoder_.transform(dates), encoder.fit(dates[:100]).transform(dates))


def test_durations_are_days():
    frame = pandas.DataFrame({"wait": pandas.to_timedelta([12, 36, None], unit="h"), "x": [1.0, 2, 4]})
    assert sustain.TableEncoder().fit_transform(frame)[:, 0].tolist() == [0.5, 1.5, 1]


def test_rows_in_sentences_count_from_0_whatever_is_in_them():
    frame = pandas.DataFrame({"note": ["a\nb", "c\nd"] * 15, "age": np.arange(30.0)})
    encoder = sustain.TableEncoder(categorical="note").fit(frame)
    frame["age"] = ["x" if i == 20 else i for i in range(30)]  # the words in front of it have two lines
    with pytest.raises(ValueError, match="^X: row 20, column 'age': 'x' is not a number"):
        encoder.transform(frame)


def test_not_fitted_and_no_frame():
    with pytest.raises(ValueError, match="not fitted"):
        sustain.TableEncoder().transform(pandas.DataFrame({"a": [1]}))
    with pytest.raises(TypeError, match="X is a ndarray: give a DataFrame"):
        sustain.TableEncoder().fit(np.zeros((3, 3)))


def test_no_file_is_left(monkeypatch, tmp_path, caplog):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    frame, _ = messy()
    with caplog.at_level(logging.INFO, "sustain"):
        encoder = sustain.TableEncoder().fit(frame)
    assert "X: missing values are replaced by the mean" in caplog.text and str(tmp_path) not in caplog.text
    with pytest.raises(ValueError):
        encoder.transform(frame.assign(age="old"))
    assert os.listdir(tmp_path) == []


class Frame:
    """What frames of polars have in common with those of pandas."""

    def __init__(self, frame):
        self.columns, self.shape, self.to_numpy = list(frame.columns), frame.shape, frame.to_numpy
        self.frame = frame

    def __getitem__(self, name):
        return self.frame[name]


def test_other_frames(tmp_path):
    frame, _ = messy()
    frame = frame[["age", "city", "zip", "2024"]]
    encoder = sustain.TableEncoder().fit(frame)
    np.testing.assert_array_equal(encoder.transform(frame), encoder.transform(Frame(frame)))
    np.testing.assert_array_equal(encoder.transform(frame), sustain.TableEncoder().fit_transform(Frame(frame)))


# ---- estimators ----


def test_cleaner_of_a_table_is_the_program(tmp_path):
    frame, y = messy()
    frame = frame.drop(columns="2024")
    cleaner = sustain.LabelCleaner(n_jobs=1).fit(frame[50:], y[50:], frame[:50], y[:50])
    for name, part in (("rows", slice(50, None)), ("trusted", slice(50))):
        frame.assign(y=y)[part].to_csv(tmp_path / f"{name}.csv", index=False)
    command = [program(), "clean", "--features", "rows.csv", "--label-column", "y", "--trusted", "trusted.csv"]
    subprocess.run([*command, "--threads", "1"], check=True, capture_output=True, cwd=tmp_path)
    np.testing.assert_array_equal(cleaner.weights_, np.load(tmp_path / "run/weights.npy"))
    quality = pandas.read_csv(tmp_path / "run/labels.csv").label_quality
    np.testing.assert_allclose(cleaner.label_quality_, quality, rtol=1e-5)
    assert cleaner.n_features_in_ == 5 and cleaner.feature_names_in_.tolist() == list(frame.columns)
    assert cleaner.coef_.shape == (2, len(cleaner.encoder_.get_feature_names_out()))
    predicted = cleaner.predict_proba(frame[frame.columns[::-1]])
    again = pickle.loads(pickle.dumps(cleaner))
    np.testing.assert_array_equal(predicted, again.predict_proba(frame))
    assert cleaner.score(frame, y) == again.score(frame, y) > 0.6
    shown = on_the_page(cleaner.report(tmp_path / "page.html"))
    assert shown["columns"][0] == "city" and "age" not in shown["columns"]
    assert all(texts[0] in ["", *frame.city] for texts in shown["rows"].values())


def on_the_page(path):
    """What the page shows of the rows beside their labels."""
    with open(path) as file:
        return json.loads(re.search(r'<script type="application/json" class="data">(.*?)</script>', file.read(), re.S)[1])["shown"]


def test_the_page_shows_text(tmp_path):
    pytest.importorskip("scipy")
    frame, y = words()
    encoder = sustain.TableEncoder(text_columns="body")
    cleaner = sustain.LabelCleaner(encoder=encoder, n_jobs=1).fit(frame, y)
    shown = on_the_page(cleaner.report(tmp_path / "page.html"))
    assert shown == {"columns": ["body"], "rows": {str(row): [text] for row, text in enumerate(frame.body)}}
    again = pickle.loads(pickle.dumps(cleaner))
    assert on_the_page(again.report(tmp_path / "again.html")) == shown
    notes = {"a note, in short": [f"'=1 \"{row}\"\n, of row {row}" if row else None for row in range(len(y))]}
    shown = on_the_page(cleaner.report(tmp_path / "page.html", show=notes))
    assert shown["columns"] == list(notes)
    assert all(shown["rows"][str(row)] == [text or ""] for row, text in enumerate(notes["a note, in short"]))
    with pytest.raises(ValueError, match="3 entries to show, but there are 200 rows"):
        cleaner.report(tmp_path / "page.html", show={"note": ["a", "b", "c"]})


@pytest.mark.parametrize("kind", ["numbers and categories", "text"])
def test_tuner_of_a_table_is_the_program(kind, tmp_path):
    if kind == "text":
        pytest.importorskip("scipy")
        (frame, y), encoder, options = words(), sustain.TableEncoder("body"), ["--text-column", "body"]
    else:
        (frame, y), encoder, options = messy(), "auto", []
    tuner = sustain.PenaltyTuner(n_jobs=1, random_state=1, encoder=encoder).fit(frame, y)
    frame.assign(y=y).to_csv(tmp_path / "rows.csv", index=False)
    command = [program(), "tune", "--features", "rows.csv", "--label-column", "y", "--seed", "1", "--threads", "1"]
    subprocess.run([*command, *options], check=True, capture_output=True, cwd=tmp_path)
    theirs = json.loads((tmp_path / "run/result.json").read_text())["candidates"]
    assert "groups" in [row["name"] for row in theirs]
    assert [row["name"] for row in tuner.candidates_] == [row["name"] for row in theirs]
    mine = [row["estimate"] for row in tuner.candidates_]
    np.testing.assert_allclose(mine, [row["estimate"] for row in theirs], rtol=1e-5)


def test_tuner_of_text():
    pytest.importorskip("scipy")
    frame, y = words()
    encoder = sustain.TableEncoder(text_columns="body")
    tuner = sustain.PenaltyTuner(encoder=encoder).fit(frame[:100], y[:100], frame[100:150], y[100:150])
    assert not hasattr(encoder, "encoding_") and tuner.score(frame[150:], y[150:]) > 0.95
    names = tuner.encoder_.get_feature_names_out()
    best = names[np.argsort(tuner.coef_[0])]
    assert best[-1] in ("body:match", "body:goal", "body:team") and tuner.n_features_in_ == 2
    np.testing.assert_array_equal(tuner.predict(frame), pickle.loads(pickle.dumps(tuner)).predict(frame))
    with pytest.raises(ValueError, match="^X: column 'body' is text with"):
        sustain.PenaltyTuner().fit(frame, y)
    with pytest.raises(ValueError, match="X_valid has no column 'body'"):
        sustain.PenaltyTuner(encoder=encoder).fit(frame, y, frame[["size"]], y)


def test_factors_and_groups_are_of_columns():
    frame, y = messy()
    tuner = sustain.PenaltyTuner(penalty_factors=[0, 1, 1, 1, 1, 1]).fit(frame, y, groups=list("aabbcc"))
    free = tuner.encoder_._column == 0
    assert free.sum() == 2 and tuner.penalties_[free].max() < 1e-5 < tuner.penalties_[~free].min()
    with pytest.raises(ValueError, match="6 rows, but groups has 2"):
        sustain.PenaltyTuner().fit(frame, y, groups=[1, 2])


def test_frames_of_numbers_are_as_they_were():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 3))
    y = (X[:, 0] + 0.5 * rng.normal(size=200) > 0).astype(int)
    frame = pandas.DataFrame(X, columns=list("abc"))
    frame["b"] = pandas.array(frame["b"], dtype="Float64")
    for estimator in (sustain.PenaltyTuner(), sustain.LabelCleaner()):
        coef = estimator.fit(X, y).coef_
        assert estimator.encoder_ is None
        np.testing.assert_array_equal(coef, estimator.fit(frame, y).coef_)
        assert estimator.encoder_ is None
        missing = frame.assign(c=np.nan)
        with pytest.raises(ValueError, match="X contains NaN in column 'c'.*encoder=TableEncoder()"):
            estimator.predict(missing)
        always = estimator.set_params(encoder=sustain.TableEncoder()).fit(frame, y)
        assert (always.predict(missing) == y).mean() > 0.7
        with pytest.raises(ValueError, match='encoder is 3: give "auto"'):
            estimator.set_params(encoder=3).fit(frame, y)


def test_in_scikit_learn():
    pytest.importorskip("sklearn")
    from sklearn.base import clone
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import cross_val_score
    from sklearn.pipeline import make_pipeline

    frame, y = messy()
    pipeline = make_pipeline(sustain.TableEncoder(), LogisticRegression(max_iter=1000))
    assert cross_val_score(pipeline, frame, y, cv=3).mean() > 0.5
    tuner = sustain.PenaltyTuner(encoder=sustain.TableEncoder(missing="refuse"), n_jobs=1)
    assert clone(tuner).set_params(encoder__missing="mean").fit(frame, y).encoder_.missing == "mean"
    assert cross_val_score(sustain.PenaltyTuner(n_jobs=1), frame, y, cv=2, error_score="raise").mean() > 0.5


def test_probabilities_and_verified_rows_as_frames():
    rng = np.random.default_rng(3)
    truth = rng.integers(0, 3, 300)
    names = np.array(["ant", "bee", "cat"])
    y = names[np.where(rng.random(300) < 0.1, (truth + 1) % 3, truth)]
    p = 0.7 * np.eye(3)[truth] + 0.3 * rng.dirichlet(np.ones(3), 300)
    frame = pandas.DataFrame(p, columns=names)
    checked = rng.choice(300, 60, replace=False)
    verified = {int(row): names[truth[row]] for row in checked}
    cleaner = sustain.LabelCleaner(n_jobs=1).fit(None, y, pred_probs=p, verified=verified)
    pairs = pandas.DataFrame({"label": list(verified.values()), "row": list(verified)})
    for probabilities, rows in ((frame[["cat", "ant", "bee"]], pairs), ([frame[["bee", "cat", "ant"]]], pairs.set_index("row").label)):
        same = sustain.LabelCleaner(n_jobs=1).fit(None, y, pred_probs=probabilities, verified=rows)
        np.testing.assert_array_equal(same.label_quality_, cleaner.label_quality_)
    scores = sustain.get_label_quality_scores(y, p, method="self_confidence")
    np.testing.assert_array_equal(sustain.get_label_quality_scores(y, frame[["cat", "ant", "bee"]], method="self_confidence"), scores)
    ranked = sustain.find_label_issues(y, frame[["bee", "cat", "ant"]], return_indices_ranked_by="self_confidence")
    np.testing.assert_array_equal(ranked, sustain.find_label_issues(y, p, return_indices_ranked_by="self_confidence"))
    more = frame.assign(dog=0.0)[["dog", "cat", "ant", "bee"]]  # a class that no label has
    wide = sustain.LabelCleaner(n_jobs=1).fit(None, y, pred_probs=more, verified=verified)
    assert wide.classes_.tolist() == ["ant", "bee", "cat", "dog"]
    np.testing.assert_allclose(wide.label_quality_, cleaner.label_quality_, atol=0.05)
    with pytest.raises(ValueError, match="column 0 fits the label 'bee', not 'ant'"):
        sustain.LabelCleaner().fit(None, y, pred_probs=p[:, [1, 2, 0]])


def test_text_that_is_not_unicode():
    for frame in pandas.DataFrame({"a": ["\udcff", "z"] * 30}), pandas.DataFrame({"\udcff": np.arange(60.0)}):
        with pytest.raises(ValueError, match="UTF-8 cannot write: replace it"):
            sustain.TableEncoder().fit(frame)


def test_warns_where_most_rows_have_what_no_row_had():
    frame = pandas.DataFrame({"age": np.arange(120.0), "city": ["Rome", "Oslo", "Bern"] * 40})
    tuner = sustain.PenaltyTuner().fit(frame, np.arange(120) > 60)
    with pytest.warns(UserWarning, match="X: column 'city' has a category that no training row had, such as 'ROME', in 120"):
        tuner.predict(frame.assign(city=frame.city.str.upper()))
    with pytest.warns(UserWarning, match="column 'age' has no value in 120 of 120 rows"):
        tuner.predict(frame.assign(age=np.nan))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        tuner.predict(frame.assign(city=["Paris"] * 40 + ["Rome"] * 80))
        tuner.predict(frame[:1].assign(city="Paris"))
