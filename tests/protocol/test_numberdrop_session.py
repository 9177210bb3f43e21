"""Number Drop through the protocol: rolls, whole games, pages of moves, the two searchers."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from tests.protocol.conversation import Conversation

SOLO = "solo L4:2,I4:1,S4:0,O4:0,T4:0 - 1 drop:1 2***S " + "/".join(["g"] * 12) + "/c4223/b63271,-,-,-"


@pytest.fixture
def talk() -> Iterator[Conversation]:
    """Yield a session of the solo game, closed at the end."""
    conversation = Conversation()
    conversation.send("setoption name UCI_Variant value numberdrop")
    conversation.send("setoption name solo value true")
    yield conversation
    conversation.session.close()


def test_the_set_up_is_rolled_and_played(talk: Conversation) -> None:
    talk.send("position startpos")
    for _ in range(5):
        assert talk.send("query turn") == ["response chance"]
        assert talk.send("roll")[0].startswith("info string rolled tile:")
    assert talk.send("query turn") == ["response 1"]
    assert talk.send("query legal") == ["response " + " ".join(f"write:{column}1" for column in "abcdefg")]


@pytest.mark.parametrize("algorithm", ["expectimax", "mcts"])
def test_a_whole_game(talk: Conversation, algorithm: str) -> None:
    talk.send(f"setoption name Algorithm value {algorithm}")
    talk.send("position startpos")
    moves: list[str] = []
    while talk.send("query gameover") == ["response false"]:
        if talk.send("query turn") == ["response chance"]:
            moves.append(talk.send("roll")[0].removeprefix("info string rolled "))
        else:
            moves.append(talk.go("nodes 40")[0])
        assert not [line for line in talk.send(f"position startpos moves {' '.join(moves)}") if "error" in line]
    state = json.loads(talk.send("query state")[0].removeprefix("response "))
    assert state["phase"] == "over"
    assert talk.send("query score") == [f"response {state['sheets'][0]['score']['total']}"]


def test_pages_of_many_moves(talk: Conversation) -> None:
    talk.send(f"position fen {SOLO}")
    (answer,) = talk.send("query legal 70000 5")
    words = answer.split()
    assert int(words[1]) > 70_005
    assert len(words) == 7


def test_a_bad_move_names_its_number_and_why(talk: Conversation) -> None:
    talk.send(f"position fen {SOLO}")
    (answer,) = talk.send(f"position fen {SOLO} moves S0@1:2345 roll:1234I slide:Z")
    assert answer.startswith("info string error: ")
    assert "slide:Z" in answer
    assert "expected slide:A to slide:E" in answer


def test_more_lines_than_there_are_moves_to_compare(talk: Conversation) -> None:
    talk.send(f"position fen {SOLO}", "setoption name MultiPV value 256")
    _, lines = talk.go("nodes 200")
    assert 1 < len({line.split(" multipv ")[1].split()[0] for line in lines if " multipv " in line}) <= 64


def test_more_searchmoves_than_are_compared(talk: Conversation) -> None:
    talk.send(f"position fen {SOLO}")
    tokens = talk.send("query legal 0 200")[0].split()[2:]
    move, _ = talk.go(f"nodes 200 searchmoves {' '.join(tokens)}")
    assert move in tokens
    talk.alive()


@pytest.mark.parametrize("depth", [2, 6, 1000])
def test_depth_ends_a_tree_search_where_rolls_end_every_line(talk: Conversation, depth: int) -> None:
    talk.send(f"position fen {SOLO}", "setoption name Algorithm value mcts", "setoption name Hash value 1")
    move, _ = talk.go(f"depth {depth}")
    assert move != "(none)"


def test_a_refused_rule_option_changes_nothing(talk: Conversation) -> None:
    before = talk.send("d")
    for touched in (False, True):
        if touched:
            talk.send("roll")
            before = talk.send("d")
        (answer,) = talk.send("setoption name dice value 1/2")
        assert "option dice" in answer
        assert talk.send("d") == before
    assert not talk.send("position startpos")


ONE, LOW = "g/g/g/g/g/g/g/g/g/g/g/g/g/1f,-,-,-", "g/g/" + "/".join(["1f"] * 12) + ",-,-,-"


@pytest.mark.parametrize(
    ("sheets", "result"),
    [
        ((ONE, LOW, ONE), "p1p3win"),
        ((LOW, ONE, ONE), "p2p3win"),
        ((LOW, LOW, ONE), "p3win"),
        ((LOW, LOW, LOW), "draw"),
        ((LOW, LOW), "draw"),
        ((LOW,), "p1win"),
    ],
)
def test_result_names_all_who_share_the_win(talk: Conversation, sheets: tuple[str, ...], result: str) -> None:
    talk.send(f"position fen {len(sheets)} I3,V3,U5,X5,T5 - 1 over - {' '.join(sheets)}")
    assert talk.send("query gameover", "query result") == ["response true", f"response {result}"]
