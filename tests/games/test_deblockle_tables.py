"""The solver of the endgame tables, one step at a time against the reference rules, and its results as a whole."""

import random
from pathlib import Path

import numpy as np
import pytest
from blockwit import _alphabeta, _proof, _tables, games
from blockwit import _deblockle as core
from blockwit.errors import TableError
from blockwit.games.base import Kind
from blockwit.games.deblockle import tables as deblockle_tables
from blockwit.games.deblockle.position import DeblocklePosition, square_index
from blockwit.study.tables import write_table

from tests.protocol.conversation import Conversation
from tests.reference import deblockle as reference

GAME = games.get("deblockle")

USABLE = [q for q in range(56) if q & 7 < 7 and (q & 7, q >> 3) not in reference.STARS]
ORIENTATIONS = [(name[0], name[1], name[2]) for name in core.ORIENTATION_NAMES]
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
    solver = _tables.Solver(core.blocks_capsule(), rules)
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
    solver = _tables.Solver(core.blocks_capsule(), rules)
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
    state = core.State(rules % 3, bool(rules // 3 % 2), bool(rules // 6), 0)
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


def test_a_table_says_whether_it_is_sound(folder: Path, tmp_path: Path) -> None:
    (table,) = deblockle_tables.found(folder)
    table.check()
    path = deblockle_tables.path_of(tmp_path, 0)
    whole = deblockle_tables.path_of(folder, 0).read_bytes()
    damaged = bytearray(whole)
    damaged[-100] ^= 1
    path.write_bytes(damaged)
    (table,) = deblockle_tables.found(tmp_path)
    with pytest.raises(TableError, match="damaged, its checksum does not fit"):
        table.check()
    path.write_bytes(whole[:-1])
    with pytest.raises(TableError, match=f"{len(whole) - 1} bytes, expected {len(whole)}"):
        list(deblockle_tables.found(tmp_path))
    path.write_bytes(b"something else" * 1000)
    with pytest.raises(TableError, match="expected a file that begins with"):
        list(deblockle_tables.found(tmp_path))
    path.write_bytes(b"")
    with pytest.raises(TableError, match="expected a file that begins with"):
        list(deblockle_tables.found(tmp_path))
    path.unlink()
    deblockle_tables.path_of(tmp_path, 1).write_bytes(whole)
    with pytest.raises(TableError, match="holds the rules free, expected full"):
        list(deblockle_tables.found(tmp_path))
    with pytest.raises(TableError, match="expected a folder"):
        list(deblockle_tables.found(tmp_path / "none"))


def test_damaged_tiles_never_lead_out_of_the_file(folder: Path, tmp_path: Path) -> None:
    rng = random.Random(9)
    whole = deblockle_tables.path_of(folder, 0).read_bytes()
    begin = deblockle_tables.HEADER + 4 * 50808
    damaged = bytearray(whole)
    damaged[begin:-8] = rng.randbytes(len(damaged) - begin - 8)
    deblockle_tables.path_of(tmp_path, 0).write_bytes(damaged)
    known = deblockle_tables.oracle(0, str(tmp_path))
    seen = set()
    for _ in range(3000):
        position = position_of(
            [(USABLE[rng.choice((0, 1, 30))], rng.randrange(24))],
            [(USABLE[rng.randrange(7, 11)], rng.randrange(24)), (USABLE[20], rng.randrange(24))],
            rng.randrange(2),
            0,
        )
        seen.add(known.probe(position.raw()))
    assert None not in seen
    offsets = bytearray(whole)
    offsets[deblockle_tables.HEADER + 4 : deblockle_tables.HEADER + 8] = b"\xff\xff\xff\xff"
    other = tmp_path / "other"
    other.mkdir()
    deblockle_tables.path_of(other, 0).write_bytes(offsets)
    with pytest.raises(TableError, match="ends before it begins; build it again"):
        deblockle_tables.oracle(0, str(other))


def test_wrong_sizes_and_rules_are_refused() -> None:
    capsule = core.blocks_capsule()
    with pytest.raises(ValueError, match="rules 12 are not in"):
        _tables.Solver(capsule, 12)
    with pytest.raises(ValueError, match="rules -1 are not in"):
        _tables.Oracle(capsule, -1, deblockle_tables.ones(0))
    with pytest.raises(ValueError, match="has 3 bytes"):
        _tables.Oracle(capsule, 0, b"abc")
    with pytest.raises(ValueError, match="needs 50808 offsets"):
        _tables.Oracle(capsule, 0, deblockle_tables.ones(0), b"abc" * 10)
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
    searcher = _alphabeta.Searcher(core.capsule(), 1)
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
