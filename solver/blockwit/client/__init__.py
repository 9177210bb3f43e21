"""The engine as a process: asynchronous, blocking, and a pool with one for each game and its rules."""

from blockwit.client.engine import (
    COMMAND,
    MAX_LINE,
    AsyncEngine,
    Engine,
    Engines,
    Perft,
    Search,
    read_info,
    read_option,
)

__all__ = ["COMMAND", "MAX_LINE", "AsyncEngine", "Engine", "Engines", "Perft", "Search", "read_info", "read_option"]
