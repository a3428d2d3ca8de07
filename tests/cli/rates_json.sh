# A small run: every number that can be made again from the others is made again, and the exponents
# are about those proved.
# long
needs python3
"$SUSTAIN" rates --quick --solvers sustain,soba,aid-cg --budget 50 --runs 10 --json >out || exit
python3 - <<'PYTHON'
import json, math
data = json.load(open("out"))
assert [(r["solver"], r["problem"]) for r in data["results"]] == [
    (s, p) for p in ("nonconvex", "strongly-convex") for s in ("sustain", "soba", "aid-cg")]
for r in data["results"]:
    for i, t in enumerate(r["targets"]):
        assert t["reached"] == (t["criterion"] <= t["epsilon"]), t
        assert math.isclose(t["epsilon"], r["targets"][0]["epsilon"] * 10 ** (-i / 3), rel_tol=1e-9)
        if r["solver"] == "sustain":  # a sample above an iteration; below one, another for the cross product, and k for the Hessian
            assert t["samples_upper"] == t["iterations"] and t["samples_lower"] >= 2 * t["iterations"]
        if r["solver"] == "soba":
            assert t["samples_upper"] == t["samples_lower"] == t["iterations"] and t["oracle_calls"] == 4 * t["iterations"]
    u = [-math.log(t["epsilon"]) for t in r["targets"]]
    v = [math.log(t["samples_lower"]) for t in r["targets"]]
    mu, mv = sum(u) / len(u), sum(v) / len(v)
    slope = sum((a - mu) * (b - mv) for a, b in zip(u, v)) / sum((a - mu) ** 2 for a in u)
    assert math.isclose(slope, r["lower"]["exponent"], rel_tol=1e-9, abs_tol=1e-12)
    assert r["lower"]["low"] <= slope <= r["lower"]["high"]
found = {(r["solver"], r["problem"]): r["upper"]["exponent"] for r in data["results"]}
assert 1.2 < found["sustain", "nonconvex"] < 1.8 and 1.6 < found["soba", "nonconvex"] < 2.2, found
assert 0.8 < found["sustain", "strongly-convex"] < 1.4 and 0.8 < found["aid-cg", "nonconvex"] < 1.2, found
assert found["aid-cg", "strongly-convex"] < 0.4, found
assert [c["solver"] for c in data["costs"]] == ["sustain", "soba", "aid-cg"]
assert all(p["seconds"] > 0 for c in data["costs"] for p in c["points"])
PYTHON
