#!/usr/bin/env python3
"""generalize_table.py FILE.csv - the rows of generalize.py as a table: mean test losses, and the paired difference to the best model with one L2 penalty."""
import sys
import numpy as np
import pandas as pd

L2 = ["LogisticRegressionCV L2", "RidgeCV", "one penalty, own"]
rows = pd.read_csv(sys.argv[1])
print("| set | sustain tune | one penalty, own | L2, scikit-learn | L1, scikit-learn | difference to the best L2 | selected | CPU seconds: own, L2 |")
print("|---|---|---|---|---|---|---|---|")
for name, part in rows.groupby("set", sort=False):
    loss = part.pivot_table(index="seed", columns="method", values="test_loss")
    seconds = part.pivot_table(index="seed", columns="method", values="cpu_seconds").mean()
    mean = loss.mean()
    best = min((m for m in L2 if m in loss), key=lambda m: mean[m])
    difference = loss["sustain tune"] - loss[best]
    error = difference.std(ddof=1) / np.sqrt(len(difference)) if len(difference) > 1 else float("nan")
    scikit = next(m for m in L2 if m in loss and m != "one penalty, own")
    sparse = next((m for m in ("LogisticRegressionCV L1", "LassoCV") if m in loss), None)
    chosen = part[part.method == "sustain tune"].selected.value_counts()
    print(f"| {name} | {mean['sustain tune']:.4f} | {mean['one penalty, own']:.4f} | {mean[scikit]:.4f} | "
          f"{format(mean[sparse], '.4f') if sparse else '-'} | {difference.mean():+.4f} +- {error:.4f} ({100 * difference.mean() / mean[best]:+.1f} %) | "
          f"{', '.join(f'{k} {v}' for k, v in chosen.items())} | {seconds['sustain tune']:.1f}, {seconds[scikit]:.1f} |")
