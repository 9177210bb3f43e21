"""Files of learned weights: one line of JSON that says what they are, then the weights, compressed.

The header is an object with `file` (always `blockwit weights`), `format` (1), `features` (the set of features that
the weights belong to), `count`, `sha256` (of the uncompressed weights) and `training` (how they were learned, for
people). The weights are little-endian 16-bit numbers in thousandths of the game's unit, compressed by zlib.
"""

from __future__ import annotations

import hashlib
import json
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from blockwit import reading, writing
from blockwit.errors import BlockwitError, WeightsError, quote

FORMAT = 1
MARK = "blockwit weights"
LONGEST_HEADER = 1 << 16
MAX_BYTES = 1 << 26
"""Bytes of the largest file that is read, packed."""


@dataclass(frozen=True)
class Weights:
    """Weights as bytes, the set of features they belong to, and how they were learned."""

    features: str
    values: bytes
    training: Mapping[str, Any] = field(default_factory=dict)


def write(path: Path, weights: Weights) -> None:
    """Write a file of weights. Raises OSError."""
    head = {
        "file": MARK,
        "format": FORMAT,
        "features": weights.features,
        "count": len(weights.values) // 2,
        "sha256": hashlib.sha256(weights.values).hexdigest(),
        "training": weights.training,
    }
    writing.write(path, json.dumps(head).encode() + b"\n" + zlib.compress(weights.values, 9))


def parts(path: Path, error: type[BlockwitError]) -> tuple[bytes, bytes]:
    """Return the header's line and the packed rest of a file of this form. Raises `error`."""
    head, _, packed = reading.data(path, error, MAX_BYTES).partition(b"\n")
    if len(head) > LONGEST_HEADER:
        raise error(f"{path}: its first line is longer than {LONGEST_HEADER} bytes")
    return head, packed


def unpacked(packed: bytes, size: int, sha256: object, where: str, error: type[BlockwitError]) -> bytes:
    """Unpack exactly `size` bytes and compare their checksum. Raises `error`."""
    try:
        # No more than is wanted: a few bytes can unpack to gigabytes.
        values = zlib.decompressobj().decompress(packed, size + 1)
    except zlib.error:
        raise error(f"{where}: damaged, it cannot be unpacked") from None
    if len(values) != size or hashlib.sha256(values).hexdigest() != sha256:
        raise error(f"{where}: damaged, its numbers have another checksum than its header says")
    return values


def read(path: Path, features: str, count: int) -> Weights:
    """Read `count` weights of the set `features`.

    Raises:
        WeightsError: the file is missing, damaged, something else, or of another set of features.
    """
    try:
        line, packed = parts(path, WeightsError)
    except WeightsError as error:
        raise WeightsError(f"{error}, expected a file of weights for {features}") from None
    try:
        # No model here: a game's weights are read whenever it is loaded, and pydantic takes longer than all of that.
        head = json.loads(line)
    except (ValueError, RecursionError):
        head = None
    if not isinstance(head, dict) or head.get("file") != MARK:
        raise WeightsError(f"{path}: not a file of weights")
    if head.get("format") != FORMAT:
        raise WeightsError(f"{path}: format {quote(str(head.get('format')))}, expected {FORMAT}")
    if (head.get("features"), head.get("count")) != (features, count):
        found = quote(f"{head.get('count')} of {head.get('features')}")
        raise WeightsError(f"{path}: weights {found}, expected '{count} of {features}'")
    values = unpacked(packed, 2 * count, head.get("sha256"), str(path), WeightsError)
    training = head.get("training")
    return Weights(features, values, training if isinstance(training, dict) else {})
