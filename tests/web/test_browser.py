"""The page in a real browser: whole games by clicking, play by keyboard, a phone's width, names and roles.

Started with all other tests, or alone: `python -m pytest tests/web -m browser`.

No test sleeps, and none looks at a page that is about to change: `ready` waits until no answer is on its way.
"""

from __future__ import annotations

import json
import re
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

import pytest
from blockwit import games

if TYPE_CHECKING:
    from playwright.sync_api import Page

playwright = pytest.importorskip("playwright.sync_api")
expect = playwright.expect

pytestmark = pytest.mark.browser

GAMES = {"deblockle": "Deblockle", "numberdrop": "Number Drop", "nmbr9": "NMBR 9"}
FULL = "c1SLX,e1LTX,c3XLT,e3XLT c5XLT,e5CLS,c7THX,e7XLT s"
SOLO = (
    "solo L4:3,I4:2,S4:2,O4:1,T4:2 - 1 slide0 125*T g/g/g/g/g/f5/f7/f4/d465/d465/a1a1333/a765314/a234223/6763271,"
    "g/g/g/g/g/g/g/fC/eCC/g/d444/d4b/d33a/d3b,I34S3,A"
)
DROP = "1 I4,O4,T4,S4,L4 - 1 drop:1 2345I " + "g/" * 13 + "1234c,-,-,-"
STACK = "9a@0,0,0,5c@0,4,0 7"
MIDDLE = {"deblockle": FULL, "numberdrop": SOLO, "nmbr9": STACK}


def ready(page: Page) -> None:
    """Wait until the page does nothing more by itself: all is answered, rolled and thought over."""
    page.wait_for_selector("html[data-state=ready]")


def choose(page: Page, game: str) -> None:
    page.click(f"[data-game={game}]")
    ready(page)
    expect(page.locator("[aria-current=page]")).to_have_attribute("data-game", game)


def set_up(page: Page, game: str, position: str) -> None:
    choose(page, game)
    page.fill("#fen", position)
    page.click("#set-up")
    ready(page)
    expect(page.locator("#trouble")).to_be_hidden()
    expect(page.locator("#note")).to_have_text("The position is set up")


def new_game(page: Page, game: str, **options: str) -> None:
    choose(page, game)
    page.click("#open-new")
    if page.locator("details:not([open]) summary").count():
        page.click("summary")
    for name, value in options.items():
        field = page.locator(f"#dialog label:has(span:text-matches('^{name}:'))")
        if field.locator("select").count():
            field.locator("select").select_option(value)
        elif value in ("true", "false"):
            field.locator("input").set_checked(value == "true")
        else:
            field.locator("input").fill(value)
    page.click("#start")
    page.wait_for_selector("#dialog", state="hidden")
    ready(page)


def moves(page: Page) -> list[str]:
    return page.locator("#moves code").all_inner_texts()


def offered(page: Page, *selectors: str) -> str:
    """Return the first of these that can be seen once the page waits for somebody."""
    ready(page)
    seen = [selector for selector in selectors if page.locator(f"{selector}:visible").count()]
    assert seen, f"none of {selectors} is offered"
    return seen[0]


OVER = "#turn:has-text('Game over')"


# --- whole games by clicking ----------------------------------------------------------------------------------------


def test_a_whole_game_of_deblockle(page: Page) -> None:
    """From the roll to the end, the person's moves after the engine's hints."""
    new_game(page, "deblockle", south_blocks="1", north_blocks="1")
    page.click("#roll")
    page.click("#turn-block")
    page.click("[data-square=d7]")
    for _ in range(80):
        due = offered(page, OVER, "#pass", ".square.movable")
        if due == OVER:
            break
        if due == "#pass":
            page.click("#pass")
            continue
        page.click("#hint")
        page.wait_for_selector("#note:has-text('Hint')")
        ready(page)
        found = re.search(r"\(([a-g0-9]+)\)$", page.inner_text("#note"))
        assert found is not None
        before = len(moves(page))
        for square in re.findall("[a-g][1-7]", found[1]):
            page.click(f"[data-square={square}]")
        ready(page)
        assert len(moves(page)) > before
    assert re.search("wins|draw", page.inner_text("#turn"))
    assert moves(page)[0].startswith("roll:")
    assert re.fullmatch("d7[STCXLH]{3}", moves(page)[1])


def test_a_whole_game_of_number_drop_alone(page: Page) -> None:
    new_game(page, "numberdrop", solo="true")
    page.click("[data-cell=d1]")
    claimed = False
    for _ in range(200):
        due = offered(page, OVER, "#roll", "[data-move]", "#drop", "[data-claim]", "#no-claim")
        if due == OVER:
            break
        claimed = claimed or due == "[data-claim]"
        page.locator(due).first.click()
    assert "ended with" in page.inner_text("#turn")
    assert any(move.startswith("slide:") for move in moves(page))
    assert claimed == any("+" in move for move in moves(page))


def test_number_drop_against_the_engine(page: Page) -> None:
    new_game(page, "numberdrop", players="2")
    page.click("[data-cell=b1]")
    ready(page)
    page.click("#roll")
    ready(page)
    page.click("#turn-shape")
    page.hover("[data-cell=g9]")
    page.click("#drop")
    if offered(page, "#no-claim", "#moves li:nth-child(9)") == "#no-claim":
        page.click("#no-claim")
        ready(page)
    # The engine has dropped as well; it is the active player now, so the next roll comes by itself.
    played = moves(page)
    assert [move.split(":")[0] for move in played[:7]] == ["tile"] * 5 + ["write"] * 2
    assert played[7].startswith("roll:")
    assert played[10].startswith("roll:")
    # The rightmost column is filled, since that is where the pointer was; an overhang need not reach row 1.
    assert any(re.search("[0-9]", page.inner_text(f"[data-cell=g{row}]")) for row in range(1, 5))


def test_a_whole_game_of_nmbr_9_beside_the_engine_and_its_par(page: Page) -> None:
    new_game(page, "nmbr9", Problem="U-4-2-10")
    for number in range(10):
        page.click("#roll")
        ready(page)
        page.click("#place")
        ready(page)
        assert len(moves(page)) == 2 * number + 2
    assert "Game over" in page.inner_text("#turn")
    assert page.locator(".rival h3").inner_text().startswith("Engine: ")
    page.wait_for_selector(".rival .mini")
    new_game(page, "nmbr9", Problem="U-2-1-3")
    for number in range(3):
        page.click("#roll")
        ready(page)
        page.click("#place")
        ready(page)
        assert len(moves(page)) == 2 * number + 2
    page.click("#par")
    page.wait_for_selector("#par-result")
    assert "With 3 cards in this order: " in page.inner_text("#par-result")


def test_levels_can_be_looked_at_between_two_cards(page: Page) -> None:
    new_game(page, "nmbr9", Problem="U-2-1-3")
    page.click("#roll")
    ready(page)
    page.click("#place")
    ready(page)
    for level in ("1", "0"):
        page.click(f"[data-level='{level}']")
        assert page.get_attribute(f"[data-level='{level}']", "aria-pressed") == "true"
    assert page.locator("#par").count() == page.locator("#roll").count() == 1


def test_all_twenty_tiles_of_the_table_game_can_be_placed(page: Page) -> None:
    new_game(page, "nmbr9")
    page.locator("label:has-text('Cards are drawn') select").select_option("auto")
    for number in range(20):
        ready(page)
        assert len(moves(page)) == 2 * number + 1
        page.click("#place")
    page.wait_for_selector(OVER)


# --- one thing at a time --------------------------------------------------------------------------------------------


def test_where_a_tip_leads_is_shown_before_it_is_made(page: Page) -> None:
    set_up(page, "deblockle", "d1XLT d7XLT s")
    page.click("[data-square=d1]")
    page.hover("[data-square=e1]")
    inspector = page.locator(".inspector")
    expect(inspector).to_contain_text("Tipped east: star up")
    expect(inspector).to_contain_text("Not legal: the tip brings up star, which is legal only onto d6")
    page.hover("[data-square=c1]")
    expect(inspector).to_contain_text("Tipped west: stop up")
    label = page.get_attribute("[data-square=d2]", "aria-label") or ""
    assert "no tip here" in label
    assert "home star of South" in label


def test_an_illegal_try_is_explained_and_its_rule_is_one_click_away(page: Page) -> None:
    set_up(page, "deblockle", "d1XLT d7XLT s")
    page.click("[data-square=d1]")
    page.click("[data-square=d2]")
    trouble = page.locator("#trouble")
    trouble.wait_for()
    assert "only a star may be tipped onto a star square" in trouble.inner_text()
    trouble.get_by_text("Read the rule").click()
    page.wait_for_selector("#rule-the-turn-tip-then-hop.marked")
    assert page.evaluate("document.activeElement.id") == "rule-the-turn-tip-then-hop"
    page.keyboard.press("Escape")
    assert page.locator("#dialog").is_hidden()
    assert moves(page) == []


@pytest.mark.parametrize("game", ["numberdrop", "nmbr9"])
def test_illegal_tries_of_the_other_games_are_explained(page: Page, game: str) -> None:
    if game == "numberdrop":
        set_up(page, game, DROP)
        page.click("#drop")
        ready(page)
        for cell in ("a1", "d1", "c1"):
            page.click(f"[data-cell={cell}]")
        page.click("#claim")
        words, heading = "the claim: ", "#rule-a-round.marked"
    else:
        set_up(page, game, STACK)
        page.click("[data-cell='-3,-3']")
        words, heading = "it is not adjacent to any tile", "#rule-placing.marked"
    trouble = page.locator("#trouble")
    trouble.wait_for()
    assert words in trouble.inner_text().lower()
    trouble.get_by_text("Read the rule").click()
    page.wait_for_selector(heading)


def test_hint_analysis_and_undo(page: Page) -> None:
    set_up(page, "deblockle", FULL)
    page.click("#analyse")
    page.wait_for_selector("#depth:text-matches('^[1-9]')")
    assert page.inner_text("#score").endswith("%")
    assert page.locator("#thinking .pv code").inner_text().startswith(("c1", "e1", "c3", "e3"))
    page.click("#analyse")
    ready(page)
    assert page.get_attribute("#analyse", "aria-pressed") == "false"
    page.click("#hint")
    page.wait_for_selector(".square.hinted")
    ready(page)
    page.click("[data-square=c1]")
    page.locator(".square.tip.legal").first.click()
    page.locator(".square.target").first.click()
    ready(page)
    assert len(moves(page)) == 2
    page.click("#undo")
    ready(page)
    assert moves(page) == []
    assert "South to move" in page.inner_text("#turn")


def test_positions_are_copied_pasted_and_refused(page: Page) -> None:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    set_up(page, "deblockle", "position fen d1XLT d7XLT s moves d1c1 d7c7")
    assert moves(page) == ["d1c1", "d7c7"]
    page.click("#copy")
    page.wait_for_selector("#note:has-text('copied')")
    assert page.evaluate("navigator.clipboard.readText()") == page.input_value("#fen")
    page.fill("#fen", "d2XLT d7XLT s")
    page.click("#set-up")
    page.wait_for_selector("#trouble:has-text('star square')")
    assert moves(page) == ["d1c1", "d7c7"]


@pytest.mark.parametrize("game", ["deblockle", "numberdrop", "nmbr9"])
def test_a_picture_is_the_drawing_of_the_command_line(page: Page, game: str) -> None:
    start = {
        "deblockle": "d1XLT d7XLT s",
        "numberdrop": "1 I4,O4,T4,S4,L4 - 1 drop:1 2345I g/g/g/g/g/g/g/g/g/g/g/g/g/1234c,-,-,-",
        "nmbr9": games.get("nmbr9").start({}).fen(),
    }[game]
    set_up(page, game, start)
    with page.expect_download() as download:
        page.click("#picture")
    assert download.value.suggested_filename == f"{game}.svg"
    drawn = games.get(game).parse(start, games.get(game).read_options({})).svg()
    assert download.value.path().read_text(encoding="utf-8") == drawn


def test_any_position_of_deblockle_can_be_set_up_on_the_board(page: Page) -> None:
    set_up(page, "deblockle", "d1XLT d7XLT s")
    page.click("#edit")
    page.get_by_label("Faces up, north, east").select_option("CTL")
    page.click("[data-square=d5]")
    page.get_by_label("A click puts").select_option("-")
    page.click("[data-square=d1]")
    page.click("#edited")
    ready(page)
    assert page.inner_text("#note") == "The position is set up"
    assert page.input_value("#fen") == "d5CTL d7XLT s 0"
    page.click("[data-square=d5]")
    page.click("[data-square=d6]")
    page.wait_for_selector(OVER)
    assert "South wins" in page.inner_text("#turn")


def test_any_sheet_of_number_drop_can_be_set_up(page: Page) -> None:
    set_up(page, "numberdrop", DROP)
    page.click("#edit")
    page.get_by_label("A click writes").select_option("7")
    page.click("[data-cell=a2]")
    page.click("#edited")
    ready(page)
    assert "7f/1234c,-,-,-" in page.input_value("#fen")


def test_dice_and_cards_of_a_real_table_can_be_typed_in(page: Page) -> None:
    page.locator("label:has-text('Dice roll') select").select_option("typed")
    for number, face in enumerate("XLCH", 1):
        page.get_by_label(f"Block {number}").select_option(face)
    page.click("#typed")
    ready(page)
    assert page.locator("#turn-block").is_visible()
    assert moves(page) == ["roll:XLCH"]
    set_up(page, "numberdrop", DROP.replace("drop:1 2345I", "roll -"))
    page.get_by_label("Die 4").select_option("*")
    page.get_by_label("Shape").select_option("L")
    page.click("#typed")
    ready(page)
    assert page.locator("#drop").is_visible()
    assert moves(page) == ["roll:123*L"]
    set_up(page, "nmbr9", "- ?0123")
    page.click("[aria-label='The card 3 was drawn']")
    ready(page)
    assert page.locator("#place").is_visible()
    assert moves(page) == ["draw:3"]


def test_two_engines_can_be_watched_and_paused(page: Page) -> None:
    set_up(page, "deblockle", FULL)
    page.locator("label:has(span:text-is('South')) select").select_option("5")
    page.wait_for_selector("#moves li:nth-child(4)")
    page.click("#pause")
    page.wait_for_selector("#pause[aria-pressed=true]")
    assert "Go on" in page.inner_text("#pause")
    before = len(moves(page))
    page.click("#pause")
    page.wait_for_selector(f"#moves li:nth-child({before + 2}), {OVER}")


def test_a_puzzle_tells_right_from_wrong(page: Page) -> None:
    page.click("#open-puzzles")
    page.click("[data-puzzle='win1-01']")
    page.wait_for_selector("#task:has-text('North to move wins in 1 turn')")
    ready(page)
    page.click("[data-square=c2]")
    page.locator(".square.tip.legal:not([data-square=d2])").first.click()
    if page.locator(".square.target").count():
        page.locator(".square.target").first.click()
    ready(page)
    assert page.locator("#task .wrong").is_visible()
    page.get_by_text("Start again").click()
    ready(page)
    assert moves(page) == []
    for square in ("c2", "d2"):
        page.click(f"[data-square={square}]")
    page.wait_for_selector("#task .right")
    assert "Solved" in page.inner_text("#task")


def test_a_free_stack_is_built_with_any_tile(page: Page) -> None:
    choose(page, "nmbr9")
    page.click("#open-new")
    page.click("#free-build")
    page.wait_for_selector("[data-tile='4']")
    page.click("[data-tile='4']")
    page.click("#place")
    ready(page)
    assert moves(page)[0].startswith("4a@")
    assert (page.get_attribute("[data-level='0']", "aria-label") or "") == "Level 0: tiles 4, 0 points"


def test_the_page_comes_back_as_it_was_left(page: Page) -> None:
    set_up(page, "deblockle", "position fen d1XLT d7XLT s moves d1c1 d7c7")
    page.reload()
    ready(page)
    assert moves(page) == ["d1c1", "d7c7"]


# --- what the browser keeps -----------------------------------------------------------------------------------------


def test_two_tabs_are_two_tables(page: Page) -> None:
    set_up(page, "deblockle", "position fen d1XLT d7XLT s moves d1c1 d7c7")
    page.locator("label:has-text('Engine thinks') select").select_option("200")
    other = page.context.new_page()
    other.goto(page.url)
    ready(other)
    # A copy to begin with, then its own.
    assert moves(other) == ["d1c1", "d7c7"]
    set_up(other, "deblockle", "d1XLT d7XLT s")
    choose(other, "nmbr9")
    other.locator("label:has-text('Engine thinks') select").select_option("3000")
    for tab in (page, other):
        tab.reload()
        ready(tab)
    expect(page.locator("[aria-current=page]")).to_have_attribute("data-game", "deblockle")
    assert moves(page) == ["d1c1", "d7c7"]
    assert page.locator("label:has-text('Engine thinks') select").input_value() == "200"
    expect(other.locator("[aria-current=page]")).to_have_attribute("data-game", "nmbr9")
    assert other.locator("label:has-text('Engine thinks') select").input_value() == "3000"
    choose(other, "deblockle")
    assert moves(other) == []
    # What one of them keeps does not take away what the other has kept of another game.
    page.click("#undo")
    ready(page)
    third = page.context.new_page()
    third.goto(page.url)
    ready(third)
    expect(third.locator("[aria-current=page]")).to_have_attribute("data-game", "deblockle")
    choose(third, "nmbr9")
    assert third.locator("label:has-text('Engine thinks') select").input_value() == "200"


KEPT: dict[str, Any] = {
    "table": {"game": "deblockle", "options": {}, "start": "d1XLT d7XLT s", "moves": ["d1c1"]},
    "seats": ["you", "20"],
    "puzzle": None,
    "rival": None,
}
DAMAGED: list[Any] = [
    "{oops",
    "null",
    "5",
    "[]",
    '"x"',
    {"game": "chess"},
    {"game": "toString"},
    {"game": ["deblockle"]},
    {"settings": 5},
    {"settings": {"time": "soon"}},
    {"settings": {"rolls": "constructor"}},
    {"tables": []},
    {"tables": {"chess": KEPT}},
    {"tables": {"constructor": KEPT}},
    {"tables": {"deblockle": None}},
    {"tables": {"deblockle": {}}},
    {"tables": {"deblockle": {**KEPT, "table": {}}}},
    {"tables": {"deblockle": {**KEPT, "table": {**KEPT["table"], "game": "nmbr9"}}}},
    {"tables": {"deblockle": {**KEPT, "table": {**KEPT["table"], "moves": [5]}}}},
    {"tables": {"deblockle": {**KEPT, "table": {**KEPT["table"], "moves": ["z9z9"]}}}},
    {"tables": {"deblockle": {**KEPT, "table": {**KEPT["table"], "start": "nonsense"}}}},
    {"tables": {"deblockle": {**KEPT, "table": {**KEPT["table"], "options": {"speed": 1}}}}},
    {"tables": {"deblockle": {**KEPT, "seats": "you"}}},
    {"tables": {"deblockle": {**KEPT, "seats": ["you", "99"]}}},
    {"tables": {"deblockle": {**KEPT, "puzzle": {"name": "x"}}}},
    {"tables": {"deblockle": {**KEPT, "rival": {"moves": 5}}}},
    {
        "game": "nmbr9",
        "tables": {
            "nmbr9": {
                "table": {"game": "nmbr9", "options": {}, "start": None, "moves": []},
                "seats": ["you"],
                "rival": {"moves": ["draw:1", "oops"], "strength": "20"},
            }
        },
    },
]


def fresh(page: Page, script: str) -> Page:
    """Open the page in a context of its own, after a script."""
    browser = page.context.browser
    assert browser is not None
    context = browser.new_context(viewport={"width": 1280, "height": 900}, reduced_motion="reduce")
    context.set_default_timeout(60_000)
    context.add_init_script(script)
    opened = context.new_page()
    opened.goto(page.url)
    ready(opened)
    return opened


@pytest.mark.parametrize(("storage", "cases"), [("localStorage", DAMAGED), ("sessionStorage", DAMAGED[:4])])
def test_what_is_kept_may_be_damaged(page: Page, storage: str, cases: list[Any]) -> None:
    """The page starts and says so; what it keeps from then on is sound."""
    for damaged in cases:
        text = damaged if isinstance(damaged, str) else json.dumps(damaged)
        page.evaluate(f"text => {{ sessionStorage.clear(); {storage}.blockwit = text; }}", text)
        page.reload()
        ready(page)
        expect(page.locator("#unkept"), text).to_contain_text("begin")
        assert page.inner_text("#turn") != "The page could not be started", text
        assert json.loads(page.evaluate(f"{storage}.blockwit"))["game"] in GAMES, text
    page.reload()
    ready(page)
    expect(page.locator("#unkept")).to_be_hidden()


def test_the_sound_part_of_what_is_kept_is_used(page: Page) -> None:
    kept = {"settings": {"time": 20, "rolls": 5}, "game": "deblockle", "tables": {"deblockle": KEPT, "nmbr9": 5}}
    opened = fresh(
        page, f"if (!window.name) {{ window.name = 'begun'; localStorage.blockwit = {json.dumps(json.dumps(kept))}; }}"
    )
    expect(opened.locator("#unkept")).to_contain_text("damaged")
    assert moves(opened)[0] == "d1c1"
    assert opened.locator("label:has-text('Engine thinks') select").input_value() == "20"
    opened.context.close()


BLOCKED = """Object.defineProperty(window, "%s", { get() { throw new DOMException("no", "SecurityError"); } });"""
FULL_UP = """Storage.prototype.setItem = function () { throw new DOMException("no", "QuotaExceededError"); };"""
FULL_UP_LOCAL = """const { setItem } = Storage.prototype; Storage.prototype.setItem = function (...pair) {
  if (this === localStorage) throw new DOMException("no", "QuotaExceededError");
  setItem.apply(this, pair);
};"""


@pytest.mark.parametrize(
    ("script", "why", "until"),
    [
        (BLOCKED % "localStorage" + BLOCKED % "sessionStorage", "lets this page keep nothing", "loaded again"),
        (BLOCKED % "localStorage", "lets this page keep nothing", "as long as this tab"),
        (BLOCKED % "sessionStorage", "lets this page keep nothing", "loaded again"),
        (FULL_UP, "storage is full", "loaded again"),
        (FULL_UP_LOCAL, "storage is full", "as long as this tab"),
    ],
)
def test_storage_may_be_blocked_or_full(page: Page, script: str, why: str, until: str) -> None:
    opened = fresh(page, script)
    said = opened.locator("#unkept")
    expect(said).to_contain_text(why)
    expect(said).to_contain_text(until)
    opened.click("#unkept button")
    expect(said).to_be_hidden()
    # It can be played on, and the message that was closed does not come again.
    set_up(opened, "deblockle", "position fen d1XLT d7XLT s moves d1c1 d7c7")
    assert moves(opened) == ["d1c1", "d7c7"]
    expect(said).to_be_hidden()
    opened.reload()
    ready(opened)
    expect(said).to_contain_text(why)
    if "this tab" in until:
        assert moves(opened) == ["d1c1", "d7c7"]
    opened.context.close()


def test_a_link_of_another_site_opens_the_page(page: Page) -> None:
    """Also when it is loaded again, for which a browser names the other site once more."""
    there = page.url
    with ThreadingHTTPServer(("127.0.0.1", 0), Elsewhere) as site:
        threading.Thread(target=site.serve_forever).start()
        page.goto(f"http://localhost:{site.server_address[1]}/?{there}")
        page.click("a")
        ready(page)
        page.reload()
        ready(page)
        assert page.url == there
        site.shutdown()


class Elsewhere(BaseHTTPRequestHandler):
    """Another site, with a link to the address in its query."""

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("content-type", "text/html")
        self.end_headers()
        there = self.path.partition("?")[2]
        self.wfile.write(f'<link rel="icon" href="data:,"><a href="{there}">there</a>'.encode())

    def log_message(self, *_: Any) -> None:
        pass


# --- by keyboard alone ----------------------------------------------------------------------------------------------


def press(page: Page, *keys: str) -> None:
    for key in keys:
        page.keyboard.press(key)


def test_deblockle_by_keyboard(page: Page) -> None:
    set_up(page, "deblockle", "d1XLT d7XLT s")
    # An engine's answer would be what is said last.
    page.locator("label:has(span:text-is('North')) select").select_option("you")
    page.focus(".deblockle [tabindex='0']")
    page.focus("[data-square=d1]")
    press(page, "Enter", "ArrowUp")
    assert page.evaluate("document.activeElement.dataset.square") == "d2"
    press(page, "Escape", "ArrowDown", "Space", "ArrowLeft", "Enter")
    ready(page)
    assert moves(page) == ["d1c1"]
    assert "South d1 tips west" in page.inner_text("#said")
    assert page.locator(".deblockle [tabindex='0']").count() == 1


def test_number_drop_by_keyboard(page: Page) -> None:
    set_up(page, "numberdrop", DROP)
    page.focus(".sheet.main [tabindex='0']")
    press(page, "ArrowLeft", "ArrowLeft", "ArrowLeft", "ArrowLeft", "r", "Enter")
    ready(page)
    assert page.evaluate("document.activeElement.dataset.claim") is not None
    page.focus("#no-claim")
    press(page, "Enter")
    ready(page)
    # It stood upright in the middle, and lies now at the left edge.
    assert moves(page)[0] == "I0@1:2345"


def test_nmbr_9_by_keyboard(page: Page) -> None:
    set_up(page, "nmbr9", "- 77")
    page.focus(".builder [tabindex='0']")
    press(page, "r", "ArrowRight", "ArrowUp", "Enter")
    ready(page)
    assert re.fullmatch(r"7b@-?\d+,-?\d+,0", moves(page)[0])
    page.focus(".builder [tabindex='0']")
    press(page, "PageUp", "Enter")
    page.wait_for_selector("#trouble:has-text('Single-tile support'), #trouble:has-text('Overhang')")


def test_the_guide_teaches_a_game_and_gives_the_focus_back(page: Page) -> None:
    for game in GAMES:
        choose(page, game)
        page.click("#open-guide")
        for _ in range(20):
            assert page.evaluate("document.activeElement.id") == "guide-head"
            if page.inner_text("#next") == "Play":
                break
            press(page, "Tab", "Tab")
            page.click("#next")
        page.click("#next")
        assert page.locator("#dialog").is_hidden()
        assert page.evaluate("document.activeElement.id") == "open-guide"


# --- for everybody --------------------------------------------------------------------------------------------------

AUDIT = """() => {
  const found = [];
  const named = (element) => {
    const ids = element.getAttribute("aria-labelledby");
    const text = ids ? ids.split(" ").map((id) => document.getElementById(id)?.textContent ?? "").join("") : "";
    const label = element.labels?.length ? element.labels[0].textContent : "";
    return (element.getAttribute("aria-label") || text || label || element.textContent || element.alt || "").trim();
  };
  const shown = (element) => element.checkVisibility();
  for (const element of document.querySelectorAll("button, select, input, textarea, a, [role=img], [role=grid]")) {
    if (shown(element) && !named(element)) found.push(`no name: ${element.outerHTML.slice(0, 120)}`);
  }
  for (const element of document.querySelectorAll("input, textarea")) {
    if (shown(element) && !element.labels.length) found.push(`no label: ${element.outerHTML.slice(0, 120)}`);
  }
  const ids = [...document.querySelectorAll("[id]")].map((element) => element.id);
  for (const id of new Set(ids.filter((id, i) => ids.indexOf(id) !== i))) found.push(`twice: #${id}`);
  for (const row of document.querySelectorAll("[role=row]")) {
    if (!row.parentElement.closest("[role=grid]")) found.push("a row outside a grid");
    if (!row.querySelector("[role=gridcell]")) found.push("a row without cells");
  }
  for (const grid of document.querySelectorAll("[role=grid]")) {
    const stops = grid.querySelectorAll("[tabindex='0']").length;
    if (stops !== 1) found.push(`${stops} tab stops in a grid`);
  }
  if (document.querySelectorAll("h1").length !== 1) found.push("not one h1");
  if (!document.querySelector("main") || !document.documentElement.lang) found.push("no main or lang");
  if (!document.querySelector("[aria-live]")) found.push("no live region");
  return found;
}"""

CONTRAST = """() => {
  const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const value = (colour) => {
    canvas.fillStyle = colour;
    canvas.fillRect(0, 0, 1, 1);
    const [r, g, b] = [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3).map((part) => {
      const share = part / 255;
      return share <= 0.03928 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const style = getComputedStyle(document.documentElement);
  const ratio = (one, other) => {
    const [high, low] = [one, other].map((name) => value(style.getPropertyValue(name))).sort((a, b) => b - a);
    return (high + 0.05) / (low + 0.05);
  };
  const pairs = [["--ink", "--paper"], ["--ink", "--card"], ["--quiet", "--card"], ["--quiet", "--paper"],
    ["--strong", "--card"], ["--on-accent", "--accent"], ["--good", "--card"], ["--bad", "--card"],
    ["--south-ink", "--south"], ["--south-ink", "--south-slope"], ["--north-ink", "--north-top"]];
  return pairs.map(([one, other]) => [`${one} on ${other}`, ratio(one, other)]);
}"""


@pytest.mark.parametrize("game", GAMES)
def test_everything_has_a_name_and_a_role(page: Page, game: str) -> None:
    choose(page, game)
    assert page.evaluate(AUDIT) == []
    set_up(page, game, MIDDLE[game])
    assert page.evaluate(AUDIT) == []
    for opened in ("#open-rules", "#open-puzzles", "#open-new", "#open-guide"):
        page.click(opened)
        page.wait_for_selector("#dialog-title")
        assert page.evaluate(AUDIT) == []
        page.click("#close")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_stands_out_from_its_ground(page: Page, scheme: Any) -> None:
    page.emulate_media(color_scheme=scheme)
    weak = [(pair, ratio) for pair, ratio in page.evaluate(CONTRAST) if ratio < 4.5]
    assert weak == []


@pytest.mark.parametrize("width", [360])
@pytest.mark.parametrize("game", GAMES)
def test_nothing_is_wider_than_a_phone(page: Page, game: str) -> None:
    def too_wide() -> bool:
        return bool(page.evaluate("document.documentElement.scrollWidth > document.documentElement.clientWidth"))

    choose(page, game)
    assert not too_wide()
    set_up(page, game, MIDDLE[game])
    assert not too_wide()
    if game == "numberdrop":
        set_up(page, game, DROP)
        page.click("#drop")
        ready(page)
        assert page.locator("#no-claim").is_visible()
        assert not too_wide()
        new_game(page, game, players="6")
        assert not too_wide()
    for opened in ("#open-rules", "#open-puzzles", "#open-new", "#open-guide"):
        page.click(opened)
        page.wait_for_selector("#dialog-title")
        assert not page.evaluate("document.querySelector('#dialog').scrollWidth > innerWidth")
        page.click("#close")


def test_sides_tiles_and_claims_differ_in_more_than_colour(page: Page) -> None:
    set_up(page, "deblockle", FULL)
    south = page.locator(".cube.side-s").first.evaluate("element => getComputedStyle(element).borderRadius")
    north = page.locator(".cube.side-n").first.evaluate("element => getComputedStyle(element).borderRadius")
    assert south != north
    set_up(page, "numberdrop", SOLO)
    marks = page.locator(".sheet.main .cell.claimed sup").all_inner_texts()
    assert {"●", "▲"} == set(marks)
    set_up(page, "nmbr9", STACK)
    assert "9" in page.locator(".spot.tile").all_inner_texts()


def test_the_keyboard_is_not_thrown_out_when_a_part_is_drawn_anew(page: Page) -> None:
    def focused() -> str:
        return str(page.evaluate("document.activeElement.id || document.activeElement.dataset.level"))

    new_game(page, "deblockle", south_blocks="1", north_blocks="1")
    page.focus("#roll")
    press(page, "Enter")
    ready(page)
    page.focus("#turn-block")
    press(page, "Enter", "Enter")
    assert focused() == "turn-block"
    set_up(page, "nmbr9", STACK)
    page.focus("[data-level='1']")
    press(page, "Enter")
    page.wait_for_selector("[data-level='1'][aria-pressed=true]")
    assert focused() == "1"
    page.focus("#turn-tile")
    press(page, "Enter")
    assert focused() == "turn-tile"
    set_up(page, "numberdrop", DROP.replace("drop:1 2345I", "roll -"))
    page.focus("#roll")
    press(page, "Enter")
    ready(page)
    assert focused() == "drop"
    page.locator("label:has-text('Engine thinks') select").focus()
    press(page, "ArrowDown")
    assert page.evaluate("document.activeElement.tagName") == "SELECT"


def test_a_position_being_typed_is_not_overwritten_by_the_game(page: Page) -> None:
    set_up(page, "deblockle", FULL)
    page.fill("#fen", "d1XLT d7XLT s")
    page.locator("label:has(span:text-is('South')) select").select_option("5")
    page.wait_for_selector("#moves li:nth-child(2)")
    assert page.input_value("#fen") == "d1XLT d7XLT s"
    page.click("#set-up")
    page.wait_for_selector("#moves li:first-child:has-text('South d1 tips')")
    assert page.input_value("#fen") != "d1XLT d7XLT s"


# --- late answers ---------------------------------------------------------------------------------------------------

SLOW = """
  const { set } = Object.getOwnPropertyDescriptor(WebSocket.prototype, "onmessage");
  Object.defineProperty(WebSocket.prototype, "onmessage", { set(take) {
    set.call(this, (event) => {
      if (!window.late) take(event);
      else document.documentElement.dataset.late = window.late.push(() => take(event));
    });
  } });
"""


@pytest.fixture
def slow(page: Page) -> Page:
    """A page to which answers can be kept back."""
    page.add_init_script(SLOW)
    page.reload()
    ready(page)
    return page


def hold(page: Page) -> None:
    """Keep back what the server answers from now on, as if it were slow."""
    page.evaluate("window.late = []")


def held(page: Page, answers: int) -> None:
    """Wait until this many answers are kept back."""
    expect(page.locator("html")).to_have_attribute("data-late", str(answers))


def let_come(page: Page) -> None:
    """Give the page all that was kept back."""
    page.evaluate("(([...late], _) => late.forEach((act) => act()))(window.late, (window.late = null))")


def test_what_is_typed_while_a_game_is_fetched_stays(slow: Page) -> None:
    page = slow
    hold(page)
    page.click("[data-game=deblockle]")
    page.fill("#fen", "d1XLT d7XLT s")
    held(page, 1)
    let_come(page)
    ready(page)
    assert page.input_value("#fen") == "d1XLT d7XLT s"


def test_the_game_asked_for_last_is_shown(slow: Page) -> None:
    page = slow
    set_up(page, "deblockle", "position fen d1XLT d7XLT s moves d1c1 d7c7")
    hold(page)
    page.click("[data-game=nmbr9]")
    page.click("[data-game=deblockle]")
    held(page, 2)
    let_come(page)
    ready(page)
    assert page.get_attribute("[data-game=deblockle]", "aria-current") == "page"
    assert moves(page) == ["d1c1", "d7c7"]


def test_a_late_undo_is_not_done_to_another_game(slow: Page) -> None:
    page = slow
    set_up(page, "nmbr9", STACK)
    set_up(page, "deblockle", "position fen d1XLT d7XLT s moves d1c1 d7c7")
    hold(page)
    page.click("[data-game=nmbr9]")
    page.click("#undo")
    held(page, 2)
    let_come(page)
    ready(page)
    assert page.input_value("#fen").startswith(STACK.rsplit(" ", 1)[0])
    assert moves(page) == []
    choose(page, "deblockle")
    assert moves(page) == ["d1c1", "d7c7"]


def test_a_move_is_not_lost_when_something_is_asked_before_its_answer(slow: Page) -> None:
    page = slow
    set_up(page, "deblockle", "d1XLT d7XLT s")
    page.locator("label:has(span:text-is('North')) select").select_option("you")
    hold(page)
    page.click("[data-square=d1]")
    page.click("[data-square=c1]")
    page.click("#hint")
    let_come(page)
    ready(page)
    assert moves(page) == ["d1c1"]
    assert "Hint" not in page.inner_text("#note")


def test_claims_that_come_late_are_not_those_of_another_position(slow: Page) -> None:
    page = slow
    set_up(page, "numberdrop", DROP)
    hold(page)
    page.click("#drop")
    page.click("#set-up")
    held(page, 2)
    let_come(page)
    ready(page)
    assert page.locator("#drop").is_visible()
    assert page.locator("#no-claim").count() == 0


def test_a_hint_in_the_turn_of_the_engine_does_not_end_the_game(slow: Page) -> None:
    page = slow
    set_up(page, "deblockle", FULL)
    page.locator("label:has(span:text-is('North')) select").select_option("you")
    hold(page)
    page.locator("label:has(span:text-is('South')) select").select_option("5")
    page.click("#hint")
    let_come(page)
    ready(page)
    assert len(moves(page)) == 1


def test_a_button_drawn_anew_while_it_is_pressed_keeps_its_click(slow: Page) -> None:
    page = slow
    page.click("#open-puzzles")
    page.click("[data-puzzle='win1-01']")
    page.wait_for_selector("#task:has-text('North to move wins in 1 turn')")
    ready(page)
    hold(page)
    for square in ("c2", "d2"):
        page.click(f"[data-square={square}]")
    held(page, 1)
    page.get_by_text("Leave the puzzle").hover()
    page.mouse.down()
    let_come(page)
    page.mouse.up()
    expect(page.locator("#task")).to_be_hidden()
    ready(page)
    assert moves(page)[0].startswith("c2d2")
