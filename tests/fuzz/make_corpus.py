#!/usr/bin/env python3
"""Writes the saved inputs of the fuzz targets into tests/fuzz/corpus: small files, good and bad, each with a telling name."""
import json
import pathlib
import struct

CORPUS = pathlib.Path(__file__).parent / "corpus"


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


def checkpoint():
    meta = {"__metadata__": {"format": "sustain solver 1", "solver": "sustain", "problem": "quadratic", "upper_dim": "2", "lower_dim": "2"}}
    change = lambda *pairs: b"".join(struct.pack("<I", at)[:3] + bytes([value]) for at, value in pairs)
    files = {
        "dense": b"\x01", "lazy": b"\x02", "lazy_option_2": b"\x03", "adam": b"\x04",
        "empty": b"\x00",
        "no_parameters": b"\x00" + container(meta),
        "garbage": b"\x00" + bytes(range(256)),
        "length_damaged": b"\x01" + change((0, 0xff), (1, 0xff)),
        "header_damaged": b"\x02" + change((8, 0x5b)),
        "last_byte": b"\x01" + change((0xffffff, 0x80)),
    }
    for choice in range(1, 5):
        files[f"numbers_damaged_{choice}"] = bytes([choice]) + change(*[(4000 + 7 * i, 0x7f + i) for i in range(60)])
    for name, content in files.items():
        save("fuzz_checkpoint", name, content)


if __name__ == "__main__":
    safetensors()
    parameter()
    checkpoint()
