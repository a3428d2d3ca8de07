#!/usr/bin/env python3
"""Writes the tables of bench/defaults.csv into docs/defaults.md and docs/algorithms/*.md, and prints what the text of docs/defaults.md says of them."""
import csv
import pathlib

root = pathlib.Path(__file__).resolve().parent.parent
rows = list(csv.DictReader(open(root / "bench" / "defaults.csv")))
problems = list(dict.fromkeys(row["problem"] for row in rows))
solvers = list(dict.fromkeys(row["solver"] for row in rows))
found = {(row["problem"], row["solver"]): row for row in rows}


def number(text):
    return f"{int(text):,}" if text else "–"


def replace_rows(path, head, lines):
    """The rows of the table whose first line begins with `head`, below its two lines of head."""
    old = path.read_text().split("\n")
    first = next(i for i, line in enumerate(old) if line.startswith(head)) + 2
    last = first
    while last < len(old) and old[last].startswith("|"):
        last += 1
    path.write_text("\n".join(old[:first] + lines + old[last:]))


def cell(problem, solver):
    row = found[problem, solver]
    if row["outcome"] == "refused":
        return "refused"
    return number(row["calls"]) if solver == "auto" else f"{number(row['calls'])} / {number(row['best calls'])}"


def page(solver):
    return [
        f"| {p} | {'refused' if r['outcome'] == 'refused' else number(r['calls'])} | {number(r['best calls'])} |"
        for p in problems
        for r in [found[p, solver]]
    ]


def summary():
    pairs = [row for row in rows if row["solver"] != "auto" and row["outcome"] != "refused"]
    ratio = {id(row): float(row["ratio"]) for row in pairs if row["ratio"]}
    near = [row for row in pairs if ratio.get(id(row), 99) <= 3]
    alone = [row for row in pairs if row["calls"] and not row["best calls"]]
    slow = [row for row in pairs if 3 < ratio.get(id(row), 0) <= 10]
    beyond = [row for row in pairs if ratio.get(id(row), 0) > 10 or row["outcome"] == "above ten times"]
    open_ = [row for row in pairs if not row["calls"] and not row["best calls"]]
    decided = len(pairs) - len(open_)
    print(f"{len(pairs)} pairs, {len(rows) - len(pairs) - len(problems)} refused, {len(open_)} undecided, {decided} decided")
    print(f"{len(near)} within three times, {len(alone)} where only the defaults got there: {100 * (len(near) + len(alone)) / decided:.0f} %")
    print(f"{len(slow)} up to ten times:", "; ".join(f"`{r['solver']}` on {r['problem']} ({r['ratio']})" for r in slow))
    print(f"{len(beyond)} above:", "; ".join(f"`{r['solver']}` on {r['problem']}" for r in beyond))
    print(f"{sum(row['outcome'] == 'diverged' for row in pairs)} diverged")
    for problem in problems:
        print(f"undecided on {problem}:", ", ".join(r["solver"] for r in open_ if r["problem"] == problem))


replace_rows(root / "docs" / "defaults.md", "| | quadratic-stream ", ["| " + " | ".join([s] + [cell(p, s) for p in problems]) + " |" for s in solvers])
for solver in solvers:
    if solver != "auto":
        replace_rows(root / "docs" / "algorithms" / f"{solver}.md", "| problem | defaults | best setting |", page(solver))
summary()
