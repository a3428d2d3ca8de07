"""blobs.py - small data sets for the tests, the same on every machine: three classes around three corners, columns of very different scale, one label
in six of the training rows wrong. Writes into the current folder

    data.csv, trusted.csv, test.csv        a header, text labels (one of them looks like HTML)
    marked.csv, test_marked.csv            the same with a column that marks some rows as trusted
    x.npy y.npy tx.npy ty.npy              the same rows as floats, labels as numbers
    data.libsvm, trusted.libsvm            the same rows, sparse
    pictures.idx labels.idx                4 x 5 bytes, two classes

and, called with the word "truth",

    truth.csv                              true and given label of each row of data.csv
    far.csv, far_trusted.csv, far_truth.csv    classes so far apart that no row lies between them
"""
import random
import struct
import sys

NAMES = ["cat", "sea lion", "<script>alert(1)</script>"]
SCALES = (1, 10, 100)


def rows(source, count, apart=3):
    labels = [source.randrange(3) for _ in range(count)]
    return [[(apart * (j == k) + source.gauss(0, 1)) * SCALES[j] for j in range(3)] for k in labels], labels


def npy(name, descr, shape, data):
    header = "{'descr': '%s', 'fortran_order': False, 'shape': %s, }" % (descr, shape)
    header += " " * (-(len(header) + 11) % 64) + "\n"
    with open(name, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + data)


def floats(name, table):
    npy(name, "<f4", "(%d, 3)" % len(table), b"".join(struct.pack("<3f", *row) for row in table))


def integers(name, labels):
    npy(name, "<i8", "(%d,)" % len(labels), struct.pack("<%dq" % len(labels), *labels))


def csv(name, table, labels, marks=None):
    with open(name, "w") as file:
        file.write("a,b,c,kind" + (",checked" if marks else "") + "\n")
        for i, row in enumerate(table):
            file.write(",".join("%.6g" % value for value in row) + "," + NAMES[labels[i]] + (",%d" % marks[i] if marks else "") + "\n")


def truths(name, true, given):
    with open(name, "w") as file:
        file.write("true,given\n" + "".join("%s,%s\n" % (NAMES[a], NAMES[b]) for a, b in zip(true, given)))


def libsvm(name, table, labels):
    with open(name, "w") as file:
        for row, label in zip(table, labels):
            file.write("%d " % label + " ".join("%d:%.6g" % (j + 1, value) for j, value in enumerate(row) if abs(value) > SCALES[j]) + "\n")


def pictures(source, count):
    labels = [source.randrange(2) for _ in range(count)]
    pixels = bytes(min(255, max(0, int(source.gauss(60 + 120 * ((i % 5 < 2) == label), 30)))) for label in labels for i in range(20))
    with open("pictures.idx", "wb") as file:
        file.write(struct.pack(">BBBBIII", 0, 0, 8, 3, count, 4, 5) + pixels)
    with open("labels.idx", "wb") as file:
        file.write(struct.pack(">BBBBI", 0, 0, 8, 1, count) + bytes(labels))


if __name__ == "__main__":
    source = random.Random(7)
    table, truth = rows(source, 240)
    trusted, trusted_labels = rows(source, 60)
    test, test_labels = rows(source, 90)
    given = [(label + 1) % 3 if source.random() < 1 / 6 else label for label in truth]
    marks = [int(given[i] == truth[i] and i % 4 == 0) for i in range(240)]
    csv("data.csv", table, given)
    csv("marked.csv", table, given, marks)
    csv("trusted.csv", trusted, trusted_labels)
    csv("test.csv", test, test_labels)
    csv("test_marked.csv", test, test_labels, [0] * 90)
    floats("x.npy", table)
    floats("tx.npy", trusted)
    integers("y.npy", given)
    integers("ty.npy", trusted_labels)
    libsvm("data.libsvm", table, given)
    libsvm("trusted.libsvm", trusted, trusted_labels)
    pictures(source, 300)
    if sys.argv[1:] != ["truth"]:
        sys.exit()
    truths("truth.csv", truth, given)
    source = random.Random(8)
    table, truth = rows(source, 240, 12)
    trusted, trusted_labels = rows(source, 60, 12)
    given = [(label + 1) % 3 if source.random() < 1 / 6 else label for label in truth]
    csv("far.csv", table, given)
    csv("far_trusted.csv", trusted, trusted_labels)
    truths("far_truth.csv", truth, given)
