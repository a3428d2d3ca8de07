#!/usr/bin/env bash
# denormals.sh [TURNS] - CPU seconds of `clean` and `tune` on features of 1e-40, which are denormal
# floats, beside the same of 1e-30; of `meta train` on pictures that are black but for a pixel, with
# steps of 1e-40, beside pictures of noise; minima of turns. Adds lines to bench/results.csv. Wants
# NumPy.
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

sys.path.insert(0, "tests/support")
from picture_files import png  # noqa: E402

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


def seconds(*words):
    child = subprocess.Popen([program, *words, "--threads", "1", "--quiet", "--out", "run"], cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, used = os.wait4(child.pid, 0)
    assert status == 0, words
    return used.ru_utime


def show(name, normal, denormal, beside):
    print(f"denormals {name},{denormal:.2f},s,{beside}: {normal:.2f} s,{denormal / normal:.2f}", flush=True)


for name, run in RUNS.items():
    least = dict.fromkeys(SCALES, np.inf)
    for scale in SCALES * turns:
        least[scale] = min(least[scale], seconds(*run.split(), "--standardize", "off", "--features", f"{scale}.npy", "--labels", "labels.npy"))
    show(name, *least.values(), "1e-30")

for kind in "noise", "black":
    for part in "train", "val", "test":
        for c in range(5):
            os.makedirs(f"{folder}/{kind}/{part}/{c}")
            for i in range(20):
                pixels = rng.integers(0, 256, (28, 28)) if kind == "noise" else np.zeros((28, 28), int)
                pixels[c, i] = 1
                with open(f"{folder}/{kind}/{part}/{c}/{i}.png", "wb") as file:
                    file.write(png(pixels.tolist(), 0, 8))
META = "meta train --size 28 --width 16 --iterations 10 --validation-tasks 5 --test-tasks 5"
for method in "anil", "sustain":
    least = {"noise": np.inf, "black": np.inf}
    for kind in list(least) * turns:
        steps = ["--outer-step", "1e-40"] if kind == "black" else []
        least[kind] = min(least[kind], seconds(*META.split(), "--method", method, "--images", kind, *steps))
    show("meta train " + method, *least.values(), "noise")
PYTHON
    echo "$(date +%F),$commit,$machine,$line" | tee -a bench/results.csv
done
