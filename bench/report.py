"""What the scripts of bench/ share: a file of rows for `python -m bench`, and a table for people."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

Row = Mapping[str, Any]
"""Names and values. A list is one figure measured several times; `X ±` is the standard error of `X`."""


def write_rows(path: Path | None, rows: Sequence[Row], **more: Any) -> None:
    """Write the rows, and what else a script has to tell, as JSON; nothing without a path."""
    if path is not None:
        path.write_text(json.dumps({"rows": list(rows), **more}, indent=1) + "\n", encoding="utf-8")


def columns(rows: Sequence[Row]) -> list[str]:
    """Return all names of the rows in the order in which they first come."""
    return list(dict.fromkeys(name for row in rows for name in row))


def median(values: Sequence[float]) -> float:
    """Return the middle one, the mean of the middle two."""
    ordered = sorted(values)
    half = len(ordered) // 2
    return ordered[half] if len(ordered) % 2 else (ordered[half - 1] + ordered[half]) / 2


def show(value: object) -> str:
    """Write a value in short; of a repeated one the median and the range."""
    if value is None:
        return ""
    if isinstance(value, bool) or not isinstance(value, (int, float, list)):
        return str(value)
    if isinstance(value, list):
        if not value:
            return ""
        return f"{show(median(value))} ({show(min(value))} to {show(max(value))})" if len(value) > 1 else show(value[0])
    if isinstance(value, int) or abs(value) >= 1000:
        return f"{value:,.0f}"
    return f"{value:.3g}" if abs(value) < 10 else f"{value:.1f}"


def table(rows: Sequence[Row]) -> list[str]:
    """Return the rows as lines of a Markdown table; numbers to the right."""
    names = columns(rows)
    words = {name for name in names if any(isinstance(row.get(name), (str, bool)) for row in rows)}
    lines = [names, ["---" if name in words else "---:" for name in names]]
    lines += [[show(row.get(name)).replace("|", "\\|") for name in names] for row in rows]
    return [f"| {' | '.join(line)} |" for line in lines]
