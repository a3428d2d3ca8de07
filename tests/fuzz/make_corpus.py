#!/usr/bin/env python3
"""Writes the saved inputs of the fuzz targets into tests/fuzz/corpus: small files, good and bad, each with a telling name."""
import bz2
import gzip
import io
import json
import pathlib
import re
import struct
import sys
import zipfile

CORPUS = pathlib.Path(__file__).parent / "corpus"
sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "support"))
from picture_files import chunk, jpeg, png, segment  # noqa: E402


def save(target, name, content):
    folder = CORPUS / target
    folder.mkdir(parents=True, exist_ok=True)
    assert len(content) < 4096
    (folder / name).write_bytes(content)


def container(header, data=b""):
    text = header if isinstance(header, bytes) else json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    return struct.pack("<Q", len(text)) + text + data


def tensor(dtype, shape, begin, end):
    return {"dtype": dtype, "shape": shape, "data_offsets": [begin, end]}


def safetensors():
    good = {"__metadata__": {"format": "sustain solver 1", "batch": "1"}, "a": tensor("F32", [3], 0, 12),
            "b.c": tensor("F64", [2, 1], 12, 28), "n": tensor("I64", [1], 28, 36), "u": tensor("U32", [], 36, 40)}
    whole = container(good, bytes(range(40)))
    files = {
        "good": whole,
        "sizes": container({"i": tensor("I32", [1], 0, 4), "h": tensor("F16", [1], 4, 6), "b": tensor("U8", [1], 6, 7), "o": tensor("BOOL", [1], 7, 8)}, bytes(8)),
        "empty_header": container({}),
        "truncated_length": whole[:5],
        "truncated_header": whole[:40],
        "truncated_data": whole[:-1],
        "header_longer_than_file": b"\xff" * 8 + b"{}",
        "bad_json": container(b'{"a":{"dtype":"F32","shape":[1],'),
        "not_an_object": container(b"[1,2,3]"),
        "deep": container(b"[" * 3000),
        "bad_offsets": container({"a": tensor("F32", [1], 8, 4)}, bytes(8)),
        "negative_offsets": container({"a": tensor("F32", [1], -4, 0)}, bytes(8)),
        "huge_shape": container({"a": tensor("F64", [2**62, 4], 0, 0)}),
        "huge_side": container({"a": tensor("F64", [2**63 - 1], 0, 8)}, bytes(8)),
        "duplicate": container(b'{"a":{"dtype":"U32","shape":[0],"data_offsets":[0,0]},"a":1}'),
        "escapes": container(b'{"__metadata__":{"k\\u00e9":"\\ud83d\\ude00\\n\\/\xc3\xa9"},"\\u0061":{"dtype":"U32","shape":[0],"data_offsets":[0,0]}}'),
        "zero_in_name": container(b'{"a\\u0000b":{"dtype":"U32","shape":[0],"data_offsets":[0,0]}}'),
    }
    for name, content in files.items():
        save("fuzz_safetensors", name, content)


def parameter():
    lines = {
        "integer": "batch=16", "number": "alpha=1e-3", "choice": "schedule=theory", "nan": "beta=nan", "infinite": "w=inf",
        "hexadecimal": "alpha=0x1p-3", "fraction": "batch=2.5", "overflow": "seed=1e400", "tiny": "epsilon=4.9406564584124654e-324",
        "digits": "p=0.33333333333333331", "misspelt": "bacth=4", "no_text": "batch", "empty_name": "=3", "constant": "mu_g=0.5",
        "long_name": "a" * 400 + "=1",
    }
    for name, line in lines.items():
        save("fuzz_parameter", name, line.encode())


# An input of input_file.h: a file, or changes to the good file of a run.
def whole(content, run=0):
    return bytes([0, run]) + content


def changes(*pairs, run=0):
    return bytes([1, run]) + b"".join(struct.pack("<I", at)[:3] + bytes([value]) for at, value in pairs)


def damaged(begin, run=0):
    return {"good": changes(run=run), "empty": whole(b"", run), "garbage": whole(bytes(range(256)), run), "length_damaged": changes((0, 0xff), (1, 0xff), run=run),
            "header_damaged": changes((8, 0x5b), run=run), "numbers_damaged": changes(*[(begin + 7 * i, 0x7f + i) for i in range(60)], run=run)}


def checkpoint():
    meta = {"__metadata__": {"format": "sustain solver 1", "solver": "sustain", "problem": "quadratic", "upper_dim": "2", "lower_dim": "2"}}
    source = (CORPUS.parent.parent.parent / "src" / "solvers" / "solver_internal.h").read_text()
    special = ["dense", "lazy", "lazy_option_2", "adam"]
    files = {**damaged(4000), "no_parameters": whole(container(meta)), "last_byte": changes((0xffffff, 0x80))}
    files["bsa_far"] = bytes.fromhex("75fffdffff110ef807010a")  # found by libFuzzer, as the two below
    for run, name in enumerate(special):
        files[name] = changes(run=run)
        files["numbers_damaged_" + name] = damaged(4000, run)["numbers_damaged"]
    for i, name in enumerate(re.findall(r"\brow\((\w+)\)", source)):
        for sparse in range(2):
            files[name + "_sparse" * sparse] = changes(run=len(special) + 2 * i + sparse)
    for name, content in files.items():
        save("fuzz_checkpoint", name, content)


def trainer():
    methods = ["anil", "maml", "itd_bio", "sustain", "pretrain", "prototype", "solver"]
    files = {**damaged(3000, 3), **{name: changes(run=run) for run, name in enumerate(methods)}}
    files["solver_refused"] = bytes.fromhex("017df7fffffcf7ff5b0308195b")
    for name, content in files.items():
        save("fuzz_trainer", name, content)


def clean_models():
    files = {**damaged(500), "trusted": changes(run=1), "numbers_damaged_trusted": damaged(500, 1)["numbers_damaged"]}
    files["number_large"] = bytes.fromhex("6474ffffffffffffffff7970e50000000d6104000000e500")
    for name, content in files.items():
        save("fuzz_clean_models", name, content)


def options():
    lines = {
        "clean": "clean --features a.csv --label-column kind --noise 0.2 --seed 3 --out run/", "set": "tune --set alpha=1 --set =2",
        "parts": "meta train --images photos --tasks 8", "part_missing": "meta", "unknown_part": "meta eat", "unknown": "clena", "near": "clean --fetures a",
        "equals": "clean --features=a.csv --seed=-1", "switch_value": "clean --json=1", "no_value": "clean --features", "not_a_number": "clean --noise nan",
        "too_large": "clean --seed 99999999999999999999", "dash": "clean -- --features", "letter": "clean -o run", "help": "tune --help", "words": "report a b c d",
        "empty_word": "report ", "parameter": "plan --mu-g 1 --L_g 1e308", "borrowed": "compare clean --noise 0.3 --runs 2", "zeros": "\0\0",
    }
    for name, line in lines.items():
        save("fuzz_options", name, line.replace(" ", "\0").encode() + b"\0")


def idx(code, shape, data):
    return struct.pack(">BBBB", 0, 0, code, len(shape)) + b"".join(struct.pack(">I", n) for n in shape) + data


def npy(descr, shape, data, fortran=False, version=1):
    header = "{'descr': %s, 'fortran_order': %s, 'shape': %s, }" % (descr if descr[0] == "[" else repr(descr), fortran, shape)
    width = 2 if version == 1 else 4
    header += " " * (-(len(header) + 7 + width + 2) % 64) + "\n"
    return b"\x93NUMPY" + bytes([version, 0]) + struct.pack("<H" if width == 2 else "<I", len(header)) + header.encode() + data


def npz(members, method=zipfile.ZIP_DEFLATED):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", method) as archive:
        for name, content in members.items():
            archive.writestr(zipfile.ZipInfo(name + ".npy", (2020, 1, 1, 0, 0, 0)), content, method)
    return file.getvalue()


def idx_files():
    return {
        "pictures": idx(8, (2, 2, 2), bytes(range(8))),
        "labels": idx(8, (4,), bytes([0, 1, 1, 9])),
        "floats": idx(13, (1, 2), struct.pack(">ff", 1, -2)),
        "doubles": idx(14, (1, 2), struct.pack(">dd", 1, -2)),
        "nan": idx(13, (1, 2), struct.pack(">ff", 1, float("nan"))),
        "shorts": idx(11, (2, 1), struct.pack(">hh", 1, -2)),
        "integers": idx(12, (2,), struct.pack(">ii", 100000, -2)),
        "four_axes": idx(9, (1, 2, 2, 1), bytes(4)),
        "truncated": idx(8, (4,), bytes(3)),
        "too_long": idx(8, (4,), bytes(5)),
        "huge": idx(8, (2**32 - 1,) * 4, b""),
        "no_rows": idx(8, (0, 5), b""),
        "no_columns": idx(8, (5, 0), b""),
        "five_axes": idx(8, (1,) * 5, bytes(1)),
        "zero_axis": idx(9, (0, 2**24, 2**32 - 9, 2**32 - 9), b""),
        "no_type": idx(7, (1,), bytes(1)),
        "header_cut": idx(8, (2, 2), b"")[:10],
    }


def npy_files():
    floats = struct.pack("<6f", *range(6))
    return {
        "floats": npy("<f4", "(3, 2)", floats),
        "column_order": npy("<f4", "(3, 2)", floats, fortran=True),
        "column_order_4": npy("|u1", "(2, 2, 2, 1)", bytes(range(8)), fortran=True),
        "doubles": npy("<f8", "(1, 2)", struct.pack("<2d", 1, 1e300)),
        "halves": npy("<f2", "(1, 2)", struct.pack("<2e", 1.5, -2**-20)),
        "big_endian": npy(">f4", "(1, 2)", struct.pack(">2f", 1, 2)),
        "bytes_planar": npy("|u1", "(1, 3, 2, 2)", bytes(12)),
        "bytes_interleaved": npy("|u1", "(1, 2, 2, 3)", bytes(12)),
        "booleans": npy("|b1", "(2, 2)", bytes([0, 1, 1, 0])),
        "version_2": npy("<i8", "(2,)", struct.pack("<2q", 7, -2**62), version=2),
        "unsigned": npy("<u2", "(2,)", struct.pack("<2H", 7, 65535)),
        "text": npy("<U3", "(2,)", "cat\0".encode("utf-32-le")[:12] + "d\u00f6\U0001f600".encode("utf-32-le")),
        "text_bytes": npy("|S2", "(3,)", b"ab" b"c\0" b"ab"),
        "not_unicode": npy("<U1", "(1,)", b"\xff\xff\xff\xff"),
        "empty_text": npy("<U1", "(1,)", bytes(4)),
        "one_column": npy("<i4", "(2, 1)", struct.pack("<2i", 5, 6)),
        "nan": npy("<f4", "(1, 2)", struct.pack("<2f", 1, float("nan"))),
        "objects": npy("|O", "(1,)", b"\x80\x04."),
        "fields": npy("[('a', '<f4'), ('b', '<i4')]", "(1,)", bytes(8)),
        "trillion_rows": npy("|u1", "(1000000000000, 784)", bytes(784)),
        "overflow": npy("<f8", "(4611686018427387904, 4)", b""),
        "overflow_text": npy("<f8", "(99999999999999999999, 4)", b""),
        "no_rows": npy("<f4", "(0, 2)", b""),
        "no_axes": npy("<f4", "()", bytes(4)),
        "nine_axes": npy("<f4", "(1,1,1,1,1,1,1,1,1)", bytes(4)),
        "truncated": npy("<f4", "(3, 2)", floats)[:-1],
        "header_cut": npy("<f4", "(3, 2)", floats)[:40],
        "no_dictionary": npy("<f4", "(3, 2)", floats).replace(b"{", b"["),
        "no_shape": npy("<f4", "(3, 2)", floats).replace(b"shape", b"shame"),
        "unknown_version": npy("<f4", "(3, 2)", floats).replace(b"NUMPY\x01", b"NUMPY\x09"),
        "only_magic": b"\x93NUMPY",
        "not_npy": b"hello, world",
    }


def npz_files():
    x, y = npy("<f4", "(2, 2)", struct.pack("<4f", 1, 2, 3, 4)), npy("<i8", "(2,)", struct.pack("<2q", 0, 1))
    both, stored = npz({"x": x, "y": y}), npz({"x": x, "y": y}, zipfile.ZIP_STORED)
    directory = both.rindex(b"PK\1\2")
    numbers = lambda kind, code, values: npy(kind, "(%d,)" % len(values), struct.pack("<%d%s" % (len(values), code), *values))
    sparse = {"format": npy("|S3", "()", b"csr"), "shape": numbers("<i8", "q", [2, 3]), "data": numbers("<f8", "d", [1, 2, 0]),
              "indices": numbers("<i4", "i", [2, 0, 1]), "indptr": numbers("<i4", "i", [0, 1, 3])}
    other = lambda **arrays: npz({**sparse, **arrays})
    strange = bytearray(npz(sparse))  # a method that is not known, and a size beyond the file
    struct.pack_into("<H", strange, strange.index(b"PK\1\2") + 10, 12)
    struct.pack_into("<L", strange, strange.index(b"PK\1\2") + 24, 1 << 30)
    return {
        "sparse": npz(sparse), "sparse_method": bytes(strange), "sparse_columns": other(format=npy("|S3", "()", b"csc"), indptr=numbers("<i4", "i", [0, 1, 2, 3]),
                                                       indices=numbers("<i4", "i", [1, 0, 1])),
        "sparse_triples": other(format=npy("<U3", "()", "coo".encode("utf-32-le")), row=numbers("<i4", "i", [1, 1, 0]), col=numbers("<i4", "i", [1, 1, 0])),
        "sparse_outside": other(indices=numbers("<i4", "i", [2, 0, 3])), "sparse_order": other(indptr=numbers("<i4", "i", [0, 9, 3])),
        "sparse_shape": other(shape=numbers("<i8", "q", [2**40, 3])), "sparse_form": other(format=npy("|S3", "()", b"bsr")),
        "sparse_missing": npz({k: v for k, v in sparse.items() if k != "indices"}), "sparse_nan": other(data=numbers("<f8", "d", [1, float("nan"), 0])),
        "sparse_few": other(data=numbers("<f8", "d", [1, 2])), "pytorch": npz({"archive/data.pkl": b""}).replace(b"data.pkl.npy", b"data.pkl____"),
        "both": both, "stored": stored,
        "features": npz({"x": x}), "labels": npz({"y": y}),
        "several": npz({"x": x, "z": x, "y": y}),
        "other_length": npz({"x": x, "y": npy("|u1", "(3,)", bytes(3))}),
        "not_npy": npz({"x": b"hello"}),
        "no_members": npz({}),
        "truncated": both[:-30], "no_directory": both[:100],
        "wrong_sum": stored.replace(struct.pack("<f", 3), struct.pack("<f", 5)),
        "wrong_method": both.replace(b"\x08\x00\x00\x00\x21\x50", b"\x0c\x00\x00\x00\x21\x50"),
        "entry_damaged": both[:directory] + b"PK\1\3" + both[directory + 4:],
        "large_size": both[:directory + 24] + b"\xff\xff\xff\x7f" + both[directory + 28:],
        "wide_size": both[:directory + 24] + b"\xff\xff\xff\xff" + both[directory + 28:],
        "far_member": both[:directory + 42] + b"\xf0\xff\xff\xff" + both[directory + 46:],
    }


def csv_files():
    return {name: text.encode() for name, text in {
        "numbers": "1,2\n3,4\n", "header": "a,b\n1,2\n", "labels": "a,y,t\n1,cat,0\n2,dog,1\n", "crlf": "a,y,t\r\n1,2,1\r\n",
        "quotes": 'a,"y",t\n1,"x ""q"" z",0\n2,"two\nlines",1\n', "semicolons": "1;2\n3;4", "tabs": "1\t2\n3\t4", "blanks": "1 2\n3  4 \n",
        "mark": "\ufeffa,y\n1,2\n", "one_column": "cat\ndog\n", "one_number": "1", "empty_lines": "\n\n1,2\n\n\n3,4\n\n", "missing": "1,\n",
        "missing_word": "1,NA\n", "fewer": "1,2\n3\n", "more": "1,2\n3,4,5\n", "open_quote": '1,"2\n', "after_quote": '1,"2"3\n',
        "nan": "1,nan\n", "too_large": "1,1e300\n", "marked_large": "1,1e300CNY\n", "exponents": "1e-400,1e400\n", "digits": "0." + "3" * 400 + ",1" + "0" * 400 + "\n",
        "only_header": "a,b\n", "only_delimiters": ",,,\n,,,\n", "only_newlines": "\n\n\n", "quote_at_end": 'a,b\n1,"', "not_a_mark": "a,y,t\n1,2,3\n",
        "label_nan": "1,nan\n2,3\n", "doubled_at_end": 'a,y\n1,"""', "old_lines": "a,y\r1,2\r", "labels_missing": "cat\n\ndog\n\n\n", "numbers_missing": "1.5,0\nNA,2\n,1\n", "undone_header": '"a""","y","t"\n1,"2""",1\n',
    }.items()}


def table_files():
    encoding = {"format": "sustain table 1", "header": True, "sparse": True, "missing": "mean", "rows": 3, "label": 0, "trusted": -1, "id": -1,
                "shown": [1], "file": ["y", "text", "n", "c"], "columns": [
                    {"kind": "number", "at": 2, "mean": 1.5, "factor": 2, "marker": True},
                    {"kind": "category", "at": 3, "values": ["a", "b"], "other": True},
                    {"kind": "text", "at": 1, "terms": ["net", "net profit"], "buckets": [17, 600], "frequency": [2, 3]}]}
    change = lambda **words: json.dumps({**encoding, **words}).encode()
    column = lambda **words: change(columns=[{**encoding["columns"][2], **words}])
    date = lambda **words: change(columns=[{"kind": "date", "at": 1, "mean": 1.5, "factor": 2, "marker": True, "order": "day", "dated": True,
                                            "origin": 1704067200, "cycles": ["year", "week", "day"], **words}])
    marked = lambda **words: change(columns=[{**encoding["columns"][0], "decimal": ",", "mark": "%", **words}])
    return {
        "mixed": b"y,text,n,c\n0,net profit,1,a\n1,net profit rose,,b\n0,,3,a\n1,ships,4,\n",
        "text": 'text,y\n"a ""quoted"" word, and more words",0\n"more words\nof \u00fcber",1\n'.encode(), "latin": b"text,y\ncaf\xe9 caf\xe9,0\ncaf\xe9,1\n",
        "index": b",a,y\n0,5,x\n1,6,z\n2,7,x\n", "constant": b"a,b,y\n1,2,0\n1,3,1\n", "dates": b"d,y\n2020-01-01,0\n2020-01-02,1\n",
        "booleans": b"a,y\nTrue,0\nFalse,1\n", "no_header": b"1,x\n2,y\n3,x\n", "two_names": b"a,a,y\n1,2,0\n3,4,1\n", "all_missing": b"a,b\n,1\n,2\n",
        "words_and_numbers": b"a,y\n" + b"".join(b"%d,0\n" % (i * i) for i in range(40)) + b"x,1\n", "infinite": b"a,y\n1,0\ninf,1\n",
        "long_name": b"a" * 300 + b",y\n1,0\n2,1\n", "encoding": change(), "no_columns": change(columns=[]), "label_outside": change(label=9),
        "column_outside": column(at=7), "bucket_outside": column(buckets=[17, 1 << 20]), "buckets_not_in_order": column(buckets=[17, 17]),
        "frequency_missing": column(frequency=[1]), "term_is_number": column(terms=["a", 1]), "kind_unknown": column(kind="color"),
        "encoding_date": date(), "date_order": date(order="year"), "date_cycle": date(cycles=["month"]), "date_origin": date(origin=10**15),
        "encoding_marked": marked(), "marked_decimal": marked(decimal="x"), "marked_long": marked(mark="dollars!"),
        "times": b"d,y\n2020-01-01 10:00,0\n2021-03-02T11:30:00+01:00,1\n,0\n", "clock": b"d,y\n9:05,0\n21:30:05 PM,1\n9:05 PM,1\n",
        "day_first": b"d,y\n31/1/2020,0\n1/2/2021,1\n3/4/22,1\n", "nul": b"a\0,a,y\n1,2,0\n3,4,1\n", "unit_not_utf8": b"`,\n,0\xff", "empty_end": b"text,y\naf caf,00\ncaf,1\n,\n", "ambiguous": b"d,y\n3/4/2020,0\n1/2/2021,1\n",
        "month_names": b"d,y\n31 Jan 2020,0\n\"Sun, March 1, 2021 9:00 AM\",1\n",
        "sep": b"sep=;\r\na;b;y\r\n1;2;0\r\n3;4;1;\r\n", "unclear_points": b"a;b;y\n999;0,5;0\n1.250;1,5;1\n", "points": b"a,b,y\n999,1,0\n\"1.250\",2,1\n", "delimiter_after": b"a,a,,y\n1,2,,0,\n3,4,,1,\n",
        "marked": "a;b;c;y\n1.250,5;(\u20ac 1,200);5 %;0\n950;\u20ac3;n/a;1\n".encode(), "not_json": b"{", "other_format": change(format="sustain table 2"), "mean_infinite": change(columns=[{**encoding["columns"][0], "mean": 1e300}]),
    }


def record_files():
    return {
        "verified": b"row,label\n0,cat\n7,dog\n", "annotations": b"row,annotator,label\n0,ann,cat\n0,ben,dog\n",
        "semicolons": b"\xef\xbb\xbfRow;Label\r\n0 ; cat\r\n1;\"a;b\"\r\n", "sep": b"\xef\xbb\xbfsep=|\r\nrow|label\r\n0|cat\r\n", "tabs": b"label\trow\ncat\t0\n", "decisions": b"run,row,given,decision,label\nr1,3,cat,class,dog\nr1,4,cat,keep,\n", "mark": b"\xef\xbb\xbfrow,label\r\n0,cat\r\n",
        "quotes": b'row,label\n0,"a ""b"", c\nd"\n1,x\n', "open_quote": b'row,label\n0,"cat\n1,dog\n', "no_header": b"0,cat\n", "empty": b"",
        "only_lines": b"\n\n\n", "not_a_number": b"row,label\nfirst,cat\n", "negative": b"row,label\n-1,cat\n", "overflow": b"row,label\n99999999999999999999,cat\n",
        "few_fields": b"row,annotator,label\n0\n", "many_fields": b"row,label\n0" + b",x" * 200 + b"\n1,cat\n", "zero": b"row,label\n0,c\0t\n", "no_end": b"row,label\n0,cat",
        "sep_rows": b"sep=;\r\nrow;label\r\n0;cat\r\n;\r\n", "sep_alone": b"sep=;", "sep_line": b"\xef\xbb\xbfsep=,\n", "old_lines": b"row,label\r0,cat\r",
    }


def probability_files():
    half = struct.pack("<6e", 0.5, 0.25, 0.25, 0, 1, 0)
    single = struct.pack("<6f", 0.5, 0.25, 0.25, 0, 1, 0)
    double = struct.pack("<6d", 0.5, 0.25, 0.25, 0, 1, 0)
    return {
        "half": npy("<f2", (2, 3), half), "single": npy("<f4", (2, 3), single), "double": npy("<f8", (2, 3), double),
        "columns": npy("<f4", (2, 3), struct.pack("<6f", 0.5, 0, 0.25, 1, 0.25, 0), fortran=True), "big": npy(">f4", (2, 3), single), "whole": npy("<i4", (2, 3), single),
        "one_axis": npy("<f4", (6,), single), "three_axes": npy("<f4", (1, 2, 3), single), "no_rows": npy("<f4", (0, 3), b""), "no_classes": npy("<f4", (2, 0), b""),
        "logits": npy("<f4", (2, 3), struct.pack("<6f", 5, -3, 1, 100, 1e30, -1e30)), "nan": npy("<f4", (2, 3), struct.pack("<6f", float("nan"), 1, 0, 0, 1, 0)),
        "infinite": npy("<f2", (2, 3), b"\x00\x7c" * 6), "other_sum": npy("<f4", (1, 2), struct.pack("<2f", 0.5, 0.4)), "short": npy("<f4", (2, 3), single[:-4]),
        "negative": npy("<f4", (1, 2), struct.pack("<2f", -0.5, 1.5)), "csv": b"0.5,0.5\n0,1\n", "csv_names": b'"a ""b""";c\r\n0.5;0.5\r\n',
        "csv_index": b",a,b\n0,0.5,0.5\n1,0,1\n2,1,0\n", "csv_numbers": b"0,1\n0.5,0.5\n", "csv_word": b"file,a\nx.png,1\n", "csv_fewer": b"0.5,0.5\n1\n",
        "csv_more": b"0.5,0.5\n0,1,0\n", "csv_one": b"0.5\n1\n", "csv_header": b"a,b\n", "csv_infinite": b"1e400,0\n", "csv_quote": b'a,"b\n0.5,0.5\n',
        "npz": npz({"p": npy("<f4", (2, 3), single)}), "npz_two": npz({"p": npy("<f4", (2, 3), single), "q": npy("<f8", (2, 3), double)}),
        "npz_labels": npz({"y": npy("<i4", (2,), single[:8])}), "not_text": b"\x01\x02\x03",
    }


def libsvm_files():
    return {name: text.encode() for name, text in {
        "rows": "+1 1:0.5 3:-2\n-1 2:1\n", "comment": "1 1:1 # one\n# none\n\n-1 2:1\r\n", "label_alone": "1\n2 1:1\n", "zero": "1 1:0 2:1\n",
        "unsorted": "1 2:1 1:1\n", "repeated": "1 2:1 2:1\n", "index_zero": "1 0:1\n", "no_colon": "1 2\n1 1:1\n", "no_value": "1 1:\n",
        "no_index": "1 :1\n", "negative_index": "1 -1:1\n", "large_index": "1 2147483647:1\n", "overflow": "1 99999999999999999999999:1\n",
        "nan": "1 1:nan\n", "too_large": "1 1:1e39\n", "labels": "1,2 1:1\n", "no_label": "1:1 2:2\n", "query": "1 qid:1 1:1\n", "text": "cat 1:1\ndog 2:1\n",
        "no_end": "1 1:1", "only_label": "1", "blanks": "  \t \n", "targets": "1.5 1:1\n2.5 1:2\n", "not_finite": "inf 1:1\n",
    }.items()}


def cifar_files():
    return {"fine": bytes([1, 1, 3, 7, 200]), "ten": bytes([0, 3, 5, 100, 0]), "outside": bytes([1, 2, 200, 1]), "outside_ten": bytes([0, 1, 10]),
            "zeros": bytes([1, 0, 0])}


def unpack_files():
    text = b"1,2\n" * 50
    packed, bzipped = gzip.compress(text, mtime=0), bz2.compress(text)
    return {
        "gzip": packed, "bzip2": bzipped, "two_streams": packed + packed, "two_streams_bzip2": bzipped + bzipped, "padded": packed + bytes(20),
        "rubbish_after": packed + b"rubbish", "cut": packed[:-9], "cut_bzip2": bzipped[:-9], "damaged": packed[:20] + b"\xff" + packed[21:],
        "no_content": gzip.compress(b"", mtime=0), "only_magic": b"\x1f\x8b\x08", "claim": gzip.compress(b"C\x10" + bytes(256), mtime=0),
        "claim_too_small": gzip.compress(b"C\x01" + bytes(5000), mtime=0), "claim_too_large": gzip.compress(b"C\xff", mtime=0),
        "zeros": gzip.compress(bytes(2000000), mtime=0), "zeros_bzip2": bz2.compress(bytes(3000000)),
    }


def formats():
    every = {"idx": idx_files(), "npy": npy_files(), "npz": npz_files(), "csv": csv_files(), "table": table_files(), "libsvm": libsvm_files(), "cifar": cifar_files(),
             "unpack": unpack_files(), "records": record_files(), "probabilities": probability_files()}
    for target, files in every.items():
        for name, content in files.items():
            save("fuzz_" + target, name, content)
    for target in ("idx", "npy", "npz", "csv", "libsvm"):
        save("fuzz_dataset", target, every[target]["both"] if target == "npz" else next(iter(every[target].values())))
    words = {"format": "sustain data 1", "classes": '["no","yes"]', "class_count": "2", "scale": "1"}
    dense = {"__metadata__": words, "features": tensor("U8", [3, 4], 0, 12), "labels": tensor("I32", [3], 12, 24), "trusted": tensor("U8", [3], 24, 27)}
    save("fuzz_dataset", "packed", container(dense, bytes(12) + struct.pack("<3i", 0, 1, 1) + bytes([0, 1, 0])))
    sparse = {"__metadata__": {"format": "sustain data 1", "dim": "5"}, "values": tensor("F32", [3], 0, 12), "columns": tensor("I32", [3], 12, 24),
              "start": tensor("I64", [3], 24, 48), "targets": tensor("F32", [2], 48, 56)}
    save("fuzz_dataset", "packed_sparse", container(sparse, struct.pack("<3f3i3q2f", 1, 2, 3, 0, 4, 2, 0, 2, 3, 0.5, 1.5)))
    save("fuzz_dataset", "cifar", bytes([3, 17]) + bytes(range(48)) * 64)
    save("fuzz_dataset", "zeros", bytes(100))
    save("fuzz_dataset", "prose", b"This is no data set.\nIt is a letter.\n")


def models():
    numbers = struct.pack("<9f", *range(9))

    def model(classes='["a","b","c"]', weight=tensor("F32", [3, 2], 0, 24), bias=tensor("F32", [3], 24, 36), **words):
        return container({"__metadata__": {"format": "sustain model 1", "classes": classes, **words}, "weight": weight, "bias": bias}, numbers)

    def splines(*pairs):  # one feature, and as many knots as pairs
        n = len(pairs)
        return container({"__metadata__": {"format": "sustain model 2"}, "weight": tensor("F32", [1, 1 + n], 0, 4 + 4 * n), "bias": tensor("F32", [1], 4 + 4 * n, 8 + 4 * n),
                          "knots": tensor("F32", [n, 2], 8 + 4 * n, 8 + 12 * n)}, struct.pack(f"<{2 + n}f", *range(2 + n)) + b"".join(struct.pack("<2f", *p) for p in pairs))

    def both(form="sustain model 3", knots=True):  # of a number: two features, a knot and a wave
        counts = {"weight": 3 if knots else 2, "bias": 1, **({"knots": 2} if knots else {}), "fourier_waves": 2, "fourier_phase": 1, "fourier_weight": 2}
        header, at = {"__metadata__": {"format": form}}, 0
        for name, count in counts.items():
            header[name] = tensor("F32", [1, 2] if name == "knots" else [count], at, at + 4 * count)
            at += 4 * count
        return container(header, struct.pack("<%df" % (at // 4), *([1] * (at // 4))))

    def waved(waves=4, phases=2, weights=12, last=0.5, kind="F32"):
        counts = {"weight": 6, "bias": 3, "fourier_waves": waves, "fourier_phase": phases, "fourier_weight": weights}
        header, at = {"__metadata__": {"format": "sustain model 2", "classes": '["a","b","c"]'}}, 0
        for name, count in counts.items():
            header[name] = tensor(kind if name.startswith("fourier") else "F32", [count], at, at + 4 * count)
            at += 4 * count
        return container(header, struct.pack("<%df" % (at // 4), *range(at // 4 - 1), last))

    files = {
        "knots": splines((0, 0.5), (0, 1.5)), "knots_beyond": splines((1, 0.5)), "knots_part": splines((0.5, 0.5)), "knots_infinite": splines((0, float("inf"))),
        "fourier": waved(), "fourier_waves": waved(waves=5), "fourier_phases": waved(phases=4), "fourier_none": waved(0, 0, 0),
        "fourier_weights": waved(weights=11), "fourier_integers": waved(kind="U32"), "fourier_not_finite": waved(last=float("nan")),
        "fourier_missing": model(format="sustain model 2"), "both": both(), "both_none": both(knots=False), "fourier_number": both("sustain model 2", False),
        "good": model(columns='["x","y"]', about="a test"),
        "table": model(table=table_files()["encoding"].decode()), "table_damaged": model(table="{"), "names_missing": model('["a","b"]'), "names_numbers": model("[1,2,3]"),
        "names_open": model('["a"'), "names_deep": model("[" * 500), "columns_missing": model(columns='["x"]'),
        "flat": model(weight=tensor("F32", [6], 0, 24)), "odd": model(weight=tensor("F32", [5], 0, 20)),
        "integers": model(bias=tensor("U32", [3], 24, 36)), "no_bias": container({"__metadata__": {"format": "sustain model 1"}}),
        "regression": container({"__metadata__": {"format": "sustain model 1"}, "weight": tensor("F32", [6], 0, 24), "bias": tensor("F32", [1], 24, 28)}, numbers[:28]),
        "one_class": model('["a"]', bias=tensor("F32", [1], 24, 28)), "other_format": model(format="sustain solver 1"),
        "not_finite": model()[:-4] + struct.pack("<f", float("inf")), "cut": model()[:-1],
    }
    for name, content in files.items():
        save("fuzz_model", name, content)


def pictures():
    grey = [[(37 * r + 11 * c) % 256 for c in range(9)] for r in range(7)]
    colour = [[v for c in row for v in (c, 255 - c, c // 2)] for row in grey]
    whole = png(colour, 2, 8)
    files = {
        "grey": png(grey, 0, 8), "colour": whole, "interlaced": png(colour, 2, 8, interlaced=True),
        "bits": png([[c & 1 for c in row] for row in grey], 0, 1), "wide": png([[257 * c for c in row] for row in grey], 0, 16),
        "palette": png([[c % 4 for c in row] for row in grey], 3, 2, palette=[(0, 0, 0), (255, 0, 0), (0, 255, 0), (9, 9, 9)], transparent=b"\x80"),
        "index_beyond": png([[3] * 4] * 4, 3, 2, palette=[(1, 2, 3)]), "alpha": png([row + row[:3] for row in colour], 6, 8, width=7),
        "no_end": whole[:-12], "cut": whole[:60], "signature": whole[:8], "bad_checksum": whole[:30] + b"x" + whole[31:],
        "larger": png(grey, 0, 8, height=50), "huge": png(grey, 0, 8, width=2**31 - 1, height=2**31 - 1), "zero": png(grey, 0, 8, width=0x80000000),
        "no_pixels": whole[:33] + chunk(b"IEND", b""), "gamma": whole[:33] + chunk(b"gAMA", struct.pack(">I", 100000)) + whole[33:],
    }
    for name, content in files.items():
        save("fuzz_png", name, content)

    def component(down, right, sampling=1, value=20):
        return down, right, {(y, x): [value * (y - x)] + [0] * 10 + [5] + [0] * 40 + [-3] + [0] * 11 for y in range(down) for x in range(right)}, sampling

    three = [component(2, 2), component(2, 2), component(2, 2)]
    whole = jpeg(15, 13, three, 4)
    files = {
        "grey": jpeg(8, 8, [component(1, 1)]), "colour": whole, "progressive": jpeg(15, 13, three, 4, progressive=True),
        "subsampled": jpeg(16, 16, [component(2, 2, 2), component(1, 1), component(1, 1)], 4), "inks": jpeg(8, 8, [component(1, 1)] * 4, 2, adobe=2),
        "two_components": jpeg(8, 8, [component(1, 1)] * 2), "cut": whole[:-30], "no_end": whole[:-2], "header": whole[:20],
        "huge": whole.replace(struct.pack(">BHH", 8, 15, 13), struct.pack(">BHH", 8, 60000, 60000)),
        "larger": whole.replace(struct.pack(">BHH", 8, 15, 13), struct.pack(">BHH", 8, 200, 200)),
        "zero": whole.replace(struct.pack(">BHH", 8, 15, 13), struct.pack(">BHH", 8, 0, 13)),
        "stray_bytes": whole[:2] + b"ab" + whole[2:], "two_starts": whole[:2] + whole,
    }
    scan = jpeg(8, 8, [component(1, 1)], progressive=True)
    at = scan.rindex(b"\xff\xda")
    files["scans"] = scan[:at] + scan[at:-2] * 150 + b"\xff\xd9"
    for name, directory in {"exif": 8, "exif_beyond": 30, "exif_far": 2**32 - 1}.items():
        entry = struct.pack("<HHIHH", 0x0112, 3, 1, 6, 0)
        files[name] = whole[:2] + segment(0xE1, b"Exif\0\0II*\0" + struct.pack("<IH", directory, 2) + entry + entry) + whole[2:]
    for name, content in files.items():
        save("fuzz_jpeg", name, content)


def fewshot_models():
    def model(start=True, shape=None, last=0.5, **words):
        about = {"format": "sustain few-shot model 1", "method": "anil", "adapts": "head", "channels": "1", "height": "16", "width": "17",
                 "filters": "1", "ways": "2", "shots": "1", "inner_steps": "3", "pixel_scale": "0.004", "pixel_shift": "-0.5", "least_scale": "0",
                 "inner_step": "0.1", "lambda": "0.001", "tolerance": "0"}
        names = [(f"block{b}.{part}", [1, 1, 3, 3] if part == "weight" else [1]) for b in range(4) for part in ("weight", "scale", "shift")]
        names += [("head.weight", shape or [2, 1]), ("head.bias", [2])] if start else []
        header, count = {"__metadata__": {**about, **words}}, 0
        for name, sides in names:
            numbers = 1
            for side in sides:
                numbers *= side
            header[name] = tensor("F32", sides, 4 * count, 4 * (count + numbers))
            count += numbers
        return container(header, struct.pack(f"<{count}f", *[(7 * i % 11) / 11 - 0.4 for i in range(count - 1)], last))

    files = {
        "good": model(), "zero_start": model(start=False, method="itd-bio"), "whole": model(method="maml", adapts="all"),
        "newton": model(start=False, tolerance="1e-6"), "whole_without_start": model(start=False, adapts="all"),
        "turned": model(shape=[1, 2]), "other_filters": model(filters="2"), "huge": model(filters="4096", channels="4096"),
        "small_pictures": model(height="15"), "one_way": model(ways="1"), "no_number": model(width="seventeen"),
        "fraction": model(width="16.5"), "other_format": model(format="sustain model 1"), "not_finite": model(last=float("nan")),
        "large_step": model(method="maml", adapts="all", inner_step="1e300"), "cut": model()[:-1],
    }
    for name, content in files.items():
        save("fuzz_fewshot", name, content)


def pages():
    config = b'{"command": "clean", "data": {"classes": ["a", "b\\u003c"], "training": 3, "warning": "<w>"}}'
    result = b'{"estimated_errors": 2, "estimated_errors_low": 1, "estimated_errors_high": 3, "review_id": "r0", "groups": [{"name": "g", "weight": 0.5}], ' \
             b'"reliability": [{"said": 0.5, "right": 0.4, "right_low": 0.3, "right_high": 0.5}], "company": [{"name": "x", "auc": 0.5}], "warnings": ["w", 3]}'
    metrics = b'{"iteration": 1, "upper_loss": 2}\n{"iteration": 2}\n{"iteration": 3, "trusted_accuracy": 1}\n{"iter'
    review = b'row,given,suggested,weight,quality,is_issue,probability_wrong,verified,group,next\n1,0,1,0.5,0.1,1,0.9,-1,0,0\n2,1,1,0.9,0.9,0,0.1,,0,1\n3,1,0,1,0,1,1,0,,\n'
    shown = b'row,text,"more, of it"\n1,hello,"a\nb"\n2,"",\n'
    picture = npy("|u1", "(2, 2, 2)", bytes(range(8)))
    tune = b'{"command": "tune"}'

    compare = b'{"command": "compare x", "title": "t", "data": "d", "runs": 2, "x_default": "seconds", "x_axes": [{"key": "iterations", "title": "i"}, {"key": "seconds", ' \
              b'"title": "s"}], "metrics": [{"key": "loss", "title": "l", "better": "lower", "log": true}], "claims": [{"claim": "c", "verdict": "came out", "why": "w"}], ' \
              b'"panels": [{"title": "p", "note": "n", "curves": [{"label": "a", "points": [{"iterations": 0, "seconds": 1, "loss": {"mean": 2, "low": 1, "high": 3}}]}]}], ' \
              b'"table": [{"label": "a", "panel": 0, "runs": 2, "loss": {"mean": 2, "low": 1, "high": 3}}], "scaled": "s", "side_by_side": 1}'
    penalties = b"feature,name,x,penalty\n0,a,-1.5,0.2\n1,\"b,\",3,20\n2,c,-1e300,0\n"
    coefficients = b"feature,class,coefficient,scaled\na,k,0.5,1\n(intercept),k,1,1\n\"b,\",k,-2,-3\n"
    task = b'{"classes": ["a", "b"], "support": [0, 1], "query": [0, 1], "predicted": [0, 0], "probability": [0.75, null], "adapt_milliseconds": 2.5, "predict_milliseconds": 1}'
    selected = b'{"selected": "splines", "estimate": 0.4, "one_penalty": {"estimate": 0.5, "penalty": 0.1}, "candidates": [{"name": "one", "estimate": 0.5, "standard_error": 0.01}, ' \
               b'{"name": "splines", "estimate": 0.4, "standard_error": 0.01, "difference": -0.1, "difference_standard_error": 0.02, "selected": true}], ' \
               b'"path": [{"log_penalty": 1, "loss": 0.5, "standard_error": 0.01}, {"log_penalty": 0, "loss": 0.6, "standard_error": 0.01}], "groups": [{"name": "g", ' \
               b'"features": 2, "penalty": 0.1}, {"name": "h"}], "calibration": {"error": 0.01, "bins": [{"predicted": 0.1, "observed": 0.2}]}, "scores_of": ["k"], ' \
               b'"effects": [{"name": "a", "range": 1, "values": [0, 1], "scores": [[0, 1]]}, {"range": 2, "scores": [1]}]}'
    plain = b'{"solver": "hoag", "upper_loss": 0.4, "baselines": {"best_single_penalty": {"log_penalty": 0, "upper_loss": 0.5}, "path": [{"log_penalty": 1, "upper_loss": 0.5}]}}'
    names = ["config", "result", "metrics", "review", "shown", "compare", "penalties", "coefficients", "task", "pictures"]
    meta = b'{"command": "meta train"}'

    def folder(*clean, **others):
        given = {**dict(zip(["config", "result", "metrics", "review", "shown", "pictures"], clean)), **others}
        return b"\0".join(given.get(name, b"") for name in names)

    files = {
        "whole": folder(config, result, metrics, review, shown, picture), "no_extras": folder(config, b"{}", b"", review[:60]), "not_done": folder(config, b"", metrics),
        "no_rows": folder(config, result, metrics, review[:review.index(b"\n") + 1]), "no_header": folder(config, result, b"", review[review.index(b"\n") + 1:]),
        "class_beyond": folder(config, result, b"", review.replace(b"1,0,1,", b"1,0,2,")), "huge_class": folder(config, result, b"", review.replace(b"1,0,1,", b"1,1e300,1,")),
        "nan": folder(config, result, b"", review.replace(b"0.9,-1", b"nan,-1")), "open_quote": folder(config, result, b"", review, shown[:-12]),
        "short_line": folder(config, result, b"", review, shown + b"3\n"), "not_utf8": folder(config, result, b"", review, shown.replace(b"hello", b"\xff\xfe")),
        "tune": folder(tune, plain, metrics, penalties=penalties), "tune_not_done": folder(tune, b"", metrics), "tune_no_penalties": folder(tune, plain, metrics),
        "selected": folder(tune, selected, penalties=penalties, coefficients=coefficients), "penalties_cut": folder(tune, plain, penalties=penalties[:-6]),
        "penalties_nan": folder(tune, plain, penalties=penalties.replace(b"3", b"nan")), "penalties_header": folder(tune, plain, penalties=penalties[:23]),
        "rates": folder(b'{"command": "rates"}', b'{"results": [{}]}'), "demo": folder(b'{"command": "demo"}', b'{"rows": [{}]}'),
        "compare": folder(compare=compare), "compare_empty": folder(compare=b"{}"), "compare_list": folder(config, compare=b"[]"),
        "meta": folder(meta, b"{}", metrics), "meta_task": folder(meta, b"{}", metrics, task=task, pictures=picture),
        "task_beyond": folder(meta, b"{}", metrics, task=task.replace(b"[0, 0]", b"[0, 2]"), pictures=picture),
        "task_pictures": folder(meta, b"{}", metrics, task=task, pictures=picture[:-1]), "list": folder(b"[]", b"[]"), "zeros": b"\0" * 16,
    }
    for name, content in files.items():
        save("fuzz_report", name, content)


def resumed():
    def config(command, **options):
        return json.dumps({"command": command, "options": {name.replace("_", "-"): value for name, value in options.items()}}).encode()

    line = b'{"iteration":%d,"seconds":0.5,"gradients_upper":%d,"loss":1}\n'
    metrics, other = line % (0, 0) + line % (2, 9) + line % (4, 20), line % (0, 0) + line % (2, 9) + line % (5, 2**63 - 1)
    files = {
        "clean": (config("clean", features="a.csv", noise="0.2", seed="3", table="on", set=["alpha=1", "K=2"]), metrics),
        "tune": (config("tune", features="a.csv,b.csv", c="1", solver="hoag", iterations="100"), metrics + b'{"iter'),
        "meta": (config("meta train", dataset="fc100", seed="7", data_dir="d", tasks="8"), metrics), "meta_seed": (config("meta train", seed="x"),),
        "compare": (b"{}", metrics, b'{"failed": null}', metrics), "compare_ends": (b"{}", metrics, b"{}", other),
        "compare_failed": (b"{}", metrics, b'{"failed": "why"}', line % (1, 1)), "compare_no_lines": (b"{}", b"", b"", metrics), "compare_no_json": (b"{}", b"x\n", b"", metrics),
        "other_command": (config("plan"),), "no_command": (b"{}",), "no_json": (b'{"command": "clean",',), "twice": (b'{"command": "clean", "command": "tune"}',),
        "not_texts": (b'{"command": "clean", "options": {"seed": 3, "noise": null, "set": ["x", 1, "=2"]}}',), "options_list": (b'{"command": "tune", "options": [1]}',),
        "out_of_range": (config("clean", seed="1e99"),), "no_choice": (config("clean", flag="maybe", schedule="never"),), "long": (config("clean", features="a/" * 1500),),
        "many_set": (config("clean", set=[f"a{i}={i}" for i in range(130)]),), "deep": (b'{"command":' + b"[" * 2100,), "empty": (),
    }
    for name, content in files.items():
        save("fuzz_resume", name, b"\0".join(content))


def picture_lists():
    files = {
        "paths": b"a.png\n/b/c.png\n\n  d.png \r\n", "lists": b"filename,label\na.png,x\nb,y\na.png,x\n", "no_header": b"a.png,x\na.png,y\n", "quotes": b'"a.png","x ""y"""\n',
        "missing": b"filename,label\nc.png,x\n", "outside": b"../list.txt,x\n", "three_columns": b"a.png,x,1\n", "one_column": b"filename\na.png\n", "no_pictures": b"filename,label\n",
        "long_name": b"a" * 300 + b",x\n", "long_line": b"a/" * 2047, "zero": b"a\0b,x\n", "open_quote": b'"a.png,x\n', "semicolons": b"sep=;\nfilename;label\nb;x\n",
        "folder": b".,x\n", "no_label": b"a.png,\n", "empty": b"",
    }
    for name, content in files.items():
        save("fuzz_pictures", name, content)


def inputs_of_clean():
    """What fuzz_clean_inputs.c reads, in its order; a '1' of the options switches something on."""
    names = ["options", "train", "checked", "truth", "annotations", "decisions", "groups", "verified", "probs"]
    rows = [("r0", 1.5, "a"), ("r1", 2, "b"), ("r2", -1, "a"), ("r3", 0.5, "b"), ("r4", 3, "a"), ("r5", 2.5, "b")]
    plain = "x,y\n" + "".join(f"{x},{y}\n" for _, x, y in rows)
    table = "id,x,t,g,v,y\n" + "".join(f"{i},{x},{t},s{t},{y if t else ''},{y}\n" for t, (i, x, y) in enumerate(rows))
    marked = "id,x,t,g,v,y\n" + "".join(f"{i},{x},{n % 2},s{n % 2},,{y}\n" for n, (i, x, y) in enumerate(rows))
    empty = "x,y\n" + "".join(f"{x},{y if n != 2 else ''}\n" for n, (_, x, y) in enumerate(rows))
    labels, numbers = "\n".join("abbaab") + "\n", "\n".join("012210") + "\n"
    probs = "a,b\n" + "".join(f"0.{9 - n},0.{1 + n}\n" for n in range(6))
    votes = "row,annotator,label\n0,ann,a\n0,bob,b\n1,ann,b\n1,ann,b\n5,bob,a\n"
    review = "run,row,given,decision,label\n@,0,a,accept,b\n@,1,b,keep,b\n@,3,b,unsure,\n@,2,a,class,a\n"
    files = {
        "rows": dict(options="1", train=plain, checked="row,label\n0,a\n2,b\n3,\n"), "column": dict(options="1", train=plain, checked="a\n\nb\n\n\na\n"),
        "identifiers": dict(options="11", train=table, checked="id,label\nr3,a\nr0,a\n", truth="id,y\n" + "".join(f"r{5 - n},a\n" for n in range(6))),
        "both": dict(options="11", train=table, checked="row,id,y\n1,r1,b\n2,r2,b\n"), "beside": dict(options="100001", train=table),
        "truth": dict(options="1", train=plain, truth=labels), "truth_numbers": dict(options="1", train=plain.replace(",a", ",0").replace(",b", ",1"), truth=numbers),
        "truth_longer": dict(options="1", train=plain, truth="truth\n" + labels + "a\n"), "marked": dict(options="1101", train=marked, checked="row,label\n0,b\n"),
        "no_label": dict(options="101", train=empty, checked="row,label\n3,a\n", truth=labels, groups=numbers, probs=probs),
        "refused_label": dict(options="1", train=empty), "groups": dict(options="1", train=plain, groups="s\nt\ns\nt\nt\ns\n"), "group_column": dict(options="11001", train=table),
        "votes": dict(options="1", train=plain, annotations=votes), "votes_id": dict(options="11", train=table, annotations=votes.replace("row", "id").replace("\n", "\nr").replace("\nra", "\na")),
        "vote_beyond": dict(options="1", train=plain, annotations="row,annotator,label\n6,ann,a\n"), "vote_short": dict(options="1", train=plain, annotations="row,annotator,label\n1,ann\n"),
        "review": dict(options="10000001", train=plain, decisions=review), "review_twice": dict(options="10000001", train=plain, decisions=review + "@,0,a,keep,a\n"),
        "review_later": dict(options="10000001", train=plain, decisions=review, verified="row,label,drawn\n0,a,1\n4,b,0\n"),
        "review_changed": dict(options="10000001", train=plain, decisions=review.replace("1,b", "1,a")), "review_other": dict(options="10000001", train=plain, decisions=review.replace("@", "r1")),
        "review_numbers": dict(options="10000001", train=plain, decisions="run,row,given,decision,label\n@,0,0,accept,1\n"),
        "earlier": dict(options="10000001", train=plain, verified="row,label\n0,b\n0,a\n"), "probs": dict(options="1", train=plain, probs=probs),
        "probs_alone": dict(options="100000001", train=plain, probs=probs, checked="row,label\n1,a\n"), "probs_order": dict(options="1", train=plain, probs=probs.replace("a,b", "b,a")),
        "array": dict(options="1", train=plain, probs=npy("<f4", "(6, 2)", struct.pack("<12f", *[0.25, 0.75] * 6))), "names": dict(options="1000001", train=plain.replace(",a", ",0").replace(",b", ",1"), probs=probs),
        "shifted": dict(options="1", train="x,y\n" + "".join(f"{n},{'ab'[n // 2 % 2]}\n" for n in range(40)), checked="row,label\n" + "".join(f"{n},{'ab'[(n - 1) // 2 % 2]}\n" for n in range(1, 40))),
        "formula": dict(options="1", train=plain.replace(",a", ",=a"), checked="row,label\n0,'=a\n"), "empty": dict(),
    }
    for name, given in files.items():
        parts = [given.get(part, "") for part in names]
        save("fuzz_clean_inputs", name, b"\0".join(part if isinstance(part, bytes) else part.encode() for part in parts))


def packed_files():
    files = {
        "libsvm": b"1 1:0.5 3:2\n-1 2:1\n1 5:1 7:3\n", "from_zero": b"1 1:0.5\n-1 0:1\n1 2:1\n", "zero_late": b"1 3:1\n1 2:1\n-1 1:1\n1 0:2\n", "table": b"x,y\n1,a\n2,b\n3,a\n",
        "words": b"c,text,y\nred,one two,a\nblue,two,b\nred,\"a\n, b\",a\nblack,one,c\n", "sep": b"sep=;\nx;y\n1,5;a\n2,5;b\n3,5;c\n", "no_header": b"1,2,3\n4,5,6\n7,8,9\n",
        "mark": b"\xef\xbb\xbfx,y\n1,a\n2,b\n", "missing": b"x,z,y\n1,,a\n,2,b\n3,4,a\n", "numbers": b"x,y\n1,0\n2,1\n3,0.5\n", "empty_lines": b"\n\nx,y\n\n1,a\n\n2,b\n\n",
        "ragged": b"x,y\n1,a\n2\n", "open_quote": b"x,y\n\"1,a\n2,b\n", "no_label": b"x,y\n1,a\n2,\n", "halves": npy("<f2", "(3, 2)", bytes(range(12))), "bytes": npy("|u1", "(2, 2, 2)", bytes(range(8))),
        "dates": b"d,y\n2024-01-02,1\n2023-05-06,2\n2022-01-01,1\n", "one_line": b"1,2", "labels": b"a\nb\na\n",
    }
    for name, content in files.items():
        for options, piece in ((0, 0), (2, 1), (1, 7), (2, 40)):
            save("fuzz_pack", f"{name}_{piece}", bytes([options << 6 | piece]) + content)


def parts_of_sets():
    def parts(first, second, third=False):
        if len(first) % 2 != third:
            first += b"\n"
        return struct.pack("<H", len(first)) + first + second

    packed = container({"__metadata__": {"format": "sustain data 1"}, "features": tensor("F32", [2, 2], 0, 16)}, bytes(16))
    table, grey = b"id,text,t,y\n1,one two,1,a\n2,two,0,b\n", npy("|u1", "(2, 2, 2)", bytes(range(8)))
    floats = npy("<f4", "(2, 2)", bytes(16))
    files = {
        "tables": (table, b"id,text,t,y\n3,three,0,c\n4,one,1,a\n", True), "columns": (b"x,y\n1,a\n2,b\n", b"x,y\n3,a\n"), "numbers": (b"x,y\n1,1\n2,2\n", b"x,y\n3,0.5\n"),
        "names": (b"x,y\n1,a\n2,b\n", b"z,y\n3,a\n"), "more": (b"x,y\n1,a\n", b"x,z,y\n3,1,a\n"), "unlabelled": (b"x,y\n1,a\n", b"x,y\n3,\n"), "no_header": (b"1,2\n3,4\n", b"5,6\n", True),
        "libsvm": (b"1 1:2 4:1\n-1 2:1\n", b"1 9:1\n", True), "from_zero": (b"1 1:2\n-1 2:1\n", b"1 0:1\n", True), "other_kind": (b"1 1:2\n", b"x,y\n3,a\n"), "bytes": (grey, grey), "floats": (floats, floats),
        "halves": (npy("<f2", "(2, 2)", bytes(8)), npy("<f2", "(1, 2)", bytes(4))), "floats_bytes": (floats, grey), "packed": (packed, packed, True), "half_packed": (packed, floats), "empty": (b"", b""),
        "labels": (b"a\nb\n", b"c\n", True), "words_numbers": (b"1\n2\n", b"c\n"),
    }
    for name, content in files.items():
        save("fuzz_parts", name, parts(*content))


def named_sets():
    def drawings(descr, shape, data):
        return npz({"images": npy(descr, shape, data)})

    side = 105 * 105
    files = {
        "train_changed": b"\1\0" + b"\1\0\0\x63" + b"\3\x0c\0\x13", "test_changed": b"\1\1" + b"\1\0\0\x64", "cut": b"\0\0" + bytes(3074), "cifar10": b"\0\0" + bytes(3073), "none": b"\0\1",
        "names": b"\0\2" + b"\n".join(b"n%d" % i for i in range(12)), "few_names": b"\0\2a\nb\n", "fractions": b"\0\2" + b"\n".join(b"0.%d" % (i + 1) for i in range(12)), "coarse": b"\0\3" + b"x\n" * 12,
        "same_names": b"\0\2" + b"a\n" * 12, "gzip": b"\0\0" + gzip.compress(b"".join(bytes([0, i]) + bytes(3072) for i in range(13)), mtime=0),
        "other_format": b"\0\0" + gzip.compress(container({"__metadata__": {"format": "sustain data 1", "height": "1", "width": "1", "channels": "3", "classes": json.dumps([str(100 * k) for k in range(12)])},
                                                        "features": tensor("U8", [12, 3], 0, 36), "labels": tensor("I32", [12], 36, 84)}, bytes(36) + struct.pack("<12i", *range(12))), mtime=0),
        "drawings": b"\0\4" + drawings("|b1", "(7, 2, 105, 105)", bytes(14 * side)), "evaluation": b"\0\5" + drawings("|b1", "(2, 1, 105, 105)", b"\1" * (2 * side)),
        "bytes": b"\0\4" + drawings("|u1", "(2, 1, 105, 105)", b"\xff" * (2 * side)), "small": b"\0\5" + drawings("|b1", "(2, 1, 10, 10)", bytes(200)), "flat": b"\0\5" + drawings("|b1", "(3, 11025)", bytes(3 * side)),
        "real": b"\0\4" + drawings("<f4", "(1, 1, 105, 105)", bytes(4 * side)), "one": b"\0\4" + drawings("|b1", "(1, 1, 105, 105)", bytes(side)),
        "images": b"\0\6\0\0\x08\3\0\0\0\2\0\0\0\1\0\0\0\1\1\2", "fewer": b"\0\6\0\0\x08\3\0\0\0\1\0\0\0\1\0\0\0\1\1", "labels": b"\0\7\0\0\x08\1\0\0\0\2\1\2",
        "libsvm": b"\0\x0a1 1:1\n-1 22:1\n", "test_libsvm": b"\0\x0b1 1:1\n", "covtype": b"\0\x0c" + b"".join(b"%d," % i * 54 + b"%d\n" % (1 + i % 7) for i in range(6)), "one_row": b"\0\x0c1,2\n",
        "label_words": b"\0\x07a\nb\n", "changed_labels": b"\1\7\7\0\0\3",
    }
    for name, content in files.items():
        save("fuzz_named", name, content)


def folders_of_pictures():
    background = "".join(f"images_background/{a}/character{c:02}/{d}.png\n" for a in ("Greek", "Latin") for c in range(4) for d in range(2))
    splits = "".join(f"{s}/{c}/{d}.png\n" for s in ("train", "val", "test") for c in ("a", "b") for d in range(2))
    files = {
        "classes": "".join(f"c{c}/{d}.png\n" for c in range(6) for d in range(2)), "splits": splits, "some_splits": splits[:splits.index("val")], "omniglot": background + "images_evaluation/X/c/1.png\n",
        "evaluation_only": "images_evaluation/X/c/1.png\n", "no_characters": "images_background/A/x.png\nimages_evaluation/B/c/1.png\n", "python": (background + "images_evaluation/X/c/1.png\n").replace("images_", "omniglot/python/images_")[:1200],
        "not_a_picture": "a/1.png\nb/2!\n", "hidden": ".a/1.png\na/.1.png\nb/1.png\n", "empty_class": "a/\nb/1.png\n", "deep": "a/b/c/1.png\n", "files": "1.png\n2.png\n", "long": "a/" + "n" * 255 + "\nb/1\n",
        "not_utf8": b"\xff\xfe/1.png\na/1.png\n", "quotes": "a \"b\",c/1.png\n\t/1.png\n", "file_and_folder": "a\na/b\nc/1\n", "train_file": "train\nval/a/1\ntest/a/1\n",
    }
    for name, content in files.items():
        save("fuzz_folders", name, content if isinstance(content, bytes) else content.encode())


if __name__ == "__main__":
    safetensors()
    parameter()
    checkpoint()
    trainer()
    clean_models()
    options()
    formats()
    models()
    pictures()
    fewshot_models()
    pages()
    resumed()
    picture_lists()
    inputs_of_clean()
    packed_files()
    parts_of_sets()
    named_sets()
    folders_of_pictures()
