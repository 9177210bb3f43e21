"""Whole sessions of all games by chance: whatever a client sends, every `go` gets one legal `bestmove`.

The big runs are `python -m bench.fuzz`; here hypothesis looks for the shortest session that breaks something.
"""

from __future__ import annotations

import random

import pytest
from blockwit import games
from blockwit.protocol.session import ENGINE_OPTIONS, Session
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, precondition, rule

from bench.fuzz import PROBLEMS, BrokenError, Talk, corpus, engine_lines, mutated, positions, session

SMALL = st.integers(-3, 60)
LIMITS = st.one_of(
    SMALL.map(lambda n: f"nodes {max(n, 1)}"),
    SMALL.map(lambda n: f"movetime {n // 6}"),
    st.tuples(SMALL, SMALL).map(lambda two: f"wtime {two[0]} btime {two[1]} movetime 5"),
    st.just("depth 1"),
    st.just("mate 2 nodes 30"),
)
QUESTIONS = st.sampled_from(
    ("isready", "uci", "d", "eval", "help", "query state", "query legal 2 3", "query score", "query turn", "query x")
)
UNLIMITED = st.sampled_from(
    ("go", "go infinite", "go ponder", "go ponder movetime 3", "go mate 2", "go perft 2", "bench")
)

# A log would be written wherever chance says.
OPTIONS = [spec.name for spec in ENGINE_OPTIONS[1:] if spec.name != "Debug Log File"]


class Sessions(RuleBasedStateMachine):
    """One session; every answer is checked by `Talk`."""

    def __init__(self) -> None:
        super().__init__()
        self.talk = Talk()
        self.searching = False

    @precondition(lambda self: not self.searching)
    @rule(name=st.sampled_from(games.NAMES))
    def change_game(self, name: str) -> None:
        self.talk.variant(name)

    @precondition(lambda self: not self.searching)
    @rule(data=st.data())
    def set_up(self, data: st.DataObject) -> None:
        self.talk.place(f"fen {data.draw(st.sampled_from(positions(self.talk.game)))}")

    @precondition(lambda self: not self.searching)
    @rule(name=st.sampled_from(PROBLEMS))
    def set_problem(self, name: str) -> None:
        if self.talk.game == "nmbr9":
            assert not self.talk.send(f"setoption name Problem value {name}")
            self.talk.reset()

    @precondition(lambda self: not self.searching)
    @rule(
        name=st.sampled_from(OPTIONS),
        value=st.integers(0, 9),
    )
    def set_option(self, name: str, value: int) -> None:
        self.talk.send(f"setoption name {name} value {value}")

    @precondition(lambda self: not self.searching)
    @rule(number=st.integers(0, 10**6), plies=st.integers(1, 6))
    def play_on(self, number: int, plies: int) -> None:
        for _ in range(plies):
            if not self.talk.advance(lambda count: number % count):
                self.talk.reset()

    @precondition(lambda self: not self.searching)
    @rule(limits=LIMITS)
    def search(self, limits: str) -> None:
        self.talk.send(f"go {limits}")
        move = self.talk.wait()
        if self.talk.ask("turn") not in ("none", "chance"):
            self.talk.play(move)

    @precondition(lambda self: not self.searching)
    @rule(line=UNLIMITED)
    def begin(self, line: str) -> None:
        self.talk.send(line)
        self.searching = line in ("bench", "go perft 2") or self.talk.ask("turn") not in ("none", "chance")

    @rule(line=QUESTIONS)
    def ask(self, line: str) -> None:
        self.talk.send(line)

    @precondition(lambda self: self.searching)
    @rule(line=st.sampled_from(("go nodes 1", "position startpos", "ponderhit", "setoption name Hash value 1", "roll")))
    def disturb(self, line: str) -> None:
        self.talk.send(line)
        # What was refused during the search, or came when it had just ended, may not pile up.
        self.end_search()

    @precondition(lambda self: self.searching)
    @rule()
    def end_search(self) -> None:
        self.talk.stop()
        self.searching = False
        self.talk.variant(self.talk.game)

    @precondition(lambda self: not self.searching)
    @rule(index=st.integers(0, 200), seed=st.integers(0, 10**6))
    def garble(self, index: int, seed: int) -> None:
        lines = corpus(self.talk.game)
        line = mutated(lines[index % len(lines)].encode(), random.Random(seed)).decode(errors="replace")
        if line.split()[:1] != ["quit"]:
            self.talk.send(line)
            self.talk.stop()
            self.talk.variant(self.talk.game)

    def teardown(self) -> None:
        self.talk.end()


TestSessions = Sessions.TestCase
TestSessions.settings = settings(max_examples=12, stateful_step_count=15)


def test_random_sessions() -> None:
    for number in range(8):
        talk = session(f"test {number}", 8)
        assert len(talk.sent) > 8


def test_mutated_lines_through_a_process() -> None:
    engine_lines("test", 1500)


def test_mutated_lines_are_lines_and_repeatable() -> None:
    lines = [mutated(b"position startpos moves a b", random.Random(seed)) for seed in range(300)]
    assert lines == [mutated(b"position startpos moves a b", random.Random(seed)) for seed in range(300)]
    assert not any(b"\n" in line for line in lines)
    assert len(set(lines)) > 200


def test_a_broken_promise_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    talk = Talk()
    with pytest.raises(BrokenError, match="not legal"):
        talk.play("a1a2")
    monkeypatch.setattr(Session, "handle", lambda *_: True)
    with pytest.raises(BrokenError, match="isready"):
        Talk().send("isready")
    monkeypatch.setattr("bench.fuzz.PATIENCE", 0.01)
    deaf = Talk()
    deaf.send("go nodes 1")
    with pytest.raises(BrokenError, match="unanswered"):
        deaf.wait()
