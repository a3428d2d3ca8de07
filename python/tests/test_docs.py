"""The blocks of docs/python.md: the Python blocks of a section run one after the other, in a folder of their own.

Those of docs/first-steps.md, for the shell and for Python, run one after the other."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
from sustain import _library

DOCS = Path(__file__).resolve().parents[2] / "docs"
PAGE = DOCS / "python.md"


def sections():
    """(title, blocks) of each section that has blocks; a block is (line number, text)."""
    found, title = [], ""
    blocks = []
    for match in re.finditer(r"^## ([^\n]*)$|^```python\n(.*?)^```$", PAGE.read_text(), flags=re.M | re.S):
        if match.group(1):
            title, blocks = match.group(1).strip(), []
            found.append((title, blocks))
        else:
            blocks.append((PAGE.read_text()[: match.start(2)].count("\n"), match.group(2)))
    return [(title, blocks) for title, blocks in found if blocks]


@pytest.mark.parametrize("title, blocks", sections(), ids=[title for title, _ in sections()])
def test_section(title, blocks, tmp_path, monkeypatch):
    for _, text in blocks:
        for package in ("torch", "sklearn", "scipy", "pandas", "matplotlib"):
            if re.search(rf"^\s*(import|from) {package}\b", text, flags=re.M):
                pytest.importorskip(package)
    monkeypatch.chdir(tmp_path)
    names = {"__name__": "docs"}
    for line, text in blocks:
        exec(compile("\n" * line + text, str(PAGE), "exec"), names)


def test_the_page_has_blocks():
    assert len(sections()) >= 4


def test_first_steps(tmp_path, monkeypatch):
    for package in ("pandas", "scipy"):
        pytest.importorskip(package)
    monkeypatch.chdir(tmp_path)
    names = {"__name__": "docs"}
    for kind, text in re.findall(r"^```(sh|python)\n(.*?)^```$", (DOCS / "first-steps.md").read_text(), flags=re.M | re.S):
        if kind == "python":
            exec(compile(text, "first-steps.md", "exec"), names)
        else:
            subprocess.run(["bash", "-ec", f'sustain() {{ "{_library.program()}" "$@"; }}\n{text}'], check=True)
    wrong = (names["y"] != names["pd"].read_csv("truth.csv", index_col="id")["kind"]).sum()
    low, high = names["cleaner"].estimated_errors_interval_
    assert low <= wrong <= high and len(Path("predicted.csv").read_text().splitlines()) == 1001
