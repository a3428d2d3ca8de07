#!/usr/bin/env python3
"""figures_page.py COMPARE.JSON PAGE.MD - writes the results of a figure of the paper as tables: the last points of the curves, and every claim with its verdict."""
import json
import pathlib
import sys
import textwrap

SHARES = ("test_accuracy", "trusted_accuracy", "train_accuracy")


def value(metric, at):
    half = (at["high"] - at["low"]) / 2
    if metric["key"] in SHARES:
        return f"{100 * at['mean']:.1f} ± {100 * half:.1f} %"
    return f"{at['mean']:.4g} ± {half:.2g}"


def wrapped(text):
    return textwrap.fill(text, 120, break_on_hyphens=False, break_long_words=False)


def table(figure, panel):
    metrics = [m for m in figure["metrics"] if m["key"] not in ("weight_min", "weight_max", "trusted_accuracy")]
    counts = [a for a in figure["x_axes"] if a["key"] != "calls"]
    rows = [r for r in figure["table"] if r["panel"] == panel]
    yield "| | " + " | ".join(["runs"] + [a["title"] for a in counts] + [m["title"] for m in metrics]) + " |"
    yield "|---" * (2 + len(counts) + len(metrics)) + "|"
    for r in rows:
        numbers = [f"{r['runs']}"] + [f"{r[a['key']]:.3g}" if a["key"] == "seconds" else f"{round(r[a['key']]):,}" for a in counts]
        yield "| " + " | ".join([r["label"]] + numbers + [value(m, r[m["key"]]) for m in metrics]) + " |"


def page(figure):
    yield f"# {figure['title']}"
    yield ""
    fewest = min((r["runs"] for r in figure["table"]), default=figure["runs"])
    yield wrapped(
        f"Written by `bench/figures_page.py` from `{figure['command']}`. {figure['data']}. "
        f"{'Up to ' if fewest < figure['runs'] else ''}{figure['runs']} runs of each, seeds {figure['seeds'][0]} to {figure['seeds'][-1]}; "
        "means at the end of the runs, ± one standard deviation over them; seconds with "
        f"{figure['side_by_side']} runs in parallel on a busy machine." + (f" Shortened: {figure['scaled']}." if figure["scaled"] else ""))
    for i, panel in enumerate(figure["panels"]):
        yield ""
        if panel["title"]:
            yield f"## {panel['title']}\n"
            yield wrapped(panel["note"]) + "\n"
        yield from table(figure, i)
    if not figure["claims"]:
        return
    yield "\n## Claims of the paper\n"
    yield "| claim | | the numbers |"
    yield "|---|---|---|"
    for c in figure["claims"]:
        verdict = c["verdict"] if c["verdict"] == "not decided" else f"**{c['verdict']}**"
        yield f"| {c['claim']} | {verdict} | {c['why']} |"


pathlib.Path(sys.argv[2]).write_text("\n".join(page(json.loads(pathlib.Path(sys.argv[1]).read_text()))) + "\n")
