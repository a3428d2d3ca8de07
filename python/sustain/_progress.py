"""A progress bar: tqdm's where it is there, else a line on the terminal."""

from __future__ import annotations

import sys
import time
from contextlib import contextmanager
from typing import Any, Iterator, Optional

#: Seconds before a bar is shown, and between two changes of the plain line.
_DELAY, _PAUSE = 1.0, 0.2


class _Silent:
    def show(self, iteration: int, value: float) -> None:
        """Nothing is shown."""

    def close(self) -> None:
        """Nothing is there to close."""


class _Tqdm(_Silent):
    def __init__(self, tqdm: Any, total: int) -> None:
        self.bar = tqdm(total=total or None, unit=" iterations", delay=_DELAY, leave=False)

    def show(self, iteration: int, value: float) -> None:
        self.bar.set_postfix_str(f"upper value {value:.5g}", refresh=False)
        self.bar.update(iteration - self.bar.n)

    def close(self) -> None:
        self.bar.close()


class _Line(_Silent):
    """A line that is written over again and again."""

    def __init__(self, total: int) -> None:
        self.total, self.start, self.last, self.width = total, time.monotonic(), 0.0, 0

    def show(self, iteration: int, value: float) -> None:
        now = time.monotonic()
        if now - self.start < _DELAY or now - self.last < _PAUSE:
            return
        share = f"{100 * iteration / self.total:3.0f} %, " if self.total else ""
        text = f"{share}iteration {iteration:,}, upper value {value:.5g}"
        sys.stderr.write("\r" + text.ljust(self.width))
        sys.stderr.flush()
        self.last, self.width = now, len(text)

    def close(self) -> None:
        if self.width:
            sys.stderr.write("\r" + " " * self.width + "\r")
            sys.stderr.flush()


def _in_notebook() -> bool:
    shell = sys.modules.get("IPython")
    found = shell.get_ipython() if shell is not None else None
    return found is not None and "IPKernelApp" in getattr(found, "config", {})


@contextmanager
def progress_bar(wanted: Optional[bool], total: int) -> Iterator[_Silent]:
    """A bar with ``show(iteration, value)``. wanted None: on a terminal and in a notebook."""
    if wanted is None:
        wanted = _in_notebook() or (sys.stderr is not None and sys.stderr.isatty())
    bar = _Silent()
    if wanted:
        try:
            from tqdm.auto import tqdm

            bar = _Tqdm(tqdm, total)
        except ImportError:
            bar = _Line(total)
    try:
        yield bar
    finally:
        bar.close()
