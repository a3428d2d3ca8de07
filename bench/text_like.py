#!/usr/bin/env python3
"""A text-like problem for `sustain tune`: 10^6 features or FEATURES, about 100 non-zeros a row, words by Zipf's law, one in twenty matters.
usage: text_like.py FOLDER [FEATURES]   writes train.libsvm (20,000 rows) and test.libsvm (10,000); needs NumPy. Then:
       sustain tune --features FOLDER/train.libsvm --test FOLDER/test.libsvm --out run"""
import sys
import numpy as np

rng = np.random.default_rng(100)
FEATURES, WORDS = int(sys.argv[2]) if len(sys.argv) > 2 else 10**6, 100
share = np.cumsum(1 / (np.arange(1, FEATURES + 1) + 20.0))
share /= share[-1]
matters = rng.normal(size=FEATURES) * (rng.uniform(size=FEATURES) < 0.05)
place = rng.permutation(FEATURES)
for name, count in (("train", 20000), ("test", 10000)):
    with open(f"{sys.argv[1]}/{name}.libsvm", "w") as out:
        for _ in range(count):
            word = np.minimum(np.unique(np.searchsorted(share, rng.uniform(size=WORDS))), FEATURES - 1)
            value = 1 / np.sqrt(len(word))
            score = 8 * value * matters[word].sum()
            label = 1 if rng.uniform() < 1 / (1 + np.exp(-score)) else -1
            out.write(f"{label} " + " ".join(f"{j}:{value:.4f}" for j in np.sort(place[word]) + 1) + "\n")
