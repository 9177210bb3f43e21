"""What JSON that comes from outside has to look like: one pydantic model for each kind of file and message.

Text becomes a model here and nowhere else. Nothing is converted silently, no field is passed over, no number is
infinite, nothing is nested deeper than the parser's limit, and what does not fit is told in one line.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any, Self, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from blockwit import __version__
from blockwit.errors import BlockwitError, quote

ENGINE = f"blockwit {__version__}"
"""Who writes a file."""


class Model(BaseModel):
    """Base of all models: strict, and closed to other fields."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, allow_inf_nan=False)


class State(Model):
    """What an engine answers to `query state`: the position string, and whatever a front end draws from."""

    model_config = ConfigDict(extra="allow")

    fen: str


AnyModel = TypeVar("AnyModel", bound=BaseModel)


def read(model: type[AnyModel], text: str, error: type[BlockwitError], where: str = "") -> AnyModel:
    """Read JSON.

    Args:
        model: what it has to be.
        text: the JSON.
        error: what to raise where it is not that.
        where: what the error begins with, such as the file's name; empty for nothing.

    Raises:
        error: one line with the first field that is missing or wrong.
    """
    try:
        return model.model_validate_json(text)
    except ValidationError as problem:
        why = _first(problem)
    except UnicodeEncodeError:
        # Half of a surrogate pair: no UTF-8 holds it.
        why = "not JSON: its text is no Unicode"
    raise error(f"{where}: {why}" if where else why)


def _first(problem: ValidationError) -> str:
    """Return the first thing that is wrong as one line; what it quotes of the input is escaped and cut."""
    first = problem.errors(include_url=False, include_input=False)[0]
    what = first["msg"]
    if first["type"] == "json_invalid":
        what = what.removeprefix("Invalid JSON: ")
        return f"cut short ({what})" if what.startswith("EOF") else f"not JSON: {what}"
    said = quote(what[:1].lower() + what[1:], 300)[1:-1]
    where = quote(".".join(map(str, first["loc"])))[1:-1]
    return f"{where or 'the file'}: {said}"


def checksum(fields: Mapping[str, Any], *, of: Mapping[str, Any] | None = None) -> str:
    """Return a checksum of fields of JSON in whatever order, sixteen hexadecimal digits.

    It tells damage and careless edits from what the program wrote; it is no signature.

    Args:
        fields: all of them; one that is called `check` is left out.
        of: what the fields belong to, such as the head of their file: elsewhere they have another checksum.
    """
    counted = {name: value for name, value in fields.items() if name != "check"}
    text = json.dumps([of, counted], sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:16]


class Sealed(Model):
    """A model with a checksum of its other fields."""

    check: str = Field(default="", description="see `checksum`")

    def sealed(self, of: Mapping[str, Any] | None = None) -> Self:
        """Return this with its checksum."""
        return self.model_copy(update={"check": checksum(self.fields(), of=of)})

    def whole(self, of: Mapping[str, Any] | None = None) -> bool:
        """Tell whether the checksum fits."""
        return self.check == checksum(self.fields(), of=of)

    def to_line(self) -> str:
        """Return this as one line of JSON, the checksum at its end."""
        fields = self.fields()
        fields["check"] = fields.pop("check")
        return json.dumps(fields, separators=(",", ":"))

    def fields(self) -> dict[str, Any]:
        """Return the fields, ready for JSON."""
        return self.model_dump(mode="json", exclude_unset=True)
