"""Tic-tac-toe, brought by a package of its own: one folder and one name are enough for all that faces offer."""

from __future__ import annotations

import subprocess
import sys
from functools import cache

import pytest
from blockwit import games, search
from blockwit.adapters import openspiel
from blockwit.cli.main import app
from blockwit.client import Engine
from blockwit.errors import MoveError, OptionError
from blockwit.games.facets import View
from blockwit.search.types import Info, Limits, Settings
from blockwit.web import rulebook
from typer.testing import CliRunner

WON = "xx./oo./... x"


def test_it_is_not_there_unless_its_package_is() -> None:
    assert games.names() == games.NAMES
    with pytest.raises(OptionError, match="unknown game 'tictactoe', expected one of deblockle, numberdrop, nmbr9"):
        games.get("tictactoe")


def test_a_package_that_brings_another_game_is_refused(tictactoe: str, monkeypatch: pytest.MonkeyPatch) -> None:
    brought = {"noughts": games._brought()[tictactoe], "nothing": "math:pi"}
    monkeypatch.setattr(games, "_brought", cache(lambda: brought))
    for name, where in brought.items():
        with pytest.raises(OptionError, match=f"{where} is no game called {name}"):
            games.get.__wrapped__(name)


def test_there_is_nothing_to_roll(tictactoe: str) -> None:
    with pytest.raises(MoveError, match="nothing is left to chance here"):
        games.get(tictactoe).start({}).roll(1)


@pytest.mark.parametrize("algorithm", ["alphabeta", "mcts"])
def test_searches_play_it(tictactoe: str, algorithm: str) -> None:
    game = games.get(tictactoe)
    searcher = search.make(game, algorithm, Settings())
    for text, best in ((WON, "c3"), ("xx./o../... o", "c3"), ("x.o/.o./x.. x", "a2")):
        result = searcher.search(game.parse(text, {}), Limits(nodes=20000), lambda _: None)
        assert result.move == best


def test_alpha_beta_knows_that_it_is_a_draw(tictactoe: str) -> None:
    game = games.get(tictactoe)
    infos: list[Info] = []
    search.make(game, "alphabeta", Settings()).search(game.start({}), Limits(depth=9), infos.append)
    assert infos[-1].score is not None
    assert infos[-1].score.cp == 0
    assert game.start({}).perft(9) == 127872


def test_an_engine_process_plays_it_to_the_end(tictactoe: str) -> None:
    moves: list[str] = []
    with Engine(options={"UCI_Variant": tictactoe}) as engine:
        while engine.query("gameover") != "true":
            engine.position(moves=moves)
            if engine.query("gameover") == "true":
                break
            moves.append(engine.go(Limits(depth=9)).move or "")
        assert engine.query("result") == "draw"
    assert len(moves) == 9


def test_the_command_line_shows_it(tictactoe: str) -> None:
    result = CliRunner().invoke(app, ["show", "x../.o./... x", "--moves", "c1"])
    assert (result.exit_code, result.output) == (0, "x..\n.o.\n..x\n")
    result = CliRunner().invoke(app, ["perft", "2", "--game", tictactoe])
    assert result.exit_code == 0
    assert "72" in result.output


def test_openspiel_loads_it(tictactoe: str) -> None:
    pyspiel = pytest.importorskip("pyspiel")
    code = (
        "import pyspiel\n"
        "from blockwit.adapters import openspiel\n"
        "game = pyspiel.load_game('blockwit_tictactoe')\n"
        "state = game.new_initial_state()\n"
        "while not state.is_terminal():\n"
        "    state.apply_action(state.legal_actions()[0])\n"
        "print(state.returns(), game.get_type().utility)\n"
    )
    assert openspiel.PREFIX + tictactoe not in pyspiel.registered_names()
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[1.0, -1.0] Utility.ZERO_SUM\n"


def test_what_it_lacks_is_refused_by_name(tictactoe: str, monkeypatch: pytest.MonkeyPatch) -> None:
    game = games.get(tictactoe)
    with pytest.raises(OptionError, match="Tic-tac-toe has no page of rules"):
        rulebook.rules_html(tictactoe)
    monkeypatch.setattr(type(game), "facets", {})
    with pytest.raises(OptionError, match="Tic-tac-toe has no view for a page"):
        View.of(game)
