"""docs/protocol.md: its conversations are replayed with the engine, and show every verb and question."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from blockwit.protocol.session import Session

from tests.protocol.test_stdio import Engine

PAGE = Path(__file__).parents[2] / "docs" / "protocol.md"
TRANSCRIPTS = re.findall(r"^```transcript\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
ANY_LINES = "..."


def pattern(line: str) -> re.Pattern[str]:
    """Return what a line of output has to match: `#` a whole number, `...` at its end anything."""
    rest = ".*" if line.endswith("...") else ""
    parts = map(re.escape, line.removesuffix("...").split("#"))
    return re.compile(r"-?\d+".join(parts) + rest)


@pytest.mark.parametrize("transcript", TRANSCRIPTS, ids=range(len(TRANSCRIPTS)))
def test_transcript_is_what_the_engine_says(transcript: str) -> None:
    engine = Engine()
    try:
        skipping = False
        # What comes after the last line is no longer on the page: the engine has to be silent then.
        for line in [*transcript.splitlines(), *([] if "> quit" in transcript else ["> isready", "< readyok"])]:
            mark, text = line[0], line[2:]
            if mark == ">":
                engine.send(text)
                continue
            assert mark == "<", f"{line!r}: expected > or <"
            if text == ANY_LINES:
                skipping = True
                continue
            said = engine.until("")
            while skipping and not pattern(text).fullmatch(said):
                said = engine.until("")
            assert pattern(text).fullmatch(said), f"{said!r} is not {text!r}"
            skipping = False
        if "> quit" in transcript:
            before = len(engine.lines)
            code, complaints = engine.end()
            assert (code, complaints) == (0, b"")
            assert skipping or len(engine.lines) == before
    finally:
        engine.close()


def test_every_verb_and_question_is_shown() -> None:
    sent = [line[2:].split() for transcript in TRANSCRIPTS for line in transcript.splitlines() if line[0] == ">"]
    assert {*Session(lambda line: None)._verbs, "quit"} <= {words[0] for words in sent}
    asked = {words[1] for words in sent if words[0] == "query"}
    assert {"players", "turn", "gameover", "result", "legal", "score", "state"} <= asked
    limits = {word for words in sent if words[0] == "go" for word in words[1:] if word.isalpha()}
    page = PAGE.read_text(encoding="utf-8").partition("## `go`")[2].partition("## `info`")[0]
    explained = set(re.findall(r"`(depth|nodes|movetime|mate|time|infinite|ponder|searchmoves|perft)\b", page))
    assert explained | {"wtime", "btime", "winc", "binc"} <= limits
