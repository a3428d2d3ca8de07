# Verified rows and probabilities of another model: what is written and said, in every form in which
# rows can be verified.
needs python3
python3 "$CASES/support/blobs.py"
python3 "$CASES/support/probabilities.py"
clean() { "$SUSTAIN" clean --labels given.npy --pred-probs p.npy --truth true.npy --threads 1 "$@"; }
clean --verified checked.csv --quiet --out pairs
clean --verified checked.npy --quiet --out array
clean --verified checked.csv --quiet --threads 3 --out threads
for file in labels.csv issues.csv cleaned.csv corrected.csv review.csv; do cmp pairs/$file array/$file && cmp pairs/$file threads/$file; done
ls pairs
head -1 pairs/labels.csv
# Verified rows: quality 0 or 1, flagged where they are wrong, corrected by the verified label.
python3 - <<'EOF'
import csv, json
labels = list(csv.DictReader(open("pairs/labels.csv")))
checked = {int(r["row"]): r["label"] for r in csv.DictReader(open("checked.csv"))}
corrected = [r["label"] for r in csv.DictReader(open("pairs/corrected.csv"))]
for i, r in enumerate(labels):
    assert r["verified"] == checked.get(i, "")
    assert abs(float(r["probability_wrong"]) + float(r["label_quality"]) - 1) < 1e-5
    if i in checked:
        wrong = checked[i] != r["given_label"]
        assert float(r["label_quality"]) == (not wrong) and int(r["is_issue"]) == wrong and r["suggested_label"] == checked[i]
        assert corrected[i] == checked[i]
    else:
        assert corrected[i] == r["given_label"]
issues = list(csv.DictReader(open("pairs/issues.csv")))
assert len(issues) == sum(int(r["is_issue"]) for r in labels) and all(r["is_issue"] == "1" for r in issues)
kept = [int(r["index"]) for r in csv.DictReader(open("pairs/cleaned.csv"))]
assert kept == [i for i, r in enumerate(labels) if r["is_issue"] == "0" or i in checked]
result = json.load(open("pairs/result.json"))
assert result["estimated_errors_low"] <= result["errors"] <= result["estimated_errors_high"]
assert result["label_error_auc"] > 0.9 and result["verified"] == len(checked) and result["verified_are"] == "random"
assert sum(b["count"] for b in result["reliability"]) == len(checked)
for rate in result["noise_by_class"]:  # counted again from the files
    mine = [i for i in checked if labels[i]["given_label"] == rate["given"]]
    assert rate["checked"] == len(mine) and rate["wrong"] == sum(checked[i] != rate["given"] for i in mine)
    assert rate["rate_low"] <= rate["rate"] <= rate["rate_high"]
assert sum(p["count"] for p in result["noise_by_pair"]) == sum(r["wrong"] for r in result["noise_by_class"]) > 0
print("verified rows leave with their label")
EOF
for flag in f1 precision=0.9 recall=0.9 count=50 rate; do
    clean --verified checked.csv --flag $flag --json --out flag >flag.json
    echo "$flag: $(python3 -c 'import json; r = json.load(open("flag.json")); print(r["issues"], r["issues"] == round(r["estimated_errors"]))')"
done
clean --verified checked.csv --flag count=1 --quiet --out one | head -1
# As a spreadsheet writes it; rows by identifier, labels below the name of the label column; several
# labels for a row likewise.
python3 - <<'EOF'
import csv
rows = list(csv.DictReader(open("checked.csv")))
given = open("names.csv").read().split()[1:]
words = ["zebra", "apple", "mouse"]
sheet = "Row;Note;Label\r\n" + "".join("%s ;\"a;b\";%s\r\n" % (r["row"], r["label"]) for r in rows)
open("sheet.csv", "w", newline="").write("\ufeff" + sheet)
open("stated.csv", "w", newline="").write("\ufeffsep=;\r\n" + sheet)
open("files.csv", "w").write("file,kind\n" + "".join("f%d,%s\n" % (i, k) for i, k in enumerate(given)))
open("files_checked.csv", "w").write("kind\tfile\n" + "".join("%s\tf%s\n" % (words[int(r["label"])], r["row"]) for r in rows))
open("long.csv", "w").write("file,annotator,kind\n" + "".join("f%d,%s,%s\n" % (i, a, k) for i, k in enumerate(given) for a in "ab"))
EOF
for kind in sheet stated; do clean --verified $kind.csv --quiet --out $kind >/dev/null && cmp pairs/labels.csv $kind/labels.csv; done
files() { "$SUSTAIN" clean --labels files.csv --label-column kind --pred-probs p.npy --class-names zebra,apple,mouse --threads 1 --quiet "$@"; }
files --id-column file --verified files_checked.csv --annotations long.csv --out files >/dev/null
cmp <(cut -d, -f5 pairs/labels.csv) <(cut -d, -f6 files/labels.csv)
head -2 files/annotators.csv | tail -1 | cut -d, -f1,2
files --verified files_checked.csv --out bad
files --annotations long.csv --out bad
# Nothing verified; logits; float16; two models; a name for each class; probabilities and features
# together.
clean --quiet --out none
clean --logits --pred-probs logits.npy --verified checked.csv --quiet --out logits
cmp <(cut -d, -f1,6 pairs/issues.csv | sort) <(cut -d, -f1,6 logits/issues.csv | sort)
clean --pred-probs half.npy --verified checked.csv --quiet --out half
clean --pred-probs p.npy,half.npy --verified checked.csv --quiet --out both
"$SUSTAIN" clean --labels names.csv --label-column kind --pred-probs p.npy --class-names zebra,apple,mouse --verified names_checked.csv --threads 1 --quiet --out names
cmp <(cut -d, -f1,5 pairs/labels.csv) <(cut -d, -f1,5 names/labels.csv)
# CSV with and without names of classes, NPZ: the same numbers.
for file in p.csv p.npz p.npz:probabilities; do
    clean --pred-probs $file --verified checked.csv --quiet --out form >/dev/null
    cmp <(cut -d, -f1,5 pairs/labels.csv) <(cut -d, -f1,5 form/labels.csv)
done
"$SUSTAIN" clean --labels names.csv --label-column kind --pred-probs named.csv --verified names_checked.csv --threads 1 --quiet --out named
cmp <(cut -d, -f1 names/labels.csv) <(cut -d, -f1 named/labels.csv)
python3 - <<'EOF'
import csv
first, second = ([float(r["label_quality"]) for r in csv.DictReader(open(f"{run}/labels.csv"))] for run in ("names", "named"))
assert max(abs(a - b) for a, b in zip(first, second)) < 1e-4
EOF
"$SUSTAIN" clean --features features.npy --labels given.npy --pred-probs p.npy --truth true.npy --verified checked.csv --iterations 200 --threads 1 --quiet --out together | tail -1
ls together | paste -sd ' '
