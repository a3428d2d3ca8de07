#!/usr/bin/env python3
"""scale_model.py [--rows N] [--ranks P] [--check] - what `sustain clean` costs on many rows.

A model of flops, bytes and messages of the whole job, with constants measured on one machine (two
cores; docs/scale.md has the runs). Without arguments it prints the tables of docs/scale.md; --check
compares it with runs whose times are below.

    rows n, columns d, classes c, bytes a number b, sample F, ranks P, threads k a rank

    iterations    5 passes over the rows (20 up to 50,000 of them): three products of d c and one of
                  the trusted rows, 8 d c flops a row. Draws of less than 2e6 numbers of y are not
                  divided
    fits          on min(n, F) rows: about 100 products of d c a row, folds included
    judging       one pass: 4 + folds models of d c
    serial        checks, calibration, order: every rank, all rows
    writing       about 130 bytes a row of text by one rank
    exchange      all ranks together, an iteration that is divided: 8 sums of two y in double, and two
                  numbers for each row of the draw, by which every rank updates x; besides fits
                  and predictions of the sample; 12 bytes of a row that is judged. Every rank sends
                  its part and receives the others
"""
import argparse

# CPU seconds of one core, fitted to the runs below that are marked so: 100,000 and 1,000,000 rows.
ITERATION_FLOPS = 15.9e9  # a multiply-add counts two
FIT_FLOPS = 5.2e9         # of FIT_PASSES products; predictions and verdict of the sample are in it
JUDGE_FLOPS = 22e9        # all models see a block of rows at once
SERIAL_ROW = 0.9e-6
WRITE_ROW = 1.9e-6
FIT_PASSES = 100
EXCHANGED = 1.9e-9        # a byte sent or received: copies and waiting
FIT_BYTES = 23_000        # exchanged in fits, times d c ...
FIT_ROW_BYTES = 310       # ... and times c for each row
START = 0.15              # of MPI
LEAST_DIVIDED = 2e6
LATENCY = 20e-6           # a message between ranks on one host; 50e-6 between hosts is usual
NETWORK = 1.25e9          # bytes a second between hosts: 10 Gbit/s

# Rows, ranks, CPU seconds a rank (one thread each), whether the constants were fitted to it, --iterations: 256 bytes a row, 10 classes.
MEASURED = [
    (10_000, 1, 1.73, False, None),
    (10_000, 2, 1.4, False, None),
    (10_000, 4, 1.19, False, None),
    (100_000, 1, 11.47, True, None),
    (100_000, 2, 7.14, True, None),
    (400_000, 1, 31.05, False, None),
    (400_000, 2, 18.71, False, None),
    (400_000, 4, 10.55, False, None),
    (1_000_000, 1, 37.29, True, None),
    (1_000_000, 2, 22.49, True, None),
    (4_000_000, 1, 74.09, False, None),
    (20_000_000, 1, 118.89, False, 100),
]


def iterations(n):
    """Rows of a draw and number of draws: clean_solver.c."""
    passes = 20 if n <= 50_000 else max(5, 20 * 50_000 // n)
    batch = max(512, passes * n // (20 * 50_000) * 512)
    return batch, max(1000, passes * n // batch)


def cost(n, d=256, c=10, wide=1, sample=1 << 18, folds=5, ranks=1, threads=1, latency=0.0, network=None, limit=None):
    """Seconds by part, bytes a rank, bytes that all ranks exchange. CPU seconds of a rank on average; with a network wall time of rank 0."""
    batch, steps = iterations(n)
    steps = limit or steps
    size = (d + 1) * c
    cores = ranks * threads
    fitted = min(n, sample)
    divided = batch * size >= LEAST_DIVIDED
    writers = 1 if network else ranks
    part = {
        "iterations": steps * batch * 8 * d * c / ITERATION_FLOPS / (cores if divided else 1),
        "fits": FIT_PASSES * fitted * 2 * d * c / FIT_FLOPS / cores,
        "judging": n * (4 + folds) * 2 * d * c / JUDGE_FLOPS / cores,
        "serial": n * SERIAL_ROW,
        "writing": n * WRITE_ROW / writers,
        "messages": 0.0,
    }
    exchanged = 0.0
    if ranks > 1:
        exchanged = ((128 * size + 8 * batch) * steps if divided else 0) + FIT_BYTES * d * c + FIT_ROW_BYTES * c * fitted + 12 * n
        part["messages"] = START + EXCHANGED * exchanged + 2 * steps * latency * (ranks - 1).bit_length()
        if network:
            part["messages"] += exchanged / network
    memory = n * 24 + fitted * (d * wide + 25 * c)
    return part, memory, exchanged


def total(part):
    return sum(part.values())


def time_text(seconds):
    return f"{seconds:.0f} s" if seconds < 600 else f"{seconds / 60:.0f} min" if seconds < 36000 else f"{seconds / 3600:.1f} h"


NAMES = ("iterations", "fits", "judging", "serial", "writing", "messages")


def row(n, ranks, **more):
    part, memory, sent = cost(n, ranks=ranks, **more)
    return f"| {n:,} | {ranks} | " + " | ".join(time_text(part[k]) for k in NAMES) + f" | {time_text(total(part))} | {memory / 1e9:.2f} GB | {sent / 1e9:.1f} GB |"


def check():
    print("| rows | processes | CPU seconds a process | model | off | |\n|---|---|---|---|---|---|")
    worst = 0.0
    for n, ranks, seconds, fitted, limit in MEASURED:
        model = total(cost(n, ranks=ranks, limit=limit)[0])
        off = 100 * (model / seconds - 1)
        worst = worst if fitted else max(worst, abs(off))
        print(f"| {n:,} | {ranks} | {seconds:.1f} | {model:.1f} | {off:+.0f} % | {'fitted' if fitted else f'{limit} iterations' if limit else ''} |")
    print(f"\nworst of the runs that nothing was fitted to: {worst:.0f} %")


def tables():
    head = "| rows | ranks | " + " | ".join(NAMES) + " | all | memory a rank | exchanged |\n" + "|---" * 11 + "|"
    print("CPU seconds of a rank, one thread each, 256 bytes a row, 10 classes:\n")
    print(head)
    for n in (10_000, 100_000, 400_000, 2_000_000, 20_000_000):
        for ranks in (1, 2, 4):
            print(row(n, ranks))
    print("\n10^9 rows on 1,000 nodes of 16 threads, 10 Gbit/s, as the program is now, wall time:\n")
    print(head)
    print(row(1_000_000_000, 1000, threads=16, latency=50e-6, network=NETWORK))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rows", type=int, help="rows; without it the tables of docs/scale.md")
    parser.add_argument("--columns", type=int, default=256)
    parser.add_argument("--classes", type=int, default=10)
    parser.add_argument("--bytes", type=int, default=1, help="bytes of a number: 1, 2 or 4")
    parser.add_argument("--ranks", type=int, default=1)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--check", action="store_true", help="compare the model with measured runs")
    given = parser.parse_args()
    if given.check:
        check()
        return
    if given.rows is None:
        tables()
        return
    part, memory, sent = cost(given.rows, given.columns, given.classes, given.bytes, ranks=given.ranks, threads=given.threads)
    for name, seconds in part.items():
        print(f"{name:12} {seconds:12.2f} s")
    print(f"{'all':12} {total(part):12.2f} s\nmemory a rank {memory / 1e9:8.2f} GB\nexchanged     {sent / 1e9:8.2f} GB")


if __name__ == "__main__":
    main()
