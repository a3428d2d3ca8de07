"""found.py LABELS TRUTH [PRECISION RECALL] - what `sustain clean` flagged (labels.csv of a run) against the labels that blobs.py knows to be wrong
(TRUTH: true and given label of each row). Without numbers: exactly these rows, each with its true label as the suggestion."""
import csv
import sys

rows = {int(row["index"]): row for row in csv.DictReader(open(sys.argv[1]))}
truth = [(row["true"], row["given"]) for row in csv.DictReader(open(sys.argv[2]))]
assert sorted(rows) == list(range(len(truth))), "not one line for each row"
assert all(rows[i]["given_label"] == given for i, (_, given) in enumerate(truth)), "a given label is not that of the file"
wrong = {i for i, (true, given) in enumerate(truth) if true != given}
flagged = {i for i, row in rows.items() if row["is_issue"] == "1"}
found = len(wrong & flagged)
if len(sys.argv) == 3:
    assert flagged == wrong, "flagged, but right: %s; wrong, but not flagged: %s" % (sorted(flagged - wrong), sorted(wrong - flagged))
    assert all(rows[i]["suggested_label"] == truth[i][0] for i in wrong), "a suggestion is not the true label"
    print("exactly the %d wrong labels" % len(wrong))
else:
    precision, recall = found / max(1, len(flagged)), found / len(wrong)
    assert precision >= float(sys.argv[3]) and recall >= float(sys.argv[4]), "precision %.3f, recall %.3f" % (precision, recall)
    print("precision at least %s, recall at least %s" % (sys.argv[3], sys.argv[4]))
