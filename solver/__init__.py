"""blockwit: an engine that plays and solves Deblockle, Number Drop and NMBR 9."""

from solver.errors import BlockwitError

__all__ = ["BlockwitError", "__version__"]

__version__ = "0.1.0"
