"""Moves spelt in steps: every legal move and nothing else can be spelt, and vectors are what they promise."""

from __future__ import annotations

import random
from collections.abc import Iterator

import numpy as np
import pytest
from blockwit.adapters import steps
from blockwit.adapters.steps import Node
from blockwit.errors import MoveError
from blockwit.games.base import Kind, Options
from blockwit.games.numberdrop.alphabet import NumberDropAlphabet

SETTINGS: list[tuple[str, Options, str]] = [
    ("deblockle", {}, ""),
    ("deblockle", {"south_blocks": 2}, ""),
    ("numberdrop", {"solo": True}, ""),
    ("numberdrop", {"players": 3, "straight": "set"}, ""),
    ("nmbr9", {}, ""),
    ("nmbr9", {"Problem": "F-2-2-5"}, ""),
    ("nmbr9", {}, "7b@300,-400,0 94103"),
]
IDS = [f"{game} {options} {fen}" for game, options, fen in SETTINGS]


def walk(node: Node, rng: random.Random) -> Iterator[Node]:
    """Yield the nodes of a random game, the last one included."""
    while node.kind is not Kind.TERMINAL:
        yield node
        if node.kind is Kind.CHANCE:
            node = node.played(node.position.roll(rng.getrandbits(64)))
        else:
            node = node.after(rng.choice(node.steps()))
    yield node


def words(node: Node, prefix: tuple[int, ...] = ()) -> Iterator[tuple[tuple[int, ...], str]]:
    """Yield all that can be spelt from a position."""
    for step in node.alphabet.steps(node.position, prefix):
        longer = (*prefix, step)
        token = node.alphabet.token(node.position, longer)
        if token is None:
            yield from words(node, longer)
        else:
            yield longer, token


def test_steps_of_number_drop_in_their_order() -> None:
    """Each step has a meaning of its own, none is left out."""
    turned = [f"r{orientation}@{column}" for orientation in range(8) for column in range(1, 8)]
    drops = [f"{shape}{place[1:]}" for shape in "IOTLS" for place in turned]
    expected = [
        *(f"write:{column}1" for column in "abcdefg"),
        *(f"slide:{letter}" for letter in "ABCDE"),
        *(f"x:{place}" for place in turned),
        "x:skip",
        *drops,
        "skip",
        *"0123456789",
        "-",
        *(f"+{kind}{size}" for kind in "IS" for size in range(3, 9)),
        *(f"{column}{row}" for row in range(1, 15) for column in "abcdefg"),
    ]
    alphabet = steps.start("numberdrop", {}).alphabet
    assert [alphabet.label(step) for step in range(alphabet.size)] == expected


@pytest.mark.parametrize(("game", "options", "fen"), SETTINGS, ids=IDS)
def test_exactly_the_legal_moves_can_be_spelt(game: str, options: Options, fen: str) -> None:
    rng = random.Random(1)
    checked = 0
    for node in walk(steps.start(game, options, fen), rng):
        if node.kind is not Kind.DECISION or node.prefix or node.position.count() > 500 or rng.random() < 0.7:
            continue
        spelt = dict(words(node))
        assert sorted(spelt.values()) == sorted(node.position.tokens())
        for word, token in rng.sample(list(spelt.items()), min(len(spelt), 20)):
            assert node.spell(token) == word
            after = node
            for step in word:
                after = after.after(step)
            assert after.position == node.position.play(token)
            assert after.prefix == ()
            assert after.count == node.count + 1
        checked += 1
    assert checked >= 1


def test_vector_of_number_drop_by_hand() -> None:
    fen = "solo L4:1,T4:0,S4:0,O4:0,I4:1 - 1 drop:1 1***I g/g/g/g/g/g/g/g/g/g/g/g/g/1f,-,-,-"
    node = steps.start("numberdrop", {}, fen)
    vector = node.alphabet.observe(node.position, (), 0)[NumberDropAlphabet.SHEET :]
    letters = vector[: 5 * 13].reshape(5, 13)
    assert [letter[:11].nonzero()[0].tolist() for letter in letters] == [[3], [2], [4], [1], [0]]
    assert letters[:, 11].tolist() == [0.25, 0, 0, 0, 0.25]
    assert not letters[:, 12].any()
    dice = vector[5 * 13 + 8 + 6 + 6 + 6 :][:19]
    # No slide, a one and three stars, the straight piece.
    assert dice.tolist() == [0, 0, 0.25, *[0] * 8, 0.75, 1, *[0] * 6]


def test_drop_with_stars_is_spelt_without_listing() -> None:
    fen = "solo L4:1,T4:0,S4:0,O4:0,I4:1 - 1 drop:1 1***I g/g/g/g/g/g/g/g/g/g/g/g/g/1f,-,-,-"
    node = steps.start("numberdrop", {}, fen)
    assert len(node.steps()) == 11
    rng = random.Random(3)
    for _ in range(20):
        word = []
        here = node
        while here.position is node.position:
            word.append(rng.choice(here.steps()))
            here = here.after(word[-1])
        token = node.alphabet.token(node.position, word)
        assert token is not None
        assert node.spell(token) == tuple(word)


@pytest.mark.parametrize(("game", "options", "fen"), SETTINGS, ids=IDS)
def test_vectors_and_masks(game: str, options: Options, fen: str) -> None:
    seen: dict[bytes, tuple[object, tuple[int, ...]]] = {}
    for node in walk(steps.start(game, options, fen), random.Random(2)):
        mask = node.mask()
        assert mask.shape == (node.alphabet.size,)
        assert np.flatnonzero(mask).tolist() == node.steps()
        for player in range(len(node.position.returns())):
            vector = node.observe(player)
            assert vector.shape == (node.alphabet.length,)
            assert vector.dtype == np.float32
            assert -1 <= vector.min() <= vector.max() <= 1
        # Different nodes are different vectors (in one game of Deblockle a repetition looks alike on purpose).
        key = node.observe(0).tobytes()
        assert seen.setdefault(key, (node.position, node.prefix)) == (node.position, node.prefix)


@pytest.mark.parametrize(("game", "options", "fen"), SETTINGS, ids=IDS)
def test_names_tell_steps_apart(game: str, options: Options, fen: str) -> None:
    alphabet = steps.start(game, options, fen).alphabet
    names = [alphabet.label(step) for step in range(alphabet.size) if game != "deblockle" or step >= 49 * 4 * 50]
    assert len(names) == len(set(names))


def test_names_of_deblockle_are_its_moves() -> None:
    for node in walk(steps.start("deblockle", {}), random.Random(5)):
        if node.kind is Kind.DECISION:
            assert sorted(map(node.alphabet.label, node.steps())) == sorted(node.position.tokens())


def test_what_is_not_legal_is_refused() -> None:
    node = steps.start("deblockle", {})
    with pytest.raises(MoveError, match="step 0 is not legal here"):
        node.after(0)
    node = node.played(node.position.roll(1))
    with pytest.raises(MoveError, match="step -1 is not legal"):
        node.after(-1)
    with pytest.raises(MoveError):
        node.spell("c1c2")


def test_endless_game_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(steps, "LONGEST", 6)
    last = list(walk(steps.start("deblockle", {}), random.Random(5)))[-1]
    assert last.count == 6
    assert last.position.kind() is not Kind.TERMINAL
    assert last.steps() == []


def test_a_node_shows_its_prefix() -> None:
    node = steps.start("nmbr9", {}, "- 70")
    assert str(node.after(node.steps()[1])) == "- 70 b"
