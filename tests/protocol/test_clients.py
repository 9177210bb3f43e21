"""Clients of other people: python-chess, and the habits of cutechess and the like."""

from __future__ import annotations

import sys

import pytest

from tests.boards import START, parse
from tests.protocol.conversation import SECONDS
from tests.protocol.test_stdio import ENGINE, POSITION, Engine

chess_engine = pytest.importorskip("chess.engine")


@pytest.mark.parametrize(
    "command", [ENGINE, [sys.executable, "-c", "from blockwit.cli.main import main; main()", "engine"]]
)
def test_python_chess_shakes_hands_sets_options_and_pings(command: list[str]) -> None:
    with chess_engine.SimpleEngine.popen_uci(command, timeout=SECONDS) as engine:
        assert engine.id["name"].startswith("blockwit ")
        hash_option = engine.options["Hash"]
        assert (hash_option.type, hash_option.default, hash_option.min) == ("spin", 16, 1)
        assert engine.options["UCI_Variant"].var == ["deblockle", "numberdrop", "nmbr9"]
        assert engine.options["UCI_ShowWDL"].type == "check"
        engine.configure({"Hash": 2, "Seed": 5, "UCI_ShowWDL": True, "Algorithm": "alphabeta", "nohop": "end_turn"})
        engine.ping()
        with pytest.raises(chess_engine.EngineError, match="Hash"):
            engine.configure({"Hash": 0})
        engine.ping()


def test_python_chess_reads_the_scores_of_every_report() -> None:
    """Its own parser of `info`, on a real search: nothing is passed over or misread."""
    engine = Engine()
    try:
        engine.send("setoption name UCI_ShowWDL value true", POSITION, "go depth 3")
        engine.until("bestmove")
    finally:
        engine.close()
    reports = [line.removeprefix("info ") for line in engine.lines if line.startswith("info depth")]
    assert len(reports) >= 3
    for report in reports:
        # Moves are not those of chess: python-chess reads up to them.
        read = chess_engine._parse_uci_info(report.partition(" pv ")[0], chess_engine.chess.Board())
        assert {"depth", "seldepth", "multipv", "score", "nodes", "nps", "time", "hashfull"} <= set(read)


def test_habits_of_tournament_managers() -> None:
    """Repeated `uci`, `isready` and `go` in mid-search, stray `stop` and `ponderhit`, `quit` in mid-search."""
    engine = Engine()
    try:
        for _ in range(3):
            engine.send("uci")
            engine.until("uciok")
        engine.send("stop", "ponderhit", "stop", "isready")
        assert engine.until("") == "readyok"
        engine.send("ucinewgame", POSITION, "isready")
        assert engine.until("") == "readyok"
        engine.send("go infinite")
        engine.until("info depth 2")
        for _ in range(3):
            engine.send("isready")
            engine.until("readyok")
        engine.send("uci")
        engine.until("uciok")
        engine.send("go movetime 1", "ucinewgame", "isready")
        engine.until("readyok")
        assert sum("a search is running" in line for line in engine.lines) == 2
        assert not any(line.startswith("bestmove") for line in engine.lines)
        # At once after `stop`, before the answer to it.
        engine.send("stop", "stop", POSITION, "go depth 1")
        for _ in range(2):
            assert engine.until("bestmove").split()[1] in parse(START).tokens()
        engine.send("go infinite", "quit")
        assert engine.end() == (0, b"")
        assert sum(line.startswith("bestmove") for line in engine.lines) == 3
    finally:
        engine.close()
