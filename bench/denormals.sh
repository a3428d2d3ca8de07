#!/usr/bin/env bash
# denormals.sh [TURNS] - CPU seconds of `clean` and `tune` on features of 1e-40, which are denormal
# floats, beside the same of 1e-30; minima of turns. Adds lines to bench/results.csv. Wants NumPy.
set -euo pipefail
cd "$(dirname "$0")/.."
turns=${1:-3}
python=$(tools/python.sh)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
commit=$(git rev-parse --short HEAD 2>/dev/null || echo unknown)
machine="$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1 | tr -d ',') x $(nproc)"
"$python" - "$turns" "$folder" "$PWD/build/release/sustain" <<'PYTHON' | while IFS= read -r line; do
import os
import subprocess
import sys

import numpy as np

turns, folder, program = int(sys.argv[1]), sys.argv[2], sys.argv[3]
rng = np.random.default_rng(100)
labels = rng.integers(0, 4, 6000)
rows = rng.normal(size=(4, 60))[labels] + 2 * rng.normal(size=(6000, 60))
checked = np.full(6000, -1, np.int32)
checked[:300] = labels[:300]
SCALES = (1e-30, 1e-40)
for scale in SCALES:
    part = rows.copy()
    part[:, ::2] *= scale  # every other column
    np.save(f"{folder}/{scale}.npy", part.astype(np.float32))
np.save(f"{folder}/labels.npy", np.where(rng.random(6000) < 0.2, (labels + 1) % 4, labels).astype(np.int32))
np.save(f"{folder}/checked.npy", checked)
RUNS = {"clean": "clean --verified checked.npy",
        "clean sustain": "clean --verified checked.npy --solver sustain --iterations 500",
        "tune": "tune --penalty single",
        "tune sustain": "tune --penalty feature --solver sustain --iterations 2000"}
for name, run in RUNS.items():
    least = dict.fromkeys(SCALES, np.inf)
    for scale in SCALES * turns:
        child = subprocess.Popen([program, *run.split(), "--standardize", "off", "--features", f"{scale}.npy", "--labels", "labels.npy", "--threads", "1", "--quiet",
                                  "--out", "run"], cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        _, status, used = os.wait4(child.pid, 0)
        assert status == 0, run
        least[scale] = min(least[scale], used.ru_utime)
    normal, denormal = (least[scale] for scale in SCALES)
    print(f"denormals {name},{denormal:.2f},s,1e-30: {normal:.2f} s,{denormal / normal:.2f}", flush=True)
PYTHON
    echo "$(date +%F),$commit,$machine,$line" | tee -a bench/results.csv
done
