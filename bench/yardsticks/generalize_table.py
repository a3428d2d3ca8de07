#!/usr/bin/env python3
"""generalize_table.py FILE.csv - the rows of generalize.py as a table: mean test losses, the paired difference to the best model with one L2 penalty, and whether
the criterion is met: not worse by more than one standard error; on sets where there is structure to be found, better by 5 %."""
import sys
import numpy as np
import pandas as pd

L2 = ["LogisticRegressionCV L2", "RidgeCV", "one penalty, own"]
L1 = ["LogisticRegressionCV L1", "LassoCV"]
STRUCTURE = ["half noise", "half noise, numbers", "webkb", "r8"]


def number(mean, methods):
    found = [mean[m] for m in methods if m in mean]
    return f"{found[0]:.4f}" if found else "-"


rows = pd.read_csv(sys.argv[1])
print("| set | splits | sustain tune | one penalty, own | L2, scikit-learn | L1, scikit-learn | a penalty per feature, not selected | "
      "difference to the best L2 | criterion | selected | CPU seconds: own, L2 |")
print("|---|---|---|---|---|---|---|---|---|---|---|")
for name, part in rows.groupby("set", sort=False):
    loss = part.pivot_table(index="seed", columns="method", values="test_loss")
    if "sustain tune" not in loss:
        continue
    rivals = [m for m in L2 if m in loss]
    compared = loss.dropna(subset=["sustain tune", *rivals])
    if compared.empty:
        continue
    mean = compared.mean()
    seconds = part[part.seed.isin(compared.index)].pivot_table(index="seed", columns="method", values="cpu_seconds").mean()
    best = min(rivals, key=lambda m: mean[m])
    difference = compared["sustain tune"] - compared[best]
    error = difference.std(ddof=1) / np.sqrt(len(difference)) if len(difference) > 1 else float("nan")
    share = 100 * difference.mean() / mean[best]
    wanted = share <= -5 if name in STRUCTURE else difference.mean() <= error
    chosen = part[(part.method == "sustain tune") & part.seed.isin(compared.index)].selected.value_counts()
    scikit = [m for m in rivals if m != "one penalty, own"]
    times = ", ".join(f"{s:.{1 if s >= 1 else 2}f}" if s == s else "-" for s in (seconds.get(m, float("nan")) for m in ["sustain tune", *scikit]))
    print(f"| {name} | {len(compared)} | {mean['sustain tune']:.4f} | {mean['one penalty, own']:.4f} | {number(mean, scikit)} | {number(mean, L1)} | "
          f"{number(mean, ['a penalty per feature'])} | {difference.mean():+.4f} +- {error:.4f} ({share:+.1f} %) | "
          f"{'5 %' if name in STRUCTURE else 'one s.e.'}: {'met' if wanted else 'not met'} | "
          f"{', '.join(f'{k} {v}' for k, v in chosen.items())} | {times} |")
