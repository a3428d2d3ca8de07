#!/usr/bin/env bash
# scale.sh [TURNS [NAME...]] - the same run by one process with one thread, by two processes with
# one thread each, and by one process with two threads, in turns; medians of wall time, and
# communication's share of it. The ceiling: the same run twice at the same time, which exchanges
# nothing and divides nothing; two processes of one run cannot be faster than that. Names (meta,
# clean, tune): these alone. Adds lines to bench/results.csv. Wants a release build with
# libsustain-mpi, two quiet cores, and NumPy.
set -euo pipefail
cd "$(dirname "$0")/.."
turns=${1:-3}
shift || true
python=$(tools/python.sh)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 # in a container
commit=$(git rev-parse --short HEAD 2>/dev/null || echo unknown)
machine="$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1 | tr -d ',') x $(nproc)"
"$python" bench/scale_rows.py "$folder" 400000
"$python" - "$turns" "$folder" "$PWD/build/release/sustain" "$@" <<'PYTHON' | while IFS= read -r line; do
import json
import statistics
import subprocess
import sys
import time

turns, folder, program = int(sys.argv[1]), sys.argv[2], sys.argv[3]
RUNS = {
    "meta train 32 tasks": "meta train --dataset generated --size 28 --width 32 --tasks 32 --iterations 60 --validation-tasks 2 --test-tasks 2",
    "clean 400000 rows": "clean --features rows.npy --labels labels.npy --trusted trusted.npy --trusted-labels trusted-labels.npy",
    "tune --solver hoag 400000 rows": "tune --features rows.npy --labels labels.npy --loss squared --penalty single --solver hoag --iterations 1",
}
WAYS = {"1 x 1": (1, 1), "2 x 1": (2, 1), "1 x 2": (1, 2)}


def start(arguments, out, before=()):
    command = [*before, program, *arguments, "--quiet", "--profile", "--out", out]
    return subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def seconds_of(*runs):
    begun = time.time()
    if any([run.wait() != 0 for run in [start(*run) for run in runs]]):
        sys.exit("a run failed")
    return time.time() - begun


for name, arguments in RUNS.items():
    if len(sys.argv) > 4 and name.split()[0] not in sys.argv[4:]:
        continue
    seconds, shares, twice = {way: [] for way in WAYS}, [], []
    for turn in range(turns):
        for way, (ranks, threads) in WAYS.items():
            before = ["mpirun", "-n", str(ranks), "--bind-to", "none"] if ranks > 1 else []
            seconds[way].append(seconds_of(([*arguments.split(), "--threads", str(threads)], f"run{ranks}{threads}", before)))
            if ranks > 1:
                profile = json.load(open(f"{folder}/run{ranks}{threads}/result.json"))["profile"]
                shares.append(100 * profile["communication"]["seconds"] / sum(profile["seconds"].values()))
        one_thread = [*arguments.split(), "--threads", "1"]
        twice.append(seconds_of((one_thread, "first"), (one_thread, "second")))
    one, processes, threads = (statistics.median(seconds[way]) for way in WAYS)
    print(f"scale {name}: two processes,{processes:.2f},s,one process: {one:.2f} s,{one / processes:.2f}", flush=True)
    print(f"scale {name}: communication of two processes,{statistics.median(shares):.1f},%,,", flush=True)
    print(f"scale {name}: two threads,{threads:.2f},s,one thread: {one:.2f} s,{one / threads:.2f}", flush=True)
    both = statistics.median(twice)
    print(f"scale {name}: ceiling of two cores: two such runs at once,{both:.2f},s,one run: {one:.2f} s,{2 * one / both:.2f}", flush=True)
    print(f"scale {name}: two processes of that ceiling,{100 * both / 2 / processes:.0f},%,,", flush=True)
PYTHON
    echo "$(date +%F),$commit,$machine,$line" | tee -a bench/results.csv
done
