"""What every registered game has to satisfy, one that another package brings included."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator

import pytest
from blockwit import games
from blockwit.adapters import steps
from blockwit.errors import MoveError, OptionError, PositionError
from blockwit.games.alphabet import Alphabet
from blockwit.games.base import Game, Kind, Position
from blockwit.games.facets import View
from blockwit.web import views

SLACK = 1e-6
"""Bounds and evaluations are compiled in ten-thousandths of the game's unit."""


@pytest.fixture(params=[*games.NAMES, "tictactoe"])
def game(request: pytest.FixtureRequest) -> Game:
    if request.param not in games.NAMES:
        request.getfixturevalue(request.param)
    return games.get(request.param)


def walk(game: Game, seed: int, most: int = 120) -> Iterator[Position]:
    """Yield the positions of a random game from its start, at most `most`."""
    rng = random.Random(seed)
    position = game.start({})
    for _ in range(most):
        yield position
        kind = position.kind()
        if kind is Kind.TERMINAL:
            return
        if kind is Kind.CHANCE:
            position = position.play(position.roll(rng.getrandbits(64)))
        else:
            (token,) = position.tokens(rng.randrange(position.count()), 1)
            position = position.play(token)


def test_the_registry_knows_it(game: Game) -> None:
    assert game.name in games.names()
    assert games.get(game.name) is game
    assert game.table.name == game.name
    assert game.read_options({}) == {spec.name: spec.default for spec in game.options}
    with pytest.raises(OptionError, match="unknown option 'nothing'"):
        game.read_options({"nothing": 1})


def test_positions_are_written_and_read(game: Game) -> None:
    for seed in range(4):
        for position in walk(game, seed):
            text = position.fen()
            assert games.of_position(text) is game
            again = game.parse(text, {})
            assert again.fen() == text
            assert again.raw() == position.raw()
            assert again.tokens(0, 50) == position.tokens(0, 50)
            assert json.loads(json.dumps(position.state()))["fen"] == text
            assert position.text()
    for text in ("", "nothing", "a b c d e f g h i j k"):
        with pytest.raises(PositionError):
            game.parse(text, {})


def test_seeds_are_numbers_of_64_bits(game: Game) -> None:
    """Larger ones, and those below zero, are read as such."""
    for position in walk(game, 2):
        if position.kind() is Kind.CHANCE:
            assert position.roll(5 + 2**64) == position.roll(5 - 2**65) == position.roll(5)


def test_the_compiled_table_says_the_same(game: Game) -> None:
    table = game.table
    for seed in range(4):
        for position in walk(game, seed):
            raw = position.raw()
            assert len(raw) == table.state_size
            if position.kind() is Kind.TERMINAL:
                continue
            assert table.kind(raw) == position.kind()
            assert table.player(raw) == position.player()
            assert table.players(raw) == len(position.returns())
            assert sum(position.chances().values()) == pytest.approx(1 if position.kind() is Kind.CHANCE else 0)
            if table.count(raw) > 500:
                continue
            for action in random.Random(seed).sample(table.actions(raw), min(5, table.count(raw))):
                after = table.play(raw, action)
                assert table.kind(after) in set(Kind)
            with pytest.raises(ValueError, match="is not legal here"):
                table.play(raw, 2**64 - 1)


def test_moves_lead_where_their_actions_lead(game: Game) -> None:
    table = game.table
    for position in walk(game, 7):
        for token in position.tokens(0, 3):
            actions = position.actions(token)
            assert position.line(actions) == [token]
            raw = position.raw()
            if table.count(raw) > 500:
                continue
            for action in actions:
                raw = table.play(raw, action)
            assert raw == position.play(token).raw()
        with pytest.raises(MoveError):
            position.play("nothing")


def test_values_stay_within_bounds(game: Game) -> None:
    table = game.table
    for seed in range(4):
        positions = list(walk(game, seed, 3000))
        last = positions[-1]
        assert (last.kind() is Kind.TERMINAL) == (last.result() is not None)
        for position in positions[:: max(1, len(positions) // 50)]:
            for player, value in enumerate(position.evaluate()):
                low, high = table.bounds(position.raw(), player)
                assert low <= high
                if last.kind() is Kind.TERMINAL:
                    assert low - SLACK <= last.returns()[player] <= high + SLACK
                if table.zero_sum:
                    assert low - SLACK <= value <= high + SLACK
            if table.zero_sum:
                assert sum(position.evaluate()) == pytest.approx(0, abs=1e-3)


def test_bytes_that_are_no_state_are_refused(game: Game) -> None:
    table = game.table
    raw = game.start({}).raw()
    for wrong in (b"", raw[:-1], raw + b"\0"):
        with pytest.raises(ValueError, match=f"a state of {game.name} has {len(raw)} bytes, got {len(wrong)}"):
            table.kind(wrong)


def test_steps_spell_the_moves(game: Game) -> None:
    alphabet = Alphabet.of(game)
    rng = random.Random(3)
    node = steps.start(game.name, {})
    for _ in range(60):
        if node.kind is Kind.TERMINAL:
            break
        assert node.observe(0).shape == (node.alphabet.length,)
        if node.kind is Kind.CHANCE:
            node = node.played(node.position.roll(rng.getrandbits(64)))
            continue
        legal = node.steps()
        assert legal == sorted(legal)
        assert node.mask().nonzero()[0].tolist() == legal
        assert all(0 <= step < alphabet.size and alphabet.label(step) for step in legal)
        node = node.after(rng.choice(legal))


def test_a_page_can_show_it(game: Game) -> None:
    assert View.known_to(game)
    entry = views.catalogue()[game.name]
    assert entry["title"] == game.title
    assert [option["name"] for option in entry["options"]] == [spec.name for spec in game.options]
    for position in walk(game, 5, 40):
        shown = views.view(position)
        assert json.loads(json.dumps(shown))["kind"] == position.kind().name.lower()
        for token in position.tokens(0, 2):
            assert views.words(position, token)
