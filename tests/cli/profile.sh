# Seconds by phase add up to the whole; without processes nothing is exchanged.
needs python3
python3 "$CASES/support/blobs.py"
options="--features data.csv --label-column kind --trusted trusted.csv --iterations 50"
# shellcheck disable=SC2086
"$SUSTAIN" clean $options --out run --quiet --profile 2>said >/dev/null || exit 1
awk '{print $1}' said | tail -n 10 | tr '\n' ' '
python3 - <<'PYTHON'
import json
p = json.load(open("run/result.json"))["profile"]
print(sorted(p), sorted(p["seconds"]), p["communication"]["messages"], p["communication"]["bytes_sent"])
s = p["seconds"]
print(s["iterations"] > 0, s["fits"] > 0, s["predictions"] > 0, s["write"] > 0, s["read"] > 0, 0 < sum(s.values()) < 600)
PYTHON
# shellcheck disable=SC2086
"$SUSTAIN" clean $options --out plain --quiet >/dev/null && grep -c '"profile"' plain/result.json
exit 0
