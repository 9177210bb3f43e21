"""Which version this is: the release, and in a checkout or what was built from one, the commit too."""

from __future__ import annotations

import subprocess
from functools import cache
from pathlib import Path

from blockwit import __version__

BUILT = Path(__file__).with_name("commit")
"""What `setup.py` writes into a build of a checkout."""


@cache
def version() -> str:
    """Return `0.2.0` for a release, `0.2.0+1a2b3c4` for a development build."""
    commit = BUILT.read_text(encoding="ascii").strip() if BUILT.is_file() else _checked_out()
    return f"{__version__}+{commit}" if commit else __version__


def _checked_out() -> str:
    """Return the commit of the checkout that this file lies in, nothing elsewhere or at a release's tag."""
    root = Path(__file__).parents[2]
    if not ((root / ".git").exists() and (root / "ext" / "include" / "game.h").is_file()):
        return ""
    return commit_of(root)


def commit_of(root: Path) -> str:
    """Return the short name of a checkout's commit, nothing at the tag of this version or without git."""
    tags = _git(root, "tag", "--points-at", "HEAD").split()
    return "" if f"v{__version__}" in tags else _git(root, "rev-parse", "--short=7", "HEAD").strip()


def _git(root: Path, *words: str) -> str:
    try:
        done = subprocess.run(["git", "-C", str(root), *words], capture_output=True, text=True, check=False, timeout=10)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout if done.returncode == 0 else ""
