#!/usr/bin/env python3
"""run.py PROGRAM - runs on 1 to 4 processes that mpirun starts: all files have the same bytes, but for seconds. Prints "mpi: N passed, N failed".

Also: another number of processes than asked for, a process that is killed (the others end, and the run is resumed with another number of them), and
processes with different options.
"""
import importlib.util
import os
import pathlib
import random
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
spec = importlib.util.spec_from_file_location("crash", HERE.parent / "crash/run.py")
crash = importlib.util.module_from_spec(spec)
spec.loader.exec_module(crash)

PROGRAM = os.path.abspath(sys.argv[1])
ENVIRONMENT = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_rmaps_base_oversubscribe": "1",
               "OMPI_MCA_mpi_yield_when_idle": "1"}
passed = failed = 0


def expect(what, good, detail=""):
    global passed, failed
    passed, failed = passed + bool(good), failed + (not good)
    if not good:
        print(f"not ok: {what}: {detail}")


def run(ranks, arguments, folder, **options):
    command = ["mpirun", "-n", str(ranks), PROGRAM, *arguments, "--threads", "1", "--quiet"]
    return subprocess.run(command, cwd=folder, env=ENVIRONMENT, capture_output=True, text=True, timeout=120, **options)


def write_npy(path, kind, shape, numbers):
    letter, size = {"f": ("<f4", 4), "i": ("<i4", 4)}[kind]
    text = f"{{'descr': '{letter}', 'fortran_order': False, 'shape': ({', '.join(map(str, shape))},), }}"
    text += " " * (-(len(text) + 11) % 64) + "\n"
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text.encode() + struct.pack(f"<{len(numbers)}{kind}", *numbers))


def shards(folder):
    """Rows in three files and two processes: the files of one file and one process. More rows than --fit-rows."""
    draw = random.Random(8)
    labels = [i % 3 for i in range(1500)]
    rows = [draw.gauss(3 * (j == labels[i]), 1) for i in range(1500) for j in range(5)]
    given = [(k + 1) % 3 if draw.random() < 0.2 else k for k in labels]
    write_npy(folder / "all.npy", "f", (1200, 5), rows[:6000])
    write_npy(folder / "all-labels.npy", "i", (1200,), given[:1200])
    write_npy(folder / "sure.npy", "f", (300, 5), rows[6000:])
    write_npy(folder / "sure-labels.npy", "i", (300,), labels[1200:])
    for k, (begin, end) in enumerate(((0, 100), (100, 700), (700, 1200))):
        write_npy(folder / f"part-{k}.npy", "f", (end - begin, 5), rows[5 * begin:5 * end])
        write_npy(folder / f"labels-{k}.npy", "i", (end - begin,), given[begin:end])
    rest = ["--trusted", "sure.npy", "--trusted-labels", "sure-labels.npy", "--iterations", "40", "--fit-rows", "400"]
    one = run(1, ["clean", "--features", "all.npy", "--labels", "all-labels.npy", *rest, "--out", "whole"], folder)
    two = run(2, ["clean", "--features", "part-*.npy", "--labels", "labels-*.npy", *rest, "--out", "shards"], folder)
    expect("shards on 2", one.returncode == 0 and two.returncode == 0, one.stderr + two.stderr)
    for name in "labels.csv", "issues.csv", "weights.npy", "model.safetensors":
        same = one.returncode == two.returncode == 0 and bare(folder / "whole" / name) == bare(folder / "shards" / name)
        expect(f"shards on 2: the same {name}", same)
    for name in "whole", "shards":
        shutil.rmtree(folder / name, ignore_errors=True)


def two_hosts(folder):
    """The recipe of docs/scale.md. Both hosts are this machine, under names that it does not know: Open MPI starts a daemon on each by an agent in the
    place of ssh, and the processes speak TCP."""
    agent = folder / "agent"
    agent.write_text(f'#!/bin/sh\nwhile [ "${{1#-}}" != "$1" ]; do shift; done\nexport TMPDIR="{folder}/$1"\nmkdir -p "$TMPDIR"\nshift\nexec sh -c "$*"\n')
    agent.chmod(0o755)
    (folder / "hosts").write_text("alpha slots=1\nbeta slots=1\n")
    tune = [PROGRAM, "tune", "--features", str(folder / "data.libsvm"), "--threads", "1", "--quiet", "--out"]
    alone = subprocess.run([*tune, str(folder / "alone")], capture_output=True, text=True)
    mpirun = ["mpirun", "--mca", "plm_rsh_agent", str(agent), "--mca", "oob_tcp_if_include", "lo", "--mca", "btl_tcp_if_include", "lo", "--hostfile",
              str(folder / "hosts"), "-n", "2", "--map-by", "node", "--bind-to", "none"]
    both = subprocess.run([*mpirun, *tune, str(folder / "both"), "--ranks", "2"], cwd=folder, env=ENVIRONMENT, capture_output=True, text=True, timeout=120)
    expect("two hosts", alone.returncode == both.returncode == 0, alone.stderr + both.stderr)
    expect("two hosts: a process on each", (folder / "alpha").exists() and (folder / "beta").exists())
    same = both.returncode == 0 and (folder / "alone/penalties.csv").read_bytes() == (folder / "both/penalties.csv").read_bytes()
    expect("two hosts: the same penalties", same)
    for name in "alone", "both", "alpha", "beta":
        shutil.rmtree(folder / name, ignore_errors=True)


def bare(path):
    """The bytes of a file; of a model those after its header, which names the source."""
    data = path.read_bytes()
    return data[8 + int.from_bytes(data[:8], "little"):] if path.suffix == ".safetensors" else data


def same_files(folder):
    clean = ["clean", "--features", "data.csv", "--label-column", "kind", "--trusted", "trusted.csv", "--iterations", "60"]
    meta = ["meta", "train", "--dataset", "generated", "--size", "16", "--width", "4", "--ways", "3", "--shots", "2", "--queries", "2", "--tasks", "5",
            "--validation-tasks", "3", "--test-tasks", "5", "--test-queries", "3", "--validate-every", "2", "--iterations", "4"]
    solver = ["--solver", "fedbioacc", "--local-steps", "2", "--set", "clients=2"]
    compare = ["compare", "quadratic", "--solvers", "sustain,soba", "--runs", "3", "--budget", "300"]
    for name, arguments in ("clean", clean), ("tune", ["tune", "--features", "data.libsvm"]), ("meta train", meta), ("meta train --solver", [*meta, *solver]), ("compare", compare):
        for ranks in 1, 2, 3, 4:
            done = run(ranks, [*arguments, "--out", "run", "--ranks", str(ranks)], folder)
            expect(f"{name} on {ranks}", done.returncode == 0, done.stderr)
            (folder / "run").rename(folder / f"of-{ranks}")
            wrong = list(crash.differences(folder / "of-1", folder / f"of-{ranks}")) if done.returncode == 0 else []
            expect(f"{name} on {ranks}: the same files", not wrong, wrong)
        for ranks in 1, 2, 3, 4:
            shutil.rmtree(folder / f"of-{ranks}", ignore_errors=True)


def refusals(folder):
    tune = ["tune", "--features", "data.libsvm", "--out", "refused"]
    done = run(2, [*tune, "--ranks", "3"], folder)
    expect("another number than asked for", done.returncode != 0 and "--ranks is 3" in done.stderr, done.stderr)
    done = subprocess.run([PROGRAM, *tune, "--ranks", "2"], cwd=folder, capture_output=True, text=True)
    expect("one process, two asked for", done.returncode == 2 and "this is the only process" in done.stderr, done.stderr)
    both = ["mpirun", "-n", "1", PROGRAM, *tune, ":", "-n", "1", PROGRAM, *tune, "--seed", "7"]
    done = subprocess.run(both, cwd=folder, env=ENVIRONMENT, capture_output=True, text=True, timeout=120)
    expect("other options", done.returncode != 0 and "other options" in done.stderr, done.stderr)
    done = run(2, [*tune[:1], "--features", "missing.libsvm"], folder)
    said = [line for line in done.stderr.splitlines() if "missing.libsvm" in line]
    expect("a missing file: said once", done.returncode != 0 and len(said) == 1, done.stderr)
    for i in 0, 1:
        (folder / f"host-{i}").mkdir()
        (folder / f"host-{i}/data.libsvm").write_text((folder / "data.libsvm").read_text() + "+1 1:0.5\n" * i)
    own = ["tune", "--features", "/proc/self/cwd/data.libsvm", "--out", str(folder / "refused")]  # one path, two files
    here = [["-n", "1", "-wdir", str(folder / f"host-{i}"), PROGRAM, *own] for i in (0, 1)]
    done = subprocess.run(["mpirun", *here[0], ":", *here[1]], cwd=folder, env=ENVIRONMENT, capture_output=True, text=True, timeout=120)
    expect("other data", done.returncode != 0 and "read other data" in done.stderr, done.stderr)
    expect("nothing was written", not (folder / "refused").exists())


def processes(started):
    """The programs that mpirun started, in the order of their ranks."""
    found = []
    for path in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            parent = int((path / "stat").read_text().rsplit(")", 1)[1].split()[1])
            environment = (path / "environ").read_text(errors="replace").split("\0")
        except (OSError, ValueError):
            continue
        ranks = [line.split("=")[1] for line in environment if line.startswith("OMPI_COMM_WORLD_RANK=")]
        if parent == started.pid and ranks:
            found.append((int(ranks[0]), int(path.name)))
    return [pid for _, pid in sorted(found)]


def killed(folder, verb, iterations, stopped):
    """Process 1 of three is killed; with `stopped`, when the others have waited for it for some time."""
    for name in "whole", "part":
        shutil.rmtree(folder / name, ignore_errors=True)
    whole = run(1, [*verb, "--iterations", iterations, "--out", "part"], folder)
    expect("the whole run", whole.returncode == 0, whole.stderr)
    (folder / "part").rename(folder / "whole")
    command = ["mpirun", "-n", "3", PROGRAM, *verb, "--iterations", iterations, "--threads", "1", "--quiet", "--out", "part"]
    started = subprocess.Popen(command, cwd=folder, env=ENVIRONMENT, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    limit = time.time() + 60
    while not (folder / "part/metrics.jsonl").exists() and time.time() < limit and started.poll() is None:
        time.sleep(0.02)
    ranks = processes(started)
    if len(ranks) > 1 and stopped:
        os.kill(ranks[1], signal.SIGSTOP)
        time.sleep(1.5)
    if len(ranks) > 1:
        os.kill(ranks[1], signal.SIGKILL)
    begun = time.time()
    try:
        code = started.wait(30)
    except subprocess.TimeoutExpired:
        code = 0
        started.kill()
    said = started.stderr.read()
    started.stderr.close()
    expect("a process is killed: the others end", code != 0 and len(ranks) == 3, f"code {code}, processes {ranks}, {time.time() - begun:.0f} s")
    expect("process 0 says how to resume", f"resume with: sustain {verb[0]}" in said, said)
    done = run(2, [*verb, "--out", "part", *(["--resume"] if (folder / "part/checkpoint.safetensors").exists() else []), "--iterations", iterations], folder)
    expect("it is resumed by two processes", done.returncode == 0, done.stderr)
    wrong = list(crash.differences(folder / "whole", folder / "part")) if done.returncode == 0 else ["no files"]
    expect("the files of the whole run", not wrong, wrong)


def main():
    if shutil.which("mpirun") is None or not list(pathlib.Path(PROGRAM).parent.glob("libsustain-mpi.so*")):
        print("skipped: MPI is not there")
        return 77
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        ENVIRONMENT["TMPDIR"] = name
        crash.Harness(PROGRAM, folder)  # makes the data
        same_files(folder)
        shards(folder)
        two_hosts(folder)
        refusals(folder)
        killed(folder, ["tune", "--features", "data.libsvm", "--penalty", "feature", "--solver", "sustain"], "400000", False)
        killed(folder, ["clean", "--features", "data.csv", "--label-column", "kind", "--trusted", "trusted.csv"], "60000", True)
        limit = time.time() + 10
        while list(folder.glob("sustain-process-*")) and time.time() < limit:
            time.sleep(0.1)
        expect("no folder of a process is left, not even of one that was killed", not list(folder.glob("sustain-process-*")))
    print(f"mpi: {passed} passed, {failed} failed")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
