"""The version that a build gives: a release, or a commit."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

from blockwit import __version__, revision


def git(folder: Path, *words: str) -> None:
    who = ["-c", "user.name=nobody", "-c", "user.email=nobody@example.org"]
    subprocess.run(["git", *who, "-C", str(folder), *words], check=True, capture_output=True)


def test_a_commit_is_named_unless_it_is_the_release(tmp_path: Path) -> None:
    git(tmp_path, "init")
    git(tmp_path, "commit", "--allow-empty", "-m", "first")
    assert re.fullmatch("[0-9a-f]{7,}", revision.commit_of(tmp_path))
    git(tmp_path, "tag", f"v{__version__}")
    assert revision.commit_of(tmp_path) == ""
    git(tmp_path, "commit", "--allow-empty", "-m", "second")
    assert revision.commit_of(tmp_path)


def test_a_folder_that_is_no_checkout_has_no_commit(tmp_path: Path) -> None:
    assert revision.commit_of(tmp_path) == ""


def test_the_version_begins_with_the_release() -> None:
    assert re.fullmatch(re.escape(__version__) + r"(\+[0-9a-f]{7,})?", revision.version())
