#!/usr/bin/env python3
"""rates_pages.py FOLDER - writes the rows of FOLDER/SOLVER/result.json into the tables of docs/rates.md; rows of algorithms that FOLDER does not have stay."""
import fractions
import json
import pathlib
import sys

root = pathlib.Path(__file__).resolve().parent.parent
ORDER = ("sustain sustain-running bsa ttsa stocbio stable svrb mrbo vrbo soba ma-soba fsla amigo f2sa f2sa-p f3sa spaba slip bo-rep fedbioacc pzobo tfbo saba "
         "srba pbgd bome meha hoag itd-bio aid-cg").split()
found = {name: json.loads(path.read_text()) for name in ORDER for path in [pathlib.Path(sys.argv[1]) / name / "result.json"] if path.exists()}


def short(value):
    digits, power = f"{value:.1e}".split("e")
    return f"{digits}e{int(power)}"


def fit(row):
    if row["exponent"] is None:
        return "–"
    return f"{row['exponent']:.2f}" + (f" ± {row['high'] - row['exponent']:.2f}" if row["high"] is not None else "")


def proved(row):
    return "–" if row["proved"] is None else str(fractions.Fraction(row["proved"]).limit_denominator(9))


def of(problem):
    for name, result in found.items():
        for row in result["results"]:
            if row["problem"] == problem:
                yield name + "*" * row["finite_sum"], row


def exponents(problem):
    yield "| | down to | T there | upper | proved | lower | proved | built in | calls per log T |"
    yield "|---|---|---|---|---|---|---|---|---|"
    for name, row in of(problem):
        reached = [t for t in row["targets"] if t["reached"]]
        last = [short(reached[-1]["epsilon"]), short(reached[-1]["iterations"])] if reached else ["none", "–"]
        grows = any(setting["power"] < 0 for setting in row["settings"].values())
        per_log = None if grows else row["calls_per_log_T"]
        numbers = [fit(row["upper"]), proved(row["upper"]), fit(row["lower"]), proved(row["lower"]), "yes" if row["built_in"] else "no"]
        yield "| " + " | ".join([name, *last, *numbers, "–" if per_log is None else f"{per_log:.2f}".replace("-0.00", "0.00")]) + " |"


def samples(problem):
    rows = list(of(problem))
    epsilons = max(([t["epsilon"] for t in row["targets"]] for _, row in rows), key=len)
    yield "| epsilon | " + " | ".join(short(e) for e in epsilons) + " |"
    yield "|---" * (1 + len(epsilons)) + "|"
    for name, row in rows:
        cells = [("" if t["reached"] else ">") + short(t["samples_upper"] + t["samples_lower"]) for t in row["targets"]]
        yield "| " + " | ".join([name] + cells + ["."] * (len(epsilons) - len(cells))) + " |"


def costs():
    rows = [(name, cost) for name, result in found.items() for cost in result["costs"]]
    if not rows:
        return
    dims = max(([p["lower_dim"] for p in cost["points"]] for _, cost in rows), key=len)
    yield "| | " + " | ".join(f"{d:.0f}" for d in dims) + " | exponent | Table 1 |"
    yield "|---" * (3 + len(dims)) + "|"
    for name, cost in rows:
        cells = [f"{1e6 * p['seconds']:.3g}" for p in cost["points"]]
        yield "| " + " | ".join([name] + cells + [""] * (len(dims) - len(cells)) + [fit(cost["iteration"]), proved(cost["iteration"])]) + " |"


def name_of(line):
    return line.split("|")[1].strip().rstrip("*")


def replace(text, heading, nth, lines):
    """The nth table below a heading."""
    old, new = text.split("\n"), list(lines)
    at = old.index(heading)
    for _ in range(nth + 1):
        first = next(i for i in range(at, len(old)) if old[i].startswith("|"))
        at = next(i for i in range(first, len(old) + 1) if i == len(old) or not old[i].startswith("|"))
    if not new:
        return text
    head = max(old[first:first + 2], new[:2], key=lambda lines: lines[0].count("|"))
    rows = {name_of(line): line + " . |" * (head[0].count("|") - line.count("|")) for line in old[first + 2:at] + new[2:]}
    return "\n".join(old[:first] + head + [rows[name] for name in ORDER if name in rows] + old[at:])


page = root / "docs" / "rates.md"
text = page.read_text()
for heading, problem in (("### Nonconvex", "nonconvex"), ("### Strongly convex", "strongly-convex")):
    text = replace(text, heading, 0, exponents(problem))
    text = replace(text, heading, 1, samples(problem))
if len(found) == len(ORDER):
    text = replace(text, "## Cost of an iteration", 0, costs())
page.write_text(text)
print(f"{len(found)} algorithms; {sum(result['seconds'] for result in found.values()):.0f} seconds")
