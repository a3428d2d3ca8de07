#!/usr/bin/env python3
"""run.py BUILD - libFuzzer on every reader for a long time: in turn, the one that had least.

    cmake --preset fuzz && cmake --build --preset fuzz --target tests-fuzz
    tests/fuzz/run.py build/fuzz --minutes 300 --jobs 2    # 29 readers, 20 minutes each
    tests/fuzz/run.py build/fuzz --minutes 0               # what each had so far

CPU seconds, executions and findings of each reader are added to record.csv beside this file, over
all builds, so that a run can be ended at any time and continued; the table in docs/reliability.md is
written from it. Inputs that reach new code are kept in BUILD/corpus, findings in BUILD/findings.
A reader with a finding is not run again. Fails if there is one."""

import argparse
import csv
import os
import re
import subprocess
import sys
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
RECORD = os.path.join(HERE, "record.csv")
PAGE = os.path.join(HERE, "..", "..", "docs", "reliability.md")
COLUMNS = ["reader", "cpu_seconds", "executions", "findings"]


def load(path):
    if not os.path.exists(path):
        return {}
    with open(path, newline="") as f:
        return {row["reader"]: {key: float(row[key]) for key in COLUMNS[1:]} for row in csv.DictReader(f)}


def save(path, record):
    with open(path + ".tmp", "w", newline="") as f:
        out = csv.writer(f)
        out.writerow(COLUMNS)
        for name, had in sorted(record.items()):
            out.writerow([name] + [round(had[key]) for key in COLUMNS[1:]])
    os.replace(path + ".tmp", path)


def write_page(record):
    """The table of the page, between its two marks."""
    total = {key: sum(had[key] for had in record.values()) for key in COLUMNS[1:]}
    lines = ["| reader | CPU-minutes | thousands of executions | findings |", "|---|---:|---:|---:|"]
    lines += [f"| {name.removeprefix('fuzz_')} | {had['cpu_seconds'] / 60:.1f} | {had['executions'] / 1000:,.0f} | {had['findings']:.0f} |"
              for name, had in [*sorted(record.items()), ("all", total)]]
    with open(PAGE) as f:
        before, rest = f.read().split("<!-- tests/fuzz/run.py -->\n")
    with open(PAGE + ".tmp", "w") as f:
        f.write(before + "<!-- tests/fuzz/run.py -->\n" + "\n".join(lines) + "\n" + rest[rest.index("<!-- end -->"):])
    os.replace(PAGE + ".tmp", PAGE)


def slice_of(build, name, seconds):
    """One reader for some seconds: CPU seconds, executions, and whether it found something."""
    found, seeds = os.path.join(build, "corpus", name), os.path.join(HERE, "corpus", name)
    findings = os.path.join(build, "findings", name)
    os.makedirs(found, exist_ok=True)
    os.makedirs(findings, exist_ok=True)
    command = [os.path.join(build, "tests", "fuzz", name), "-max_len=16384", "-timeout=1200", "-print_final_stats=1",
               f"-max_total_time={seconds}", f"-artifact_prefix={findings}/", found]
    if os.path.isdir(seeds):
        command.append(seeds)
    with open(os.path.join(build, "findings", name + ".log"), "w+b") as log:
        # clang's sanitizers cannot live with the widest randomization of addresses
        child = subprocess.Popen(["setarch", "-R"] + command, stdout=subprocess.DEVNULL, stderr=log)
        _, status, used = os.wait4(child.pid, 0)
        log.seek(0)
        text = log.read().decode(errors="replace")
    done = re.findall(r"stat::number_of_executed_units:\s*(\d+)", text) or re.findall(r"^#(\d+)", text, re.M)
    return used.ru_utime + used.ru_stime, float(done[-1]) if done else 0.0, status != 0


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("build")
    options.add_argument("--minutes", type=float, default=20, help="how long, by the clock")
    options.add_argument("--only", help="readers, as table,csv")
    options.add_argument("--slice", type=int, default=120, help="seconds of one reader at a time")
    options.add_argument("--jobs", type=int, default=1, help="readers at the same time")
    given = options.parse_args()
    build = os.path.abspath(given.build)
    names = sorted(os.path.splitext(n)[0] for n in os.listdir(HERE) if re.fullmatch(r"fuzz_\w+\.c", n))
    record = {name: dict.fromkeys(COLUMNS[1:], 0.0) for name in names} | load(RECORD)
    if given.only:
        names = ["fuzz_" + name for name in given.only.split(",")]
    end = time.monotonic() + 60 * given.minutes
    lock, running, findings = threading.Lock(), set(), []

    def work():
        while (left := end - time.monotonic()) > 0:
            with lock:
                name = min((n for n in names if n not in running and n not in findings), key=lambda n: record[n]["cpu_seconds"], default=None)
                if name is None:
                    return
                running.add(name)
            used = slice_of(build, name, min(given.slice, int(left) + 1))
            with lock:
                running.remove(name)
                for key, value in zip(COLUMNS[1:], used):
                    record[name][key] += value
                if used[2]:
                    findings.append(name)
                save(RECORD, record)

    jobs = [threading.Thread(target=work) for _ in range(given.jobs)]
    for job in jobs:
        job.start()
    for job in jobs:
        job.join()
    write_page(record)
    for name in names:
        had = record[name]
        print(f"{name:<20}{had['cpu_seconds'] / 60:8.1f} CPU-minutes {had['executions']:14,.0f} executions {had['findings']:4.0f} findings")
    return bool(findings)


if __name__ == "__main__":
    sys.exit(main())
