# A figure of the paper on small data: two panels, the claims with their verdicts, and what was
# shortened.
# long
needs python3
python3 "$CASES/support/blobs.py"
"$SUSTAIN" compare --figure 4 --features x.npy --labels y.npy --trusted tx.npy --trusted-labels ty.npy --test tx.npy --test-labels ty.npy --scale 0.004 --out figure --quiet >text
sed -n '1,8p' text
grep -c "SUSTAIN ahead of" text
python3 - <<'PYTHON'
import json
import math
import statistics

data = json.load(open("figure/compare.json"))
verdicts = {"came out", "did not come out", "not decided"}
assert [panel["title"] for panel in data["panels"]] == ["the paper's steps", "schedule=auto"]
labels = [[curve["label"] for curve in panel["curves"]] for panel in data["panels"]]
assert labels[1] == ["SUSTAIN", "stocBiO 5,000", "stocBiO 1,000", "HOAG"], labels
assert labels[0] == ["SUSTAIN", "stocBiO 5,000, one step", "stocBiO 1,000, one step", *labels[1][1:3], "HOAG, descent", "HOAG"], labels
assert len(data["claims"]) == 30 and all(claim["verdict"] in verdicts and claim["why"] for claim in data["claims"])


def runs(name, axis):
    """Of each seed: (count, line) of the evaluations."""
    count = (lambda a: a["gradients_upper"]) if axis == "gradients" else (lambda a: a["samples_upper"] + a["samples_lower"])
    lines = [[json.loads(line) for line in open(f"figure/{name}/seed-{seed}/metrics.jsonl")] for seed in range(2)]
    return [[(count(line), line) for line in run] for run in lines]


def value(run, key, x):
    for (a, first), (b, second) in zip(run, run[1:]):
        if x <= b:
            return first[key] if a == 0 and x < b else second[key] if x == b else first[key] + math.log(x / a) / math.log(b / a) * (second[key] - first[key])
    return run[-1][1][key]


def verdict(one, two, key, sign, end):
    ahead = behind = 0
    for i in range(1, 25):
        leads = [sign * (value(a, key, end * i / 24) - value(b, key, end * i / 24)) for a, b in zip(one, two)]
        mean, half = statistics.mean(leads), 12.706 * statistics.stdev(leads) / math.sqrt(2)
        ahead, behind, last = ahead + (mean > half), behind + (mean < -half), mean < -half
    return "came out" if ahead >= 18 and not last else "did not come out" if behind >= 6 and behind > ahead else "not decided"


# y = 0 is the model that guesses.
assert all(abs(run[0][1]["training_loss"] - math.log(3)) < 1e-6 for run in runs("auto-HOAG", "samples"))
# Every verdict is made again from the files of the runs.
for claim in data["claims"]:
    panel, rest = claim["claim"].split(": ", 1)
    rival, axis = rest[len("SUSTAIN ahead of "):].split(" by ")
    axis, _, alone = axis.partition(", ")
    assert alone in ("", "trusted loss"), claim
    prefix = "paper-" if panel.startswith("the paper") else "auto-"
    loss = "training_loss" if prefix == "paper-" and not alone else "upper_loss"
    one, two = runs(prefix + "SUSTAIN", axis), runs(prefix + rival.replace(" ", "-").replace(",", "-"), axis)
    end = min(run[-1][0] for run in one + two)
    both = {verdict(one, two, loss, -1, end)} | (set() if alone else {verdict(one, two, "test_accuracy", 1, end)})
    assert claim["verdict"] == (both.pop() if len(both) == 1 else "not decided"), claim
    last = f"{end:.3g}" if end < 1000 else f"{float(f'{end:.3g}'):,.0f}"
    assert f"at the last, {last}: " in claim["why"], (claim, end)
    assert ("would decide" in claim["why"]) == (claim["verdict"] == "not decided"), claim
print(data["scaled"])
PYTHON
# Ten runs are ten where they are asked for, though ten is what is left out.
"$SUSTAIN" compare --figure 4 --features x.npy --labels y.npy --trusted tx.npy --trusted-labels ty.npy --test tx.npy --test-labels ty.npy --scale 0.0001 --runs 10 --budget 1 --without hoag,aid-cg --out ten --quiet > text
grep -o "Shortened.*" text
grep -o "\"runs\": 10," ten/compare.json | head -1
grep -c "HOAG" text || true
