"""The program ``sustain``, as the wheel carries it: the command line, and its answers as data."""

from __future__ import annotations

import os
import sys

from ._errors import StateError
from ._library import program


def main() -> None:
    """The command ``sustain`` of an installed wheel."""
    try:
        path = program()
    except StateError as error:
        sys.exit(f"sustain: {error}")
    os.execv(path, ["sustain", *sys.argv[1:]])
