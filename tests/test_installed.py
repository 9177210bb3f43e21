"""What an installed package offers to a type checker; `.ci/package` asks the same of a real wheel."""

from __future__ import annotations

import os
import venv
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
mypy = pytest.importorskip("mypy.api", reason="needs mypy")


def check(folder: Path, snippet: str) -> str:
    """Type-check a user's file that finds the package among the installed ones; returns what mypy says."""
    user = folder / "user.py"
    user.write_text(snippet, encoding="utf-8")
    environment = folder / "environment"
    if not environment.exists():
        venv.create(environment, symlinks=True)
        (packages,) = environment.glob("lib/python3*/site-packages")
        # Not an installed package's own folder, but one mypy treats as such: it asks for py.typed.
        (packages / "blockwit.pth").write_text(f"{ROOT / 'solver'}\n", encoding="utf-8")
    python = environment / "bin" / "python"
    said, problem, _ = mypy.run(
        ["--strict", "--python-executable", str(python), "--cache-dir", str(folder / "cache"), str(user)]
    )
    return str(said + problem)


@pytest.mark.skipif(os.name != "posix", reason="folders of an environment are named otherwise")
def test_types_reach_users(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("MYPYPATH", raising=False)
    monkeypatch.delenv("PYTHONPATH", raising=False)
    snippet = (ROOT / "tests" / "installed.py").read_text(encoding="utf-8")
    assert check(tmp_path, snippet).startswith("Success")
    # A missing annotation anywhere on the way would make this Any, and nothing of it wrong.
    wrong = "from blockwit import _deblockle, games\ngames.get('deblockle').parse(1, {})\n_deblockle.State(nothing=1)\n"
    said = check(tmp_path, wrong)
    assert 'user.py:2: error: Argument 1 to "parse"' in said
    assert "user.py:3: error:" in said
