"""blockwit: an engine that plays and solves Deblockle, Number Drop and NMBR 9."""

# Nothing is imported here: `python -m blockwit` comes this way before it can say what a signal does (see __main__.py).

__all__ = ["BlockwitError", "__version__", "get_include"]

__version__ = "0.2.0"


def get_include() -> str:
    """Return the folder with game.h and the other headers, for whoever compiles a game or a searcher."""
    return f"{__path__[0]}/include"


class BlockwitError(ValueError):
    """Base of every error that bad input can cause; blockwit/errors.py has the others."""
