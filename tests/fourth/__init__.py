"""A fourth game as another package would bring it, and how the tests come by it."""

from __future__ import annotations

import subprocess
import sysconfig
from collections.abc import Iterator
from pathlib import Path

import blockwit
import pytest
from blockwit import games

FOLDER = Path(__file__).parents[1] / "data" / "fourth"


@pytest.fixture(scope="session")
def tictactoe_library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Compile the game's C file to a library."""
    library = tmp_path_factory.mktemp("tictactoe") / "tictactoe.so"
    compiler = str(sysconfig.get_config_var("CC") or "cc").split()
    source = FOLDER / "tictactoe" / "tictactoe.c"
    warnings = ["-Wall", "-Wextra", "-Werror"]
    command = [*compiler, *warnings, "-shared", "-fPIC", "-I", blockwit.get_include(), "-o", str(library), str(source)]
    subprocess.run(command, check=True)
    return library


@pytest.fixture
def tictactoe(tictactoe_library: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """Install the game for one test, in this process and in the ones that it starts; returns its name."""
    monkeypatch.setenv("TICTACTOE_LIBRARY", str(tictactoe_library))
    monkeypatch.setenv("PYTHONPATH", str(FOLDER), prepend=":")
    monkeypatch.syspath_prepend(str(FOLDER))
    games._brought.cache_clear()
    yield "tictactoe"
    games._brought.cache_clear()
