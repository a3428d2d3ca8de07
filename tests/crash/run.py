#!/usr/bin/env python3
"""run.py PROGRAM [--kills N] [--minutes M] [--record FILE] [--seed S] [--only TEXT] - kills and disturbs runs, resumes them, and compares all files with those of an undisturbed run.

Each case is one command. It runs once undisturbed; strace counts its system calls that change files. Then N times it is stopped at one of these calls,
drawn at random, each kind of call as often: by SIGKILL before the call, or because the call fails (no space, input/output error, a folder that is gone); or no file may become longer than some number of
bytes, so that a write stops in the middle. A run that fails must say so in one sentence with a non-zero exit. Then it is resumed to its end, and every file must have the bytes of the undisturbed run, but for
seconds, and nothing temporary may be left. The clock runs 400 times as fast, so that a checkpoint is due at every evaluation.

Without --kills ten cases are stopped twice each: that is the part for "make check". With --record the stops of each case are kept in a file, and a run
goes on with those that had least, for M minutes at most: stop k of a case is the same whenever it is made.
"""
import argparse
import csv
import filecmp
import io
import json
import os
import pathlib
import random
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
CALLS = ["openat", "write", "writev", "fsync", "rename", "unlink", "mkdir"]
FAULTS = {"kill": "signal=KILL", "no space": "error=ENOSPC", "error": "error=EIO", "vanished": "error=ENOENT"}
FEWSHOT = str(HERE.parent.parent / "examples/fewshot.safetensors")
SLICE = 10  # stops of a case before the next one has its turn
COLUMNS = ["stops", "failed", "cpu_seconds"]
LARGEST_LIMIT = 60000  # bytes, about the size of a page


def cases(program):
    """(name, arguments), each of well under a second. Without --out a run with a folder of its own; otherwise a command that is not resumed, but repeated."""
    tune = ["tune", "--features", "data.libsvm", "--penalty", "feature", "--iterations", "60"]
    clean = ["clean", "--features", "data.csv", "--label-column", "kind", "--trusted", "trusted.csv", "--iterations", "60"]
    meta = ["meta", "train", "--images", "stripes", "--size", "16", "--width", "4", "--ways", "3", "--shots", "2", "--queries", "2", "--tasks", "2",
            "--validation-tasks", "3", "--test-tasks", "5", "--test-queries", "3", "--validate-every", "2", "--iterations", "6"]
    listed = json.loads(subprocess.run([program, "solvers", "--json"], stdout=subprocess.PIPE, check=True).stdout)
    solvers = [solver["name"] for solver in (listed["solvers"] if isinstance(listed, dict) else listed)]
    for solver in solvers:
        yield "tune " + solver, tune + ["--solver", solver]
        yield "clean " + solver, clean + ["--solver", solver]
    yield "tune soba, rare evaluations", tune[:-1] + ["20000", "--solver", "soba"]
    yield "tune, selection", ["tune", "--features", "data.libsvm"]
    yield "clean, default", clean[:-2]
    for method in "anil", "maml", "itd-bio", "sustain", "pretrain", "prototype":
        yield "meta train " + method, meta + ["--method", method]
    yield "meta train soba", meta + ["--solver", "soba", "--training_tasks", "4"]
    threads, out = ["--threads", "1", "--quiet"], ["--out", "run"]
    yield "compare", ["compare", "quadratic", "--solvers", "sustain,soba", "--budget", "2000", "--runs", "2"] + threads + out
    yield "compare tune", ["compare", "tune", "--features", "data.libsvm", "--solvers", "sustain,hoag", "--budget", "300", "--runs", "1"] + threads + out
    yield "rates", ["rates", "--quick", "--solvers", "sustain", "--cost", "off", "--runs", "2", "--budget", "0.1"] + threads + out
    yield "demo", ["demo", "--iterations", "1000", "--runs", "2", "--quiet"] + out
    yield "report", ["report", "earlier", "--out", "run/page.html"]
    yield "predict", ["predict", "earlier/model.safetensors", "data.libsvm", "--out", "run/predicted.csv"]
    yield "data pack", ["data", "pack", "data.libsvm", "--out", "run/packed.safetensors"]
    yield "meta adapt", ["meta", "adapt", FEWSHOT, "--support", "photos", "--query", "photos/lying/1.png", "--out", "run/adapted.csv", "--threads", "1"]
    yield "meta embed", ["meta", "embed", FEWSHOT, "photos", "--out", "run/photos.npy", "--list", "run/photos.csv"] + threads


def without_seconds(value):
    if isinstance(value, dict):
        return {key: without_seconds(inner) for key, inner in value.items() if "second" not in key and not key.endswith("_bytes")}
    return [without_seconds(inner) for inner in value] if isinstance(value, list) else value


def content(path):
    """What must be the same in two runs: all bytes, but for seconds and what is drawn from them."""
    if path.name.startswith("checkpoint") or path.name == "lock":
        return "there"  # how often it was saved, and when
    if path.suffix == ".html":
        return path.read_text().rstrip().endswith("</html>")
    if path.suffix == ".json":
        return without_seconds(json.loads(path.read_text()))
    if path.suffix == ".jsonl":
        return [without_seconds(json.loads(line)) for line in path.read_text().splitlines()]
    if path.name == "summary.csv":
        rows = list(csv.reader(io.StringIO(path.read_text())))
        keep = [i for i, name in enumerate(rows[0]) if "seconds" not in name]
        return [[row[i] for i in keep] for row in rows]
    return path.read_bytes()


def first_difference(one, two):
    if isinstance(one, dict) and isinstance(two, dict):
        keys = [key for key in {**one, **two} if one.get(key) != two.get(key)]
        return f" in {keys[0]}" + first_difference(one.get(keys[0]), two.get(keys[0]))
    if isinstance(one, list) and isinstance(two, list) and len(one) == len(two):
        at = next(i for i, pair in enumerate(zip(one, two)) if pair[0] != pair[1])
        return f" at {at}" + first_difference(one[at], two[at])
    return f": {str(one)[:200]} became {str(two)[:200]}"


def differences(one, two):
    names = [{str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file() and not path.name.startswith("checkpoint-previous")}
             for folder in (one, two)]
    for name in sorted(names[0] ^ names[1]):
        yield f"{name} is there only {'undisturbed' if name in names[0] else 'after the resumption'}"
    for name in sorted(names[0] & names[1]):
        if not filecmp.cmp(one / name, two / name, shallow=False) and content(one / name) != content(two / name):
            yield f"{name} differs" + first_difference(content(one / name), content(two / name))


class Harness:
    def __init__(self, program, folder):
        self.program, self.folder = program, folder
        fast = folder / "fast.so"
        subprocess.run(["cc", "-shared", "-fPIC", "-o", fast, HERE.parent / "cli/support/fast_clock.c", "-ldl"], check=True)
        self.fast = fast
        subprocess.run([sys.executable, HERE.parent / "cli/support/blobs.py"], cwd=folder, check=True)
        draw = random.Random(5)
        with open(folder / "data.libsvm", "w") as file:
            for _ in range(200):
                a, b = draw.random() - 0.5, draw.random() - 0.5
                file.write(f"{1 if a + 0.3 * (draw.random() - 0.5) > 0 else -1} 1:{a:.6g} 3:{b:.6g}\n")
        subprocess.run([sys.executable, HERE.parent / "cli/support/stripes.py", "photos", "2", "0"], cwd=folder, check=True)
        for part in "train", "val", "test":
            subprocess.run([sys.executable, HERE.parent / "cli/support/stripes.py", "stripes/" + part, "5", str(ord(part[1]) % 7)], cwd=folder, check=True)
        self.run(["tune", "--features", "data.libsvm", "--quiet", "--out", "earlier"])
        self.prepared = {}

    def run(self, arguments, trace=None, limit=None):
        """The program, under strace with these expressions where there are some, and with a limit for the length of files. Returns the process with its
        stderr."""
        command = [self.program, *arguments] + ([] if "--out" in arguments else ["--threads", "1", "--quiet", "--out", "run"])
        (self.folder / "run").mkdir(exist_ok=True)
        preload = ["env", f"LD_PRELOAD={self.fast}"]
        if trace is not None:
            expressions = [part for expression in trace for part in ("-e", expression)]
            command = ["strace", "-f", "--seccomp-bpf", "-qq", "-o", str(self.folder / "trace"), *expressions, "-E", f"LD_PRELOAD={self.fast}", *command]
            preload = []
        return subprocess.run(preload + command, cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, errors="replace",
                              stdin=subprocess.DEVNULL,
                              preexec_fn=limit and (lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY))))

    def counts(self):
        """How often each call was made."""
        numbers = dict.fromkeys(CALLS, 0)
        for line in (self.folder / "trace").read_text(errors="replace").splitlines():
            match = re.match(r"\d+ +(\w+)\(", line)
            if match and match[1] in numbers:
                numbers[match[1]] += 1
        return {call: count for call, count in numbers.items() if count > 0}

    def prepare(self, name, arguments):
        """The undisturbed run, once. Returns its folder, how often each call was made, and what is wrong."""
        if name in self.prepared:
            return *self.prepared[name], []
        shutil.rmtree(self.folder / "run", ignore_errors=True)
        done = self.run(arguments, ["trace=" + ",".join(CALLS)])
        if done.returncode != 0:
            return None, None, [f"{name}: the undisturbed run ends with {done.returncode}: {done.stderr.strip()}"]
        whole = self.folder / f"whole{len(self.prepared)}"
        (self.folder / "run").rename(whole)
        self.prepared[name] = whole, self.counts()
        return *self.prepared[name], []

    def disturb(self, name, arguments, draw):
        """One run that is stopped and resumed. Yields what is wrong."""
        whole, counts, wrong = self.prepare(name, arguments)
        if wrong:
            yield from wrong
            return
        fault = draw.choice(["kill", "kill", "kill", "no space", "error", "vanished", "limit"])
        call = draw.choice(list(counts))
        k = draw.randint(1, counts[call])
        limit = draw.randrange(1, LARGEST_LIMIT) if fault == "limit" else None
        where = f"{name}, files of at most {limit} bytes" if limit else f"{name}, {fault} at {call} {k}"
        out = self.folder / "run"
        shutil.rmtree(out, ignore_errors=True)
        first = self.run(arguments, limit=limit) if limit else \
            self.run(arguments, ["trace=" + call, f"inject={call}:{FAULTS[fault]}:when={k}"])
        if first.returncode not in (0, 1, 2, 130, 137, -9):
            yield f"{where}: exit code {first.returncode}: {first.stderr.strip()[-300:]}"
        if first.returncode in (1, 2) and not first.stderr.strip():
            yield f"{where}: it failed without a word"
        again = self.run(arguments + ([] if "--out" in arguments else ["--resume"]))
        if again.returncode != 0:
            yield f"{where}: resumed, it ends with {again.returncode}: {again.stderr.strip()[-300:]}"
            return
        for difference in differences(whole, out):
            yield f"{where}: {difference}"


def load(path):
    if path is None or not path.exists():
        return {}
    with open(path, newline="") as file:
        return {row["case"]: {key: float(row[key]) for key in COLUMNS} for row in csv.DictReader(file)}


def save(path, record):
    if path is None:
        return
    new = path.with_suffix(".tmp")
    with open(new, "w", newline="") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow(["case", *COLUMNS])
        out.writerows([name, *(f"{round(had[key], 1):g}" for key in COLUMNS)] for name, had in sorted(record.items()))
    new.replace(path)


def cpu_seconds():
    return sum(getattr(resource.getrusage(who), part) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN) for part in ("ru_utime", "ru_stime"))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--kills", type=int, help="stops of each case")
    parser.add_argument("--minutes", type=float, default=float("inf"), help="no stop is begun after these")
    parser.add_argument("--record", type=pathlib.Path, help="what was done before, and what was done then")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", default="")
    given = parser.parse_args()
    for tool in "strace", "cc":
        if shutil.which(tool) is None:
            print(f"skipped: no {tool}")
            return 77
    if subprocess.run(["strace", "-qq", "-o", os.devnull, "true"], stderr=subprocess.DEVNULL).returncode != 0:
        print("skipped: strace may not trace here")
        return 77
    end = time.monotonic() + 60 * given.minutes
    passed = failed = 0
    record = load(given.record)
    with tempfile.TemporaryDirectory() as folder:
        harness = Harness(str(pathlib.Path(given.program).resolve()), pathlib.Path(folder))
        chosen = {name: arguments for name, arguments in cases(harness.program) if given.only in name}
        if given.kills is None:
            chosen = dict(random.Random(given.seed).sample(list(chosen.items()), min(10, len(chosen))))
        for name in chosen:
            record.setdefault(name, dict.fromkeys(COLUMNS, 0.0))
        most = given.kills or 2
        while (name := min(chosen, key=lambda n: record[n]["stops"])) and record[name]["stops"] < most and time.monotonic() < end:
            had, before = record[name], cpu_seconds()
            for k in range(int(had["stops"]), min(int(had["stops"]) + SLICE, most)):
                wrong = list(harness.disturb(name, chosen[name], random.Random(f"{given.seed} {name} {k}")))
                passed, failed = passed + (not wrong), failed + bool(wrong)
                had["stops"], had["failed"] = had["stops"] + 1, had["failed"] + bool(wrong)
                for line in wrong:
                    print(line, flush=True)
                if time.monotonic() >= end:
                    break
            had["cpu_seconds"] += cpu_seconds() - before
            save(given.record, record)
    if given.record:
        print(f"{sum(record[n]['stops'] for n in chosen):.0f} stops of {len(chosen)} cases in all, {min(record[n]['stops'] for n in chosen):.0f} of each at least,"
              f" {sum(record[n]['failed'] for n in chosen):.0f} failed, {sum(record[n]['cpu_seconds'] for n in chosen):.0f} CPU seconds")
    print(f"crash: {passed} passed, {failed} failed")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
