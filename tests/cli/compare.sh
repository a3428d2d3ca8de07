# Three algorithms on a problem with known answers: every number of summary.csv and compare.json is
# made again from the files of the runs, for any number of processes.
needs python3
"$SUSTAIN" compare quadratic --solvers sustain,soba:batch=4,hoag --runs 3 --budget 2000 --mu_g 0.5 --threads 3 --plot --out cmp | sed 's/^[0-9.]* s;/N s;/'
"$SUSTAIN" compare quadratic --solvers sustain,soba:batch=4,hoag --runs 3 --budget 2000 --mu_g 0.5 --threads 1 --out one --quiet >/dev/null
python3 - <<'PYTHON'
import csv, json, math, statistics

KEYS = ["sustain", "soba:batch=4", "hoag"]


def runs(folder, label):
    name = label.replace(":", "-")
    return [[json.loads(line) for line in open(f"{folder}/{name}/seed-{seed}/metrics.jsonl")] for seed in range(3)]


def axes(line):
    products = line["hessian_products"] + line["cross_products"]
    return {
        "gradients": line["gradients_upper"],
        "samples": line["samples_upper"] + line["samples_lower"],
        "products": products,
        "calls": line["gradients_upper"] + line["gradients_lower"] + products,
        "iterations": line["iteration"],
        "seconds": line["seconds"],
    }


def close(a, b):
    assert math.isclose(a, b, rel_tol=1e-5, abs_tol=1e-30), (a, b)


data = json.load(open("cmp/compare.json"))
rows = list(csv.DictReader(open("cmp/summary.csv")))
assert [curve["label"] for curve in data["panels"][0]["curves"]] == KEYS and data["seeds"] == [0, 1, 2] and data["claims"] == []
assert [metric["key"] for metric in data["metrics"]] == ["norm_squared", "gap"] and data["x_default"] == "gradients"
assert len(rows) == sum(len(curve["points"]) for curve in data["panels"][0]["curves"])
for curve, end in zip(data["panels"][0]["curves"], data["table"]):
    all_runs = runs("cmp", curve["label"])
    assert end["gradients"] == 2000 or curve["label"] == "sustain" and end["gradients"] == 1999, end
    assert all(run[-1]["gradients_upper"] <= 2000 for run in all_runs)
    for i, point in enumerate(curve["points"]):
        row = rows.pop(0)
        lines = [run[i] for run in all_runs]
        for key, value in axes(lines[0]).items():
            mean = statistics.mean(axes(line)[key] for line in lines)
            close(point[key], mean)
            assert key == "seconds" or math.isclose(float(row[key]), mean, rel_tol=1e-8)
        for key in "norm_squared", "gap":
            mean, deviation = statistics.mean(line[key] for line in lines), statistics.stdev(line[key] for line in lines)
            close(point[key]["mean"], mean)
            close(point[key]["high"] - point[key]["low"], 2 * deviation) if deviation > 1e-3 * mean else None
            close(float(row[key]), mean)
    assert curve["points"][-1]["gap"]["mean"] < 0.1 * curve["points"][0]["gap"]["mean"], curve["label"]
    for run, alone in zip(all_runs, runs("one", curve["label"])):
        for line, other in zip(run, alone):
            assert {**line, "seconds": 0} == {**other, "seconds": 0}
            assert line["samples_upper"] == line["gradients_upper"] or curve["label"] == "sustain"
print(data["command"])
PYTHON
