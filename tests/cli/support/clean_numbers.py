"""clean_numbers.py RESULT LABELS Y - the numbers in result.json of `sustain clean` against each other, against labels.csv of the run and, where labels were made
wrong by --noise, against the labels Y (.npy) from before."""
import csv
import json
import struct
import sys

r = json.load(open(sys.argv[1]))
rows = sorted(csv.DictReader(open(sys.argv[2])), key=lambda row: int(row["index"]))
raw = open(sys.argv[3], "rb").read()
start = 10 + struct.unpack("<H", raw[8:10])[0]
before = struct.unpack("<%dq" % len(rows), raw[start:])
quality = [float(row["label_quality"]) for row in rows]
flagged = [row["is_issue"] == "1" for row in rows]
wrong = [int(row["given_label"]) != label for row, label in zip(rows, before)]


def near(name, value, expected, tolerance):
    assert abs(value - expected) <= tolerance, "%s is %g, expected %g" % (name, value, expected)


def auc(score):
    pairs = [(a > b) + 0.5 * (a == b) for a, w in zip(score, wrong) if not w for b, v in zip(score, wrong) if v]
    return sum(pairs) / len(pairs)


assert r["issues"] == sum(flagged) > 0
assert r["samples_upper"] == r["batch"] * r["iterations"]
assert r["gradients_upper"] >= r["samples_upper"] and r["gradients_lower"] > 0 and r["samples_lower"] > r["samples_upper"]
assert 0 < r["seconds"] <= r["total_seconds"]
near("iterations_per_second", r["iterations_per_second"] * r["seconds"], r["iterations"], 1e-6 * r["iterations"])
near("60 trusted_accuracy", 60 * r["trusted_accuracy"] % 1, 0, 1e-9)
assert r["trusted_accuracy"] >= 0.85 and 0 < r["upper_loss"] < 1
if any(wrong):
    most = sum(wrong)
    worst = sorted(range(len(rows)), key=lambda i: quality[i])[:most]
    assert r["errors"] == most
    near("label_error_auc", r["label_error_auc"], auc(quality), 1e-3)
    near("label_error_auc_weights", r["label_error_auc_weights"], auc([float(row["weight"]) for row in rows]), 1e-3)
    near("precision_at_errors", r["precision_at_errors"], sum(wrong[i] for i in worst) / most, 1.5 / most)
    near("issue_precision", r["issue_precision"], sum(w and f for w, f in zip(wrong, flagged)) / sum(flagged), 1e-9)
    near("issue_recall", r["issue_recall"], sum(w and f for w, f in zip(wrong, flagged)) / most, 1e-9)
    for name in ("all_labels", "trusted_only", "self_confidence", "drop_and_refit"):
        assert 0.6 < r["baselines"][name]["auc"] <= 1 and 0 < r["baselines"][name]["precision_at_errors"] <= 1
print("%d numbers agree" % (6 if not any(wrong) else 12))
