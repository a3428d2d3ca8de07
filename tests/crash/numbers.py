#!/usr/bin/env python3
"""numbers.py PROGRAM [--sets N] [--seed S] - hostile data through every solver: no run crashes, and no file that a run leaves has a number that is not finite.

Each data set is small and has some of these: columns of 1e-40 to 1e30, constant, duplicated and collinear columns, a large offset, equal rows, one row, one class,
a class of one row, labels drawn at random, empty cells of zero. It goes through `clean` or `tune` with one of the solvers, or without a choice. A run may refuse
it with one sentence that speaks of the data, not of what the solver computes from them.
"""
import argparse
import array
import json
import math
import pathlib
import random
import re
import shutil
import struct
import subprocess
import sys
import tempfile

CHECK_SETS = 40  # in "make check"
ENGINE = re.compile(r"L_g|mu_g|Hessian|eigenvalue|Lipschitz|-?nan\b")


def data_set(draw):
    """(rows of numbers, labels): what is hostile about it is drawn."""
    count = draw.choice([1, 3, 20] + [60] * 9)
    dim = draw.choice([1, 3, 5, 8])
    classes = draw.choice([1, count] + [2] * 6 + [3] * 2)
    labels = [draw.randrange(classes) for _ in range(count)]
    noise = draw.choice([0, 0.2, 1])
    rows = [[(labels[i] == j) + draw.gauss(0, 0.5) for j in range(dim)] for i in range(count)]
    labels = [draw.randrange(classes) if draw.random() < noise else label for label in labels]
    for j in range(dim):
        kind = draw.choice(["plain", "plain", "scale", "constant", "copy", "sum", "offset", "sparse", "huge entry"])
        scale = 10.0 ** draw.randint(-40, 30)
        for row in rows:
            if kind == "scale":
                row[j] *= scale
            elif kind == "constant":
                row[j] = scale
            elif kind == "copy":
                row[j] = row[0]
            elif kind == "sum":
                row[j] = sum(row[:j])
            elif kind == "offset":
                row[j] += scale
            elif kind == "sparse" and draw.random() < 0.9:
                row[j] = 0.0
        if kind == "huge entry":
            draw.choice(rows)[j] = draw.choice([-1, 1]) * scale
    if draw.random() < 0.05:
        rows = [rows[0]] * count
    return rows, labels


def write_csv(path, rows, labels):
    with open(path, "w") as file:
        file.write(",".join(f"a{j}" for j in range(len(rows[0]))) + ",label\n")
        for row, label in zip(rows, labels):
            file.write(",".join(f"{value:.9g}" for value in row) + f",c{label}\n")


def numbers_of(path):
    """All numbers in a file that a run left."""
    data = path.read_bytes()
    if path.suffix == ".npy":
        start = 10 + struct.unpack("<H", data[8:10])[0]
        return array.array("f" if b"<f4" in data[:start] else "B", data[start:])
    if path.suffix == ".safetensors":
        size = struct.unpack("<Q", data[:8])[0]
        header = json.loads(data[8 : 8 + size])
        return [value for name, tensor in header.items() if tensor.get("dtype") == "F32"
                for value in array.array("f", data[8 + size + tensor["data_offsets"][0] : 8 + size + tensor["data_offsets"][1]])]
    words = re.findall(rb"(?<![A-Za-z_])-?(?:nan|inf|infinity)(?![A-Za-z_])", data, re.I) if path.suffix in (".csv", ".json", ".jsonl", ".liblinear") else []
    return [math.nan] * len(words)


def trouble(program, folder, draw, solvers):
    rows, labels = data_set(draw)
    write_csv(folder / "data.csv", rows, labels)
    some = draw.sample(range(len(rows)), max(1, len(rows) // 4))
    write_csv(folder / "trusted.csv", [rows[i] for i in some], [labels[i] for i in some])
    solver = draw.choice(solvers + [None] * 4)
    command = draw.choice([["clean", "--label-column", "label", "--trusted", "trusted.csv"], ["tune", "--label-column", "label"]])
    command += ["--features", "data.csv", "--threads", "1", "--quiet", "--out", "run"]
    if solver is not None:
        command += ["--solver", solver, "--iterations", "30"] + (["--penalty", "feature"] if command[0] == "tune" else [])
    shutil.rmtree(folder / "run", ignore_errors=True)
    try:
        done = subprocess.run([program, *command], cwd=folder, capture_output=True, text=True, errors="replace", stdin=subprocess.DEVNULL, timeout=120)
    except subprocess.TimeoutExpired:
        return command, ["it does not end"]
    wrong = []
    if done.returncode not in (0, 1, 2):
        wrong.append(f"exit code {done.returncode}: {done.stderr.strip()[-300:]}")
    if done.returncode != 0 and not done.stderr.startswith("sustain: "):
        wrong.append("it failed without a sentence")
    if ENGINE.search(done.stderr):
        wrong.append(f"a sentence about the solver, not the data: {done.stderr.strip()[-300:]}")
    if done.returncode == 0:
        for path in sorted((folder / "run").glob("*")):
            if not path.name.startswith("checkpoint") and not all(math.isfinite(value) for value in numbers_of(path)):
                wrong.append(f"{path.name} has a number that is not finite")
    return command, wrong


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--sets", type=int, default=CHECK_SETS)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--keep", help="a folder for data sets that make trouble")
    given = parser.parse_args()
    program = str(pathlib.Path(given.program).resolve())
    listed = json.loads(subprocess.run([program, "solvers", "--json"], stdout=subprocess.PIPE, check=True).stdout)
    solvers = [solver["name"] for solver in (listed["solvers"] if isinstance(listed, dict) else listed)]
    failed = 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for i in range(given.sets):
            command, wrong = trouble(program, folder, random.Random(1000003 * given.seed + i), solvers)
            failed += bool(wrong)
            for line in wrong:
                print(f"set {i}: {' '.join(command)}: {line}", flush=True)
            if wrong and given.keep:
                shutil.copytree(folder, pathlib.Path(given.keep) / str(i), dirs_exist_ok=True)
    print(f"numbers: {given.sets - failed} passed, {failed} failed")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
