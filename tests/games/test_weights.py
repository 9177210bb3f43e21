"""Files of weights: what is refused, and that the package comes with weights that fit."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest
from blockwit import _numberdrop
from blockwit.errors import WeightsError
from blockwit.games import weights
from blockwit.games.numberdrop import position as numberdrop

VALUES = bytes(range(200))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "some.weights"
    weights.write(path, weights.Weights("set-1", VALUES, {"games": 7}))
    return path


def test_round_trip(path: Path) -> None:
    assert weights.read(path, "set-1", 100) == weights.Weights("set-1", VALUES, {"games": 7})
    assert [other.name for other in path.parent.iterdir()] == [path.name]


def test_shipped_weights_are_in_use_and_say_how_they_were_learned() -> None:
    shipped = weights.read(numberdrop.SHIPPED, _numberdrop.FEATURE_SET, _numberdrop.WEIGHT_COUNT)
    assert _numberdrop.get_weights() == shipped.values
    assert any(shipped.values)
    assert shipped.training["games"]


def test_weights_decide_the_evaluation() -> None:
    position = numberdrop.GAME.parse(numberdrop.GAME.bench[1][0], {})
    before, present = position.evaluate(), _numberdrop.get_weights()
    try:
        _numberdrop.set_weights(bytes(len(present)))
        assert position.evaluate() == position.returns() != before
        with pytest.raises(ValueError, match="expected"):
            _numberdrop.set_weights(present[:-1])
    finally:
        _numberdrop.set_weights(present)
    assert position.evaluate() == before


def damage(data: bytes) -> bytes:
    head, _, packed = data.partition(b"\n")
    values = bytearray(zlib.decompress(packed))
    values[17] ^= 4
    return head + b"\n" + zlib.compress(bytes(values))


def longer(data: bytes) -> bytes:
    return data.partition(b"\n")[0] + b"\n" + zlib.compress(VALUES + bytes(1 << 24))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (damage, "checksum"),
        (longer, "checksum"),
        (lambda data: data[:-30], "checksum"),
        (lambda data: data.partition(b"\n")[0] + b"\nabc", "cannot be unpacked"),
        (lambda data: b"", "not a file of weights"),
        (lambda data: b"[1]\n", "not a file of weights"),
        (lambda data: b"\xff" * 200_000, "first line is longer than 65536 bytes, expected a file of weights"),
        (lambda data: b"[" * 60_000, "not a file of weights"),
        (lambda data: b'{"count": ' + b"1" * 5000 + b"}", "not a file of weights"),
        (lambda data: data.replace(b'"format": 1', b'"format": 9'), "format '9', expected 1"),
        (lambda data: data.replace(b"set-1", b"set-2"), "'100 of set-2', expected '100 of set-1'"),
        (lambda data: data.replace(b'"count": 100', b'"count": 99'), "'99 of set-1'"),
    ],
)
def test_other_content_is_refused(path: Path, change: Callable[[bytes], bytes], message: str) -> None:
    path.write_bytes(change(path.read_bytes()))
    with pytest.raises(WeightsError, match=message):
        weights.read(path, "set-1", 100)


def test_missing_file_is_one_line_of_the_command(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", "from blockwit.cli.main import main; main()", "show", "--game", "numberdrop"],
        env=os.environ | {numberdrop.OTHER_WEIGHTS: str(tmp_path / "none"), "PYTHONPATH": ":".join(sys.path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert done.stderr.startswith(
        f"blockwit: {tmp_path / 'none'}: No such file or directory, expected a file of weights"
    )
    assert done.stderr.count("\n") == 1


def test_protocol_names_the_fault_and_goes_on(tmp_path: Path) -> None:
    (tmp_path / "bad").write_text(json.dumps({"file": "else"}))
    done = subprocess.run(
        [sys.executable, "-m", "blockwit"],
        env=os.environ | {numberdrop.OTHER_WEIGHTS: str(tmp_path / "bad"), "PYTHONPATH": ":".join(sys.path)},
        input="setoption name UCI_Variant value numberdrop\nisready\n",
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == f"info string error: {tmp_path / 'bad'}: not a file of weights\nreadyok\n"
