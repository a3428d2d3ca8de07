# Decisions of the page become verified rows; the list of rows to ask about next; decisions that
# cannot be used.
needs python3
python3 "$CASES/support/blobs.py"
python3 "$CASES/support/probabilities.py"
"$SUSTAIN" clean --labels given.npy --pred-probs p.npy --truth true.npy --verified checked.csv --next 20 --threads 1 --quiet --out run >/dev/null
echo "asked next: $(grep -c ',random$' run/next.csv) at random, $(grep -c ',gain$' run/next.csv) others; on the page: $(awk -F, 'NR > 1 && $NF > 0' run/review.csv | wc -l)"
python3 - <<'EOF'
import csv, json
given = [r["given_label"] for r in csv.DictReader(open("run/labels.csv"))]
checked = {int(r["row"]) for r in csv.DictReader(open("checked.csv"))}
rows = [int(r["row"]) for r in csv.DictReader(open("run/review.csv")) if int(r["row"]) not in checked][:30]
run = json.load(open("run/result.json"))["review_id"]
good = [[run, r, given[r], "keep", given[r]] for r in rows[:10]] + [[run, r, given[r], "class", (int(given[r]) + 1) % 3] for r in rows[10:29]]
good += [[run, rows[29], given[rows[29]], "unsure", ""]]
def write(name, lines):
    with open(name, "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow("run row given decision label".split())
        writer.writerows(lines)
write("good.csv", good)
first = good[0]
write("other.csv", [["r0123456789abcdef"] + first[1:]])
write("range.csv", [first[:1] + [600] + first[2:]])
write("twice.csv", [first, first])
write("given.csv", [first[:2] + [str((int(first[2]) + 1) % 3)] + first[3:]])
write("word.csv", [first[:3] + ["maybe", "1"]])
write("label.csv", [first[:4] + ["9"]])
write("empty.csv", [first[:4] + [""]])
write("sure.csv", [first[:3] + ["unsure", "1"]])
write("none.csv", [])
EOF
"$SUSTAIN" clean --out run --reviewed good.csv --threads 1 --quiet >/dev/null 2>warning
cat warning
echo "verified: $(($(wc -l <run/verified.csv) - 1))"
cp run/labels.csv before.csv
# What was verified stays: in a run that is resumed, and with the same decisions once more.
"$SUSTAIN" clean --out run --resume --threads 1 --quiet >/dev/null 2>&1 && cmp before.csv run/labels.csv
"$SUSTAIN" clean --out run --reviewed good.csv --threads 1 --quiet >/dev/null 2>&1 && cmp before.csv run/labels.csv
python3 -c 'import json; r = json.load(open("run/result.json")); print(r["verified"], r["verified_are"])'
# Rows that were reviewed because they looked wrong measure no rate: no interval.
"$SUSTAIN" clean --out run --resume --threads 1 2>/dev/null | tr '\n' ' ' | grep -o 'are wrong ([^0-9]*)'
for name in other range twice given word label empty sure none nowhere; do
    "$SUSTAIN" clean --out run --reviewed $name.csv --threads 1 --quiet 2>&1 | sed "s/r[0-9a-f]\{16\}/ID/g; s#$PWD/##"
done
cmp before.csv run/labels.csv
# With features classifiers begin where those of the first run ended: a result like that of a run
# from the beginning, the same however often, and without new verified rows the first run again.
"$SUSTAIN" clean --features features.npy --labels given.npy --truth true.npy --verified checked.csv --threads 1 --quiet --out long >/dev/null
cp long/labels.csv first.csv
"$SUSTAIN" clean --out long --resume --threads 1 --quiet >/dev/null 2>&1 && cmp first.csv long/labels.csv
python3 - <<'EOF'
import csv, json, struct
given = [r["given_label"] for r in csv.DictReader(open("long/labels.csv"))]
truth = struct.unpack("<600q", open("true.npy", "rb").read()[-4800:])
run = json.load(open("long/result.json"))["review_id"]
rows = [int(r["row"]) for r in csv.DictReader(open("long/review.csv")) if r["verified"] == ""][:60]
with open("long.csv", "w", newline="") as file:
    writer = csv.writer(file)
    writer.writerow("run row given decision label".split())
    writer.writerows([run, r, given[r], "class", truth[r]] for r in rows)
EOF
for time in once again; do "$SUSTAIN" clean --out long --reviewed long.csv --threads 1 --quiet >/dev/null 2>&1; cp long/labels.csv $time.csv; done
cmp once.csv again.csv
"$SUSTAIN" clean --features features.npy --labels given.npy --truth true.npy --verified long/verified.csv --verified-are mixed --threads 1 --quiet --out anew >/dev/null 2>&1
python3 - <<'EOF'
import csv, json
long, anew = (json.load(open(name + "/result.json")) for name in ("long", "anew"))
flags = [[r["is_issue"] for r in csv.DictReader(open(name + "/labels.csv"))] for name in ("long", "anew")]
differ = sum(a != b for a, b in zip(*flags))
print(long["verified"], anew["verified"], abs(long["label_error_auc"] - anew["label_error_auc"]) < 0.01, differ < 12)
print("baselines are those of the first run:", long["baselines"]["drop_and_refit"]["auc"] != anew["baselines"]["drop_and_refit"]["auc"])
EOF
echo "these are no models" >long/models.safetensors
"$SUSTAIN" clean --out long --reviewed long.csv --threads 1 --quiet 2>&1 | tail -n 1 | sed "s#$PWD/##"
cmp once.csv long/labels.csv && test -s long/result.json
# Nothing was checked before the worst rows were reviewed: they say little of the others, and the
# count stays what it was.
for data in "--features features.npy" "--pred-probs p.npy"; do
    "$SUSTAIN" clean $data --labels given.npy --truth true.npy --threads 1 --quiet --out none >/dev/null 2>&1
    python3 - <<'EOF'
import csv, json, struct
given = [r["given_label"] for r in csv.DictReader(open("none/labels.csv"))]
truth = struct.unpack("<600q", open("true.npy", "rb").read()[-4800:])
result = json.load(open("none/result.json"))
rows = [int(r["row"]) for r in csv.DictReader(open("none/review.csv"))][:60]
json.dump(result["estimated_errors"], open("before.json", "w"))
with open("none.csv", "w", newline="") as file:
    writer = csv.writer(file)
    writer.writerow("run row given decision label".split())
    writer.writerows([result["review_id"], r, given[r], "class", truth[r]] for r in rows)
EOF
    "$SUSTAIN" clean --out none --reviewed none.csv --threads 1 --quiet 2>&1 >/dev/null
    "$SUSTAIN" clean --out none --reviewed none.csv --threads 1 --quiet >/dev/null 2>&1
    python3 -c 'import json; r = json.load(open("none/result.json")); print(r["verified"], r["verified_are"], abs(r["estimated_errors"] / json.load(open("before.json")) - 1) < 0.1)'
done
