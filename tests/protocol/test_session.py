"""One session of the protocol: every verb, every error, and the state kept after each."""

from __future__ import annotations

import json
import os
import re
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from blockwit import games
from blockwit.games.base import Kind
from blockwit.protocol import session as protocol_session
from blockwit.protocol.session import Session
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.boards import BOTH_BLOCKED, SOUTH_BLOCKED, START, lying, parse, start
from tests.protocol.conversation import SECONDS, Conversation

MIDDLE = "d5CLS,e6TLC c6SLX,d4CTL,d7XHS,f6XLT n"
DICE = ("roll:XXXX", "c5XLT", "e5XLT", "c7XLT", "e7XLT")


@pytest.fixture
def talk() -> Iterator[Conversation]:
    """Yield a fresh session, closed at the end."""
    conversation = Conversation()
    yield conversation
    conversation.session.close()


def errors(lines: list[str]) -> list[str]:
    """Return the error lines."""
    return [line for line in lines if line.startswith("info string error: ")]


def field(lines: list[str], name: str) -> list[str]:
    """Return the word after `name` in each info line that has it."""
    words = [line.split() for line in lines if line.startswith("info ")]
    return [line[line.index(name) + 1] for line in words if name in line]


# --- greetings and options ----------------------------------------------------------------------------------


def test_uci_names_the_engine_and_its_options(talk: Conversation) -> None:
    lines = talk.send("uci")
    assert lines[0].startswith("id name blockwit ")
    assert lines[1].startswith("id author ")
    assert lines[-1] == "uciok"
    options = {line.removeprefix("option name ").split(" type ")[0]: line for line in lines[2:-1]}
    assert all(line.startswith("option name ") for line in lines[2:-1])
    assert {
        "UCI_Variant",
        "Hash",
        "Threads",
        "MultiPV",
        "Seed",
        "Ponder",
        "UCI_ShowWDL",
        "UCI_LimitStrength",
        "UCI_Elo",
        "Skill",
        "Debug Log File",
        "Algorithm",
        "slider",
        "nohop",
        "repetition",
        "no_touch",
        "south_blocks",
        "north_blocks",
    } <= set(options)
    assert options["slider"] == ("option name slider type combo default free var free var full var full_or_beside_star")
    assert options["no_touch"] == "option name no_touch type check default false"
    assert options["south_blocks"] == "option name south_blocks type spin default 4 min 1 max 4"
    for line in options.values():
        kind = line.split(" type ")[1].split()[0]
        assert kind in {"spin", "check", "combo", "string", "button"}
        assert ("min" in line.split()) == (kind == "spin")
        assert (" var " in line) == (kind == "combo")


def test_uci_may_be_repeated(talk: Conversation) -> None:
    assert talk.send("uci") == talk.send("uci")


def test_isready(talk: Conversation) -> None:
    assert talk.send("isready") == ["readyok"]


def test_empty_lines_are_ignored(talk: Conversation) -> None:
    assert talk.send("", " ", "\t", "\r", "\n") == []


@pytest.mark.parametrize("command", ["isready\r\n", "  isready  ", "\tisready\t", "isready now"])
def test_space_around_words_does_not_matter(talk: Conversation, command: str) -> None:
    assert talk.send(command) == ["readyok"]


@pytest.mark.parametrize(
    "command",
    [
        "setoption name Hash value 2",
        "setoption name hash value 2",
        "setoption name MultiPV value 3",
        "setoption name Threads value 1",
        "setoption name Seed value 9223372036854775807",
        "setoption name Ponder value true",
        "setoption name UCI_ShowWDL value TRUE",
        "setoption name UCI_Variant value deblockle",
        "setoption name UCI_Variant value Deblockle",
        "setoption name Algorithm value alphabeta",
        "setoption name Algorithm value auto",
        "setoption name Skill value 3",
        "setoption name UCI_LimitStrength value true",
        "setoption name slider value full",
        "setoption name nohop value end_turn",
        "setoption name repetition value off",
        "setoption name no_touch value true",
        "setoption name south_blocks value 1",
        "setoption name north_blocks value 4",
    ],
)
def test_good_option_is_silent_and_the_engine_plays(talk: Conversation, command: str) -> None:
    assert talk.send(command) == []
    talk.send(f"position fen {START}")
    assert talk.go("depth 2")[0] in json.loads(talk.send("query state")[0].removeprefix("response "))["legal"]


BAD_COMMANDS = [
    ("nonsense", "unknown command 'nonsense'"),
    ("UCI", "unknown command 'UCI'"),
    ("\x00", "unknown command"),
    ("\x00isready", "unknown command"),
    ("go\x00", "unknown command"),
    ("\ud800", "unknown command"),
    ("info depth 3", "unknown command 'info'"),
    ("bestmove c1c2", "unknown command 'bestmove'"),
    ("position", "expected startpos or fen"),
    ("position fen", "a position string is missing"),
    ("position fen d1XLT d7XLT", "position: 2 fields"),
    ("position fen d2XLT d7XLT s", "position: south: block d2XLT: d2 is a star square"),
    ("position fen d1XLC d7XLT s", "position: south: block d1XLC"),
    ("position startpos moves c1c2", "position: move 1: 'c1c2': South rolls first"),
    ("position startpos moves roll:XXXX c5XLT x", "position: move 3: 'x': not a placement"),
    (f"position fen {START} moves c1c2a1 c7c6d4 c1c2", "position: move 3: 'c1c2'"),
    (f"position fen {BOTH_BLOCKED} moves 0000", "position: move 1: '0000': the game is over"),
    ("setoption", "setoption: expected name NAME"),
    ("setoption name", "setoption: the name is missing"),
    ("setoption name Hash", "setoption: Hash needs a value"),
    ("setoption name Hash value", "option Hash: expected a whole number"),
    ("setoption name Hash value 0", "option Hash: expected a whole number from 1 to 65536, got '0'"),
    ("setoption name Hash value 65537", "option Hash"),
    ("setoption name Hash value 1 2", "option Hash"),
    ("setoption name Hash value ٣", "option Hash"),
    ("setoption name Hash value 1e3", "option Hash"),
    ("setoption name Hash value " + "9" * 5000, "option Hash"),
    ("setoption name Seed value -1", "option Seed"),
    ("setoption name Seed value 9223372036854775808", "option Seed"),
    ("setoption name Threads value 0", "option Threads"),
    ("setoption name MultiPV value 0", "option MultiPV"),
    ("setoption name MultiPV value 257", "option MultiPV"),
    ("setoption name Skill value 21", "option Skill"),
    ("setoption name Ponder value 1", "option Ponder: expected true or false"),
    ("setoption name UCI_Variant value chess", "option UCI_Variant: expected one of"),
    ("setoption name Algorithm value magic", "option Algorithm: expected one of"),
    ("setoption name Algorithm value cpsat", "algorithm 'cpsat' does not play deblockle"),
    ("setoption name slider value long", "option slider: expected one of free, full, full_or_beside_star"),
    ("setoption name nohop value", "option nohop"),
    ("setoption name repetition value 2", "option repetition"),
    ("setoption name no_touch value maybe", "option no_touch"),
    ("setoption name south_blocks value 5", "option south_blocks"),
    ("setoption name north_blocks value 0", "option north_blocks"),
    ("setoption name colour value red", "setoption: unknown option 'colour', expected one of"),
    ("go depth", "go depth: a number is missing"),
    ("go depth 0", "go depth: expected a whole number from 1"),
    ("go nodes x", "go nodes"),
    ("go mate 0", "go mate"),
    ("go movetime", "go movetime"),
    ("go time 3 100", "go time: expected a whole number from 1 to 2"),
    ("go perft 51", "go perft: expected a whole number from 0 to 50"),
    ("go perft 2 depth 1", "go perft: takes no other limit"),
    ("go fast depth", "go depth: a number is missing"),
    ("go wtime 1000 movestogo soon", "go movestogo: expected a whole number"),
    ("debug", "debug: expected on or off, got ''"),
    ("debug maybe", "debug: expected on or off, got 'maybe'"),
    ("setoption name Debug Log File value .", "Debug Log File '.': Is a directory"),
    (
        "setoption name Debug Log File value nowhere/at/all",
        "Debug Log File 'nowhere/at/all': No such file or directory",
    ),
    ("setoption name Debug Log File value /dev/zero", "Debug Log File '/dev/zero': not a file"),
    ("setoption name Debug Log File value a\0b", "Debug Log File 'a\\x00b': embedded null byte"),
    ("go searchmoves", "go searchmoves: a move is missing"),
    ("go searchmoves c1c3c4", "go searchmoves: 'c1c3c4'"),
    ("go depth 2 searchmoves depth", "go searchmoves: 'depth'"),
    ("roll", "roll: no dice are to be rolled here"),
    ("query", "query: unknown question ''"),
    ("query nothing", "query: unknown question 'nothing', expected players, turn"),
    ("query turn now", "query turn: takes nothing more, got 'now'"),
    ("query legal 1", "query legal: expected nothing, or FROM COUNT"),
    ("query legal 1 2 3", "query legal: expected nothing, or FROM COUNT"),
    ("query legal -1 2", "query legal FROM: expected a whole number"),
    ("query legal 0 x", "query legal COUNT: expected a whole number"),
    ("x" * 100_000, "unknown command"),
    ("go " + "depth " * 20_000, "go depth"),
    ("position fen " + "d1XLT," * 20_000, "position"),
]


@pytest.mark.parametrize(
    ("command", "words"), BAD_COMMANDS, ids=[f"{n} {command[:30]!a}" for n, (command, _) in enumerate(BAD_COMMANDS)]
)
def test_bad_command_is_one_error_line_and_changes_nothing(talk: Conversation, command: str, words: str) -> None:
    talk.send("setoption name slider value full", "setoption name MultiPV value 2", f"position fen {START}")
    state = talk.send("query state", "d")
    move, searched = talk.go("depth 2")
    lines = talk.send(command)
    # Whoever sends `go` waits for a bestmove, whatever was wrong with it.
    answered = ["bestmove (none)"] if command.startswith("go ") else []
    assert lines[1:] == answered
    assert lines[0].startswith("info string error: ")
    assert words in lines[0]
    assert len(lines[0]) < 1000
    assert lines[0].isprintable()
    assert talk.send("query state", "d") == state
    again, searched_again = talk.go("depth 2")
    assert again == move
    assert field(searched_again, "score") == field(searched, "score")
    assert field(searched_again, "multipv") == field(searched, "multipv")
    assert talk.count("bestmove") == 2 + len(answered)
    talk.alive()


@pytest.mark.parametrize("command", ["debug on", "debug off", "stop", "stop now", "ponderhit"])
def test_silent_commands(talk: Conversation, command: str) -> None:
    assert talk.send(command) == []
    talk.alive()


def test_help_names_every_verb(talk: Conversation) -> None:
    told = " ".join(talk.send("help"))
    verbs = "uci isready setoption ucinewgame quit position go stop ponderhit roll query d eval bench debug help"
    verbs += " ugi uginewgame"
    for verb in verbs.split():
        assert verb in told.replace(",", " ").replace("(", " ").split()


# --- positions, questions and drawings ----------------------------------------------------------------------


def test_bad_move_leaves_the_former_position(talk: Conversation) -> None:
    talk.send(f"position fen {MIDDLE}")
    before = talk.send("query state")
    talk.send(f"position fen {START} moves c1c2a1 nonsense", "position fen rubbish", "position startpos moves 0000")
    assert talk.send("query state") == before


def test_position_with_moves(talk: Conversation) -> None:
    position = parse(START)
    tokens = []
    for _ in range(10):
        tokens.append(position.tokens()[-1])
        position = position.play(tokens[-1])
    talk.send(f"position fen {START} moves {' '.join(tokens)}")
    assert talk.send("d")[-1] == f"Position: {position.fen()}"
    assert talk.send("d") == position.text().splitlines()


def test_position_of_a_long_game(talk: Conversation) -> None:
    talk.send("setoption name repetition value off")
    moves = "a4a5a6 g4g5g6 a6a5a4 g6g5g4 " * 500
    assert talk.send(f"position fen a4CHT g4CHT s moves {moves}") == []
    assert talk.send("d")[-1] == "Position: a4CHT g4CHT s 2000"
    assert talk.go("depth 3")[0] in parse("a4CHT g4CHT s").tokens()


def test_rules_apply_at_once_until_a_position_is_set(talk: Conversation) -> None:
    talk.send("setoption name north_blocks value 1")
    assert talk.send("query legal 0 3")[0].split()[1] == "6"
    talk.send("position startpos moves roll:X")
    talk.send("setoption name north_blocks value 4")
    assert talk.send("query legal")[0].split()[1:] == start(north_blocks=1).play("roll:X").tokens()
    talk.send("position startpos")
    assert talk.send("query legal 0 3")[0].split()[1] == "126"


def test_every_rule_option_reaches_the_rules(talk: Conversation) -> None:
    def legal(text: str, option: str, value: str) -> list[str]:
        talk.send(f"setoption name {option} value {value}", f"position fen {text}")
        return talk.send("query legal")[0].split()[1:]

    slider = f"{lying('a4', 'L', 'east')} g1XLT s"
    for value in ("free", "full", "full_or_beside_star"):
        assert legal(slider, "slider", value) == parse(slider, slider=value).tokens()
    talk.send("setoption name slider value free")
    hemmed = f"{lying('a1', 'X', 'north')},b1XLT b3XLT,g7XLT s"
    for value in ("end_turn", "illegal"):
        assert legal(hemmed, "nohop", value) == parse(hemmed, nohop=value).tokens()
    touching = f"{lying('c3', 'C', 'north')} d5XLT s"
    for value in ("true", "false"):
        assert legal(touching, "no_touch", value) == parse(touching, no_touch=value).tokens()
    again = "a4CHT g4CHT s moves " + "a4a5a6 g4g5g6 a6a5a4 g6g5g4 " * 2
    assert legal(again, "repetition", "off")
    assert not legal(again, "repetition", "3")


@pytest.mark.parametrize(
    ("text", "turn", "over", "result", "score"),
    [
        (START, "s", "false", "none", "0 0"),
        (MIDDLE, "n", "false", "none", "0 0"),
        ("- d7XLT n", "none", "true", "p1win", "1 -1"),
        ("d1XLT - s", "none", "true", "p2win", "-1 1"),
        (BOTH_BLOCKED, "none", "true", "draw", "0 0"),
        ("- - s 0 setup:4v4:-", "chance", "false", "none", "0 0"),
        ("- - s 0 setup:4v4:XXXC", "s", "false", "none", "0 0"),
        ("- c7XLT,e7XLT n 0 setup:1v2:-", "chance", "false", "none", "0 0"),
        ("- c7XLT,e7XLT n 0 setup:1v2:S", "n", "false", "none", "0 0"),
    ],
)
def test_query(talk: Conversation, text: str, turn: str, over: str, result: str, score: str) -> None:
    talk.send(f"position fen {text}")
    assert talk.send("query players") == ["response 2"]
    assert talk.send("query turn") == [f"response {turn}"]
    assert talk.send("query gameover") == [f"response {over}"]
    assert talk.send("query result") == [f"response {result}"]
    assert talk.send("query score") == [f"response {score}"]
    (state,) = talk.send("query state")
    assert json.loads(state.removeprefix("response ")) == parse(text).state()
    assert talk.send("query legal") == [" ".join(["response", *parse(text).tokens()])]


@pytest.mark.parametrize(
    ("limits", "depth", "note"),
    [
        ("depth 2 foo", "2", "'foo'"),
        ("foo depth 2 3", "2", "'foo', '3'"),
        ("DEPTH depth 1", "1", "'DEPTH'"),
        ("p3time 5 depth 2", "2", "'p3time', '5'"),
        ("depth 1 " + "x " * 30_000, "1", "'x', 'x', 'x', 'x', 'x' and 29995 more"),
    ],
)
def test_unknown_words_after_go_are_passed_over_with_a_note(
    talk: Conversation, limits: str, depth: str, note: str
) -> None:
    talk.send(f"position fen {START}")
    move, lines = talk.go(limits)
    assert lines[0] == f"info string note: go: passed over {note}"
    assert sum("note" in line for line in lines) == 1
    assert move in parse(START).tokens()
    assert field(lines, "depth")[-1] == depth


def test_long_count_reports_before_its_first_move(talk: Conversation, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(protocol_session, "PROGRESS", 0.01)
    talk.send(f"position fen {START}", "go perft 9")
    assert "nodes 0 " in talk.wait("info depth 9")
    talk.send("stop")
    talk.wait("bestmove")


def test_perft_passes_over_unknown_words(talk: Conversation) -> None:
    talk.send(f"position fen {START}", "go perft 1 quickly")
    assert talk.wait("Nodes searched") == "Nodes searched: 47"
    assert talk.wait("bestmove") == "bestmove (none)"
    assert talk.count("info string note: go: passed over 'quickly'") == 1


@pytest.mark.parametrize("command", ["go depth", "go depth x", "go fast", "go searchmoves x"])
def test_go_during_a_search_is_refused_whatever_else_is_wrong_with_it(talk: Conversation, command: str) -> None:
    talk.send(f"position fen {START}", "go infinite")
    talk.wait("info depth 1")
    before = len(errors(talk.lines))
    talk.send(command)
    assert errors(talk.lines)[before:] == ["info string error: go: a search is running, send stop first"]
    assert talk.count("bestmove") == 0
    talk.send("stop")
    assert talk.wait("bestmove").split()[1] in parse(START).tokens()
    talk.alive()
    assert talk.count("bestmove") == 1


def test_go_that_gets_no_thread_is_answered(talk: Conversation, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    talk.send(f"position fen {START}")
    with monkeypatch.context() as patch:
        patch.setattr(threading.Thread, "start", refuse)
        lines = talk.send("go depth 1")
    assert lines == ["info string error: no thread for the search: can't start new thread", "bestmove (none)"]
    assert talk.go("depth 1")[0] in parse(START).tokens()


# --- the Universal Game Interface ---------------------------------------------------------------------------


def test_ugi_greets_like_uci(talk: Conversation) -> None:
    greeting = talk.send("uci")
    assert talk.send("ugi") == [*greeting[:-1], "ugiok"]


def test_bestmove_of_ugi_has_no_ponder(talk: Conversation) -> None:
    talk.send(f"position fen {START}")
    for greeting, words in (("uci", 4), ("ugi", 2), ("uci", 4)):
        talk.send(greeting)
        _, lines = talk.go("depth 3")
        assert len(lines[-1].split()) == words


def test_whose_turn_as_ugi_asks(talk: Conversation) -> None:
    turns = []
    for text in (START, MIDDLE, "- c7XLT,e7XLT n 0 setup:1v2:-", "- d7XLT n"):
        talk.send(f"position fen {text}")
        turns.append(talk.send("query p1turn", "query p2turn"))
    yes, no = "response true", "response false"
    assert turns == [[yes, no], [no, yes], [no, yes], [no, no]]
    assert errors(talk.send("query p3turn"))
    talk.send("setoption name UCI_Variant value numberdrop", "setoption name players value 3")
    assert talk.send("query p3turn") == [no]


def managed(first: Conversation, second: Conversation, opening: str) -> tuple[str, list[str]]:
    """Play a game as a match manager that knows nothing of it does; return the result and the moves."""
    engines = (first, second)

    def ask(engine: Conversation, question: str) -> str:
        answer = engine.send(" ".join([opening, *(["moves", *moves] if moves else [])]), f"query {question}")
        assert len(answer) == 1
        word, value = answer[0].split()
        assert word == "response"
        return value

    moves: list[str] = []
    for engine in engines:
        assert engine.send("ugi")[-1] == "ugiok"
        engine.send("setoption name Hash value 1")
        assert engine.send("isready") == ["readyok"]
        assert engine.send("uginewgame") == []
    clocks = [60_000, 60_000]
    while len(moves) < 400:
        mover = 0 if ask(first, "p1turn") == "true" else 1
        engine = engines[mover]
        assert engine.send("isready") == ["readyok"]
        if ask(engine, "gameover") == "true":
            break
        before = engine.count("bestmove")
        # Clocks decide nothing here: the nodes do.
        engine.send(f"go p1time {clocks[0]} p2time {clocks[1]} p1inc 100 p2inc 100 nodes 300")
        words = engine.wait("bestmove", before + 1).split()
        assert len(words) == 2
        moves.append(words[1])
    assert [ask(engine, "gameover") for engine in engines] == ["true", "true"]
    (result,) = {ask(engine, "result") for engine in engines}
    return result, moves


@pytest.mark.parametrize("opening", ["position startpos", f"position fen {START}"])
def test_match_manager_holds_whole_games(talk: Conversation, opening: str) -> None:
    other = Conversation()
    try:
        other.send("setoption name Seed value 3")
        result, moves = managed(talk, other, opening)
        again, others = managed(talk, other, opening)
        assert result in ("p1win", "p2win", "draw")
        position = start() if opening == "position startpos" else parse(START)
        for move in moves:
            position = position.play(move)
        assert position.kind() is Kind.TERMINAL
        if opening == "position startpos":
            assert moves[0].startswith("roll:")
            assert sum(move.startswith("roll:") for move in moves) == 2
            assert (again, others[0]) == (result, moves[0])
        assert not errors(talk.lines)
        assert not errors(other.lines)
    finally:
        other.session.close()


# --- strength --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "level"),
    [
        ([], 20),
        (["UCI_Elo value 420"], 20),
        (["UCI_Elo value 420", "UCI_LimitStrength value true"], 1),
        (["UCI_LimitStrength value true", "UCI_Elo value 1280", "Skill value 20"], 10),
        (["UCI_LimitStrength value true", "Skill value 20", "UCI_Elo value 1308"], 10.5),
        (["UCI_LimitStrength value true"], 20),
        (["Skill value 3"], 3),
        (["UCI_LimitStrength value false", "Skill value 3"], 3),
        (["UCI_LimitStrength value true", "UCI_Elo value 1280", "Skill value 3"], 3),
        (["UCI_LimitStrength value true", "UCI_Elo value 420", "UCI_LimitStrength value false"], 20),
    ],
)
def test_elo_and_skill_in_any_order(talk: Conversation, options: list[str], level: float) -> None:
    for option in options:
        assert talk.send(f"setoption name {option}") == []
    assert talk.session._settings().skill == level


def test_elo_reaches_the_search(talk: Conversation) -> None:
    talk.send(f"position fen {START}", "setoption name UCI_LimitStrength value true")
    nodes = []
    for elo in (420, 1000, 1500, 2000):
        talk.send(f"setoption name UCI_Elo value {elo}")
        nodes.append(int(field(talk.go("nodes 30000")[1], "nodes")[-1]))
    assert nodes == sorted(nodes)
    assert nodes[0] < 200
    assert nodes[-1] > 20_000
    assert errors(talk.send("setoption name UCI_Elo value 419"))
    assert errors(talk.send("setoption name UCI_Elo value 2001"))


# --- what was said, with times --------------------------------------------------------------------------------


def test_log_holds_all_that_is_read_and_written(talk: Conversation, tmp_path: Path) -> None:
    path = tmp_path / "the log.txt"
    path.write_text("kept\n", encoding="utf-8")
    assert talk.send(f"setoption name Debug Log File value {path}") == []
    talk.send(f"position fen {START}", "  isready ")
    _, lines = talk.go("depth 3")
    assert errors(talk.send("nonsense \ud800"))
    assert talk.send("setoption name Debug Log File value <empty>") == []
    talk.send("isready")
    first, *rest = path.read_text(encoding="utf-8").splitlines()
    assert first == "kept"
    told = [re.fullmatch(r"(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{6}) ([<>]) (.*)", line) for line in rest]
    assert all(told)
    marked = [(match[2], match[3]) for match in told if match]
    assert [text for mark, text in marked if mark == ">"] == [
        f"position fen {START}",
        "isready",
        "go depth 3",
        "nonsense \\ud800",
        "setoption name Debug Log File value <empty>",
    ]
    assert [text for mark, text in marked if mark == "<"] == ["readyok", *lines, talk.lines[-2]]
    times = [match[1] for match in told if match]
    assert times == sorted(times)


def test_bad_log_leaves_the_former_one(talk: Conversation, tmp_path: Path) -> None:
    path = tmp_path / "log"
    talk.send(f"setoption name Debug Log File value {path}")
    os.mkfifo(tmp_path / "pipe")
    for bad in (tmp_path, tmp_path / "no" / "folder", tmp_path / "pipe"):
        assert len(errors(talk.send(f"setoption name Debug Log File value {bad}"))) == 1
    talk.send("isready")
    assert path.read_text(encoding="utf-8").splitlines()[-1].endswith(" < readyok")


def test_log_that_fails_is_closed_and_no_command_fails_with_it(talk: Conversation, tmp_path: Path) -> None:
    talk.send(f"setoption name Debug Log File value {tmp_path / 'log'}")
    log = talk.session._log
    assert log is not None
    log.close()
    log._descriptor = os.open("/dev/full", os.O_WRONLY)
    lines = talk.send("isready", "isready")
    assert lines[1:] == ["readyok", "readyok"]
    assert lines[0].startswith("info string note: Debug Log File ")
    assert lines[0].endswith(": No space left on device, closed")


def test_debug_shows_what_is_read(talk: Conversation) -> None:
    talk.send("debug on")
    told, answer = talk.send("isready")
    assert re.fullmatch(r"info string debug \S+ \S+ > 'isready'", told)
    assert answer == "readyok"
    long, *_ = talk.send("query " + "x" * 5000)
    assert len(long) < 1200
    talk.send("debug off")
    assert talk.send("isready") == ["readyok"]


def test_query_legal_in_pages(talk: Conversation) -> None:
    talk.send(f"position fen {START}")
    tokens = parse(START).tokens()
    assert talk.send("query legal 0 5") == [" ".join(["response", "47", *tokens[:5]])]
    assert talk.send("query legal 45 5") == [" ".join(["response", "47", *tokens[45:]])]
    assert talk.send("query legal 47 5") == ["response 47"]
    assert talk.send("query legal 1000000000000 0") == ["response 47"]
    assert talk.send("query legal 0 1000000") == [" ".join(["response", "47", *tokens])]


def test_eval_tells_both_sides(talk: Conversation) -> None:
    talk.send(f"position fen a1XTH {lying('d3', 'S', 'south')} n")
    (line,) = talk.send("eval")
    assert line.startswith("info string eval South -")
    assert "North +" in line


# --- dice ---------------------------------------------------------------------------------------------------


def test_roll_is_decided_by_the_seed(talk: Conversation) -> None:
    def rolls(seed: int) -> list[str]:
        talk.send(f"setoption name Seed value {seed}")
        told = []
        for _ in range(8):
            talk.send("position startpos")
            told += talk.send("roll")
        return told

    first = rolls(7)
    assert all(line.startswith("info string rolled roll:") for line in first)
    assert len(set(first)) > 1
    assert rolls(8) != first
    assert rolls(7) == first
    talk.send("ucinewgame", "position startpos")
    assert talk.send("roll") == first[:1]


def test_roll_is_applied(talk: Conversation) -> None:
    (line,) = talk.send("roll")
    assert talk.send("query legal")[0].split()[1:] == start().play(line.split()[-1]).tokens()
    assert errors(talk.send("roll"))


def test_a_rule_that_changes_after_a_roll_changes_no_position(talk: Conversation) -> None:
    """Only an untouched start follows the options: a roll has touched it."""
    talk.send("roll")
    before = talk.send("query state")
    talk.send("setoption name south_blocks value 2")
    assert talk.send("query state") == before
    assert talk.send("query turn") != ["response chance"]


def test_whole_game_over_the_protocol(talk: Conversation) -> None:
    """Set-up and all: the engine rolls, places and moves until the game is over; every move is legal."""
    position = start(south_blocks=2, north_blocks=1)
    tokens: list[str] = []
    talk.send("setoption name south_blocks value 2", "setoption name north_blocks value 1")
    for _ in range(150):
        talk.send(" ".join(["position startpos moves", *tokens]))
        assert json.loads(talk.send("query state")[0].removeprefix("response ")) == position.state()
        if position.kind() is Kind.TERMINAL:
            break
        if position.kind() is Kind.CHANCE:
            assert talk.send("query turn") == ["response chance"]
            token = talk.send("roll")[0].split()[-1]
        else:
            token = talk.go("depth 2")[0]
        position = position.play(token)
        tokens.append(token)
    assert position.kind() is Kind.TERMINAL
    assert talk.send("query gameover") == ["response true"]
    assert talk.go("depth 2")[0] == "(none)"


def test_ucinewgame_goes_back_to_the_start(talk: Conversation) -> None:
    talk.send(f"position fen {START}", "ucinewgame")
    assert talk.send("d")[-1] == f"Position: {start().fen()}"
    assert talk.send("query turn") == ["response chance"]


# --- go -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "limits",
    [
        "depth 3",
        "nodes 1",
        "nodes 5000",
        "movetime 20",
        "movetime 0",
        "movetime -100",
        "wtime 0",
        "wtime -5 winc -3",
        "wtime 200 btime 200 winc 5 binc 5",
        "time 1 100",
        "mate 1",
        "mate 2",
        "depth 2 nodes 1000000000000000",
        "depth 100000000000 nodes 100",
        "mate 100000000000 nodes 100",
        "depth 2 movetime 1000000000000000",
        "depth 2 wtime 1000000000000000 winc 1000000000000000",
        "depth 2 depth 1",
        "wtime 2000 btime 2000 movestogo 40",
        "wtime 200 btime 200 movestogo 1",
        "wtime 2000 btime 2000 winc 0 binc 0 movestogo 0",
        "p1time 200 p2time 200 p1inc 5 p2inc 5",
    ],
)
def test_go_ends_with_one_legal_bestmove(talk: Conversation, limits: str) -> None:
    talk.send(f"position fen {START}")
    move, lines = talk.go(limits)
    assert move in parse(START).tokens()
    assert not errors(lines)
    talk.alive()
    assert talk.count("bestmove") == 1


@pytest.mark.parametrize("limits", ["movetime 1000000000000000", "wtime 1000000000000000"])
def test_very_much_time_is_not_over_at_once(talk: Conversation, limits: str) -> None:
    talk.send(f"position fen {START}", f"go {limits}")
    talk.wait("info depth 5")
    assert talk.count("bestmove") == 0
    talk.send("stop")
    talk.wait("bestmove")


@pytest.mark.parametrize("limits", ["", "infinite", "searchmoves c1c2a1", "btime 1", "winc 5"])
def test_go_without_a_limit_waits_for_stop(talk: Conversation, limits: str) -> None:
    talk.send(f"position fen {START}", f"go {limits}")
    talk.wait("info depth 3")
    assert talk.count("bestmove") == 0
    talk.send("stop")
    assert talk.wait("bestmove").split()[1] in parse(START).tokens()
    talk.alive()
    assert talk.count("bestmove") == 1


def test_infinite_beside_a_limit_says_nothing(talk: Conversation) -> None:
    talk.send(f"position fen {START}", "go infinite depth 2")
    talk.wait("bestmove")
    talk.alive()


def test_infinite_waits_even_when_nothing_is_left_to_do(talk: Conversation) -> None:
    talk.send(f"position fen {lying('d5', 'S', 'north')} g7XLT s", "go infinite")
    talk.wait("info depth 1")
    talk.alive()
    assert talk.count("bestmove") == 0
    talk.send("stop")
    assert talk.wait("bestmove").startswith("bestmove d5d6")


def test_mate_is_found_and_ends_the_search(talk: Conversation) -> None:
    talk.send("position fen d1XLT d7XLT s")
    move, lines = talk.go("mate 4")
    assert lines[-2].split()[7:10] == ["score", "mate", "4"]
    assert move in parse("d1XLT d7XLT s").tokens()


def test_searchmoves(talk: Conversation) -> None:
    talk.send(f"position fen {START}")
    assert talk.go("depth 3 searchmoves c1c2a1")[0] == "c1c2a1"
    talk.send("setoption name MultiPV value 4")
    _, lines = talk.go("depth 2 searchmoves c1c2a1 c1c2a1 c1c2c1")
    assert set(field(lines, "multipv")) == {"1", "2"}


def test_multipv_and_chances(talk: Conversation) -> None:
    talk.send("setoption name MultiPV value 3", "setoption name UCI_ShowWDL value true", f"position fen {START}")
    _, lines = talk.go("depth 3")
    assert set(field(lines, "multipv")) == {"1", "2", "3"}
    assert all(" wdl " in line for line in lines if " score " in line)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("- d7XLT s", "the game is over: South wins"),
        ("d1XLT - n", "the game is over: North wins"),
        (BOTH_BLOCKED, "the game is over: draw: both sides are blocked"),
        ("- - s 0 setup:4v4:-", "a roll comes next"),
    ],
)
@pytest.mark.parametrize("limits", ["", "depth 3", "infinite", "ponder", "movetime 0", "mate 3"])
def test_go_where_nothing_is_to_be_decided(talk: Conversation, text: str, words: str, limits: str) -> None:
    talk.send(f"position fen {text}")
    move, lines = talk.go(limits)
    assert move == "(none)"
    assert lines == [f"info string {words}", "bestmove (none)"]
    talk.send("stop")
    talk.alive()
    assert talk.count("bestmove") == 1


def test_forced_pass_is_played(talk: Conversation) -> None:
    talk.send(f"position fen {SOUTH_BLOCKED}")
    assert talk.go("depth 2")[0] == "0000"


def test_third_occurrence_ends_the_game(talk: Conversation) -> None:
    talk.send("position fen a4CHT g4CHT s moves " + "a4a5a6 g4g5g6 a6a5a4 g6g5g4 " * 2)
    assert talk.go("depth 2")[0] == "(none)"
    assert talk.send("query result") == ["response draw"]


def test_perft(talk: Conversation) -> None:
    talk.send(f"position fen {START}")
    move, lines = talk.go("perft 2")
    assert move == "(none)"
    assert lines[-2] == "Nodes searched: 2281"
    counts = dict(line.split(": ") for line in lines if ": " in line and not line.startswith(("info", "Nodes")))
    assert set(counts) == set(parse(START).tokens())
    assert sum(map(int, counts.values())) == 2281
    assert talk.go("perft 1")[1][-2] == "Nodes searched: 47"
    assert talk.go("perft 0")[1][-2] == "Nodes searched: 1"


@pytest.mark.parametrize(
    ("text", "total"),
    [
        (BOTH_BLOCKED, 1),
        (SOUTH_BLOCKED, 56),
        ("- d7XLT s", 0),
        ("a4CHT g4CHT s moves " + "a4a5a6 g4g5g6 a6a5a4 g6g5g4 " * 2, parse("a4CHT g4CHT s").perft(3)),
    ],
)
def test_perft_knows_no_draw(talk: Conversation, text: str, total: int) -> None:
    talk.send(f"position fen {text}")
    assert talk.go("perft 3")[1][-2] == f"Nodes searched: {total}"


def test_perft_is_stopped(talk: Conversation) -> None:
    talk.send(f"position fen {START}", "go perft 50")
    talk.alive()
    talk.send("stop")
    assert talk.wait("bestmove") == "bestmove (none)"
    assert any("not complete" in line for line in talk.lines)


def test_perft_of_the_set_up_is_an_error(talk: Conversation) -> None:
    _, lines = talk.go("perft 2")
    assert len(errors(lines)) == 1
    talk.alive()


# --- during a search ----------------------------------------------------------------------------------------


def test_questions_are_answered_during_a_search(talk: Conversation) -> None:
    talk.send(f"position fen {START}", "go infinite")
    talk.wait("info depth 2")
    for command, answer in (
        ("isready", "readyok"),
        ("query turn", "response s"),
        ("query players", "response 2"),
        ("d", f"Position: {START} 0"),
        ("uci", "uciok"),
    ):
        talk.send(command)
        talk.wait(answer)
    assert talk.count("bestmove") == 0
    talk.send("stop")
    talk.wait("bestmove")


@pytest.mark.parametrize(
    "command",
    [
        "go",
        "go depth 1",
        "go perft 1",
        "position startpos",
        f"position fen {MIDDLE}",
        "setoption name Hash value 2",
        "setoption name slider value full",
        "ucinewgame",
        "roll",
        "bench",
    ],
)
def test_command_out_of_place_leaves_the_search_running(talk: Conversation, command: str) -> None:
    talk.send(f"position fen {START}", "go infinite")
    talk.wait("info depth 2")
    talk.send(command)
    assert "a search is running" in talk.wait("info string error: ")
    talk.alive()
    assert talk.count("bestmove") == 0
    talk.send("stop")
    assert talk.wait("bestmove").split()[1] in parse(START).tokens()
    assert talk.send("d")[-1] == f"Position: {START} 0"
    assert len(errors(talk.lines)) == 1
    assert talk.count("bestmove") == 1


def test_commands_after_stop_wait_for_the_bestmove(talk: Conversation) -> None:
    for round_ in range(1, 20):
        talk.send(f"position fen {START}", "go infinite", "stop", f"position fen {MIDDLE}", "go infinite", "stop")
        talk.send("setoption name Hash value 1", "ucinewgame")
        assert talk.count("bestmove") == 2 * round_
    assert not errors(talk.lines)


def test_stop_twice_is_stop(talk: Conversation) -> None:
    talk.send(f"position fen {START}", "go infinite", "stop", "stop", "stop")
    talk.wait("bestmove")
    talk.send("stop")
    talk.alive()
    assert talk.count("bestmove") == 1


def test_stop_before_go_does_not_stop_it(talk: Conversation) -> None:
    talk.send(f"position fen {START}", "stop")
    _, lines = talk.go("depth 4")
    assert field(lines, "depth")[-1] == "4"


@pytest.mark.parametrize("command", ["go infinite", "go", "go ponder", "go movetime 100000", "go perft 50", "bench"])
def test_quit_in_mid_search(talk: Conversation, command: str) -> None:
    talk.send(f"position fen {START}", command)
    assert not talk.session.handle("quit")
    assert talk.count("bestmove") == (0 if command == "bench" else 1)


@pytest.mark.parametrize(
    "limits", ["ponder", "ponder depth 3", "ponder movetime 10", "ponder wtime 100", "ponder mate 1"]
)
def test_ponder_waits_for_stop(talk: Conversation, limits: str) -> None:
    talk.send(f"position fen {START}", f"go {limits}")
    talk.wait("info depth 1")
    talk.alive()
    assert talk.count("bestmove") == 0
    talk.send("stop")
    assert talk.wait("bestmove").split()[1] in parse(START).tokens()
    assert talk.count("bestmove") == 1


@pytest.mark.parametrize("limits", ["ponder depth 3", "ponder movetime 10", "ponder wtime 100", "ponder nodes 50"])
def test_ponderhit_lets_the_limits_end_the_search(talk: Conversation, limits: str) -> None:
    talk.send(f"position fen {START}", f"go {limits}")
    talk.wait("info depth 1")
    talk.send("ponderhit")
    assert talk.wait("bestmove").split()[1] in parse(START).tokens()
    talk.send("ponderhit", "stop")
    talk.alive()
    assert talk.count("bestmove") == 1


def test_ponderhit_at_once(talk: Conversation) -> None:
    for round_ in range(1, 20):
        talk.send(f"position fen {START}", "go ponder movetime 1", "ponderhit")
        talk.wait("bestmove", round_)
    assert talk.count("bestmove") == 20 - 1


def test_ponderhit_without_pondering_changes_nothing(talk: Conversation) -> None:
    talk.send(f"position fen {START}", "go infinite")
    talk.wait("info depth 2")
    talk.send("ponderhit")
    talk.alive()
    talk.wait("info depth 4")
    assert talk.count("bestmove") == 0
    talk.send("stop")
    talk.wait("bestmove")


def test_close_waits_for_a_bestmove_on_its_way_out() -> None:
    """The search is over and its last line is just being written when the end of input comes."""
    arrived, let_go, lines = threading.Event(), threading.Event(), list[str]()

    def slow(line: str) -> None:
        if line.startswith("bestmove"):
            arrived.set()
            assert let_go.wait(SECONDS)
        lines.append(line)

    session = Session(slow)
    session.handle(f"position fen {START}")
    session.handle("go depth 1")
    assert arrived.wait(SECONDS)
    closing = threading.Thread(target=session.close)
    closing.start()
    closing.join(0.1)
    closed_too_early = not closing.is_alive()
    let_go.set()
    closing.join(SECONDS)
    assert not closed_too_early
    assert lines[-1].startswith("bestmove")


def test_bench_prints_the_same_total_every_time(talk: Conversation) -> None:
    talk.send("setoption name slider value full", f"position fen {START}", "bench")
    first = talk.wait("Nodes searched: ")
    talk.wait("Nodes/second: ")
    talk.send("setoption name MultiPV value 3", "bench")
    assert talk.wait("Nodes searched: ", 2) == first
    talk.wait("Nodes/second: ", 2)
    assert talk.count("bestmove") == 0
    assert talk.send("d")[-1] == f"Position: {START} 0"


@pytest.mark.parametrize("name", games.NAMES)
def test_bench_positions_are_right_ones(name: str) -> None:
    game = games.get(name)
    assert all(game.parse(fen, {}).kind() is Kind.DECISION for fen, _ in game.bench)


# --- anything at all ----------------------------------------------------------------------------------------

VERBS = (
    "uci isready setoption ucinewgame position go stop ponderhit roll query d eval debug help startpos fen moves "
    "name value Hash MultiPV Seed slider full free depth nodes movetime wtime infinite ponder mate searchmoves "
    "perft 0 1 2 3 -1 true false legal state turn c1c2a1 0000 roll:XXXX c5XLT s n setup:4v4:- - "
    f"{START.split()[0]} {START.split()[1]} 99999999999999999999 \x00 \ud800"
).split(" ")
LINES = st.text(max_size=40) | st.lists(st.sampled_from(VERBS), max_size=8).map(" ".join)
SHAPED = st.one_of(
    st.sampled_from(
        [
            f"position fen {START}",
            "position startpos",
            "position startpos moves " + " ".join(DICE),
            f"position fen {SOUTH_BLOCKED}",
            f"position fen {BOTH_BLOCKED}",
            "go",
            "go infinite",
            "go depth 2",
            "go nodes 100",
            "go movetime 1",
            "go ponder",
            "go mate 1",
            "go perft 2",
            "stop",
            "ponderhit",
            "roll",
            "ucinewgame",
            "setoption name MultiPV value 2",
            "setoption name Skill value 1",
            "setoption name no_touch value true",
        ]
    ),
    LINES,
)


@settings(max_examples=120)
@given(st.lists(SHAPED, max_size=15))
def test_any_lines_leave_the_engine_answering(commands: list[str]) -> None:
    talk = Conversation()
    searches = 0
    for command in commands:
        words = command.split()
        if words[:1] in (["quit"], ["bench"]):
            continue
        before = len(talk.lines)
        talk.send(command)
        if words[:1] == ["go"]:
            refused = any("error: go" in line for line in talk.lines[before:])
            searches += not refused
    talk.send("isready")
    talk.wait("readyok")
    talk.session.close()
    assert talk.count("bestmove") == searches
    assert all(line.isprintable() for line in talk.lines)
    assert not any("Traceback" in line for line in talk.lines)
