"""What people look at: the page of a run, written by the program, and a short form of it for notebooks."""

from __future__ import annotations

import base64
import ctypes
import html
import json
import math
import os
import re
import struct
import subprocess
import tempfile
import zlib
from pathlib import Path
from typing import Any, Dict, List, Optional, Tuple

import numpy as np

from ._context import Context
from ._errors import FileError, StateError
from ._library import load, program
from ._rows import columns_of, is_frame

#: Pictures and rows with text that the page shows, columns of them, and rows that a notebook shows.
_GALLERY, _SHOWN, _COLUMNS, _ROWS = 200, 2000, 20, 12
_MISSING = ("None", "nan", "NaT", "<NA>")


def gallery(X: Any, shape: Optional[Tuple[int, int, int]], order: np.ndarray) -> Optional[np.ndarray]:
    """The worst rows as pictures; None where rows are not pictures."""
    if shape is None:
        return None
    rows = order[:_GALLERY].tolist()
    pictures = np.asarray([np.asarray(X[row]) for row in rows])
    return pictures if pictures.dtype == np.uint8 else pictures.astype(np.float32)


def words(X: Any) -> Dict[str, Any]:
    """The columns of a frame that are not numbers: what a person reads of a row."""
    if not is_frame(X):
        return {}
    columns = {str(name): column for name, column in zip(X.columns, columns_of(X))}
    return {name: column for name, column in columns.items() if np.asarray(column).dtype.kind not in "biufc"}


def shown(columns: Any, order: np.ndarray) -> Dict[str, List[str]]:
    """The texts of the worst rows, by column; ``columns`` is a frame, a dict of columns, or one column."""
    if not is_frame(columns) and not hasattr(columns, "keys"):
        columns = {"shown": columns}
    elif hasattr(columns, "to_frame"):  # a Series
        columns = {str(columns.name if columns.name is not None else "shown"): columns}
    names = list(columns.columns if is_frame(columns) else columns)[:_COLUMNS]
    result: Dict[str, List[str]] = {"row": [str(row) for row in order[:_SHOWN].tolist()]} if names else {}
    for name in names:
        column = columns[name]
        values = list(column.to_list() if hasattr(column, "to_list") else column)
        if len(values) != len(order):
            raise ValueError(f"column {name!r} has {len(values)} entries to show, but there are {len(order)} rows")
        texts = [str(values[row]) for row in order[:_SHOWN].tolist()]
        result[str(name)] = ["" if text in _MISSING else text for text in texts]
    return result


# ---- the numbers of a run, with the names of result.json ----


def _text(value: Optional[bytes]) -> str:
    return value.decode("utf-8", "replace") if value else ""


def _score(score: Any) -> Dict[str, float]:
    return {name: float(getattr(score, name)) for name, _ in score._fields_}


def result(context: Context, job: ctypes.c_void_p, run: Any, clean: Any) -> Dict[str, Any]:
    """What ``sustain clean`` writes to result.json, as far as it does not depend on files."""
    lib = context.lib
    solver = lib.sustain_clean_solver(job)
    ranking = _text(lib.sustain_clean_ranking_text(clean.ranking))
    known = not (math.isnan(clean.ranking_auc) or math.isnan(clean.baseline_auc))
    reason = (
        f"; AUC {clean.ranking_auc:.4f} on the verified rows (best baseline: {clean.baseline_auc:.4f})" if known else ""
    )
    bins = [{name: getattr(row, name) for name, _ in row._fields_} for row in clean.bins if row.count > 0]
    return {
        "solver": _text(lib.sustain_solver_describe(solver).contents.name) if solver else None,
        "iterations": int(run.iterations),
        "seconds": float(run.seconds),
        "stopped": _text(lib.sustain_stop_text(run.stop)),
        "upper_loss": float(run.upper_value),
        "finish_seconds": float(clean.score.seconds),
        "trusted_accuracy": float(clean.trusted_accuracy),
        "issues": int(clean.issues),
        "noise_estimated": float(clean.noise),
        "estimated_errors": float(clean.estimated_errors),
        "estimated_errors_low": float(clean.estimated_low),
        "estimated_errors_high": float(clean.estimated_high),
        "f1_expected": float(clean.f1_expected),
        "ranking": ranking,
        "ranking_reason": f"Ranking: {ranking}{reason}.",
        "reliability": bins,
        "sources": [
            {"name": _text(name), "share": float(share)}
            for name, share in zip(clean.source_names, clean.shares)
            if name
        ],
        "baselines": {
            _text(lib.sustain_clean_baseline_key(i)): {
                **_score(score),
                "what": _text(lib.sustain_clean_baseline_title(i)),
            }
            for i, score in enumerate(clean.baselines)
        },
    }


# ---- the page ----


def _without_nan(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without_nan(entry) for key, entry in value.items()}
    if isinstance(value, list):
        return [_without_nan(entry) for entry in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _review_id(given: List[str]) -> str:
    """FNV-1a of "row,given label" of all rows: the name under which decisions about them are kept."""
    state = 0xCBF29CE484222325
    for row, label in enumerate(given):
        for byte in f"{row},{label}\n".encode():
            state = (state ^ byte) * 0x100000001B3 & 0xFFFFFFFFFFFFFFFF
    return f"r{state:016x}"


def _field(value: Any) -> str:
    """A field of the files that the page is made of."""
    if isinstance(value, float):
        return "" if math.isnan(value) else f"{value:.6g}"
    text = str(value)
    if re.match(r"'+[=+@\t\r-]", text):
        text = "'" + text  # the reader removes one, as docs/formats.md says
    return '"' + text.replace('"', '""') + '"' if any(sign in text for sign in ',"\r\n') else text


def _csv(columns: Dict[str, List[Any]]) -> str:
    lines = [",".join(map(_field, columns))]
    lines += [",".join(map(_field, row)) for row in zip(*columns.values())]
    return "\n".join(lines) + "\n"


def _review(cleaner: Any, classes: List[str]) -> str:
    """review.csv."""
    names = np.array([*classes, ""], dtype=object)  # -1: not verified
    columns = {
        "row": cleaner.order_,
        "given_label": names[cleaner._given[cleaner.order_]],
        "suggested_label": names[cleaner._suggested[cleaner.order_]],
        "quality": cleaner.label_quality_[cleaner.order_],
        "is_issue": cleaner.is_issue_[cleaner.order_].astype(int),
        "probability_wrong": cleaner.probability_wrong_[cleaner.order_],
        "verified": names[cleaner._verified[cleaner.order_]],
    }
    if cleaner.weights_ is not None:
        columns["weight"] = cleaner.weights_[cleaner.order_]
    if hasattr(cleaner, "group_errors_"):
        columns["group"] = cleaner._groups[cleaner.order_]
    return _csv({name: column.tolist() for name, column in columns.items()})


def _folder(cleaner: Any, texts: Dict[str, List[str]], folder: Path) -> None:
    """The files that the page is made of, as docs/formats.md describes them."""
    classes = [str(name) for name in cleaner.classes_.tolist()]
    version = _text(load().sustain_version())
    details = cleaner.result_
    warning = (
        ""
        if not math.isnan(details["estimated_errors_low"])
        else "no label is known to be right: the count has no interval."
    )
    config = {
        "command": "clean",
        "version": version,
        "precision": load().precision,
        "repeat": f"python: {cleaner!r}".replace("\n", " "),
        "options": {},
        "data": {
            "source": "arrays in memory",
            "training": len(cleaner.label_quality_),
            "trusted": details["trusted"],
            "classes": classes,
            "standardization": details["standardization"],
            "warning": warning,
        },
    }
    found: Dict[str, Any] = {**details, "review_id": _review_id([classes[code] for code in cleaner._given.tolist()])}
    if cleaner.baselines:
        found["baseline_table"] = [{"name": name.replace("_", " "), **row} for name, row in details["baselines"].items()]
    if hasattr(cleaner, "group_errors_"):
        found["groups"] = cleaner.group_errors_
    metrics = [{"upper_loss": row["upper_value"], **row} for row in cleaner.history_]
    (folder / "config.json").write_text(json.dumps(_without_nan(config)))
    (folder / "result.json").write_text(json.dumps(_without_nan(found)))
    (folder / "metrics.jsonl").write_text("".join(json.dumps(_without_nan(line)) + "\n" for line in metrics))
    (folder / "review.csv").write_text(_review(cleaner, classes), encoding="utf-8")
    if texts:
        (folder / "shown.csv").write_text(_csv(texts), encoding="utf-8")
    if getattr(cleaner, "_gallery", None) is not None:
        np.save(folder / "gallery.npy", cleaner._gallery)


def write(cleaner: Any, path: Any, show: Any) -> str:
    """Writes the page with the program ``sustain report``."""
    target = os.fspath(path)
    texts = getattr(cleaner, "_shown", {}) if show is None else shown(show, cleaner.order_)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "run"
        folder.mkdir()
        _folder(cleaner, texts, folder)
        done = subprocess.run([program(), "report", str(folder), "-o", target], capture_output=True, text=True)
    if done.returncode != 0:
        sentence = done.stderr.strip() or f"sustain report ended with code {done.returncode}"
        raise (FileError if "cannot write" in sentence else StateError)(sentence)
    return target


# ---- notebooks ----


def element(name: str, text: str) -> str:
    """An HTML element with text in it."""
    return f"<{name}>{html.escape(text)}</{name}>"


def _png(picture: np.ndarray) -> str:
    """A picture (height, width[, channels]) as the text of a PNG file for an ``img`` element."""
    if picture.ndim == 3 and picture.shape[2] == 1:
        picture = picture[:, :, 0]
    if picture.dtype != np.uint8:
        low, high = float(picture.min()), float(picture.max())
        picture = ((picture - low) * (255 / (high - low) if high > low else 0)).astype(np.uint8)
    if picture.ndim == 3 and picture.shape[2] not in (3, 4):
        picture = picture[:, :, 0]
    color = 0 if picture.ndim == 2 else 2 if picture.shape[2] == 3 else 6
    lines = b"".join(b"\0" + np.ascontiguousarray(line).tobytes() for line in picture)

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", picture.shape[1], picture.shape[0], 8, color, 0, 0, 0)
    data = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(lines)) + chunk(b"IEND", b"")
    return base64.b64encode(data).decode()


def notebook(cleaner: Any) -> str:
    """Counts, and the worst rows with their pictures."""
    rows = cleaner.order_[cleaner.is_issue_[cleaner.order_]][:_ROWS]
    low, high = cleaner.estimated_errors_interval_
    estimate = f"{cleaner.estimated_errors_:,.0f} estimated to be wrong"
    if not math.isnan(low):
        estimate += f" (95 %: {low:,.0f} to {high:,.0f})"
    count = len(cleaner.is_issue_)
    out = [element("p", f"{int(cleaner.is_issue_.sum()):,} of {count:,} labels look wrong; {estimate}.")]
    pictures = getattr(cleaner, "_gallery", None)
    place = {row: k for k, row in enumerate(cleaner.order_[:_GALLERY].tolist())} if pictures is not None else {}
    titles = ["row", "given", "suggested", "quality"] + ([""] if place else [])
    out.append("<table><tr>" + "".join(element("th", title) for title in titles) + "</tr>")
    for row in rows.tolist():
        cells = [str(row), str(cleaner.classes_[cleaner._given[row]]), str(cleaner.classes_[cleaner._suggested[row]])]
        cells.append(f"{cleaner.label_quality_[row]:.3f}")
        line = "".join(element("td", cell) for cell in cells)
        if row in place and pictures is not None:
            source = f"data:image/png;base64,{_png(pictures[place[row]])}"
            line += f'<td><img alt="row {row}" style="height:3em" src="{source}"></td>'
        elif place:
            line += "<td></td>"
        out.append(f"<tr>{line}</tr>")
    out.append("</table>")
    return "".join(out)
