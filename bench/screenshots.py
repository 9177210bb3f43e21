"""Makes the pictures of the web page in docs/screenshots/, with the extras `web` and `browser` and Debian's Chromium.

    python -m bench.screenshots

It starts `blockwit serve`, sets up one position of each game, and lets the engine think for a moment.
"""

from __future__ import annotations

import io
import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from blockwit.games.nmbr9.position import SHAPES, read_tile
from PIL import Image
from playwright.sync_api import sync_playwright

if TYPE_CHECKING:
    from playwright.sync_api import Page

ROOT = Path(__file__).parent.parent
OUT = ROOT / "docs" / "screenshots"
MAX_BYTES = 150_000

DEBLOCKLE = (
    "position fen c1SLX,e1LTX,c3XLT,e3XLT c5XLT,e5CLS,c7THX,e7XLT s moves c3c4b2 e5e6d4 c1d1c1 c7c6e5 e3e2e4 c5c6c5"
)
NUMBERDROP = (
    "2 V3,O4,T4,S4,L4 - 1 drop:1 3456L "
    "g/g/g/g/g/g/g/e23/e54/a777623/56a3354/4321367/2101324/2715557,"
    "g/g/g/g/g/g/g/eDD/eDD/aGcFF/GGa44FF/GGGG4FF/CCCa4b/c333a,I34S3467,AB "
    "g/g/g/g/g/g/g/25e/34e/23a773a/5475627/1234736/1155345/1276127,"
    "g/g/g/g/g/g/g/g/g/DDe/DDaGGFF/GGGGGFF/33aCaFF/3aCCc,I3S3467,A"
)
READY = "html[data-state=ready]"
PICKED = """localStorage.blockwit = JSON.stringify({
  settings: { time: 1000, rolls: "press" }, guides: ["deblockle", "numberdrop", "nmbr9"] })"""


@contextmanager
def serving() -> Iterator[str]:
    """Start the server on a free port; its address."""
    command = [sys.executable, "-c", "from blockwit.cli.main import main; main()", "serve", "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield process.stdout.readline().split()[0]
        finally:
            process.terminate()


def set_up(page: Page, game: str, position: str) -> None:
    """Go to a game and set up a position."""
    page.click(f"[data-game={game}]")
    page.wait_for_selector(READY)
    page.fill("#fen", position)
    page.click("#set-up")
    page.wait_for_selector(READY)
    for seat in page.locator("#seats label:has-text('Player') select, #seats label:has-text('North') select").all():
        seat.select_option("you")


def analyse(page: Page, seconds: float) -> None:
    """Let the engine think for a while."""
    page.click("#analyse")
    page.wait_for_selector("#depth")
    page.wait_for_timeout(1000 * seconds)


def keep(page: Page, name: str) -> None:
    """Write a picture of the page with a palette, so that it stays small."""
    image = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
    path = OUT / f"{name}.png"
    image.quantize(256, dither=Image.Dither.NONE).save(path, optimize=True)
    size = path.stat().st_size
    print(f"{path.relative_to(ROOT)}: {image.width} x {image.height}, {size:,} bytes")
    assert size < MAX_BYTES


def deblockle(page: Page) -> str:
    """Choose a block; the pointer goes to where one of its tips leads."""
    set_up(page, "deblockle", DEBLOCKLE)
    analyse(page, 3)
    page.click("[data-square=e4]")
    return ".square.tip.legal >> nth=-1"


def numberdrop(page: Page) -> str:
    """Turn a shape; the pointer goes to a column."""
    set_up(page, "numberdrop", NUMBERDROP)
    page.click("#turn-shape")
    analyse(page, 3)
    return "[data-cell=c8]"


def nmbr9(page: Page) -> str:
    """Build most of the best known stack; the pointer takes the next tile to its place."""
    plan = json.loads((ROOT / "puzzles/nmbr9/F-9-2-20.json").read_text(encoding="utf-8"))["moves"]
    set_up(page, "nmbr9", f"position fen - *00112233445566778899/20 moves {' '.join(plan[:14])}")
    tile = read_tile(plan[14])
    page.click(f"[data-tile='{tile.digit}']")
    for _ in range(tile.rotation):
        page.click("#turn-tile")
    page.click(f"[data-level='{tile.level}']")
    # The page holds a tile by its middle.
    shape = SHAPES[tile.digit][tile.rotation]
    column, row = (place + max(cell[axis] for cell in shape) // 2 for axis, place in enumerate((tile.x, tile.y)))
    return f"[data-cell='{column},{row}']"


def main() -> None:
    """Make all pictures."""
    OUT.mkdir(exist_ok=True)
    with serving() as url, sync_playwright() as playwright:
        options = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=options)
        for game in (deblockle, numberdrop, nmbr9):
            for phone in (False, True):
                context = browser.new_context(
                    viewport={"width": 360, "height": 740} if phone else {"width": 1280, "height": 860},
                    color_scheme="dark" if phone else "light",
                    reduced_motion="reduce",
                )
                context.add_init_script(PICKED)
                page = context.new_page()
                page.goto(url)
                page.wait_for_selector(READY)
                pointed = game(page)
                page.evaluate("phone => scrollTo(0, phone ? document.querySelector('main').offsetTop : 0)", phone)
                page.hover(pointed)
                keep(page, game.__name__ + ("-phone" if phone else ""))
                context.close()
        browser.close()


if __name__ == "__main__":
    main()
