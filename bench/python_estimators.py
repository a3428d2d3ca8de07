#!/usr/bin/env python3
"""The estimators of the Python package beside the program and beside scikit-learn, in turns.
usage: python_estimators.py PART PROGRAM   prints lines "benchmark,value,unit,against,ratio"; bench/python.sh calls it.

  fit       LabelCleaner.fit on Fashion-MNIST beside `sustain clean`: the same work, the same result
  sklearn   the same beside 5-fold cross_val_predict of LogisticRegression, ranked by self-confidence: time and AUC
  tune      PenaltyTuner on ijcnn1 and on text-like sparse rows beside LogisticRegressionCV: time and test loss
  memory    1,000 fits: how much the process grows
"""
import gzip
import json
import os
import subprocess
import sys
import tempfile
import time
import warnings

import numpy as np

import sustain

PICTURES = "/usr/share/datasets/fashion-mnist/"
ROWS, TRUSTED, NOISE, TURNS = 50000, 1000, 0.4, 5
WORDS = 50_000  # of the text-like rows


def report(*row):
    print(",".join(str(field).replace(",", ";") for field in row), flush=True)


def idx(name, offset, shape):
    return np.frombuffer(gzip.open(PICTURES + name).read(), np.uint8, offset=offset).reshape(shape)


def fashion(seed):
    """Pictures, noisy labels, which are wrong, trusted pictures, trusted labels."""
    rng = np.random.default_rng(seed)
    X, truth = idx("train-images-idx3-ubyte.gz", 16, (-1, 28, 28)), idx("train-labels-idx1-ubyte.gz", 8, -1).astype(int)
    wrong = rng.random(ROWS) < NOISE
    y = np.where(wrong, (truth[:ROWS] + rng.integers(1, 10, ROWS)) % 10, truth[:ROWS])
    trusted = slice(ROWS, ROWS + TRUSTED)
    return X[:ROWS], y, wrong, X[trusted], truth[trusted]


def timed(call):
    start = time.perf_counter()
    result = call()
    return time.perf_counter() - start, result


def fit(program):
    X, y, wrong, X_trusted, y_trusted = fashion(0)
    sustain.LabelCleaner().fit(X[:500, :2, :2], y[:500])  # imports and libraries are loaded
    times = {"program": [], "python": []}
    with tempfile.TemporaryDirectory() as folder:
        for name, array in (("x", X), ("y", y), ("tx", X_trusted), ("ty", y_trusted)):
            np.save(f"{folder}/{name}.npy", array)
        command = [
            program,
            "clean",
            "--features",
            "x.npy",
            "--labels",
            "y.npy",
            "--trusted",
            "tx.npy",
            "--trusted-labels",
            "ty.npy",
        ]
        for _ in range(TURNS):
            subprocess.run([*command, "--out", "run", "--quiet"], cwd=folder, check=True, capture_output=True)
            result = json.load(open(f"{folder}/run/result.json"))
            times["program"].append(result["seconds"] + result["finish_seconds"])
            seconds, cleaner = timed(lambda: sustain.LabelCleaner().fit(X, y, X_trusted, y_trusted))
            times["python"].append(seconds)
        assert (np.load(f"{folder}/run/weights.npy") == cleaner.weights_).all(), "the program found other weights"
    ratio = np.median(np.array(times["python"]) / np.array(times["program"]))
    ours, theirs = np.median(times["python"]), np.median(times["program"])
    report(
        "python_clean_fashion",
        f"{ours:.2f}",
        f"s of LabelCleaner.fit; median of {TURNS}",
        f"the program's solver and finish without loading: {theirs:.2f} s",
        f"{ratio:.3f}",
    )


def sklearn(program):
    from sklearn.linear_model import LogisticRegression
    from sklearn.metrics import roc_auc_score
    from sklearn.model_selection import cross_val_predict

    X, y, wrong, X_trusted, y_trusted = fashion(0)
    flat = X.reshape(ROWS, -1).astype(np.float32) / 255
    ours, cleaner = timed(lambda: sustain.LabelCleaner().fit(X, y, X_trusted, y_trusted))
    alone, plain = timed(lambda: sustain.LabelCleaner().fit(X, y))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = LogisticRegression(max_iter=30)
        theirs, p = timed(lambda: cross_val_predict(model, flat, y, cv=5, method="predict_proba", n_jobs=-1))
    found = [
        roc_auc_score(~wrong, score) for score in (cleaner.label_quality_, plain.label_quality_, p[np.arange(ROWS), y])
    ]
    against = f"cross_val_predict of LogisticRegression(max_iter=30): {theirs:.1f} s; AUC {found[2]:.4f}"
    report(
        "python_clean_sklearn",
        f"{ours:.2f}",
        f"s of LabelCleaner.fit with {TRUSTED} trusted rows; AUC {found[0]:.4f}",
        against,
        f"{theirs / ours:.1f}",
    )
    report(
        "python_clean_sklearn_nothing_checked",
        f"{alone:.2f}",
        f"s of LabelCleaner.fit; AUC {found[1]:.4f}",
        against,
        f"{theirs / alone:.1f}",
    )


def tune(program):
    from sklearn.datasets import load_svmlight_file
    from sklearn.linear_model import LogisticRegressionCV
    from sklearn.metrics import log_loss

    here = os.path.dirname(os.path.abspath(__file__))
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, f"{here}/text_like.py", folder, str(WORDS)], check=True)
        data = os.environ.get("SUSTAIN_DATA", "/usr/share/datasets")
        for name, files in (
            ("ijcnn1", [f"{data}/ijcnn1/ijcnn1.trn.bz2", f"{data}/ijcnn1/ijcnn1.tst.bz2"]),
            ("text_like", [f"{folder}/train.libsvm", f"{folder}/test.libsvm"]),
        ):
            dim = WORDS if name == "text_like" else 22
            (X, y), (X_test, y_test) = (load_svmlight_file(file, n_features=dim, dtype=np.float32) for file in files)
            if name == "ijcnn1":
                X, X_test = X.toarray(), X_test.toarray()
            y = y.astype(int)
            ours, tuner = timed(lambda: sustain.PenaltyTuner().fit(X, y))
            loss = log_loss(y_test, tuner.predict_proba(X_test))
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                solver = "liblinear" if name == "text_like" else "lbfgs"  # the faster one of the two
                model = LogisticRegressionCV(scoring="neg_log_loss", solver=solver, n_jobs=-1)
                theirs, _ = timed(lambda: model.fit(X, y))
            other = log_loss(y_test, model.predict_proba(X_test))
            against = f"LogisticRegressionCV ({solver}): {theirs:.1f} s; test loss {other:.5f}"
            report(
                f"python_tune_{name}",
                f"{ours:.1f}",
                f"s of PenaltyTuner.fit ({tuner.selected_}); test loss {loss:.5f}",
                against,
                f"{theirs / ours:.1f}",
            )


def memory(program):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 200)
    X = (rng.normal(size=(200, 50)) + np.eye(3, 50)[y]).astype(np.float32)
    resident = lambda: int(open("/proc/self/statm").read().split()[1]) * os.sysconf("SC_PAGE_SIZE")  # noqa: E731
    one = lambda: (  # noqa: E731
        sustain.LabelCleaner(iterations=20, n_jobs=2).fit(X, y, verified={k: y[k] for k in range(30)}),
        sustain.PenaltyTuner("squared", n_jobs=2).fit(X[:60, :5], y[:60]),
    )
    for _ in range(100):
        one()
    before = resident()
    for _ in range(1000):
        one()
    report(
        "python_memory",
        (resident() - before) // 1024,
        "KiB more after 1000 fits of LabelCleaner and of PenaltyTuner",
        "at most 1024 KiB",
        "",
    )


if __name__ == "__main__":
    {"fit": fit, "sklearn": sklearn, "tune": tune, "memory": memory}[sys.argv[1]](sys.argv[2])
