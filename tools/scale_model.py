#!/usr/bin/env python3
"""scale_model.py [--rows N] [--ranks P] [--table] - what `sustain clean` costs on many rows.

A model of flops, bytes and messages of the whole job, with constants measured on one machine (two
cores; docs/scale.md has the runs). Without arguments it prints the tables of docs/scale.md.

    rows n, columns d, classes c, bytes a number b, sample F, ranks P, threads k a rank

    iterations    5 passes over the rows (20 up to 50,000 of them): three products of d c and one of
                  the trusted rows, 8 d c flops a row; a rank reads its share of a draw
    exchange      an iteration sends gradient, Hessian product and x's part: 8 d c + 4 n_batch bytes
    fits          on min(n, F) rows: about 100 products of d c a row, folds included
    judging       one pass: 4 + folds models of d c
    reading       six passes over the bytes (hash, checks, scale): memory or disk
    writing       about 130 bytes a row of text by one rank
"""
import argparse

# Measured: docs/scale.md. CPU seconds of one core.
FLOPS = 9.5e9        # iterations and fits on bytes, one core; a multiply-add counts two
JUDGE = 22e9         # the same where all models see a block of rows at once
READ = 2.5e9         # bytes a second of a pass over rows in the page cache
WRITE_ROW = 4.3e-6   # seconds to rank a row and to write its lines, five files
FIT_PASSES = 100     # of all fits over the sample, in products of d c
READ_PASSES = 6
LATENCY = 20e-6      # a message between ranks on one host; 50e-6 between hosts is usual
NETWORK = 1.25e9     # bytes a second between hosts: 10 Gbit/s


def iterations(n):
    passes = 20 if n <= 50_000 else max(5, 20 * 50_000 // n)
    batch = max(512, passes * n // (20 * 50_000) * 512)
    return passes, batch, max(1000, passes * n // batch)


def cost(n, d=256, c=10, wide=1, sample=1 << 18, folds=5, ranks=1, threads=1, latency=LATENCY, network=NETWORK):
    """Seconds by part, bytes a rank, messages."""
    passes, batch, steps = iterations(n)
    cores = ranks * threads
    fitted = min(n, sample)
    part = {
        "reading": READ_PASSES * n * d * wide / READ,  # every rank checks all rows
        "iterations": steps * batch * 8 * d * c / FLOPS / cores,
        "fits": FIT_PASSES * fitted * 2 * d * c / FLOPS / cores,
        "judging": n * (4 + folds) * 2 * d * c / JUDGE / cores,
        "writing": n * WRITE_ROW,
    }
    sent = steps * (8 * d * c + 4 * batch) + n * 12
    part["messages"] = 0 if ranks == 1 else steps * 2 * latency * max(1, ranks - 1).bit_length() + sent / network
    memory = n * 56 + fitted * (d * wide + 25 * c)
    return part, memory, sent


def total(part):
    return sum(part.values())


def time_text(seconds):
    return f"{seconds:.0f} s" if seconds < 600 else f"{seconds / 60:.0f} min" if seconds < 36000 else f"{seconds / 3600:.1f} h"


def row(n, ranks, **more):
    part, memory, sent = cost(n, ranks=ranks, **more)
    names = ("reading", "iterations", "fits", "judging", "writing", "messages")
    return f"| {n:,} | {ranks} | " + " | ".join(time_text(part[k]) for k in names) + f" | {time_text(total(part))} | {memory / 1e9:.2f} GB | {sent / 1e9:.1f} GB |"


def tables():
    head = "| rows | ranks | reading | iterations | fits | judging | writing | messages | all | memory a rank | sent a rank |\n" + "|---|" * 1 + "---|" * 10
    print("Seconds of wall time on free cores, one thread a rank, 256 bytes a row, 10 classes:\n")
    print(head)
    for n in (10_000, 100_000, 400_000, 2_000_000, 20_000_000):
        for ranks in (1, 2, 4):
            print(row(n, ranks))
    print("\n10^9 rows on 1,000 nodes of 16 threads, 10 Gbit/s, as the program is now:\n")
    print(head)
    print(row(1_000_000_000, 1000, threads=16, latency=50e-6))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rows", type=int, help="rows; without it the tables of docs/scale.md")
    parser.add_argument("--columns", type=int, default=256)
    parser.add_argument("--classes", type=int, default=10)
    parser.add_argument("--bytes", type=int, default=1, help="bytes of a number: 1 or 4")
    parser.add_argument("--ranks", type=int, default=1)
    parser.add_argument("--threads", type=int, default=1)
    given = parser.parse_args()
    if given.rows is None:
        tables()
        return
    part, memory, sent = cost(given.rows, given.columns, given.classes, given.bytes, ranks=given.ranks, threads=given.threads)
    for name, seconds in part.items():
        print(f"{name:12} {seconds:12.2f} s")
    print(f"{'all':12} {total(part):12.2f} s\nmemory a rank {memory / 1e9:8.2f} GB\nsent a rank   {sent / 1e9:8.2f} GB")


if __name__ == "__main__":
    main()
