"""The solver of the endgame tables, one step at a time against the reference rules, and its results as a whole."""

import os
import random
import shutil
import zlib
from array import array
from pathlib import Path

import numpy as np
import pytest
from blockwit import _alphabeta, _deblockle, _proof, _tables, games
from blockwit.cli.main import app
from blockwit.errors import TableError
from blockwit.games.base import Kind
from blockwit.games.deblockle import tablefiles
from blockwit.games.deblockle import tables as deblockle_tables
from blockwit.games.deblockle.building import write_table
from blockwit.games.deblockle.position import DeblocklePosition, square_index
from blockwit.games.deblockle.tablefiles import TableFile
from typer.testing import CliRunner, Result

from tests.protocol.conversation import Conversation
from tests.reference import deblockle as reference

GAME = games.get("deblockle")

USABLE = [q for q in range(56) if q & 7 < 7 and (q & 7, q >> 3) not in reference.STARS]
ORIENTATIONS = [(name[0], name[1], name[2]) for name in _deblockle.ORIENTATION_NAMES]
SLIDERS: list[reference.SliderRule] = ["free", "full", "full_or_beside_star"]
NOHOPS: list[reference.NohopRule] = ["illegal", "end_turn"]
NEITHER = 128


def options_of(rules: int) -> reference.Options:
    return reference.Options(SLIDERS[rules % 3], NOHOPS[rules // 3 % 2], "off", bool(rules // 6))


def block(square: int, orientation: int) -> reference.Block:
    q = USABLE[square]
    return reference.Block((q & 7, q >> 3), ORIENTATIONS[orientation])


def numbers(placed: reference.Block) -> tuple[int, int]:
    file, rank = placed.square
    return USABLE.index(rank * 8 + file), ORIENTATIONS.index(placed.orientation)


def pair_number(i: int, j: int) -> int:
    return j * (j - 1) // 2 + i


def worth(children: list[int]) -> int:
    """The value of a position whose moves lead to these values of the opponent."""
    worst = min(children)
    return 255 - worst if worst < NEITHER else 256 - worst if worst > NEITHER else NEITHER


def lone_index(state: reference.State, layout: str) -> tuple[int, ...]:
    """Where a position of one South block against two is: by (lone, first, second) or (first, second, lone)."""
    ((a, ao),) = (numbers(b) for b in state.south)
    (i, io), (j, jo) = sorted(numbers(b) for b in state.north)
    tile = a * 1081 + pair_number(i, j)
    return (tile, ao, io, jo) if layout == "pair" else (tile, io, jo, ao)


def ones_index(state: reference.State) -> tuple[int, int, int, int]:
    ((a, ao),) = (numbers(b) for b in state.south)
    ((b, bo),) = (numbers(b) for b in state.north)
    return a, b, ao, bo


@pytest.fixture(scope="module")
def tables() -> tuple[np.ndarray, np.ndarray]:
    """Two tables of noise, the one with the pair to move and the one with the lone block to move."""
    # Untouched pages of an empty array cost no memory; only the tiles that a test fills do.
    return np.zeros((50807, 24, 24, 24), np.uint8), np.zeros((50807, 24, 24, 24), np.uint8)


@pytest.mark.parametrize("rules", range(12))
def test_a_step_of_the_lone_block_is_the_best_of_its_moves(rules: int, tables: tuple[np.ndarray, np.ndarray]) -> None:
    rng = random.Random(rules)
    noise = np.random.default_rng(rules)
    pair_moves, lone_moves = tables
    solver = _tables.Solver(_deblockle.blocks_capsule(), rules)
    i, j = sorted(rng.sample(range(47), 2))
    pair = pair_number(i, j)
    pair_moves[pair::1081] = noise.integers(2, 255, (47, 24, 24, 24), np.uint8)
    news, told = np.ones(50807, np.uint8), np.zeros(50807, np.uint8)
    changed = solver.lone_pass(pair_moves.reshape(-1), lone_moves.reshape(-1), news, told, pair, pair + 1)
    assert changed > 0
    assert told.sum() == told[pair::1081].sum() == 45
    for _ in range(15):
        a = rng.choice([q for q in range(47) if q not in (i, j)])
        ao, io, jo = (rng.randrange(24) for _ in range(3))
        state = reference.State((block(a, ao),), (block(i, io), block(j, jo)), "s")
        children = [
            1 if not child.south else int(pair_moves[lone_index(child, "pair")])
            for child in reference.moves_by_name(state, options_of(rules)).values() or [state]
        ]
        assert lone_moves[lone_index(state, "lone")] == worth(children)
    news[:] = 0
    assert solver.lone_pass(pair_moves.reshape(-1), lone_moves.reshape(-1), news, told, pair, pair + 1) == 0
    assert not told.any()


@pytest.mark.parametrize("rules", range(12))
def test_a_step_of_the_pair_is_the_best_of_its_moves(rules: int, tables: tuple[np.ndarray, np.ndarray]) -> None:
    rng = random.Random(100 + rules)
    noise = np.random.default_rng(rules)
    pair_moves, lone_moves = tables
    solver = _tables.Solver(_deblockle.blocks_capsule(), rules)
    a = rng.randrange(47)
    i, j = sorted(rng.sample([q for q in range(47) if q != a], 2))
    if rng.random() < 0.5:
        # Exits of the pair: one block beside South's star.
        i, j = sorted((USABLE.index(0 * 8 + 3), j if j != USABLE.index(3) else i))
        a = a if a not in (i, j) else min({0, 1, 2, 4} - {i, j})
    tile = a * 1081 + pair_number(i, j)
    ones = noise.integers(2, 255, (47, 47, 24, 24), np.uint8)
    for near in range(47):
        for kept in (i, j):
            if near != kept:
                lone_moves[a * 1081 + pair_number(*sorted((near, kept)))] = noise.integers(
                    2, 255, (24, 24, 24), np.uint8
                )
    news, told = np.ones(50807, np.uint8), np.zeros(50807, np.uint8)
    changed = solver.pair_pass(
        lone_moves.reshape(-1), pair_moves.reshape(-1), news, told, ones.reshape(-1), tile, tile + 1
    )
    assert changed > 0
    assert told.nonzero()[0].tolist() == [tile]
    for _ in range(20):
        ao, io, jo = (rng.randrange(24) for _ in range(3))
        state = reference.State((block(a, ao),), (block(i, io), block(j, jo)), "n")
        children = []
        for child in reference.moves_by_name(state, options_of(rules)).values() or [state]:
            if len(child.north) == 1:
                children.append(int(ones[ones_index(child)]))
            else:
                children.append(int(lone_moves[lone_index(child, "lone")]))
        assert pair_moves[lone_index(state, "pair")] == worth(children)
    news[:] = 0
    assert (
        solver.pair_pass(lone_moves.reshape(-1), pair_moves.reshape(-1), news, told, ones.reshape(-1), tile, tile + 1)
        == 0
    )


# --- one against one ----------------------------------------------------------------------------------------


def position_of(south: list[tuple[int, int]], north: list[tuple[int, int]], side: int, rules: int) -> DeblocklePosition:
    state = _deblockle.State(rules % 3, bool(rules // 3 % 2), bool(rules // 6), 0)
    return DeblocklePosition(state.replaced(south, north, side, 0))


def random_position(rng: random.Random, blocks: int, rules: int) -> DeblocklePosition:
    placed = [(square, rng.randrange(24)) for square in rng.sample(USABLE, blocks)]
    lone, others = (placed[:1], placed[1:]) if rng.random() < 0.5 else (placed[1:], placed[:1])
    return position_of(lone, others, rng.randrange(2), rules)


@pytest.mark.parametrize(
    ("rules", "counts"),
    [(0, (470, 106, 0)), (1, (451, 112, 13)), (2, (447, 122, 7)), (6, (284, 71, 221)), (7, (325, 105, 146))],
)
def test_one_block_each_from_d1_and_d7(rules: int, counts: tuple[int, int, int]) -> None:
    """South to move, over all 24 x 24 orientations: won, lost and drawn."""
    known = deblockle_tables.oracle(rules, "")
    values = []
    for own in range(24):
        for other in range(24):
            position = position_of([(square_index("d1"), own)], [(square_index("d7"), other)], 0, rules)
            value = known.probe(position.raw())
            assert value is not None
            values.append(value)
    assert (sum(v > 0 for v in values), sum(v < 0 for v in values), values.count(0)) == counts


@pytest.mark.parametrize("rules", range(12))
def test_one_against_one_agrees_with_exhaustive_search(rules: int) -> None:
    """Wins in up to 7 plies and losses in up to 6 are just those that a search without tables finds."""
    known = deblockle_tables.oracle(rules, "")
    rng = random.Random(rules)
    for _ in range(60):
        position = random_position(rng, 2, rules)
        if position.kind() is Kind.TERMINAL:
            continue
        said = known.probe(position.raw())
        assert said is not None
        for plies in (1, 3, 5, 7):
            wins, _nodes = _proof.winning_actions(GAME.capsule(), position.raw(), plies)
            assert bool(wins) == (0 < said <= plies)
        for plies in (2, 4, 6):
            lost = all(
                _proof.winning_actions(GAME.capsule(), position.play(token).raw(), plies - 1)[0]
                for token in position.tokens()
                if position.play(token).kind() is not Kind.TERMINAL
            ) and all(position.play(token).kind() is not Kind.TERMINAL for token in position.tokens())
            assert lost == (-plies <= said < 0)


def test_half_a_turn_with_colours_swapped_changes_nothing() -> None:
    known = deblockle_tables.oracle(0, "")
    rng = random.Random(3)
    for _ in range(200):
        position = random_position(rng, 2, 0)
        turned = GAME.parse(
            reference.format_state(reference.turned(reference.parse(" ".join(position.fen().split()[:3])))),
            GAME.read_options({"repetition": "off"}),
        )
        assert known.probe(position.raw()) == known.probe(turned.raw())


# --- one against two: files and lookup ----------------------------------------------------------------------


@pytest.fixture(scope="module")
def noise() -> dict[int, np.ndarray]:
    """Some tiles of made-up values: few kinds, many kinds, one kind, and all 254 kinds."""
    rng = np.random.default_rng(5)
    tiles: dict[int, np.ndarray] = {}
    for number, kinds in enumerate((2, 60, 1, 254)):
        pair = pair_number(7 + number, 20)
        for a in range(47):
            if a not in (7 + number, 20):
                tiles[a * 1081 + pair] = rng.choice(1 + rng.choice(254, kinds, replace=False), (24, 24, 24)).astype(
                    np.uint8
                )
    # So rare a value that its code would be very long.
    skewed = np.full(24**3, 100, np.uint8)
    for power in range(13):
        skewed[2**power : 2 ** (power + 1)] = power + 1
    tiles[0 * 1081 + pair_number(7, 20)] = skewed.reshape(24, 24, 24)
    return tiles


@pytest.fixture(scope="module")
def folder(noise: dict[int, np.ndarray], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a table that holds the made-up tiles and nothing else."""
    path = tmp_path_factory.mktemp("tables")
    packed = (_tables.pack(noise[tile].reshape(-1)) if tile in noise else b"" for tile in range(50807))
    write_table(deblockle_tables.path_of(path, 0), 0, packed)
    return path


def plies(value: int) -> int:
    return 2 * (255 - value) - 1 if value > NEITHER else -2 * (value - 1) if value < NEITHER else 0


def test_every_packed_value_is_found_again(noise: dict[int, np.ndarray], folder: Path) -> None:
    known = deblockle_tables.oracle(0, str(folder))
    rng = random.Random(1)
    for tile, values in noise.items():
        a, pair = divmod(tile, 1081)
        i, j = pair - 20 * 19 // 2, 20
        for ao, io, jo in [
            (23, 23, 23),
            *((rng.randrange(24), rng.randrange(24), rng.randrange(24)) for _ in range(40)),
        ]:
            position = position_of([(USABLE[a], ao)], [(USABLE[i], io), (USABLE[j], jo)], 1, 0)
            assert known.probe(position.raw()) == plies(int(values[ao, io, jo]))


def test_the_lone_block_to_move_is_a_ply_away_from_the_table(noise: dict[int, np.ndarray], folder: Path) -> None:
    known = deblockle_tables.oracle(0, str(folder))
    rng = random.Random(2)
    for _ in range(100):
        i, j = rng.randrange(7, 11), 20
        a = rng.choice([q for q in range(47) if q not in (i, j)])
        ao, io, jo = (rng.randrange(24) for _ in range(3))
        position = position_of([(USABLE[a], ao)], [(USABLE[i], io), (USABLE[j], jo)], 0, 0)
        state = reference.parse(" ".join(position.fen().split()[:3]))
        children = [
            1 if not child.south else int(noise[lone_index(child, "pair")[0]][lone_index(child, "pair")[1:]])
            for child in reference.moves_by_name(state, options_of(0)).values() or [state]
        ]
        assert known.probe(position.raw()) == plies(worth(children))


def test_other_rules_more_blocks_and_finished_games_are_not_in_the_tables(folder: Path) -> None:
    known = deblockle_tables.oracle(0, str(folder))
    assert deblockle_tables.oracle(0, "").probe(random_position(random.Random(0), 3, 0).raw()) is None
    assert known.probe(random_position(random.Random(0), 2, 1).raw()) is None
    assert known.probe(random_position(random.Random(0), 4, 0).raw()) is None
    assert known.probe(position_of([(0, 0)], [], 0, 0).raw()) is None


def wrong(folder: Path) -> str:
    """What is wrong with the one table of a folder."""
    (problem,) = tablefiles.found(folder)
    assert isinstance(problem, TableError)
    with pytest.raises(TableError) as caught:
        deblockle_tables.oracle(0, str(folder))
    assert str(problem).isprintable()
    assert str(caught.value) == str(problem)
    return str(problem)


def test_a_table_says_whether_it_is_sound(folder: Path, tmp_path: Path) -> None:
    (table,) = tablefiles.found(folder)
    assert isinstance(table, TableFile)
    table.check()
    path = deblockle_tables.path_of(tmp_path, 0)
    whole = deblockle_tables.path_of(folder, 0).read_bytes()
    damaged = bytearray(whole)
    damaged[-100] ^= 1
    path.write_bytes(damaged)
    (table,) = tablefiles.found(tmp_path)
    assert isinstance(table, TableFile)
    with pytest.raises(TableError, match="damaged, its checksum does not fit"):
        table.check()
    path.write_bytes(whole)
    (table,) = tablefiles.found(tmp_path)
    assert isinstance(table, TableFile)
    os.truncate(path, len(whole) - 1)
    with pytest.raises(TableError, match="damaged, its checksum does not fit"):
        table.check()
    assert f"{len(whole) - 1} bytes, expected {len(whole)}" in wrong(tmp_path)
    damaged = bytearray(whole)
    damaged[tablefiles.HEADER + 5] ^= 1
    for content, words in (
        (bytes(damaged), "the checksum of its index does not fit"),
        (b"something else" * 1000, "expected a file that begins with"),
        (b"", "expected a file that begins with"),
        (b"\xff" * 2000, "expected a file that begins with"),
        (b"[" * 100_000, "expected a file that begins with"),
        (whole.replace(b"version 2", b"version 1"), "version 1 of the format, expected 2: build it again"),
        (whole.replace(b'"rules":"free"', b'"rules":"full"'), "holds the rules full"),
        (whole.replace(b'"bytes":', b'"bytes":-', 1), "bytes: input should be greater"),
    ):
        path.write_bytes(content)
        assert words in wrong(tmp_path)
    path.unlink()
    os.mkfifo(path)
    assert "a pipe, not a file" in wrong(tmp_path)
    with pytest.raises(TableError, match="expected a folder"):
        list(tablefiles.found(tmp_path / "none"))
    with pytest.raises(TableError, match="expected a folder"):
        deblockle_tables.oracle(0, str(tmp_path / "none"))


def test_tiles_that_make_no_sense_are_never_believed(noise: dict[int, np.ndarray], tmp_path: Path) -> None:
    """Random bytes under checksums that fit: a table that lies, or gives up, and never reads beyond its bytes."""
    rng = random.Random(9)
    tiles = (rng.randbytes(rng.choice((0, 100, 800, 4000))) if tile in noise else b"" for tile in range(50807))
    write_table(deblockle_tables.path_of(tmp_path, 0), 0, tiles)
    gone = 0
    for _ in range(60):
        deblockle_tables._opened.cache_clear()
        known = deblockle_tables.oracle(0, str(tmp_path))
        for _ in range(40):
            position = position_of(
                [(USABLE[rng.choice((0, 1, 30))], rng.randrange(24))],
                [(USABLE[rng.randrange(7, 11)], rng.randrange(24)), (USABLE[20], rng.randrange(24))],
                rng.randrange(2),
                0,
            )
            if known.probe(position.raw()) is None:
                gone += 1
                assert "cannot be read or is damaged" in known.trouble()
                assert known.probe(position.raw()) is None
                assert known.probe(random_position(rng, 2, 0).raw()) is not None
                break
    assert gone > 30


def duel(a: int, i: int, side: int = 1) -> DeblocklePosition:
    """A position whose tile is that of the lone square `a` and the pair i, 20."""
    return position_of([(USABLE[a], 3)], [(USABLE[i], 5), (USABLE[20], 7)], side, 0)


def test_a_file_that_is_cut_or_changed_while_it_is_open_ends_nothing(folder: Path, tmp_path: Path) -> None:
    """A mapped one was a SIGBUS."""
    path = deblockle_tables.path_of(tmp_path, 0)
    shutil.copy(deblockle_tables.path_of(folder, 0), path)
    known = deblockle_tables.oracle(0, str(tmp_path))
    first = known.probe(duel(0, 7).raw())
    assert first is not None
    os.truncate(path, 1000)
    # What was read stays; what was not is not there, and from then on nothing more is.
    assert known.probe(duel(0, 7).raw()) == first
    assert known.trouble() == ""
    assert known.probe(duel(1, 8).raw()) is None
    assert known.trouble().startswith(f"{path}: tile ")
    assert known.probe(duel(0, 7).raw()) is None
    # Another file of that name is another table.
    shutil.copy(deblockle_tables.path_of(folder, 0), path)
    assert deblockle_tables.oracle(0, str(tmp_path)).probe(duel(1, 8).raw()) is not None
    path.unlink()
    assert deblockle_tables.oracle(0, str(tmp_path)).probe(duel(1, 8).raw()) is None


def test_a_damaged_tile_is_left_out_with_one_warning_and_the_search_goes_on(folder: Path, tmp_path: Path) -> None:
    """One damaged byte gave wrong values, one damaged offset `bestmove (none)` to every `go`."""
    path = deblockle_tables.path_of(tmp_path, 0)
    whole = bytearray(deblockle_tables.path_of(folder, 0).read_bytes())
    conversation = Conversation()
    fen = duel(0, 7).fen()
    for damage in ("tile", "index", "folder"):
        damaged = bytearray(whole)
        if damage == "tile":
            damaged[tablefiles.HEADER + tablefiles.INDEX + 700 :: 64] = bytes(
                255 - byte for byte in damaged[tablefiles.HEADER + tablefiles.INDEX + 700 :: 64]
            )
        path.write_bytes(whole if damage == "folder" else damaged)
        if damage == "index":
            damaged[tablefiles.HEADER + 4] ^= 1
            path.write_bytes(damaged)
        conversation.send(f"setoption name TablePath value {tmp_path}")
        if damage == "folder":
            path.unlink()
            tmp_path.rmdir()
        conversation.send(f"position fen {fen}")
        warnings = []
        for _ in range(2):
            move, lines = conversation.go("depth 3")
            assert move in duel(0, 7).tokens()
            assert any(" depth 3 " in line for line in lines)
            warnings += [line for line in lines if "warning" in line]
        assert len(warnings) == 1
        assert warnings[0].startswith("info string warning: ")


def test_tables_that_come_later_are_found(folder: Path, tmp_path: Path) -> None:
    """The cache by the folder's name hid them."""
    conversation = Conversation()
    said = conversation.send(f"setoption name TablePath value {tmp_path}")
    assert said[0].startswith("info string 0 endgame tables")
    conversation.send(f"position fen {duel(0, 7).fen()}")
    conversation.go("depth 1")
    shutil.copy(deblockle_tables.path_of(folder, 0), tmp_path)
    said = conversation.send(f"setoption name TablePath value {tmp_path}")
    assert said[0].startswith("info string 1 endgame tables")
    assert deblockle_tables.oracle(0, str(tmp_path)).probe(duel(0, 7).raw()) is not None
    other = deblockle_tables.path_of(tmp_path, 1)
    other.write_bytes(b"x")
    said = conversation.send(f"setoption name TablePath value {tmp_path}")
    assert said[0].endswith(": deblockle-1v2-free.table")
    assert said[1].startswith(f"info string left out: {other}: expected a file that begins with")


def test_the_commands_name_what_is_wrong_with_tables(folder: Path, tmp_path: Path) -> None:
    def run(*words: str) -> Result:
        return CliRunner().invoke(app, ["tables", *words])

    fen = duel(0, 7).fen()
    missing = run("probe", fen, "--path", str(tmp_path / "none"))
    assert missing.exit_code == 2
    assert "expected a folder with endgame tables" in missing.stderr
    assert run("probe", fen, "--path", str(tmp_path)).exit_code == 1
    assert run("check", "--path", str(folder)).exit_code == 0
    shutil.copy(deblockle_tables.path_of(folder, 0), tmp_path)
    path = deblockle_tables.path_of(tmp_path, 1)
    path.write_bytes(b"x")
    some = run("check", "--path", str(tmp_path))
    assert some.exit_code == 2
    assert "free.table: sound" in some.stdout
    assert f"{path}: expected a file that begins with" in some.stdout
    assert some.stderr == "blockwit: 1 of 2 tables cannot be used\n"
    whole = bytearray(deblockle_tables.path_of(folder, 0).read_bytes())
    whole[tablefiles.HEADER + tablefiles.INDEX :: 50] = bytes(len(whole[tablefiles.HEADER + tablefiles.INDEX :: 50]))
    deblockle_tables.path_of(tmp_path, 0).write_bytes(whole)
    damaged = run("probe", fen, "--path", str(tmp_path))
    assert damaged.exit_code == 2
    assert "cannot be read or is damaged" in damaged.stderr


def test_wrong_sizes_and_rules_are_refused() -> None:
    capsule = _deblockle.blocks_capsule()
    with pytest.raises(ValueError, match="rules 12 are not in"):
        _tables.Solver(capsule, 12)
    with pytest.raises(ValueError, match="rules -1 are not in"):
        _tables.Oracle(capsule, -1, deblockle_tables.ones(0))
    with pytest.raises(ValueError, match="has 3 bytes"):
        _tables.Oracle(capsule, 0, b"abc")
    ones, sums = deblockle_tables.ones(0), array("I", bytes(4 * 50807))
    with pytest.raises(ValueError, match="needs 50808 offsets and 50807 checksums"):
        _tables.Oracle(capsule, 0, ones, 0)
    with pytest.raises(ValueError, match="begin at byte -1"):
        _tables.Oracle(capsule, 0, ones, 0, -1)
    for offsets in ([5, 4], [0, 28001]):
        numbers = array("I", [*offsets, *[offsets[-1]] * 50806])
        with pytest.raises(ValueError, match="tile 0 goes from byte"):
            _tables.Oracle(capsule, 0, ones, 0, 0, numbers, sums)
    # A file that is not open, or not the one: nothing is known from it.
    for handle in (9999, 0):
        lost = _tables.Oracle(capsule, 0, ones, handle, 1 << 60, array("I", [0, *[100] * 50807]), sums)
        assert lost.failed is None
        for _ in range(2):
            assert lost.probe(position_of([(USABLE[0], 0)], [(USABLE[1], 0), (USABLE[2], 0)], 1, 0).raw()) is None
        assert lost.failed == pair_number(1, 2)
    for size in (0, 1, 7, 8, 9, 1000):
        data = random.Random(size).randbytes(size)
        assert _tables.checksum(data) == zlib.crc32(data)
    with pytest.raises(ValueError, match="a tile has 13824 values"):
        _tables.pack(b"abc")
    with pytest.raises(ValueError, match="values are 1 to 254"):
        _tables.pack(bytes(24**3))
    solver = _tables.Solver(capsule, 0)
    small = np.zeros(10, np.uint8)
    with pytest.raises(ValueError, match="a table has 702355968 bytes"):
        solver.lone_pass(small, small, small, small, 0, 1)


# --- in the search ------------------------------------------------------------------------------------------


def test_the_search_announces_what_the_tables_know_at_once() -> None:
    rng = random.Random(4)
    known = deblockle_tables.oracle(0, "")
    searcher = _alphabeta.Searcher(_deblockle.capsule(), 1)
    searcher.consult(known)
    for _ in range(100):
        position = random_position(rng, 2, 0)
        if position.kind() is Kind.TERMINAL:
            continue
        said = known.probe(position.raw())
        ((value, mate, actions),) = searcher.search(position.raw(), [], [], 0, 0, 1, 0, lambda *_: None)
        assert mate == said
        assert searcher.nodes <= 2 * len(position.tokens())
        if said:
            assert value == (10_000 if said > 0 else -10_000)
            # The line is played to its end: the winner's last block leaves with the last move.
            assert len(actions) == abs(mate)
            tokens = position.line(actions)
            for token in tokens:
                position = position.play(token)
            assert position.kind() is Kind.TERMINAL


def test_the_search_takes_an_exit_into_the_tables() -> None:
    """Two against one, no table of that: the tables of one against one are met after an exit."""
    conversation = Conversation()
    position = "c6XLT,a1XLT g7XLT s"
    conversation.send(f"position fen {position}")
    _, lines = conversation.go("depth 3")
    hits = [int(line.split("tbhits ")[1].split()[0]) for line in lines if "tbhits" in line]
    assert hits[-1] > 0


def test_table_path_names_its_tables_or_what_is_wrong(folder: Path, tmp_path: Path) -> None:
    conversation = Conversation()
    answer = conversation.send(f"setoption name TablePath value {folder}")
    assert len(answer) == 1
    assert answer[0].startswith("info string 1 endgame tables in ")
    assert answer[0].endswith(": deblockle-1v2-free.table")
    answer = conversation.send(f"setoption name TablePath value {tmp_path / 'none'}")
    assert len(answer) == 1
    assert answer[0].startswith("info string error: ")
    assert answer[0].endswith("expected a folder with endgame tables")
