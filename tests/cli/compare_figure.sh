# A figure of the paper on small data: two panels, the claims with their verdicts, and what was shortened.
python3 "$CASES/support/blobs.py" 2>/dev/null || exit 0
"$SUSTAIN" compare --figure 4 --features x.npy --labels y.npy --trusted tx.npy --trusted-labels ty.npy --test tx.npy --test-labels ty.npy --scale 0.004 --out figure --quiet >text
sed -n '1,8p' text
grep -c "SUSTAIN ahead of" text
python3 - <<'PYTHON'
import json

data = json.load(open("figure/compare.json"))
verdicts = {"came out", "did not come out", "not decided"}
assert [panel["title"] for panel in data["panels"]] == ["the paper's steps", "schedule=auto"]
assert all([curve["label"] for curve in panel["curves"]] == ["SUSTAIN", "stocBiO 5,000", "stocBiO 1,000", "HOAG"] for panel in data["panels"])
assert len(data["claims"]) == 12 and all(claim["verdict"] in verdicts and claim["why"] for claim in data["claims"])


def values(folder, axis, seed):
    lines = [json.loads(line) for line in open(f"figure/{folder}/seed-{seed}/metrics.jsonl")]
    count = (lambda a: a["gradients_upper"]) if axis == "gradients" else (lambda a: a["samples_upper"] + a["samples_lower"])
    return [(count(line), line) for line in lines]


# Verdicts at the end of the axis agree with the last lines of the runs.
for claim in data["claims"]:
    panel, rest = claim["claim"].split(": ", 1)
    rival, axis = rest[len("SUSTAIN ahead of "):].split(" by ")
    prefix = "paper-" if panel.startswith("the paper") else "auto-"
    name = prefix + rival.replace(" ", "-").replace(",", "-")
    ends = [min(values(prefix + "SUSTAIN", axis, seed)[-1][0], values(name, axis, seed)[-1][0]) for seed in range(2)]
    assert f"at the last, {min(ends):.3g}," in claim["why"], (claim, min(ends))
print(data["scaled"])
PYTHON
