"""The file format of puzzles: one JSON object each. puzzles/schema.json is what these models say, as JSON Schema."""

from __future__ import annotations

import json
from typing import Annotated, Any, Literal

from pydantic import Field

from blockwit import models
from blockwit.errors import SolutionError
from blockwit.models import Model

MAX_TURNS = 8


Rolls = Annotated[tuple[str, ...], Field(strict=False, description="chance events that follow, in order")]


class Win(Model):
    """Deblockle: the one first move that forces a win in so many own turns; no move wins sooner."""

    kind: Literal["win"] = "win"
    turns: int = Field(ge=1, le=MAX_TURNS, description="own turns, the first included")


class Defend(Model):
    """Deblockle: the one move after which the opponent cannot force a win in so many of its turns."""

    kind: Literal["defend"] = "defend"
    turns: int = Field(ge=1, le=4, description="turns of the opponent")


class Free(Model):
    """Deblockle: the one move after which the opponent's next turn can neither win nor leave the mover no move."""

    kind: Literal["free"] = "free"


class Drop(Model):
    """Number Drop: the one drop with which the most points can be reached when these rolls follow."""

    kind: Literal["drop"] = "drop"
    rolls: Rolls = ()


class Claim(Model):
    """Number Drop: after this drop, the one box to fill (or none) for the most points when these rolls follow."""

    kind: Literal["claim"] = "claim"
    drop: str = Field(description="the drop that is made, like L2@3:5316")
    rolls: Rolls = ()


class Plan(Model):
    """Number Drop and NMBR 9: the most points that can be reached when all chance is known."""

    kind: Literal["plan"] = "plan"
    rolls: Rolls = ()


Question = Win | Defend | Free | Drop | Claim | Plan


class Answer(Model):
    """The solution as a line of play from the position."""

    line: Annotated[tuple[str, ...], Field(strict=False, min_length=1)] = Field(
        description="moves and chance events; the first move is what is asked for, the rest shows why"
    )
    points: float | None = Field(
        None, strict=False, description="points at the end of the line, where points are asked"
    )


class ProofRecord(Model):
    """How the answer was proven, and what makes the puzzle hard."""

    method: Literal["exhaustive"] = "exhaustive"
    nodes: int = Field(ge=1, description="positions visited by the proof")
    tempting: int = Field(ge=0, description="how much looks better than it is, see docs/puzzles.md")


class PuzzleFile(Model):
    """A posed puzzle of blockwit."""

    game: Literal["deblockle", "numberdrop", "nmbr9"]
    position: str = Field(description="position string of docs/protocol.md")
    options: dict[str, str | int | bool] = Field(description="rule options that differ from their default")
    question: Annotated[Question, Field(discriminator="kind")]
    answer: Answer
    proof: ProofRecord
    grade: int = Field(ge=1, le=5, description="1 is easiest; computed from the proof")
    source: str = Field(description="where the puzzle comes from")

    def text(self) -> str:
        """Return the text of the file."""
        return json.dumps(self.model_dump(mode="json", exclude_none=True), indent=1) + "\n"


def read(text: str) -> PuzzleFile:
    """Read the text of a file. Raises SolutionError, naming the field that is missing or wrong."""
    return models.read(PuzzleFile, text, SolutionError)


def schema() -> dict[str, Any]:
    """Return the JSON Schema of a file."""
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **PuzzleFile.model_json_schema()}
