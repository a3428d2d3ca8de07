#!/usr/bin/env python3
"""generalize.py PROGRAM OUT.csv [--sets A,B] [--seeds 0,1] - test loss of `sustain tune` without flags beside scikit-learn's penalized models.

Every set is split at random into training and test rows, once for each seed. Everyone gets the same rows. Tables are given to `sustain` as CSV files with their
categories as text; scikit-learn gets the same columns one-hot, standardized with the training rows. Losses: mean negative log likelihood, and half the mean squared error.
CPU seconds are those of one thread, model selection and refit included."""
import argparse, csv, gzip, json, os, resource, signal, subprocess, sys, tempfile, time, warnings
import numpy as np
import pandas as pd
import scipy.sparse as sp
from sklearn.datasets import dump_svmlight_file, load_svmlight_file
from sklearn.feature_extraction.text import HashingVectorizer, TfidfTransformer
from sklearn.linear_model import LassoCV, LogisticRegressionCV, RidgeCV
from sklearn.preprocessing import StandardScaler

warnings.filterwarnings("ignore")
DATA = os.environ.get("SUSTAIN_DATA", "../shared/data")
os.environ["OMP_NUM_THREADS"] = os.environ["OPENBLAS_NUM_THREADS"] = "1"


# ---- sets: each returns a table (DataFrame, label column) or a matrix (X, y, whether y is a number) ----

def table(name, label, drop=()):
    return lambda seed: (pd.read_csv(f"{DATA}/tables/{name}.csv").drop(columns=list(drop)), label)


def text(name):
    def read(seed):
        rows = pd.concat([pd.read_csv(f"{DATA}/text/{name}-{part}.csv") for part in ("train", "test")])
        words = HashingVectorizer(n_features=2**13, alternate_sign=False, norm=None).transform(rows["text"].fillna(""))
        return words, pd.factorize(rows.iloc[:, 0])[0], False
    return read


def ijcnn1(seed):
    X, y = load_svmlight_file(f"{DATA}/ijcnn1/ijcnn1.trn.bz2")
    return X.toarray(), (y > 0).astype(int), False


def mnist(a, b):
    def read(seed):
        X = np.frombuffer(gzip.open(f"{DATA}/mnist/train-images-idx3-ubyte.gz").read()[16:], np.uint8).reshape(-1, 784)
        y = np.frombuffer(gzip.open(f"{DATA}/mnist/train-labels-idx1-ubyte.gz").read()[8:], np.uint8)
        keep = (y == a) | (y == b)
        return X[keep] / 255.0, (y[keep] == a).astype(int), False
    return read


def generated(kind, number=False, features=40):
    """half noise: weights |normal| + 1/2 of random sign on half of the features; equal: the same size on all; groups: blocks of four correlated features, every
    second block without effect."""
    def read(seed):
        r = np.random.default_rng(1000 + seed)
        X = r.normal(size=(6000, features))
        w = (np.abs(r.normal(size=features)) + 0.5) * r.choice([-1, 1], features)
        if kind == "half noise":
            w[features // 2:] = 0
        elif kind == "equal":
            w = r.choice([-1, 1], features) * 0.4
        else:
            X = 0.6 * X + 0.8 * np.repeat(r.normal(size=(len(X), features // 4)), 4, 1)
            w = np.repeat(r.normal(size=features // 4) * (np.arange(features // 4) % 2), 4) / 2
        s = X @ w
        y = s + 3 * r.normal(size=len(s)) if number else (r.random(len(s)) < 1 / (1 + np.exp(-s))).astype(int)
        return X, y, number
    return read


SETS = {  # name: (reader, training rows)
    "adult": (table("adult", "income"), 3000),
    "spambase": (table("spambase", "spam"), 2000),
    "adult, hours": (table("adult", "hr_per_week", ["income"]), 3000),
    "r8": (text("r8"), 1200),
    "webkb": (text("webkb"), 1200),
    "ijcnn1": (ijcnn1, 4000),
    "mnist 4/9": (mnist(4, 9), 1500),
    "mnist 3/8": (mnist(3, 8), 1500),
    "half noise": (generated("half noise", features=100), 800),
    "equal": (generated("equal"), 400),
    "groups": (generated("groups"), 400),
    "half noise, numbers": (generated("half noise", number=True, features=60), 400),
    "equal, numbers": (generated("equal", number=True), 400),
}


# ---- methods ----

def run_sustain(program, folder, train, test, flags):
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    done = subprocess.run([program, "tune", "--features", train, "--test", test, "--out", f"{folder}/run", "--json", "--threads", "1", *flags],
                          capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(done.stderr)
    result = json.loads(done.stdout)
    return result, resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before


def log_loss(scores, y):
    if scores.ndim == 1 or scores.shape[1] == 1:
        s = scores.ravel() * (2 * y - 1)
        return np.logaddexp(0, -s).mean()
    top = scores.max(1, keepdims=True)
    return (np.log(np.exp(scores - top).sum(1)) + top[:, 0] - scores[np.arange(len(y)), y]).mean()


LONGEST = 120  # CPU seconds of a fit


def stop(number, frame):
    raise TimeoutError


def run_rival(model, X, y, Xt, yt, number):
    """The test loss, or NaN where the fit took longer than LONGEST."""
    before = time.process_time()
    signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, LONGEST)
    try:
        model.fit(X, y)
    except TimeoutError:
        return float("nan"), time.process_time() - before
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    seconds = time.process_time() - before
    if number:
        return ((model.predict(Xt) - yt) ** 2).mean() / 2, seconds
    known = np.searchsorted(model.classes_, yt)
    if len(model.classes_) > 2 and model.get_params()["penalty"] == "l1":  # one model a class
        return -np.log(np.maximum(model.predict_proba(Xt)[np.arange(len(yt)), known], 1e-15)).mean(), seconds
    return log_loss(Xt @ model.coef_.T + model.intercept_, known), seconds


def rivals(number):
    if number:
        return {"RidgeCV": RidgeCV(np.logspace(-3, 5, 40)), "LassoCV": LassoCV(cv=5)}
    shared = dict(Cs=20, cv=5, scoring="neg_log_loss")
    return {
        "LogisticRegressionCV L2": LogisticRegressionCV(**shared),
        "LogisticRegressionCV L1": LogisticRegressionCV(
            penalty="l1", solver="liblinear", intercept_scaling=10, cv=5, scoring="neg_log_loss", Cs=np.logspace(-3, 2, 10), max_iter=100, tol=1e-3)}


# ---- one split ----

def write_table(frame, label, rows, path):
    frame.iloc[rows].to_csv(path, index=False)


def encode(frame, label, train, test):
    y = frame[label]
    y = y.values.astype(float) if y.nunique() > 20 else pd.factorize(y, sort=True)[0]
    X = pd.get_dummies(frame.drop(columns=label)).values.astype(float)
    scale = StandardScaler().fit(X[train])
    return scale.transform(X[train]), y[train], scale.transform(X[test]), y[test], y.dtype == float


def split(name, seed, folder):
    reader, count = SETS[name]
    read = reader(seed)
    total = len(read[0]) if len(read) == 2 else read[0].shape[0]
    order = np.random.default_rng(seed).permutation(total)
    train, test = order[:count], order[count:count + 5000]
    if len(read) == 2:
        frame, label = read
        write_table(frame, label, train, f"{folder}/train.csv")
        write_table(frame, label, test, f"{folder}/test.csv")
        return (f"{folder}/train.csv", f"{folder}/test.csv", ["--label-column", label]), encode(frame, label, train, test)
    X, y, number = read
    A, B = X[train], X[test]
    if sp.issparse(X):
        weighting = TfidfTransformer(sublinear_tf=True).fit(A)
        A, B = weighting.transform(A), weighting.transform(B)
        dump_svmlight_file(A, y[train], f"{folder}/train", zero_based=False)
        dump_svmlight_file(B, y[test], f"{folder}/test", zero_based=False)
        return (f"{folder}/train", f"{folder}/test", []), (A, y[train], B, y[test], number)
    for rows, part, path in ((train, A, "train"), (test, B, "test")):
        columns = [f"f{j}" for j in range(X.shape[1])]
        frame = pd.DataFrame(part.astype(np.float32), columns=columns)
        frame["label"] = y[rows]
        frame.to_csv(f"{folder}/{path}.csv", index=False)
    return (f"{folder}/train.csv", f"{folder}/test.csv", ["--label-column", "label"]), (A, y[train], B, y[test], number)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("out")
    parser.add_argument("--sets", default="")
    parser.add_argument("--seeds", default="0,1,2,3,4")
    parser.add_argument("--methods", default="own,rivals", help="own, rivals, feature (a penalty per feature without selection: slow), separated by commas")
    given = parser.parse_args()
    methods = given.methods.split(",")
    names = given.sets.split(";") if given.sets else list(SETS)
    rows = {}
    if os.path.exists(given.out):
        with open(given.out, newline="") as file:
            rows = {tuple(row[:3]): row for row in list(csv.reader(file))[1:]}

    def keep(name, seed, method, loss, seconds="", selected=""):
        """Replaces the row of the same set, seed and method."""
        rows[name, str(seed), method] = [name, seed, method, loss, seconds and round(seconds, 3), selected]
        with open(given.out + ".tmp", "w", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows([["set", "seed", "method", "test_loss", "cpu_seconds", "selected"], *rows.values()])
        os.replace(given.out + ".tmp", given.out)

    for seed in map(int, given.seeds.split(",")):
        for name in names:
            with tempfile.TemporaryDirectory() as folder:
                (train, test, flags), (A, a, B, b, number) = split(name, seed, folder)
                if "own" in methods:
                    own, seconds = run_sustain(given.program, folder, train, test, flags)
                    keep(name, seed, "sustain tune", own["test_loss"], seconds, own["selected"])
                    keep(name, seed, "one penalty, own", own["one_penalty"]["test_loss"])
                if "feature" in methods:
                    fixed, seconds = run_sustain(given.program, folder, train, test, flags + ["--penalty", "feature"])
                    keep(name, seed, "a penalty per feature", fixed["test_loss"], seconds)
                for rival, model in rivals(number).items() if "rivals" in methods else ():
                    keep(name, seed, rival, *run_rival(model, A, a, B, b, number))


if __name__ == "__main__":
    main()
