"""The server of the page: who is answered, what is answered, and that no engine process is left behind."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from blockwit import games
from blockwit.errors import CommandError, MoveError
from blockwit.games import Position
from blockwit.web.app import IDLE, TOO_LONG, TOO_MANY, Settings, make_app
from blockwit.web.guard import hosts_of
from blockwit.web.messages import MAX_MOVES
from blockwit.web.rulebook import headings
from blockwit.web.session import MAX_MESSAGE, Replay, Table
from starlette.testclient import TestClient, WebSocketTestSession
from starlette.websockets import WebSocketDisconnect

HOST = "127.0.0.1:8765"
ORIGIN = f"http://{HOST}"
HEADERS = {"host": HOST, "origin": ORIGIN}
DUEL: dict[str, Any] = {"game": "deblockle", "options": {}, "start": "d1XLT d7XLT s", "moves": []}


def client(settings: Settings | None = None) -> TestClient:
    return TestClient(make_app(hosts_of(8765), settings), base_url=ORIGIN)


@pytest.fixture
def talk() -> Iterator[Callable[..., dict[str, Any]]]:
    """Ask one question over a websocket of its own; the last answer, `info` left out."""
    with client() as connected, connected.websocket_connect("/talk", headers=HEADERS) as websocket:

        def ask(**question: Any) -> dict[str, Any]:
            websocket.send_json({"id": 7, **question})
            return last(websocket)

        yield ask


def last(websocket: WebSocketTestSession) -> dict[str, Any]:
    while True:
        answer: dict[str, Any] = websocket.receive_json()
        if answer["is"] != "info":
            return answer


# --- who is answered ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", ["/", "/games.json", "/rules/deblockle", "/puzzles/nmbr9", "/static/main.js"])
def test_the_page_loads_only_from_itself(path: str) -> None:
    answer = client().get(path)
    assert answer.status_code == 200
    policy = answer.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "script-src 'self'" in policy
    assert "unsafe" not in policy
    assert "frame-ancestors 'none'" in policy
    assert answer.headers["x-content-type-options"] == "nosniff"


@pytest.mark.parametrize(
    "headers",
    [
        {"host": "evil.example"},
        {"host": "evil.example:8765"},
        {"host": "127.0.0.1"},
        {"host": "127.0.0.1:80"},
        {"origin": "http://evil.example"},
        {"origin": "https://127.0.0.1:8765"},
        {"origin": "http://localhost:8765"},
        {"origin": "null"},
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
    ],
)
def test_other_names_and_origins_are_refused(headers: dict[str, str]) -> None:
    for path in ("/games.json", "/"):
        answer = client().get(path, headers=headers)
        assert answer.status_code == 403
        assert "content-security-policy" in answer.headers


@pytest.mark.parametrize("host", ["127.0.0.1:8765", "localhost:8765", "[::1]:8765"])
def test_all_names_of_this_machine_are_answered(host: str) -> None:
    assert client().get("/games.json", headers={"host": host, "origin": f"http://{host}"}).status_code == 200


@pytest.mark.parametrize(
    "headers",
    [
        {"host": HOST},
        {"host": HOST, "origin": "http://evil.example"},
        {"host": "evil.example", "origin": "http://evil.example"},
        {"host": HOST, "origin": "null"},
        {"host": HOST, "origin": ORIGIN, "sec-fetch-site": "cross-site"},
    ],
)
def test_a_websocket_of_another_site_is_refused(headers: dict[str, str]) -> None:
    with pytest.raises(WebSocketDisconnect), client().websocket_connect("/talk", headers=headers):
        pass


LINK = {"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate", "sec-fetch-dest": "document"}


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_a_link_of_another_site_leads_to_the_page(site: str) -> None:
    answer = client().get("/", headers={**LINK, "sec-fetch-site": site})
    assert answer.status_code == 200
    assert "<title>blockwit</title>" in answer.text


@pytest.mark.parametrize(
    ("method", "path", "headers"),
    [
        ("GET", "/games.json", {}),
        ("GET", "/rules/deblockle", {}),
        ("GET", "/static/main.js", {}),
        ("POST", "/", {}),
        ("HEAD", "/", {}),
        ("GET", "/", {"origin": "http://evil.example"}),
        ("GET", "/", {"host": "evil.example"}),
        ("GET", "/", {"sec-fetch-dest": "iframe"}),
        ("GET", "/", {"sec-fetch-mode": "no-cors"}),
        ("GET", "/", {"sec-fetch-mode": "cors", "sec-fetch-dest": "empty"}),
    ],
)
def test_nothing_but_the_page_is_let_through_from_elsewhere(method: str, path: str, headers: dict[str, str]) -> None:
    assert client().request(method, path, headers=LINK | headers).status_code == 403


def test_a_websocket_is_no_link() -> None:
    with pytest.raises(WebSocketDisconnect), client().websocket_connect("/", headers=HEADERS | LINK):
        pass
    with pytest.raises(WebSocketDisconnect), client().websocket_connect("/talk", headers=HEADERS | LINK):
        pass


@pytest.mark.parametrize(
    ("allowed", "host", "origin", "status"),
    [
        ("box.example", "box.example", "https://box.example", 200),
        ("box.example", "box.example:9000", "http://box.example:9000", 200),
        ("Box.Example:9000", "box.example:9000", "http://box.example:9000", 200),
        ("[fe80::1]:9000", "[fe80::1]:9000", "http://[fe80::1]:9000", 200),
        ("localhost:9000", "127.0.0.1:8765", "http://127.0.0.1:8765", 200),
        ("localhost:9000", "localhost:9000", "http://localhost:9000", 200),
        ("localhost:9000", "localhost:9000", "http://localhost:8765", 403),
        ("localhost:9000", "localhost:9001", "http://localhost:9001", 403),
        ("localhost", "localhost:8765", "http://localhost:3000", 403),
        ("box.example", "evil.example", "http://evil.example", 403),
        ("box.example", "box.example.evil.example", "http://box.example.evil.example", 403),
        ("box.example", "box.example:9000", "http://box.example", 403),
        ("box.example", "127.0.0.1:8765", "https://127.0.0.1:8765", 403),
    ],
)
def test_a_forwarded_port_is_answered_under_the_name_that_is_allowed(
    allowed: str, host: str, origin: str, status: int
) -> None:
    connected = TestClient(make_app(hosts_of(8765, [allowed])), base_url=ORIGIN)
    assert connected.get("/games.json", headers={"host": host, "origin": origin}).status_code == status
    assert connected.get("/games.json", headers={"host": host, "origin": "http://evil.example"}).status_code == 403
    headers = {"host": host, "origin": origin}
    if status == 200:
        with connected.websocket_connect("/talk", headers=headers) as websocket:
            websocket.send_json({"id": 1, "do": "view", "table": DUEL})
            assert websocket.receive_json()["is"] == "view"
    else:
        with pytest.raises(WebSocketDisconnect), connected.websocket_connect("/talk", headers=headers):
            pass


@pytest.mark.parametrize(
    "host", ["", "http://box", "box:", "box:0", "box:70000", "a b", "*", "box/", "box:1:2", "[::1"]
)
def test_a_host_that_is_none_is_named(host: str) -> None:
    with pytest.raises(CommandError, match="--allow-host: expected NAME or NAME:PORT, got"):
        hosts_of(8765, [host])


def test_only_files_of_the_page_are_served() -> None:
    assert client().get("/static/../app.py").status_code == 404
    assert client().get("/static/%2e%2e/app.py").status_code == 404
    assert client().get("/rules/chess").status_code == 404
    assert client().get("/puzzles/..%2f..").status_code == 404


# --- limits ---------------------------------------------------------------------------------------------------------


def test_one_page_too_many_is_told_so() -> None:
    with client(Settings(sessions=1)) as connected, connected.websocket_connect("/talk", headers=HEADERS):
        with (
            connected.websocket_connect("/talk", headers=HEADERS) as second,
            pytest.raises(WebSocketDisconnect) as closed,
        ):
            second.receive_text()
        assert closed.value.code == TOO_MANY
        assert "close one first" in closed.value.reason


@pytest.mark.parametrize("settings", [Settings(idle=0.05), Settings(patience=0.05)])
def test_an_idle_page_loses_its_session(settings: Settings) -> None:
    """A page that has asked for something may rest for longer than one that has not yet."""
    with client(settings) as connected, connected.websocket_connect("/talk", headers=HEADERS) as websocket:
        if settings.idle < settings.patience:
            websocket.send_json({"id": 1, "do": "view", "table": DUEL})
            assert websocket.receive_json()["is"] == "view"
        with pytest.raises(WebSocketDisconnect) as closed:
            websocket.receive_text()
        assert closed.value.code == IDLE


def test_a_page_is_not_idle_while_it_waits_for_a_search() -> None:
    table = {**DUEL, "start": games.get("deblockle").bench[0][0]}
    with (
        client(Settings(idle=0.05)) as connected,
        connected.websocket_connect("/talk", headers=HEADERS) as websocket,
    ):
        websocket.send_json({"id": 1, "do": "think", "table": table, "movetime": 500})
        assert last(websocket)["is"] == "best"
        with pytest.raises(WebSocketDisconnect) as closed:
            websocket.receive_text()
        assert closed.value.code == IDLE


def test_long_work_for_one_page_does_not_hold_up_another(monkeypatch: pytest.MonkeyPatch) -> None:
    others_answered = threading.Event()
    replay = Replay.__call__
    waits: list[bool] = []

    def slow(self: Replay, table: Table) -> tuple[Position, list[dict[str, Any]]]:
        if table.start == "d1XLT d7XLT n":
            waits.append(others_answered.wait(20))
        return replay(self, table)

    monkeypatch.setattr(Replay, "__call__", slow)
    with (
        client() as connected,
        connected.websocket_connect("/talk", headers=HEADERS) as one,
        connected.websocket_connect("/talk", headers=HEADERS) as two,
    ):
        for verb in ("view", "think"):
            others_answered.clear()
            limit = {"nodes": 50} if verb == "think" else {}
            one.send_json({"id": 1, "do": verb, "table": {**DUEL, "start": "d1XLT d7XLT n"}, **limit})
            two.send_json({"id": 2, "do": "view", "table": DUEL})
            assert last(two)["is"] == "view"
            assert connected.get("/").status_code == 200
            others_answered.set()
            assert last(one)["is"] == ("view" if verb == "view" else "best")
    assert waits == [True, True]


def test_a_request_that_is_too_long_ends_the_session() -> None:
    with client() as connected, connected.websocket_connect("/talk", headers=HEADERS) as websocket:
        websocket.send_text("x" * (MAX_MESSAGE + 1))
        with pytest.raises(WebSocketDisconnect) as closed:
            websocket.receive_text()
        assert closed.value.code == TOO_LONG


def engine_of(connected: TestClient) -> int:
    """The process number of the only session's engine."""
    (session,) = connected.app.state.sessions.open  # type: ignore[attr-defined]
    pid = session.thinker.pid
    assert isinstance(pid, int)
    return pid


def wait_for_end(pid: int) -> bool:
    for _ in range(500):
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.02)
    return False


def test_the_engine_process_ends_with_the_page_even_in_the_middle_of_a_search() -> None:
    with client() as connected:
        with connected.websocket_connect("/talk", headers=HEADERS) as websocket:
            table = {**DUEL, "start": games.get("deblockle").bench[0][0]}
            websocket.send_json({"id": 1, "do": "think", "table": table, "movetime": 600_000})
            assert websocket.receive_json()["is"] == "info"
            pid = engine_of(connected)
        assert wait_for_end(pid)


def test_a_dead_engine_is_reported_and_replaced() -> None:
    with client() as connected, connected.websocket_connect("/talk", headers=HEADERS) as websocket:
        websocket.send_json({"id": 1, "do": "think", "table": DUEL, "nodes": 50})
        assert last(websocket)["is"] == "best"
        os.kill(engine_of(connected), 9)
        answers: list[str] = []
        while len(answers) < 3 and "best" not in answers:
            websocket.send_json({"id": 2, "do": "think", "table": DUEL, "nodes": 50})
            answers.append(last(websocket)["is"])
        assert answers[-1] == "best"


# --- what is answered -----------------------------------------------------------------------------------------------


def test_a_move_is_played_and_put_in_words(talk: Callable[..., dict[str, Any]]) -> None:
    answer = talk(do="play", table=DUEL, move="d1c1")
    assert (answer["id"], answer["is"], answer["moves"]) == (7, "view", ["d1c1"])
    assert answer["view"]["turn"] == "n"
    assert answer["log"][0]["words"] == "South d1 tips west, stop up, and stays on c1"
    assert answer["start"] == "d1XLT d7XLT s 0"


def test_a_shorter_list_of_moves_takes_back(talk: Callable[..., dict[str, Any]]) -> None:
    line = ["d1c1", "d7c7", "c1c2b4"]
    assert talk(do="view", table={**DUEL, "moves": line})["view"]["halfmove"] == 3
    back = talk(do="view", table={**DUEL, "moves": line[:1]})
    assert (back["view"]["halfmove"], len(back["log"])) == (1, 1)
    other = talk(do="view", table={**DUEL, "moves": ["d1c1", "d7c7"]})
    assert [entry["move"] for entry in other["log"]] == ["d1c1", "d7c7"]


def test_a_bad_move_of_the_list_is_named_by_its_number(talk: Callable[..., dict[str, Any]]) -> None:
    answer = talk(do="view", table={**DUEL, "moves": ["d1c1", "c1c2"]})
    assert answer["is"] == "error"
    assert answer["why"].startswith("move 2: ")
    # The good part of the line was kept, the bad one was not.
    assert talk(do="view", table={**DUEL, "moves": ["d1c1"]})["is"] == "view"


def test_dice_are_rolled_where_they_are_due(talk: Callable[..., dict[str, Any]]) -> None:
    table: dict[str, Any] = {"game": "deblockle", "options": {}, "start": None, "moves": []}
    rolled = talk(do="roll", table=table)
    assert rolled["moves"][0].startswith("roll:")
    assert rolled["view"]["phase"] == "place"
    assert talk(do="roll", table={**table, "moves": rolled["moves"]})["is"] == "error"


def test_the_engine_thinks_aloud_and_answers(talk: Callable[..., dict[str, Any]]) -> None:
    answer = talk(do="think", table=DUEL, nodes=500)
    assert answer["is"] == "best"
    assert answer["move"] in games.get("deblockle").parse("d1XLT d7XLT s", {}).tokens()
    assert answer["words"].startswith("South d1 tips")


def test_a_newer_question_replaces_the_search_under_way() -> None:
    table = {**DUEL, "start": games.get("deblockle").bench[0][0]}
    with client() as connected, connected.websocket_connect("/talk", headers=HEADERS) as websocket:
        # The engine process is still being started.
        websocket.send_json({"id": 1, "do": "think", "table": table, "movetime": 600_000})
        websocket.send_json({"id": 2, "do": "think", "table": {**DUEL, "moves": ["d1c1"]}, "nodes": 100})
        answers = [last(websocket), last(websocket)]
        assert [(answer["id"], answer["is"]) for answer in answers] == [(1, "best"), (2, "best")]


def test_stop_ends_the_search() -> None:
    table = {**DUEL, "start": games.get("deblockle").bench[0][0]}
    with client() as connected, connected.websocket_connect("/talk", headers=HEADERS) as websocket:
        websocket.send_json({"id": 1, "do": "think", "table": table, "movetime": 600_000})
        assert websocket.receive_json()["is"] == "info"
        websocket.send_json({"do": "stop"})
        assert last(websocket)["is"] == "best"


def test_stop_ends_a_search_that_has_not_begun() -> None:
    table = {**DUEL, "start": games.get("deblockle").bench[0][0]}
    with client() as connected, connected.websocket_connect("/talk", headers=HEADERS) as websocket:
        websocket.send_json({"id": 1, "do": "think", "table": table, "movetime": 600_000})
        websocket.send_json({"do": "stop"})
        assert last(websocket)["is"] == "best"


def test_the_engine_follows_from_game_to_game_and_keeps_their_options(talk: Callable[..., dict[str, Any]]) -> None:
    solo = {"game": "numberdrop", "options": {"solo": True}, "start": games.get("numberdrop").bench[0][0], "moves": []}
    stack = {"game": "nmbr9", "options": {}, "start": "- 0123", "moves": []}
    assert talk(do="think", table=solo, nodes=200)["move"].startswith("slide:")
    assert talk(do="think", table=stack, movetime=2000)["move"].startswith("0")
    touching = {**DUEL, "options": {"no_touch": True, "slider": "full"}}
    assert talk(do="think", table=touching, nodes=200)["is"] == "best"
    assert talk(do="think", table=solo, nodes=200)["move"].startswith("slide:")


def test_a_picture_shows_the_position_after_the_moves(talk: Callable[..., dict[str, Any]]) -> None:
    answer = talk(do="picture", table={**DUEL, "moves": ["d1c1"]})
    assert answer["is"] == "picture"
    assert answer["svg"] == games.get("deblockle").parse("d1XLT d7XLT s", {}).play("d1c1").svg()


def test_claims_are_listed_after_a_drop(talk: Callable[..., dict[str, Any]]) -> None:
    sheet = "g/g/g/g/g/g/g/g/g/g/g/g/g/1234c,-,-,-"
    table: dict[str, Any] = {
        "game": "numberdrop",
        "options": {},
        "start": f"1 I4,O4,T4,S4,L4 - 1 drop:1 2345I {sheet}",
        "moves": [],
    }
    answer = talk(do="claims", table=table, move="I0@1:2345")
    assert answer["is"] == "claims"
    assert answer["rows"][-2:] == ["2345...", "1234..."]
    assert "S5:a1,a2,b1,b2,c1" not in answer["claims"]
    assert "I3:b1,a2,b2" not in answer["claims"]
    assert any(claim.startswith("S5:") for claim in answer["claims"])
    refused = talk(do="claims", table=table, move="I0@5:2345")
    assert (refused["is"], refused["rule"]) == ("illegal", "a-round")


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ({"do": "dance"}, "input tag 'dance' found using 'do' does not match any of the expected tags: 'stop', 'view'"),
        ({"do": "view"}, "view.table: field required"),
        ({"do": "view", "table": {"game": "chess", "options": {}, "start": None, "moves": []}}, "unknown game 'chess'"),
        ({"do": "view", "table": {**DUEL, "options": {"speed": 1}}}, "unknown option 'speed'"),
        ({"do": "view", "table": {**DUEL, "start": "nonsense"}}, "1 fields, expected"),
        ({"do": "view", "table": {**DUEL, "start": 5}}, "view.table.start: input should be a valid string"),
        ({"do": "view", "table": {**DUEL, "moves": "d1c1"}}, "view.table.moves: input should be a valid array"),
        (
            {"do": "view", "table": {**DUEL, "moves": ["0000"] * (MAX_MOVES + 1)}},
            "view.table.moves: list should have at most 3000 items",
        ),
        ({"do": "play", "table": DUEL, "move": 5}, "play.move: input should be a valid string"),
        ({"do": "think", "table": DUEL, "movetime": 0}, "think.movetime: input should be greater than or equal to 1"),
        ({"do": "think", "table": DUEL, "movetime": True}, "think.movetime: input should be a valid integer"),
        ({"do": "think", "table": DUEL, "nodes": "many"}, "think.nodes: input should be a valid integer"),
        ({"do": "think", "table": DUEL, "skill": 21}, "think.skill: input should be less than or equal to 20"),
        ({"do": "think", "table": {**DUEL, "start": None}}, "nothing is to be decided"),
        ({"do": "claims", "table": DUEL, "move": "d1c1"}, "have no parts"),
    ],
)
def test_bad_requests_are_answered_by_one_line(
    talk: Callable[..., dict[str, Any]], question: dict[str, Any], words: str
) -> None:
    answer = talk(**question)
    assert answer["is"] in ("error", "illegal")
    assert words in answer["why"]
    assert "\n" not in answer["why"]
    assert talk(do="view", table=DUEL)["is"] == "view"


@pytest.mark.parametrize(
    "text", ["", "{", "[]", "5", "[" * 50_000, "1" * 5000, '{"id": 1e400}', '{"id": "\\ud800", "do": "stop"}']
)
def test_what_is_no_request_is_answered_by_one_line(text: str) -> None:
    with client() as connected, connected.websocket_connect("/talk", headers=HEADERS) as websocket:
        websocket.send_text(text)
        assert websocket.receive_json()["is"] == "error"
        websocket.send_json({"id": 1, "do": "view", "table": DUEL})
        assert websocket.receive_json()["is"] == "view"


# --- illegal tries name their rule ----------------------------------------------------------------------------------

SOLO = games.get("numberdrop").bench[0][0]
DROP = "1 I4,O4,T4,S4,L4 - 1 drop:1 1234I g/g/g/g/g/g/g/g/g/g/g/g/g/1234c,-,-,-"


@pytest.mark.parametrize(
    ("game", "start", "move", "words", "rule"),
    [
        ("deblockle", "d1XLT d7XLT s", "d1d2", "only a star may be tipped onto a star square", "the-turn-tip-then-hop"),
        ("deblockle", "d1XLT d7XLT s", "d7d7", "South has no block on d7", "the-turn-tip-then-hop"),
        ("deblockle", "d1XLT d7XLT s", "d1g7", "not one orthogonal step", "the-turn-tip-then-hop"),
        ("deblockle", "d1XLT d7XLT s", "0000", "a pass is legal only when no other move is", "the-end"),
        ("deblockle", "c3SHC d7XLT s", "c3c4g1", "a slider hops in a straight line", "the-turn-tip-then-hop"),
        ("deblockle", "- d7XLT s", "d1c1", "the game is over (South wins)", "the-end"),
        ("deblockle", None, "c5XLT", "South rolls first", "set-up"),
        ("numberdrop", SOLO, "slide:X", "a tile is to slide", "alone-option-solo"),
        ("numberdrop", DROP, "L0@1:1234", "the shape is not the one rolled", "a-round"),
        ("numberdrop", DROP, "I0@1:1235", "the digits are not those rolled", "a-round"),
        ("numberdrop", DROP, "I0@5:1234", "no such piece, orientation or column", "a-round"),
        ("numberdrop", DROP, "I0@1:1234+I3:a1,a2,b2", "the claim: the digits are not equal", "a-round"),
        ("numberdrop", DROP, "I0@1:1234+S3:a1,c1,d1", "the claim: ", "a-round"),
        ("numberdrop", None, "write:a1", "a tile is to be drawn", "set-up"),
        ("nmbr9", "- 07", "7a@0,0,0", "it is not the turn of a 7", "cards"),
        ("nmbr9", "0a@0,0,0 7", "7a@9,9,0", "cut: it is not adjacent", "placing"),
        ("nmbr9", "0a@0,0,0 7", "7a@0,0,0", "overlap", "placing"),
        ("nmbr9", "0a@0,0,0 7", "7a@0,0,1", "overhang", "placing"),
    ],
)
def test_an_illegal_try_is_explained_by_the_rule_it_breaks(
    talk: Callable[..., dict[str, Any]], game: str, start: str | None, move: str, words: str, rule: str
) -> None:
    table: dict[str, Any] = {"game": game, "options": {}, "start": start, "moves": []}
    answer = talk(do="play", table=table, move=move)
    assert answer["is"] == "illegal"
    assert words in answer["why"]
    assert answer["rule"] == rule
    assert rule in headings(game)


@pytest.mark.parametrize("game", games.NAMES)
def test_every_rule_named_along_a_game_is_a_heading_of_the_rules(game: str) -> None:
    position = games.get(game).start({"solo": True} if game == "numberdrop" else {})
    tries = ["roll:1", "draw:3", "a1a2", "0000", "x:skip", "skip", "write:z9", "slide:A", "9a@5,5,5", "c5XLT", "tile:Q"]
    named = set()
    for seed in range(60):
        for token in tries:
            try:
                position.play(token)
            except MoveError as error:
                named.add(error.rule)
        if position.kind() is games.Kind.TERMINAL:
            break
        chance = position.kind() is games.Kind.CHANCE
        position = position.play(position.roll(seed) if chance else position.tokens(seed % position.count(), 1)[0])
    assert len(named) > 1
    assert named <= {*headings(game), ""}
