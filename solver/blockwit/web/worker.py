"""The engine process of a page: the protocol on standard input and output, with limited memory (not on Windows)."""

from __future__ import annotations

import sys

from blockwit.protocol import stdio

# Address space, of which the optimizer of NMBR 9 reserves far more than it uses.
MAX_BYTES = 8 << 30


def main() -> None:
    """Set the limit, then speak the protocol until the end of input."""
    if sys.platform != "win32":
        import resource

        _, hard = resource.getrlimit(resource.RLIMIT_AS)
        limit = MAX_BYTES if hard == resource.RLIM_INFINITY else min(MAX_BYTES, hard)
        resource.setrlimit(resource.RLIMIT_AS, (limit, hard))
    stdio.serve()


if __name__ == "__main__":
    main()
