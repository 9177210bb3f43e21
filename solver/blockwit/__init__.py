"""blockwit: an engine that plays and solves Deblockle, Number Drop and NMBR 9."""

# Nothing is imported here: `python -m blockwit` comes this way before it can say what a signal does (see __main__.py).

__all__ = ["BlockwitError", "__version__"]

__version__ = "0.2.0"


class BlockwitError(ValueError):
    """Base of every error that bad input can cause; solver/blockwit/errors.py has the others."""
