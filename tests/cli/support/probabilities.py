"""probabilities.py - labels of 600 rows, one in five wrong, and what a model says of them: given.npy, true.npy, p.npy (float64), half.npy (float16), logits.npy, p.csv and named.csv (with
the words as names, in another order), p.npz, features.npy, checked.csv and checked.npy (150 verified rows), names.csv and names_checked.csv (the same with words, not in alphabetical order)."""
import math
import random
import struct
import zipfile

from blobs import integers, npy

WORDS = ["zebra", "apple", "mouse"]


def array(name, descr, letter, table):
    npy(name, descr, "(%d, %d)" % (len(table), len(table[0])), b"".join(struct.pack("<%d%s" % (len(row), letter), *row) for row in table))


source = random.Random(11)
truth = [source.randrange(3) for _ in range(600)]
given = [(k + 1 + source.randrange(2)) % 3 if source.random() < 0.2 else k for k in truth]
scores = [[2.5 * (j == k) + source.gauss(0, 1) for j in range(3)] for k in truth]
table = []
for row in scores:
    total = sum(math.exp(s) for s in row)
    table.append([math.exp(s) / total for s in row])
rows = sorted(source.sample(range(600), 150))
integers("given.npy", given)
integers("true.npy", truth)
array("p.npy", "<f8", "d", table)
array("half.npy", "<f2", "e", table)
array("logits.npy", "<f4", "f", scores)
array("features.npy", "<f4", "f", scores)
integers("checked.npy", [truth[i] if i in set(rows) else -1 for i in range(600)])
open("checked.csv", "w").write("row,label\n" + "".join("%d,%d\n" % (i, truth[i]) for i in rows))
open("names.csv", "w").write("kind\n" + "".join(WORDS[k] + "\n" for k in given))
open("names_checked.csv", "w").write("row,label\n" + "".join("%d,%s\n" % (i, WORDS[truth[i]]) for i in rows))
open("p.csv", "w").write("".join("%r,%r,%r\n" % tuple(row) for row in table))
open("named.csv", "w").write(",mouse,zebra,apple\n" + "".join("%d,%r,%r,%r\n" % (i, row[2], row[0], row[1]) for i, row in enumerate(table)))
with zipfile.ZipFile("p.npz", "w", zipfile.ZIP_DEFLATED) as pack:
    pack.write("p.npy", "probabilities.npy")
    pack.write("given.npy", "rows.npy")
