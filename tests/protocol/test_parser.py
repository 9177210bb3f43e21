"""The parser of the protocol: what each command reads as, and what is wrong with the others."""

from __future__ import annotations

import pytest
from blockwit.errors import BlockwitError, CommandError, quote
from blockwit.protocol import parser, writer
from blockwit.search import Info, Limits, Result, Score
from hypothesis import given
from hypothesis import strategies as st

KNOWN = (
    "startpos fen moves name value go depth nodes movetime wtime btime winc binc time infinite ponder mate "
    "searchmoves perft movestogo p1time p2inc 1 2 0 -1 x c1c2e4 99999999999999999999"
)
WORDS = st.lists(st.sampled_from(KNOWN.split(" ")) | st.text(min_size=1, max_size=8), max_size=10)


# --- position -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "fen", "moves"),
    [
        ("startpos", None, ()),
        ("startpos moves", None, ()),
        ("startpos moves a b", None, ("a", "b")),
        ("fen x y s", "x y s", ()),
        ("fen x y s 3 moves c1c2", "x y s 3", ("c1c2",)),
        ("fen x moves moves", "x", ("moves",)),
    ],
)
def test_position(text: str, fen: str | None, moves: tuple[str, ...]) -> None:
    assert parser.read_position(text.split()) == parser.PositionCommand(fen, moves)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "expected startpos or fen"),
        ("start", "expected startpos or fen, got 'start'"),
        ("startpos x", "expected moves after startpos, got 'x'"),
        ("startpos x moves y", "expected moves after startpos, got 'x'"),
        ("fen", "a position string is missing after fen"),
        ("fen moves c1c2", "a position string is missing after fen"),
        ("moves c1c2", "expected startpos or fen, got 'moves'"),
    ],
)
def test_position_error(text: str, words: str) -> None:
    with pytest.raises(CommandError) as caught:
        parser.read_position(text.split())
    assert words in str(caught.value)


# --- setoption ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("name Hash value 16", ("Hash", "16")),
        ("name Clear Hash", ("Clear Hash", None)),
        ("name a b value c d", ("a b", "c d")),
        ("name x value", ("x", "")),
        ("name x value value", ("x", "value")),
    ],
)
def test_setoption(text: str, expected: tuple[str, str | None]) -> None:
    assert parser.read_setoption(text.split()) == expected


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "expected name NAME"),
        ("Hash 16", "expected name NAME"),
        ("name", "the name is missing"),
        ("name value 3", "the name is missing"),
    ],
)
def test_setoption_error(text: str, words: str) -> None:
    with pytest.raises(CommandError) as caught:
        parser.read_setoption(text.split())
    assert words in str(caught.value)


# --- go -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "limits"),
    [
        ("", Limits(infinite=True)),
        ("infinite", Limits(infinite=True)),
        ("searchmoves a b", Limits(infinite=True, searchmoves=("a", "b"))),
        ("depth 3", Limits(depth=3)),
        ("nodes 1", Limits(nodes=1)),
        ("movetime 0", Limits(movetime=0)),
        ("movetime -7", Limits(movetime=-7)),
        ("mate 2", Limits(mate=2)),
        ("ponder", Limits(ponder=True)),
        ("ponder depth 2", Limits(ponder=True, depth=2)),
        ("depth 3 infinite", Limits(depth=3)),
        ("depth 3 nodes 4 movetime 5 mate 6", Limits(depth=3, nodes=4, movetime=5, mate=6)),
        ("depth 3 searchmoves depth 4", Limits(depth=3, searchmoves=("depth", "4"))),
        ("movestogo 40", Limits(infinite=True, movestogo=40)),
        ("movestogo 0 depth 3", Limits(depth=3)),
        ("depth 3 movestogo -1", Limits(depth=3)),
    ],
)
def test_go(text: str, limits: Limits) -> None:
    assert parser.read_go(text.split(), 2) == parser.GoCommand(limits, {}, {})


def test_go_clocks() -> None:
    command = parser.read_go(["wtime", "1000", "btime", "-5", "winc", "10", "binc", "20"], 2)
    assert command.clocks == {0: 1000, 1: -5}
    assert command.increments == {0: 10, 1: 20}
    assert not command.limits.infinite
    assert parser.read_go(["time", "1", "500", "time", "4", "60"], 4).clocks == {0: 500, 3: 60}


def test_go_clocks_in_the_words_of_ugi() -> None:
    command = parser.read_go(["p1time", "1000", "p2time", "-5", "p1inc", "10", "p2inc", "20", "p4inc", "3"], 4)
    assert command.clocks == {0: 1000, 1: -5}
    assert command.increments == {0: 10, 1: 20, 3: 3}
    assert parser.read_go(["p3time", "7", "depth", "1"], 2).unknown == ("p3time", "7")


@pytest.mark.parametrize(
    ("text", "unknown"),
    [("depth 3 4", ("4",)), ("DEPTH 3 depth 3", ("DEPTH", "3")), ("perft 2 fast", ("fast",)), ("depth 2", ())],
)
def test_unknown_words_are_kept_apart(text: str, unknown: tuple[str, ...]) -> None:
    assert parser.read_go(text.split(), 2).unknown == unknown


def test_go_perft() -> None:
    assert parser.read_go(["perft", "3"], 2).perft == 3
    assert parser.read_go(["perft", "0"], 2).perft == 0


@pytest.mark.parametrize("name", ["depth", "nodes", "mate", "movetime"])
def test_great_numbers_are_read(name: str) -> None:
    """The greatest number of the range neither fails nor overflows later: see the session's tests."""
    value = getattr(parser.read_go([name, str(10**15)], 2).limits, name)
    assert 0 < value <= 10**15


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("depth", "go depth: a number is missing"),
        ("depth x", "go depth: expected a whole number from 1 to"),
        ("depth 0", "go depth: expected a whole number from 1 to"),
        ("depth -3", "got '-3'"),
        ("depth +3", "got '+3'"),
        ("depth 3.0", "got '3.0'"),
        ("depth 1_0", "got '1_0'"),
        ("depth ٣", "got '٣'"),
        ("depth ²", "got '²'"),
        ("depth 99999999999999999999999", "expected a whole number"),
        ("depth infinite", "got 'infinite'"),
        ("nodes 0", "go nodes: expected a whole number from 1 to"),
        ("mate 0", "go mate: expected a whole number from 1 to"),
        ("movetime", "go movetime: a number is missing"),
        ("movetime --1", "got '--1'"),
        ("movetime -", "got '-'"),
        ("wtime", "go wtime: a number is missing"),
        ("wtime soon", "go wtime: expected a whole number"),
        ("binc 1e3", "go binc: expected a whole number"),
        ("time", "go time: a number is missing"),
        ("time 1", "go time: a number is missing"),
        ("time 0 100", "go time: expected a whole number from 1 to 2"),
        ("time 3 100", "go time: expected a whole number from 1 to 2"),
        ("searchmoves", "go searchmoves: a move is missing"),
        ("perft", "go perft: a number is missing"),
        ("perft -1", "go perft: expected a whole number from 0 to"),
        ("perft 51", "go perft: expected a whole number from 0 to 50"),
        ("perft 2 depth 3", "go perft: takes no other limit"),
        ("perft 2 infinite", "go perft: takes no other limit"),
        ("perft 2 searchmoves x", "go perft: takes no other limit"),
        ("perft 2 wtime 5", "go perft: takes no other limit"),
        ("fast depth", "go depth: a number is missing"),
        ("movestogo", "go movestogo: a number is missing"),
        ("movestogo x", "go movestogo: expected a whole number"),
        ("p2time", "go p2time: a number is missing"),
        ("p1inc x", "go p1inc: expected a whole number"),
        ("perft 2 movestogo 3", "go perft: takes no other limit"),
    ],
)
def test_go_error(text: str, words: str) -> None:
    with pytest.raises(CommandError) as caught:
        parser.read_go(text.split(), 2)
    message = str(caught.value)
    assert words in message
    assert len(message.splitlines()) == 1


@given(WORDS)
def test_any_words_are_read_or_refused(words: list[str]) -> None:
    for read in (parser.read_position, parser.read_setoption, lambda given: parser.read_go(given, 2)):
        try:
            command = read(words)
        except BlockwitError as error:
            refusal = str(error)
            assert refusal
        else:
            assert command == read(list(words))


# --- the writer ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("info", "line"),
    [
        (Info(), "info nodes 0 nps 0 time 0"),
        (Info(note="warning: gone"), "info string warning: gone"),
        (
            Info(
                depth=3,
                seldepth=5,
                multipv=2,
                score=Score(cp=-14),
                wdl=(1, 2, 997),
                nodes=2000,
                time=500,
                hashfull=7,
                pv=("c1c2e4", "0000"),
            ),
            "info depth 3 seldepth 5 multipv 2 score cp -14 wdl 1 2 997 nodes 2000 nps 4000 time 500 hashfull 7 "
            "pv c1c2e4 0000",
        ),
        (
            Info(score=Score(mate=-2, bound="upperbound"), nodes=1),
            "info multipv 1 score mate -2 upperbound nodes 1 nps 1000 time 0",
        ),
        (
            Info(score=Score(cp=5), bound=9, tbhits=4, note="hello"),
            "info multipv 1 score cp 5 bound cp 9 nodes 0 nps 0 time 0 tbhits 4 string hello",
        ),
    ],
)
def test_info_line(info: Info, line: str) -> None:
    assert writer.info_line(info) == line


def test_bestmove_line() -> None:
    assert writer.bestmove_line(Result(None)) == "bestmove (none)"
    assert writer.bestmove_line(Result("c1c2")) == "bestmove c1c2"
    assert writer.bestmove_line(Result("c1c2", "0000")) == "bestmove c1c2 ponder 0000"


def test_error_line_is_one_line() -> None:
    assert writer.error_line(CommandError("a\nb\r\n c")) == "info string error: a b c"


@given(st.text())
def test_quoted_input_is_printable_and_short(text: str) -> None:
    shown = quote(text)
    assert shown.isprintable()
    assert len(shown) < 700
    shown.encode()


@given(st.text(alphabet=st.characters(categories=["Cs", "Cc", "Zl", "Zp"]), min_size=1))
def test_quoted_surrogates_and_control_characters_can_be_sent(text: str) -> None:
    assert quote(text).encode().isascii()


def test_most_moves_of_a_line() -> None:
    assert len(parser.read_position(["startpos", "moves", *["a"] * parser.MAX_MOVES]).moves) == parser.MAX_MOVES
    with pytest.raises(CommandError, match="at most 10000 moves, got 10001"):
        parser.read_position(["startpos", "moves", *["a"] * (parser.MAX_MOVES + 1)])
    searchmoves = ["searchmoves", *["a"] * parser.MAX_SEARCHMOVES]
    assert len(parser.read_go(searchmoves, 2).limits.searchmoves) == parser.MAX_SEARCHMOVES
    with pytest.raises(CommandError, match="at most 1000, got 1001"):
        parser.read_go([*searchmoves, "a"], 2)
