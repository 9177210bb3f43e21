"""What a page may ask: one model for each verb (`session` tells what they are answered by)."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import ConfigDict, Field, RootModel

from blockwit.games.base import OptionValue
from blockwit.models import Model

MAX_MOVES = 3000
MAX_MOVETIME = 600_000
"""Milliseconds of the longest search; the page's endless analysis ends after that."""

Id = int | str | None


class TableMessage(Model):
    """A game as the page knows it; `start` null: the start of the game."""

    game: str
    options: dict[str, OptionValue]
    start: str | None = None
    moves: list[str] = Field(max_length=MAX_MOVES)


class Numbered(Model):
    """The part of any request that its answers repeat."""

    model_config = ConfigDict(extra="ignore")

    id: Id = None


class Stop(Model):
    """End the search under way."""

    id: Id = None
    do: Literal["stop"]


class Ask(Model):
    """A question about a table."""

    id: Id = None
    do: Literal["view", "roll", "picture"]
    table: TableMessage


class AskMove(Model):
    """A question about a move at a table."""

    id: Id = None
    do: Literal["play", "claims"]
    table: TableMessage
    move: str


class Think(Model):
    """Search for a move."""

    id: Id = None
    do: Literal["think"]
    table: TableMessage
    movetime: int | None = Field(None, ge=1, le=MAX_MOVETIME)
    nodes: int | None = Field(None, ge=1, le=1 << 40)
    skill: int | None = Field(None, ge=1, le=20)


Asked = Stop | Ask | AskMove | Think


class Request(RootModel[Annotated[Asked, Field(discriminator="do")]]):
    """Any request."""
