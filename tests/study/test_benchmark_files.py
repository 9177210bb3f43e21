"""The benchmark files of the project: as their cards say, true in samples, typed alike in every line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from blockwit.study.puzzles.benchmarks import FAMILY
from blockwit.study.records import Card, card_path, check_card, read_line

ROOT = Path(__file__).parents[2]
FILES = sorted((ROOT / "benchmarks").glob("*.jsonl"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_file_is_as_its_card_says(path: Path) -> None:
    check_card(path)
    card = Card.model_validate_json(card_path(path).read_text(encoding="utf-8"))
    lines = path.read_text(encoding="utf-8").splitlines()
    records = [json.loads(line) for line in lines]
    assert path.stat().st_size < 1 << 20
    assert (card.file, card.records) == (path.name, len(records))
    assert card.proven == sum(record["proven"] for record in records)
    assert {(record["version"], record["kind"]) for record in records} == {(card.version, card.kind)}
    assert all(record.items() >= card.settings.items() for record in records)
    # What readers of columns need: the same fields of the same types everywhere, whole numbers among decimals or not.
    assert len({tuple(record) for record in records}) == 1
    for name in records[0]:
        types = {type(record[name]) for record in records} - {type(None)}
        assert len(types) <= 1, name
    for line in lines[:: max(1, len(lines) // 10)]:
        of, record = read_line(line)
        assert of.settings_of(record) == card.settings


@pytest.mark.parametrize("reader", ["pandas", "polars"])
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_columns_keep_their_types(path: Path, reader: str) -> None:
    library = pytest.importorskip(reader)
    read = library.read_ndjson(path) if reader == "polars" else library.read_json(path, lines=True)
    records = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    assert list(read.columns) == list(records[0])
    for name in ("seed", "position", "proven", "value", "bound", "check"):
        assert list(read[name]) == [record[name] for record in records]
    assert str(read["seed"].dtype).lower() == "int64"
    assert str(read["proven"].dtype).lower().startswith("bool")


def test_the_family_is_whole() -> None:
    path = ROOT / "benchmarks" / "nmbr9-free.jsonl"
    told = [json.loads(line)["problem"] for line in path.read_text(encoding="utf-8").splitlines()]
    assert told == list(FAMILY)
    shipped = {each.stem.replace("_", "@") for each in (ROOT / "puzzles" / "nmbr9").glob("F-*.json")}
    assert set(told) == shipped
