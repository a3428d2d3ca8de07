#!/usr/bin/env python3
"""signals.py PROGRAM [--times N] [--seconds S] [--seed R] - how soon the largest jobs end after SIGINT, SIGTERM and SIGHUP.

Each job is started N times and gets one of the three signals at a moment drawn at random. It must end within S seconds, of time or of CPU time where others
keep the machine busy, with one sentence and exit code 130, and leave a folder that --resume takes. Jobs whose data are not here are skipped."""
import argparse
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

SIGNALS = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]
FASHION = pathlib.Path("/usr/share/datasets/fashion-mnist")


def jobs():
    """(name, arguments, seconds that it takes at least, whether its data are here)"""
    data = pathlib.Path(os.environ.get("SUSTAIN_DATA", "/nowhere"))
    yield "clean", ["clean", "--dataset", "fashion-mnist", "--noise", "0.4"], 4.0, FASHION.is_dir()
    yield "tune", ["tune", "--features", str(data / "ijcnn1/ijcnn1.tst.bz2")], 4.0, (data / "ijcnn1").is_dir()
    yield "tune, gradient", ["tune", "--features", str(data / "ijcnn1/ijcnn1.tst.bz2"), "--solver", "hoag"], 1.0, (data / "ijcnn1").is_dir()
    yield "meta train", ["meta", "train", "--dataset", "generated", "--size", "84", "--width", "64", "--iterations", "1000"], 10.0, True
    yield "rates", ["rates", "--quick"], 5.0, True


def cpu_seconds(pid):
    used = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(used[11]) + int(used[12])) / os.sysconf("SC_CLK_TCK")


def interrupt(program, arguments, when, which, folder):
    """Starts the job, sends the signal; returns (seconds until the end, exit code, stderr), or None if it had ended before."""
    with open(folder / "stderr", "w+") as errors:
        run = subprocess.Popen([program, *arguments, "--out", str(folder / "run")], stdout=subprocess.DEVNULL, stderr=errors, stdin=subprocess.DEVNULL,
                               preexec_fn=lambda: [signal.signal(s, signal.SIG_DFL) for s in SIGNALS])
        time.sleep(when)
        if run.poll() is not None:
            return None
        start, before = time.monotonic(), cpu_seconds(run.pid)
        run.send_signal(which)
        _, status, used = os.wait4(run.pid, 0)
        run.returncode = code = os.waitstatus_to_exitcode(status)
        seconds = min(time.monotonic() - start, used.ru_utime + used.ru_stime - before)
        errors.seek(0)
        return seconds, code, errors.read()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--times", type=int, default=9)
    parser.add_argument("--seconds", type=float, default=1.0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="")
    given = parser.parse_args()
    program = str(pathlib.Path(given.program).resolve())
    draw = random.Random(given.seed)
    passed = failed = skipped = 0
    for name, arguments, least, here in jobs():
        if given.only not in name:
            continue
        if not here:
            print(f"skipped: the data of {name} are not here")
            skipped += 1
            continue
        longest = 0.0
        for i in range(given.times):
            folder = pathlib.Path(tempfile.mkdtemp(prefix="sustain-signals-"))
            which, when = SIGNALS[i % 3], draw.uniform(0.05, least)
            ended = interrupt(program, arguments, when, which, folder)
            wrong = []
            if ended is not None:
                seconds, code, errors = ended
                longest = max(longest, seconds)
                sentences = [line for line in errors.replace("\r", "\n").splitlines() if line.startswith("sustain: ") and not line.startswith("sustain: memory: ")]
                if seconds > given.seconds:
                    wrong.append(f"took {seconds:.2f} s to end")
                if code not in (130, -which) or (code == 130 and len(sentences) != 1):
                    wrong.append(f"exit code {code}, {len(sentences)} sentences: {errors.strip()[-200:]}")
            for text in wrong:
                print(f"{name}, {which.name} after {when:.2f} s: {text}")
            passed, failed = passed + (not wrong), failed + bool(wrong)
            shutil.rmtree(folder)
        print(f"{name}: ends within {longest:.2f} s")
    print(f"signals: {passed} passed, {failed} failed, {skipped} skipped")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
