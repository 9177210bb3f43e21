"""A real server and a real browser for the tests of the page."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
TIMEOUT = 60_000
ARGUMENTS = [
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    # Chromium's sandbox refuses to run as root, which is what a container of the tests runs as.
    *(["--no-sandbox"] if os.geteuid() == 0 else []),
]


@pytest.fixture(scope="session")
def server() -> Iterator[str]:
    """Start `blockwit serve` on a free port; the address of its page."""
    command = [sys.executable, "-c", "from blockwit.cli.main import main; main()", "serve", "--port", "0"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        yield process.stdout.readline().split()[0]
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(20)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Start Debian's Chromium."""
    sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed (extra: browser)")
    if CHROMIUM is None:
        pytest.skip("no chromium found: apt-get install chromium")
    with sync_api.sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield started
        started.close()


@pytest.fixture
def width() -> int:
    """The width of the page in pixels; a test may parametrize it."""
    return 1280


@pytest.fixture
def page(browser: Browser, server: str, width: int) -> Iterator[Page]:
    """Open the page anew, the engine at its quickest; whatever reaches the console as an error fails the test."""
    from playwright.sync_api import expect

    context = browser.new_context(viewport={"width": width, "height": 900}, reduced_motion="reduce")
    # Far more than anything takes: a limit ends a test that waits in vain, it does not measure a machine.
    context.set_default_timeout(TIMEOUT)
    expect.set_options(timeout=TIMEOUT)
    context.add_init_script(
        "if (!localStorage.blockwit) localStorage.blockwit = "
        'JSON.stringify({ settings: { time: 20, rolls: "press" }, guides: ["deblockle", "numberdrop", "nmbr9"] })'
    )
    opened = context.new_page()
    complaints: list[str] = []
    opened.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
    opened.on("pageerror", lambda error: complaints.append(str(error)))
    opened.goto(server)
    opened.wait_for_selector("html[data-state=ready]")
    yield opened
    context.close()
    assert complaints == []
