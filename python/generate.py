"""Writes sustain/_api.py, the ctypes declarations, from the public headers.

    python3 generate.py > sustain/_api.py

The headers are read after the C preprocessor, so that lists of names (X-macros) are expanded. What
they contain is a small part of C: enums, structures, typedefs of function pointers, prototypes.
Pointers to structures keep their type; pointers to numbers and to opaque objects are ``c_void_p``,
which takes addresses of NumPy arrays as they are.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
INCLUDE = ROOT / "include"

NUMBERS = {
    "int": "c_int",
    "unsigned": "c_uint",
    "_Bool": "c_bool",
    "char": "c_char",
    "float": "c_float",
    "double": "c_double",
    "size_t": "c_size_t",
    "uint8_t": "c_uint8",
    "int32_t": "c_int32",
    "uint32_t": "c_uint32",
    "int64_t": "c_int64",
    "uint64_t": "c_uint64",
}
#: All public headers; mpi.h belongs to a library that the package does not have.
HEADERS = sorted(path.name for path in (INCLUDE / "sustain").glob("*.h") if path.name != "mpi.h")

#: The header that stands for a library, and the library: the first that includes a header has it.
LIBRARIES = (("sustain.h", "sustain"), ("learn.h", "sustain-learn"), (None, "sustain-fewshot"))


def preprocessed() -> list[tuple[str, str]]:
    """The lines of the public headers after the preprocessor, each with its header's name."""
    names = HEADERS
    text = "".join(f"#include <sustain/{name}>\n" for name in names)
    compiler = os.environ.get("CC", "cc").split()
    done = subprocess.run(
        [*compiler, "-E", "-I", str(INCLUDE), "-x", "c", "-"], input=text, capture_output=True, text=True, check=True
    )
    lines, header = [], ""
    for line in done.stdout.splitlines():
        marker = re.match(r'# \d+ "(.*)"', line)
        if marker:
            path = marker.group(1)
            header = path.rsplit("/", 1)[1] if path.startswith(str(INCLUDE)) else ""
        elif header and line.strip():
            lines.append((header, line))
    return lines


def statements() -> list[tuple[str, str]]:
    """Declarations at the top level, on one line each, with their header; inline functions are left out."""
    found, text, depth, first = [], "", 0, ""
    for header, line in preprocessed():
        for character in line + " ":
            if not text.strip():
                first = header
                text = ""
            text += character
            depth += (character == "{") - (character == "}")
            if depth == 0 and character in ";}":
                body = re.sub(r"\s+", " ", text).strip()
                if character == "}" and body.startswith("static inline"):
                    text = ""
                elif character == ";":
                    found.append((first, body[:-1].strip()))
                    text = ""
    return found


def libraries() -> dict[str, str]:
    """The library of each header."""
    known: dict[str, str] = {}

    def enter(header: str, library: str) -> None:
        if header in known:
            return
        known[header] = library
        for name in re.findall(r"#include <sustain/(\w+\.h)>", (INCLUDE / "sustain" / header).read_text()):
            enter(name, library)

    for umbrella, library in LIBRARIES:
        for header in [umbrella] if umbrella else HEADERS:
            enter(header, library)
    return known


def split(text: str, separator: str = ",") -> list[str]:
    """Parts between separators that are in no parentheses or brackets."""
    parts, depth, part = [], 0, ""
    for character in text:
        depth += (character in "([{") - (character in ")]}")
        if character == separator and depth == 0:
            parts.append(part.strip())
            part = ""
        else:
            part += character
    return [*parts, part.strip()] if part.strip() else parts


class Api:
    """What the headers declare."""

    def __init__(self) -> None:
        self.enums: dict[str, list[tuple[str, int]]] = {}
        self.structures: dict[str, list[tuple[str, str]]] = {}
        self.callbacks: dict[str, str] = {}
        self.functions: dict[str, tuple[str, str, list[str]]] = {}
        self.constants: dict[str, int] = {}
        everything = statements()
        self.complete = {
            match.group(1) for _, text in everything for match in [re.match(r"typedef struct (\w+) \{", text)] if match
        }
        library_of = libraries()
        for header, text in everything:
            self.declare(library_of[header], text)

    def declare(self, library: str, text: str) -> None:
        structure = re.match(r"typedef struct (\w+) \{(.*)\} \w+$", text)
        enum = re.match(r"(?:typedef )?enum(?: (\w+))? \{(.*)\}(?: \w+)?$", text)
        callback = re.match(r"typedef (.*)\(\*(\w+)\)\((.*)\)$", text)
        function = re.match(r"(.*?)(\w+)\((.*)\)$", text)
        if structure:
            self.structures[structure.group(1)] = self.fields(structure.group(2))
        elif enum:
            self.enumerate(enum.group(1) or "", enum.group(2))
        elif callback:
            self.callbacks[callback.group(2)] = self.callback(callback.group(1), callback.group(3))
        elif text.startswith("typedef"):
            pass  # an opaque structure, or sustain_real
        elif function:
            arguments = [self.argument(part) for part in split(function.group(3)) if part != "void"]
            self.functions[function.group(2)] = (library, self.type(function.group(1).strip()), arguments)
        else:
            raise ValueError(f"generate.py does not understand: {text}")

    def enumerate(self, name: str, text: str) -> None:
        value, rows = 0, []
        for entry in split(text):
            constant, _, expression = entry.partition("=")
            if expression:
                value = int(eval(expression, {"__builtins__": {}}, self.constants))
            self.constants[constant.strip()] = value
            rows.append((constant.strip(), value))
            value += 1
        self.enums[name or rows[0][0]] = rows

    def type(self, text: str, within_callback: bool = False) -> str:
        """The ctypes type of a C type without a name."""
        stars = text.count("*")
        base = text.replace("*", " ").replace("const ", " ").replace(" const", " ").replace("struct ", " ").strip()
        if base == "void":
            return "None" if stars == 0 else "c_void_p" if stars == 1 else "POINTER(c_void_p)"
        if base == "char" and stars and not within_callback:
            if stars == 1:
                return "c_char_p"
            return "POINTER(c_char_p)" if "const" in text else "POINTER(c_void_p)"
        if stars == 0:
            return NUMBERS.get(base) or ("c_int" if base in self.enums else base)
        if within_callback:
            return "c_void_p"
        result = base if base in self.complete else "c_void_p"
        for _ in range(stars if result == base else stars - 1):
            result = f"POINTER({result})"
        return result

    def callback(self, result: str, arguments: str) -> str:
        types = [self.argument(part, True) for part in split(arguments) if part != "void"]
        return f"CFUNCTYPE({', '.join([self.type(result.strip(), True), *types])})"

    def argument(self, text: str, within_callback: bool = False) -> str:
        declared = re.match(r"(.*?)(\w+)(\[\w*\])?$", text)
        if declared is None:
            raise ValueError(f"generate.py does not understand the argument: {text}")
        base = declared.group(1).strip() + ("*" if declared.group(3) else "")
        return self.type(base, within_callback)

    def fields(self, text: str) -> list[tuple[str, str]]:
        rows = []
        for declaration in split(text, ";"):
            pointer = re.match(r"(.*)\(\*(\w+)\)\((.*)\)$", declaration)
            if pointer:
                rows.append((pointer.group(2), self.callback(pointer.group(1), pointer.group(3))))
                continue
            first, *others = split(declaration)
            start = re.match(r"(.*?[\s*])(\w+(?:\[\w+\])*)$", first)
            if start is None:
                raise ValueError(f"generate.py does not understand the field: {declaration}")
            base = start.group(1).replace("*", " ").strip()
            rows.append(self.field(start.group(1), start.group(2)))
            for other in others:
                rows.append(self.field(base + " " + "*" * other.count("*"), other.replace("*", "").strip()))
        return rows

    def field(self, base: str, name: str) -> tuple[str, str]:
        result = self.type(base)
        for size in reversed(re.findall(r"\[(\w+)\]", name)):
            result = f"{result} * {self.constants.get(size, size)}"
        return name.split("[")[0], result


def hint(kind: str) -> str:
    """The Python type of a field, as mypy sees it."""
    if " * " in kind or kind.startswith(("POINTER", "CFUNCTYPE", "sustain_")):
        return "Any"
    return {"c_double": "float", "c_float": "float", "c_bool": "bool", "c_char_p": "Any", "c_void_p": "Any"}.get(
        kind, "int"
    )


def wrapped(name: str, parts: list[str], opening: str, closing: str) -> list[str]:
    """``name opening parts closing`` on one line if it fits into 100 columns, else a line each."""
    line = f"{name}{opening}{', '.join(parts)}{closing}"
    if len(line) <= 100:
        return [line]
    return [f"{name}{opening}", *(f"    {part}," for part in parts), closing]


def text() -> str:
    api = Api()
    version = (INCLUDE / "sustain" / "version.h").read_text()
    major, minor, patch = (re.search(rf"SUSTAIN_VERSION_{part} (\d+)", version).group(1) for part in ("MAJOR", "MINOR", "PATCH"))  # type: ignore[union-attr]
    used = {"Structure", "POINTER", "CFUNCTYPE", "c_void_p"}
    out: list[str] = [f"SUSTAIN_VERSION_NUMBER = {int(major) * 10000 + int(minor) * 100 + int(patch)}", ""]
    for name, rows in api.enums.items():
        out += [f"# {name}" if name.startswith("sustain") else ""]
        out += [f"{constant} = {value}" for constant, value in rows] + [""]
    for name, kind in api.callbacks.items():
        out += [f"{name}: Any = {kind}"]
    out += [""]
    for name, rows in api.structures.items():
        out += ["", f"class {name}(Structure):", *(f"    {field}: {hint(kind)}" for field, kind in rows), ""]
    out += [""]
    for name, rows in api.structures.items():
        out += wrapped(f"{name}._fields_ = ", [f'("{field}", {kind})' for field, kind in rows], "[", "]")
    out += ["", "STRUCTURES = ("] + [f"    {name}," for name in api.structures] + [")", ""]
    out += ["# name: (library, type of the result, types of the arguments)"]
    out += ["FUNCTIONS: Dict[str, Tuple[str, Any, List[Any]]] = {"]
    for name, (library, result, arguments) in sorted(api.functions.items()):
        row = wrapped(f'    "{name}": ', [f'"{library}"', result, f"[{', '.join(arguments)}]"], "(", "),")
        out += [row[0], *(f"    {line}" for line in row[1:])]
    out += ["}", ""]
    body = "\n".join(out)
    used |= set(re.findall(r"\bc_\w+\b", body)) & {*NUMBERS.values(), "c_char_p"}
    head = [
        '"""ctypes declarations of the public headers. Written by generate.py: do not edit."""',
        "",
        "from __future__ import annotations",
        "",
        f"from ctypes import {', '.join(sorted(used))}",
        "from typing import Any, Dict, List, Tuple",
        "",
    ]
    head = [line if len(line) <= 100 else "\n".join(wrapped("from ctypes import ", sorted(used), "(", ")")) for line in head]
    return re.sub(r"\n{4,}", "\n\n\n", "\n".join(head) + "\n" + body)


if __name__ == "__main__":
    sys.stdout.write(text())
