"""The report of the derivative checker."""

from __future__ import annotations

from html import escape
from typing import List, NamedTuple

from . import _api
from ._errors import ArgumentError


class CheckRow(NamedTuple):
    """One check: what was compared, and how it ended."""

    what: str
    oracle: str
    done: bool
    passed: bool
    error: float
    tolerance: float

    @property
    def outcome(self) -> str:
        """"passed", "FAILED" or "not done"."""
        return "not done" if not self.done else "passed" if self.passed else "FAILED"


class CheckReport:
    """The results of all checks of a problem. True if none failed; its text is a table.

    Attributes
    ----------
    rows : list of CheckRow
        All checks, also those that could not be made.
    failed : int
        How many failed.
    sentence : str
        What failed first, with the worst entry of the derivative; "" if nothing did.
    """

    def __init__(self, rows: List[CheckRow], failed: int, sentence: str) -> None:
        self.rows, self.failed, self.sentence = rows, failed, sentence

    def __bool__(self) -> bool:
        return self.failed == 0

    def raise_if_failed(self) -> "CheckReport":
        """Raises an `ArgumentError` with the sentence if a check failed; returns the report otherwise."""
        if self.failed:
            raise ArgumentError(self.sentence)
        return self

    def _headline(self) -> str:
        done = sum(row.done for row in self.rows)
        return f"{done - self.failed} of {done} checks passed" + (f": {self.sentence}" if self.failed else "")

    def __repr__(self) -> str:
        width = max((len(row.what) for row in self.rows), default=0)
        lines = [f"{row.what:<{width}}  {row.outcome:<8}" + (f"  {row.error:8.1e} (at most {row.tolerance:.0e})" if row.done else "") for row in self.rows]
        return "\n".join([*lines, self._headline()])

    def _repr_html_(self) -> str:
        body = "".join(
            f"<tr><td style='text-align:left'>{escape(row.what)}</td><td>{row.outcome}</td>"
            f"<td>{row.error:.1e}</td><td>{row.tolerance:.0e}</td></tr>"
            for row in self.rows
            if row.done
        )
        return f"<p>{escape(self._headline())}</p><table><tr><th>check</th><th></th><th>error</th><th>tolerance</th></tr>{body}</table>"


def report_of(report: _api.sustain_check_report, sentence: str) -> CheckReport:
    """The report from C's structure."""
    rows = [
        CheckRow(row.what.decode(), (row.oracle or b"").decode(), bool(row.done), bool(row.passed), row.error, row.tolerance)
        for row in report.row[: report.count]
    ]
    return CheckReport(rows, report.failed, sentence)
