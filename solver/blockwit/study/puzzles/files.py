"""The file format of puzzles: one JSON object each. puzzles/schema.json is what these models say, as JSON Schema."""

from __future__ import annotations

import json
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from blockwit.errors import SolutionError

MAX_TURNS = 8


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


Rolls = Annotated[tuple[str, ...], Field(strict=False, description="chance events that follow, in order")]


class Win(_Part):
    """Deblockle: the one first move that forces a win in so many own turns; no move wins sooner."""

    kind: Literal["win"] = "win"
    turns: int = Field(ge=1, le=MAX_TURNS, description="own turns, the first included")


class Defend(_Part):
    """Deblockle: the one move after which the opponent cannot force a win in so many of its turns."""

    kind: Literal["defend"] = "defend"
    turns: int = Field(ge=1, le=4, description="turns of the opponent")


class Free(_Part):
    """Deblockle: the one move after which the opponent's next turn can neither win nor leave the mover no move."""

    kind: Literal["free"] = "free"


class Drop(_Part):
    """Number Drop: the one drop with which the most points can be reached when these rolls follow."""

    kind: Literal["drop"] = "drop"
    rolls: Rolls = ()


class Claim(_Part):
    """Number Drop: after this drop, the one box to fill (or none) for the most points when these rolls follow."""

    kind: Literal["claim"] = "claim"
    drop: str = Field(description="the drop that is made, like L2@3:5316")
    rolls: Rolls = ()


class Plan(_Part):
    """Number Drop and NMBR 9: the most points that can be reached when all chance is known."""

    kind: Literal["plan"] = "plan"
    rolls: Rolls = ()


Question = Win | Defend | Free | Drop | Claim | Plan


class Answer(_Part):
    """The solution as a line of play from the position."""

    line: Annotated[tuple[str, ...], Field(strict=False, min_length=1)] = Field(
        description="moves and chance events; the first move is what is asked for, the rest shows why"
    )
    points: float | None = Field(
        None, strict=False, description="points at the end of the line, where points are asked"
    )


class ProofRecord(_Part):
    """How the answer was proven, and what makes the puzzle hard."""

    method: Literal["exhaustive"] = "exhaustive"
    nodes: int = Field(ge=1, description="positions visited by the proof")
    tempting: int = Field(ge=0, description="how much looks better than it is, see docs/puzzles.md")


class PuzzleFile(_Part):
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
    try:
        return PuzzleFile.model_validate_json(text)
    except ValidationError as error:
        first = error.errors()[0]
    if first["type"] == "json_invalid":
        raise SolutionError(f"not a JSON file: {first['msg']}")
    where = ".".join(str(part) for part in first["loc"])
    raise SolutionError(f"{where or 'the file'}: {first['msg'][:1].lower()}{first['msg'][1:]}")


def schema() -> dict[str, Any]:
    """Return the JSON Schema of a file."""
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **PuzzleFile.model_json_schema()}
