"""The ctypes declarations against the headers: generated again, and compiled by a C compiler."""

from __future__ import annotations

import ctypes
import importlib.util
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from sustain import _api

SOURCE = Path(__file__).resolve().parents[2]
COMPILER = os.environ.get("CC", "cc").split()

needs_headers = pytest.mark.skipif(
    not (SOURCE / "include/sustain/sustain.h").exists() or shutil.which(COMPILER[0]) is None,
    reason="needs a C compiler and the headers",
)


@needs_headers
def test_declarations_are_those_of_the_headers():
    spec = importlib.util.spec_from_file_location("generate", SOURCE / "python/generate.py")
    generate = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(generate)
    assert generate.text() == Path(_api.__file__).read_text(), "run: python3 python/generate.py > python/sustain/_api.py"


@needs_headers
@pytest.mark.parametrize("flags", [[], ["-DSUSTAIN_DOUBLE"]])
def test_sizes_and_offsets(tmp_path, flags):
    headers = "".join(f"#include <sustain/{path.name}>\n" for path in sorted((SOURCE / "include/sustain").glob("*.h")))
    lines, expected = [], []
    for structure in _api.STRUCTURES:
        name = structure.__name__
        lines.append(f'printf("{name} %zu\\n", sizeof({name}));')
        expected.append(f"{name} {ctypes.sizeof(structure)}")
        for field, *_ in structure._fields_:
            at = getattr(structure, field)
            lines.append(f'printf("{name}.{field} %zu %zu\\n", offsetof({name}, {field}), sizeof((({name} *)0)->{field}));')
            expected.append(f"{name}.{field} {at.offset} {at.size}")
    for constant in dir(_api):
        if constant.startswith("SUSTAIN_"):
            lines.append(f'printf("{constant} %d\\n", (int){constant});')
            expected.append(f"{constant} {getattr(_api, constant)}")
    source = tmp_path / "sizes.c"
    source.write_text(f"#include <stdio.h>\n{headers}\nint main(void) {{\n" + "\n".join(lines) + "\nreturn 0;\n}\n")
    subprocess.run([*COMPILER, *flags, "-I", SOURCE / "include", source, "-o", tmp_path / "sizes"], check=True)
    printed = subprocess.run([tmp_path / "sizes"], capture_output=True, text=True, check=True).stdout
    assert printed.splitlines() == expected
    assert len(expected) > 300


@needs_headers
def test_every_structure_and_function_is_declared():
    text = "".join(path.read_text() for path in (SOURCE / "include/sustain").glob("*.h") if path.name != "mpi.h")
    import re

    text = re.sub(r"/\*.*?\*/|//[^\n]*", "", text, flags=re.S)
    structures = set(re.findall(r"typedef struct (\w+) \{", text))
    assert structures == {structure.__name__ for structure in _api.STRUCTURES}
    functions = set(re.findall(r"^(?!typedef|static|#)[\w ]+[ *](sustain_\w+)\(", text, flags=re.M))
    assert functions == set(_api.FUNCTIONS)
