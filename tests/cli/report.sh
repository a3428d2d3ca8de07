# One run, two runs side by side, a run without a result; texts of the data are shown as texts, in
# the JSON for the script too.
needs python3
python3 "$CASES/support/blobs.py"
for seed in 0 1; do
    "$SUSTAIN" clean --features data.csv --label-column kind --trusted trusted.csv --iterations 500 --seed $seed --quiet --out run$seed >/dev/null
done
"$SUSTAIN" report run0
cp run0/report.html before.html
"$SUSTAIN" report run0/ -o page.html
"$SUSTAIN" report run0 run1 --out both.html
echo "sections: $(grep -c '<section class="run"' both.html), tables of figures: $(grep -c 'runs of sustain clean, side by side' both.html)"
echo "scripts that are not ours: $(grep -o '<script[^>]*>' both.html | grep -vc 'application/json\|<script>$')"
grep -o '<script>alert' both.html
python3 - <<'END'
import json, re
page = open("page.html").read()
data = json.loads(re.search(r'<script type="application/json" class="data">(.*?)</script>', page).group(1))
rows = [line.split(",") for line in open("run0/issues.csv").read().splitlines()[1:]]
issues = [row for row in rows if row[5] == "1"]
assert "<script>alert(1)</script>" in data["classes"]
assert data["rows"]["row"][: len(issues)] == [int(row[0]) for row in issues]
assert [data["classes"][k] for k in data["rows"]["given"][: len(issues)]] == [row[1].strip('"') for row in issues]
assert all(abs(a - float(row[3])) < 1e-5 for a, row in zip(data["rows"]["weight"], issues))
lines = [json.loads(line) for line in open("run0/metrics.jsonl")]
curve = data["charts"][0]["curves"][0]["values"]
for key in ("upper_loss", "seconds", "gradients_upper", "trusted_accuracy"):
    assert all(abs(a - line[key]) <= 1e-5 * abs(a) for a, line in zip(curve[key], lines)), key
print("the page has", "the issues and the curves of the run")
END
rm run1/result.json
: >run0/metrics.jsonl
"$SUSTAIN" report run0 -o part.html
"$SUSTAIN" report run1 -o part.html && grep -o "This run has no result yet" part.html
