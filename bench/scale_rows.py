#!/usr/bin/env python3
"""scale_rows.py FOLDER COUNT [BYTES] - rows of 256 bytes in 10 classes, 20 % of the labels wrong, and 1,000 trusted rows, as NPY files."""
import sys

import numpy as np

folder, count, width = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]) if len(sys.argv) > 3 else 256
rng = np.random.default_rng(100)
centers = rng.normal(size=(10, width)) * 10 + 128


def write(name, rows, wrong):
    values = np.lib.format.open_memmap(f"{folder}/{name}.npy", "w+", np.uint8, (rows, width))
    truth = np.empty(rows, np.int32)
    for begin in range(0, rows, 100_000):
        some = slice(begin, min(begin + 100_000, rows))
        truth[some] = rng.integers(0, 10, some.stop - begin)
        noise = rng.standard_normal((some.stop - begin, width), dtype=np.float32) * 60
        values[some] = np.clip(centers[truth[some]].astype(np.float32) + noise, 0, 255)
    labels = np.where(rng.random(rows) < wrong, (truth + rng.integers(1, 10, rows)) % 10, truth).astype(np.int32)
    return truth, labels


truth, labels = write("rows", count, 0.2)
np.save(f"{folder}/labels.npy", labels)
np.save(f"{folder}/truth.npy", truth)
_, labels = write("trusted", 1000, 0)
np.save(f"{folder}/trusted-labels.npy", labels)
