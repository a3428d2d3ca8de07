#!/usr/bin/env python3
"""endurance.py JOB MINUTES [FOLDER] - memory and speed of one long run: JOB is meta or clean.

    bench/endurance.py clean 60         # 5 million rows of 32 bytes; SUSTAIN names another program

One thread, a sample every 10 seconds: FOLDER/JOB.csv has seconds, CPU seconds, iterations, and
megabytes of memory without mapped files; FOLDER/JOB.svg is drawn from it. Speed is iterations per
CPU second, which other work on the machine disturbs little. Ends the run as Ctrl-C does, and fails
if memory grew by more than 2 % or 2 MB after the first tenth, or the last quarter is slower than
the one after the first by more than 10 %."""
import csv
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
EVERY = 10
COLUMNS = ["seconds", "cpu_seconds", "iterations", "megabytes"]
JOBS = {
    "meta": "meta train --dataset generated --size 28 --width 32 --tasks 8 --validate-every 50 --validation-tasks 20 --test-tasks 2 "
            "--patience 0 --iterations 10000000",
    "clean": "clean --features rows.npy --labels labels.npy --trusted trusted.npy --trusted-labels trusted-labels.npy --batch 1024 "
             "--iterations 1000000",
}


def sample(pid, metrics, begun):
    """One line of the CSV, or None where the run has not begun or has ended."""
    try:
        used = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        status = pathlib.Path(f"/proc/{pid}/status").read_text()
        with open(metrics, "rb") as f:
            f.seek(max(0, os.path.getsize(metrics) - 4096))
            lines = f.read().split(b"\n")[:-1]
        cpu = (int(used[11]) + int(used[12])) / os.sysconf("SC_CLK_TCK")
        memory = next(int(line.split()[1]) for line in status.splitlines() if line.startswith("RssAnon:"))
        return [round(time.monotonic() - begun, 1), cpu, json.loads(lines[-1])["iteration"], memory / 1000]
    except (FileNotFoundError, ProcessLookupError, IndexError, StopIteration):
        return None


def steps(samples):
    """The samples at which there were new iterations: metrics.jsonl has a line now and then."""
    return [s for i, s in enumerate(samples) if i == 0 or s[2] != samples[i - 1][2]]


def speed(samples):
    return (samples[-1][2] - samples[0][2]) / max(samples[-1][1] - samples[0][1], 1e-9)


def polyline(points, left, top, width, height, most_x, most_y):
    return " ".join(f"{left + width * x / most_x:.1f},{top + height * (1 - y / most_y):.1f}" for x, y in points)


def draw(path, job, samples):
    """Two charts, one above the other: memory, and speed over stretches of a thirtieth of the run."""
    moved = steps(samples)
    step = max(1, len(moved) // 30)
    parts = [moved[i:i + step + 1] for i in range(0, len(moved) - step, step)]
    charts = [("memory, MB", [(s[0], s[3]) for s in samples]), ("iterations per CPU second", [(p[-1][0], speed(p)) for p in parts])]
    left, width, height, longest = 60, 560, 120, samples[-1][0]
    out = ['<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 640 360" font-family="sans-serif" font-size="12">',
           f'<rect width="640" height="360" fill="white"/><text x="{left}" y="16">{job}: {longest / 60:.0f} minutes, '
           f'{samples[-1][1] / 60:.0f} of them CPU, {samples[-1][2]:,} iterations</text>']
    for i, (title, points) in enumerate(charts):
        top, most = 46 + 160 * i, 1.2 * max(y for _, y in points)
        out.append(f'<text x="{left}" y="{top - 6}">{title}</text>')
        for y in (0, most / 2, most):
            at = top + height * (1 - y / most)
            out.append(f'<line x1="{left}" x2="{left + width}" y1="{at}" y2="{at}" stroke="#ddd"/>'
                       f'<text x="{left - 6}" y="{at + 4}" text-anchor="end">{y:.3g}</text>')
        out.append(f'<polyline fill="none" stroke="#1f6feb" stroke-width="1.5" points="{polyline(points, left, top, width, height, longest, most)}"/>')
    out.append(f'<text x="{left + width}" y="{46 + 160 + height + 18}" text-anchor="end">minutes: 0 to {longest / 60:.0f}</text></svg>')
    path.write_text("\n".join(out) + "\n")


def run(job, minutes, folder):
    """Samples of a run that is ended by SIGTERM; its exit code."""
    out, begun, samples = folder / job, time.monotonic(), []
    program = os.environ.get("SUSTAIN", HERE.parent / "build/release/sustain")
    child = subprocess.Popen([program, *JOBS[job].split(), "--threads", "1", "--quiet", "--out", out], cwd=folder, stdout=subprocess.DEVNULL)
    with open(folder / f"{job}.csv", "w", newline="") as f:
        table = csv.writer(f)
        table.writerow(COLUMNS)
        while time.monotonic() - begun < 60 * minutes and child.poll() is None:
            time.sleep(EVERY)
            line = sample(child.pid, out / "metrics.jsonl", begun)
            if line is not None:
                samples.append(line)
                table.writerow(line)
                f.flush()
    child.send_signal(signal.SIGTERM)  # SIGINT may be ignored, as in background jobs
    return samples, child.wait()


def main():
    job, minutes = sys.argv[1], float(sys.argv[2])
    folder = pathlib.Path(sys.argv[3] if len(sys.argv) > 3 else tempfile.mkdtemp(prefix="sustain-endurance-"))
    if job == "clean" and not (folder / "rows.npy").exists():
        python = subprocess.run([HERE.parent / "tools/python.sh"], stdout=subprocess.PIPE, text=True, check=True).stdout.strip()  # with NumPy
        subprocess.run([python, HERE / "scale_rows.py", folder, "5000000", "32"], check=True)
    samples, code = run(job, minutes, folder)
    draw(folder / f"{job}.svg", job, samples)
    settled, moved = samples[len(samples) // 10:], steps(samples)
    quarter = len(moved) // 4
    memory, early, late = [s[3] for s in settled], speed(moved[quarter:2 * quarter + 1]), speed(moved[-quarter - 1:])
    grown = max(memory[len(memory) // 2:]) - max(memory[:len(memory) // 2])
    print(f"{job}: {samples[-1][0] / 60:.1f} minutes, {samples[-1][1] / 60:.1f} of them CPU, {samples[-1][2]} iterations; memory {min(memory):.1f} to "
          f"{max(memory):.1f} MB, second half {grown:+.1f} MB; {early:.2f} and {late:.2f} iterations per CPU second in the second and the last "
          f"quarter; exit code {code}; {folder}")
    return not (code == 130 and grown <= max(0.02 * max(memory), 2) and late >= 0.9 * early)


if __name__ == "__main__":
    sys.exit(main())
