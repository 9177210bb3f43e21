"""What the page is told agrees with the rules: tips, places, claims, words, puzzles."""

from __future__ import annotations

import random

import pytest
from blockwit import games
from blockwit.games.base import Kind, Position
from blockwit.study.puzzles import listing
from blockwit.web import views
from blockwit.web.rulebook import anchor, headings, rules_html


def walk(game: str, options: games.Options, seed: int, plies: int) -> list[Position]:
    """The positions of a random game."""
    rng = random.Random(seed)
    line = [games.get(game).start(options)]
    while len(line) <= plies and line[-1].kind() is not Kind.TERMINAL:
        position = line[-1]
        if position.kind() is Kind.CHANCE:
            token = position.roll(rng.getrandbits(60))
        else:
            token = position.tokens(rng.randrange(position.count()), 1)[0]
        line.append(position.play(token))
    return line


@pytest.mark.parametrize("no_touch", [False, True])
def test_the_tips_hold_all_legal_moves_and_only_them(no_touch: bool) -> None:
    for position in walk("deblockle", {"no_touch": no_touch}, 3, 80):
        shown = views.view(position)
        moves = [move for tip in shown["tips"] for move in tip["moves"]]
        if position.is_setup() or position.kind() is not Kind.DECISION or shown["legal"] == ["0000"]:
            assert moves == []
        else:
            assert sorted(moves) == sorted(position.tokens())
        for tip in shown["tips"]:
            assert bool(tip["moves"]) != ("why" in tip)
            assert sorted(tip["faces"].values()) == sorted("STCXLH")


@pytest.mark.parametrize("solo", [False, True])
def test_the_places_are_those_of_the_legal_drops_and_the_cells_those_that_fill(solo: bool) -> None:
    seen = set()
    for position in walk("numberdrop", {"solo": solo}, 5, 60):
        shown = views.view(position)
        phase = shown["phase"]
        if phase not in ("drop", "block"):
            assert shown["places"] == []
            continue
        seen.add(phase)
        legal = position.tokens(0, 3000) if phase == "block" or position.count() < 3000 else []
        heads = {token if phase == "block" else token.partition(":")[0] for token in legal} - {"skip", "x:skip"}
        places = {place["head"]: place["cells"] for place in shown["places"]}
        if heads:
            assert heads == set(places)
        for cells in places.values():
            assert len(set(cells)) in (3, 4, 5)
    assert "drop" in seen


def test_the_claims_of_a_drop_are_the_legal_ones() -> None:
    checked = 0
    for position in walk("numberdrop", {"players": 1}, 11, 80):
        if views.view(position)["phase"] != "drop" or position.count() > 40_000:
            continue
        drop = position.tokens()[0].partition("+")[0]
        legal = {token.partition("+")[2] for token in position.tokens() if token.startswith(drop + "+")}
        assert set(views.claims(position, drop)["claims"]) == legal
        checked += bool(legal)
    assert checked


LOW = "1 I4,O4,T4,S4,L4 - 1 roll - " + "g/" * 13 + "1f,-,-,-"


@pytest.mark.parametrize(
    ("game", "start", "token", "words"),
    [
        ("deblockle", None, "roll:XLCH", "South rolls cross, x, slider, hoops"),
        ("deblockle", "- - s 0 setup:4v4:XLCH", "c5XLT", "South places a block on c5, x up, slider to the north"),
        ("deblockle", "d1XLT d7XLT s", "d1c1", "South d1 tips west, stop up, and stays on c1"),
        ("deblockle", "d5XTH d7XLT s", "d5d6", "South d5 tips north, star up, and leaves the board"),
        ("numberdrop", None, "tile:V3", "tile V3 drawn for A"),
        (
            "numberdrop",
            "1 I4,O4,T4,S4,L4 - 1 roll - " + "g/" * 13 + "1f,-,-,-",
            "roll:1*34I",
            "rolled 1 3 4 * and shape I",
        ),
        ("nmbr9", None, "draw:7", "the card 7 is drawn"),
        ("nmbr9", "- 7", "7b@0,0,0", "7, a quarter turn at column 0, row 0 on level 0: 0 points"),
    ],
)
def test_moves_in_words(game: str, start: str | None, token: str, words: str) -> None:
    chosen = games.get(game)
    position = chosen.start({}) if start is None else chosen.parse(start, {})
    assert views.words(position, position.line(position.actions(token))[0]) == words


def test_a_drop_and_its_claim_in_words() -> None:
    position = games.get("numberdrop").parse("1 I4,O4,T4,S4,L4 - 1 drop:1 2345I " + "g/" * 13 + "1234c,-,-,-", {})
    assert views.words(position, "I0@1:2345+S5:a1,a2,b2,c2,d2") == (
        "player 1 drops I: 2 on a2, 3 on b2, 4 on c2, 5 on d2; claims a straight of 5 on a1, a2, b2, c2, d2"
    )


@pytest.mark.parametrize("game", games.NAMES)
def test_every_puzzle_of_the_list_can_be_set_up(game: str) -> None:
    listed = listing.listed(game)
    assert len({puzzle["name"] for puzzle in listed}) == len(listed) > 0
    for puzzle in listed:
        position = games.get(game).parse(puzzle["position"], puzzle["options"])
        assert position.kind() is not Kind.TERMINAL
        for move in puzzle["line"]:
            position = position.play(move)
        if puzzle["kind"] == "stack":
            assert position.returns() == (puzzle["points"],)


@pytest.mark.parametrize("game", games.NAMES)
def test_the_rules_are_html_without_scripts_styles_or_links(game: str) -> None:
    html = rules_html(game)
    assert len(headings(game)) > 4
    for forbidden in ("<script", "style=", "<a ", "href", "<img"):
        assert forbidden not in html


def test_anchors_are_those_of_code_hosts() -> None:
    assert anchor("The turn: tip, then hop") == "the-turn-tip-then-hop"
    assert anchor("Alone (option `solo`)") == "alone-option-solo"
