"""Records of games: what is written is read again, and what is wrong is named with game, move and reason."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from blockwit import games
from blockwit.errors import RecordError
from blockwit.games import record as records
from blockwit.games.base import Kind, Options
from blockwit.games.record import Entry, Record
from hypothesis import given
from hypothesis import strategies as st

SETTINGS: list[tuple[str, Options]] = [
    ("deblockle", {}),
    ("deblockle", {"slider": "full", "no_touch": True}),
    ("numberdrop", {"solo": True}),
    ("numberdrop", {"players": 3}),
    ("nmbr9", {}),
]
PAIR = "d1XLT d7XLT s"


def played(game: str, options: Options, seed: int, most: int, start: str = "") -> Record:
    """Return the record of a random game, cut after `most` moves."""
    rng = random.Random(seed)
    known = games.get(game)
    position = known.parse(start, options) if start else known.start(options)
    entries: list[Entry] = []
    while position.kind() is not Kind.TERMINAL and len(entries) < most:
        if position.kind() is Kind.CHANCE:
            token = position.roll(rng.getrandbits(64))
        else:
            (token,) = position.tokens(rng.randrange(position.count()), 1)
        entries.append(Entry(token))
        position = position.play(token)
    return Record(game, tuple(entries), records.result_of(position), options, start, ("A", 'B "the" \\ second'))


@pytest.mark.parametrize(("game", "options"), SETTINGS)
def test_games_are_written_and_read(game: str, options: Options, tmp_path: Path) -> None:
    written = [played(game, options, seed, most) for seed, most in ((1, 0), (2, 9), (3, 400))]
    path = tmp_path / "games.txt"
    path.write_text("".join(map(records.write, written)), encoding="utf-8")
    read = records.read(path)
    assert [each.moves for each in read] == [each.moves for each in written]
    assert [each.result for each in read] == [each.result for each in written]
    assert [each.players for each in read] == [each.players for each in written]
    for each, other in zip(read, written, strict=True):
        assert [p.fen() for p in each.positions()] == [p.fen() for p in other.positions()]
        assert records.write(each) == records.write(other)
        assert max(map(len, records.write(each).splitlines())) < 400


def test_a_record_in_full() -> None:
    text = """\
[Game "deblockle"]
[Rules "nohop=end_turn"]
[Position "d1CTL d7HSX n"]
[Player1 "Ada"]
[Player2 "blockwit 0.2.0, nodes=400"]
[Date "2026.12.01"]
[Result "p1win"]

1. d7e7e6 {[%clk 0:04:59.5] [%eval 0.25] a quiet beginning} (1. d7c7b6 2. d1e1b1 (2. d1c1a1)) 2.
d1e1d1 p1win

"""
    variation = (Entry("d7c7b6"), Entry("d1e1b1", variations=((Entry("d1c1a1"),),)))
    game = Record(
        "deblockle",
        (Entry("d7e7e6", "a quiet beginning", 299.5, 0.25, (variation,)), Entry("d1e1d1")),
        "p1win",
        {"nohop": "end_turn"},
        "d1CTL d7HSX n",
        ("Ada", "blockwit 0.2.0, nodes=400"),
        {"Date": "2026.12.01"},
    )
    assert records.write(game) == text
    assert list(records.parse(text)) == [game]
    with pytest.raises(RecordError, match=r"game 1: move 1, a variation, its move 2: 'd1e1d7': "):
        list(records.parse(text.replace("d1e1b1", "d1e1d7")))


HEAD = f'[Game "deblockle"]\n[Position "{PAIR}"]\n'


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("hello", "game 1: no tag Game, expected one of deblockle"),
        ('[Game "chess"]\n\n*', "game 1: unknown game 'chess'"),
        ('[Game "deblockle"]\n[Position "x"]\n\n*', "game 1: 1 fields, expected"),
        ('[Game "deblockle"]\n[Rules "slider"]\n\n*', "game 1: tag Rules: 'slider', expected NAME=VALUE"),
        ('[Game "deblockle"]\n[Rules "slider=odd"]\n\n*', "game 1: option slider: expected one of"),
        ('[Game "deblockle]\n\n*', "is no tag, expected"),
        (HEAD + "\n1. d1c1", "game 1: after move 1: the result is missing"),
        (HEAD + "\n1. d1c1 2. d1c1 *", "game 1: move 2: 'd1c1': "),
        (HEAD + "\n1. d1c1 *\n\n" + HEAD + "\n1. d1d4 *", "game 2: move 1: 'd1d4': "),
        (HEAD + '[Result "draw"]\n\n1. d1c1 *', "the tag Result says 'draw', the moves end with '\\*'"),
        (HEAD + "\n1. d1c1 {open", "after move 1: '{' without its partner"),
        (HEAD + "\n( *", "after move 0: a parenthesis where no line can begin"),
        (HEAD + "\n1. d1c1 ) *", "after move 1: a parenthesis that ends no line"),
        (HEAD + "\n1. d1c1 " + "(1. d1c1 " * 100 + "*", "after move 1: a parenthesis where no line can begin"),
    ],
)
def test_bad_records_are_told_in_one_line(text: str, why: str, tmp_path: Path) -> None:
    with pytest.raises(RecordError, match=why) as caught:
        list(records.parse(text))
    assert "\n" not in str(caught.value)
    path = tmp_path / "bad.txt"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(RecordError) as caught:
        records.read(path)
    assert str(caught.value).startswith(f"{path}: game ")


def test_a_result_that_the_rules_deny_is_refused() -> None:
    won = played("deblockle", {}, 5, 5000, PAIR)
    assert won.result in ("p1win", "p2win", "draw")
    other = "p2win" if won.result == "p1win" else "p1win"
    wrong = records.write(won).replace(won.result, other)
    with pytest.raises(RecordError, match=f"the game is {won.result} by the rules, not {other}"):
        list(records.parse(wrong))


@given(st.text(max_size=200))
def test_any_text_is_read_or_refused(text: str) -> None:
    for prefix in ("", HEAD + "\n"):
        try:
            read = list(records.parse(prefix + text))
        except RecordError as error:
            said = str(error)
        else:
            said, text = "", "".join(map(records.write, read))
            assert list(records.parse(text)) == read
        assert "\n" not in said


@given(
    st.text(max_size=60),
    st.one_of(st.none(), st.integers(0, 10**6).map(lambda tenths: tenths / 10)),
    st.one_of(st.none(), st.integers(-9999, 9999).map(lambda cents: cents / 100)),
)
def test_comments_clocks_and_scores_come_back(comment: str, clock: float | None, score: float | None) -> None:
    plain = " ".join(comment.replace("{", "(").replace("}", ")").replace("[", "(").split())
    game = Record("deblockle", (Entry("d1c1", plain, clock, score),), start=PAIR)
    assert list(records.parse(records.write(game))) == [game]
