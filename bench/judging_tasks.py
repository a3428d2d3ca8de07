#!/usr/bin/env python3
"""judging_tasks.py - what the number of judging tasks does to Figure 1, from its kept runs (bench/figures/1.tar.gz).

The tasks of the training classes and of new classes are independent draws. So what they add to the spread of the paired differences between runs
does not covary between the two accuracies, and is at most variance - covariance (which also has what is particular to one set of classes). The
claims are judged as they are, with half of that removed (twice as many tasks), and with all of it (any number of them).

What the tasks do to the difference of two methods in all runs alike is not in that spread. So the smallest shift of all differences, of either
accuracy and in either direction, that changes the verdict is printed too."""
import collections
import json
import math
import pathlib
import statistics
import tarfile

METRICS = ("train_accuracy", "test_accuracy")
STUDENT = (2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228)  # from 4 degrees of freedom on

curves = collections.defaultdict(dict)
with tarfile.open(pathlib.Path(__file__).parent / "figures" / "1.tar.gz") as kept:
    for member in kept:
        if member.name.endswith("metrics.jsonl"):
            _, method, seed, _ = member.name.split("/")
            curves[method][seed] = [json.loads(line) for line in kept.extractfile(member)]
RUNS = len(curves["paper-SUSTAIN"])


def value(run, metric, x):
    for a, b in zip(run, run[1:]):
        if x <= b["iteration"]:
            share = 1 if x == b["iteration"] else math.log(x / a["iteration"]) / math.log(b["iteration"] / a["iteration"])
            return 100 * (a[metric] + share * (b[metric] - a[metric]))


def leads(panel, rival, metric, x):
    return [value(run, metric, x) - value(curves[f"{panel}-{rival}"][seed], metric, x) for seed, run in curves[f"{panel}-SUSTAIN"].items()]


def student(freedom):
    z = 1.959964
    return STUDENT[freedom - 4] if freedom < 11 else z + (z**3 + z) / (4 * freedom) + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * freedom**2)


def verdict(panel, rival, removed=0, runs=RUNS, shifts=(0, 0)):
    """The rules of lab/compare_claims.c, with a part of the variance removed and the differences of each metric shifted."""
    both = set()
    for metric, shift in zip(METRICS, shifts):
        ahead = behind = 0
        for i in range(1, 25):
            lead = [d + shift for d in leads(panel, rival, metric, 200 * i / 24)]
            half = student(runs - 1) * math.sqrt(max(statistics.variance(lead) - removed, 0) / runs)
            last = statistics.mean(lead) < -half
            ahead, behind = ahead + (statistics.mean(lead) > half), behind + last
        both.add("came out" if ahead >= 18 and not last else "did not come out" if behind >= 6 and behind > ahead else "not decided")
    return both.pop() if len(both) == 1 else "not decided"


def judged(panel, rival, removed):
    runs = next(n for n in range(RUNS, 1000) if n == 999 or verdict(panel, rival, removed, n) != "not decided")
    found = verdict(panel, rival, removed)
    return found if found != "not decided" else f"{found} ({runs})"


def least_shift(panel, rival):
    for tenths in range(1, 31):
        d = tenths / 10
        if any(verdict(panel, rival, shifts=shifts) != verdict(panel, rival) for shifts in ((d, 0), (-d, 0), (0, d), (0, -d))):
            return f"{d:.1f} points"
    return "above 3 points"


for panel in ("paper", "chosen"):
    for rival in ("ITD-BiO", "ANIL"):
        variance = covariance = 0
        for x in (50, 90, 130, 170, 200):
            one, two = (leads(panel, rival, metric, x) for metric in METRICS)
            variance += (statistics.variance(one) + statistics.variance(two)) / 2 / 5
            covariance += sum((a - statistics.mean(one)) * (b - statistics.mean(two)) for a, b in zip(one, two)) / (RUNS - 1) / 5
        print(f"{panel}, SUSTAIN - {rival}: variance {variance:.1f} points^2, covariance {covariance:.1f}, so tasks make at most {variance - covariance:.1f}")
        print(f"    the smallest shift that changes the verdict: {least_shift(panel, rival)}")
        print("   ", "; ".join(f"{name}: {judged(panel, rival, part * (variance - covariance))}" for name, part in (("as it is", 0), ("twice the tasks", 0.5), ("any number", 1))))
