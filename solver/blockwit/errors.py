"""The errors of the package: each message is one line that says what is wrong, where, and what was expected."""

from blockwit import BlockwitError as BlockwitError


class PositionError(BlockwitError):
    """A position string that cannot be read, or that the rules forbid."""


class MoveError(BlockwitError):
    """A move that cannot be read, or that is not legal here.

    `rule` is the heading (as an anchor) of the game's file in docs/rules/ under which the broken rule stands, empty
    when the move could not even be read.
    """

    def __init__(self, message: str, rule: str = "") -> None:
        super().__init__(message)
        self.rule = rule


class OptionError(BlockwitError):
    """An unknown option, or a value outside its range."""


class CommandError(BlockwitError):
    """A protocol command that cannot be read, or that is out of place."""


class SolutionError(BlockwitError):
    """A solution or puzzle file that cannot be read, or whose claim is false."""


class TableError(BlockwitError):
    """An endgame table that cannot be read or written, or that is damaged."""


class EngineError(BlockwitError):
    """An engine process that answered with an error, or not as the protocol says."""


class EngineDiedError(EngineError):
    """An engine process that could not be started, or that has ended."""


class EngineTimeoutError(EngineError):
    """An engine process that did not answer in time; it was killed."""


class WrongAnswerError(SolutionError):
    """A puzzle file whose answer is not what exhaustive search finds."""


class TwoSolutionsError(SolutionError):
    """A puzzle that has more solutions than the one of its file."""


class WrongClaimError(SolutionError):
    """A file of the right form claims what is not so."""


class RecordError(BlockwitError):
    """A record of games that cannot be read, or that holds a move that is not legal."""


class WeightsError(BlockwitError):
    """A file of learned weights that is missing, damaged, or not for this version."""


class TrainingError(BlockwitError):
    """Training that cannot begin or go on: a checkpoint of something else, a cluster that is not there."""


class BusyFileError(BlockwitError):
    """A file that another process is writing."""


def quote(text: str, limit: int = 60) -> str:
    """Quote `text` for an error line: control characters escaped, cut after `limit` characters."""
    shown = text if len(text) <= limit else text[:limit]
    body = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in shown)
    return f"'{body}'" if len(text) <= limit else f"'{body}…' ({len(text)} characters)"
