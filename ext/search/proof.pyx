"""Exhaustive proof of forced wins in win-or-lose games: plain AND/OR search, no evaluation, no bounds.

Deliberately simple, so that it can be trusted to judge the other searchers. It knows ext/include/game.h and no game.
Answers are remembered in a table of full keys and depths; draws by repetition need no care, because the
shortest forced win never repeats a position.
"""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memcpy

from game cimport (
    BW_CHANCE, BW_DECISION, BW_MAX_PLAYERS, BW_TERMINAL, BW_WIN_LOSS, bw_action, bw_game, bw_value, check_state,
    game_of,
)


cdef enum:
    MAX_PLIES = 64
    MAX_ACTIONS = 4096


ctypedef struct Slot:
    uint64_t key
    uint8_t plies
    uint8_t answer  # 0 empty, 1 no, 2 yes


ctypedef struct Proof:
    const bw_game *game
    Slot *slots
    uint64_t mask
    char *states
    bw_action *actions
    int32_t *scores
    int64_t nodes
    int player


cdef bint wins(Proof *p, int plies, int ply) noexcept nogil:
    """Whether `player` can force a win in at most `plies` plies from the state at `ply`."""
    cdef const char *state = p.states + ply * p.game.state_size
    cdef char *child = p.states + (ply + 1) * p.game.state_size
    cdef bw_action *list_ = p.actions + ply * p.game.max_actions
    cdef int32_t *scores = p.scores + ply * p.game.max_actions
    cdef bw_value values[BW_MAX_PLAYERS]
    cdef bw_action action
    cdef int32_t score
    cdef int kind = p.game.kind(state)
    cdef bint own, found
    cdef uint64_t key
    cdef Slot *slot
    cdef int64_t i, j, n
    p.nodes += 1
    if kind == BW_TERMINAL:
        p.game.returns(state, values)
        return values[p.player] > 0
    if plies == 0 or kind == BW_CHANCE:
        return False
    key = p.game.key(state) ^ <uint64_t>plies * <uint64_t>0x9E3779B97F4A7C15ULL
    slot = &p.slots[key & p.mask]
    if slot.answer and slot.key == key and slot.plies == plies:
        return slot.answer == 2
    own = p.game.player(state) == p.player
    n = p.game.actions(state, list_, p.game.max_actions)
    if p.game.order != NULL:
        # The order decides only how soon the answer is found.
        for i in range(n):
            scores[i] = p.game.order(state, list_[i])
        for i in range(1, n):
            action, score = list_[i], scores[i]
            j = i
            while j > 0 and scores[j - 1] < score:
                list_[j], scores[j] = list_[j - 1], scores[j - 1]
                j -= 1
            list_[j], scores[j] = action, score
    # Own node: one winning move is enough; the other side's: every move has to lose.
    found = not own
    for i in range(n):
        memcpy(child, state, p.game.state_size)
        p.game.apply(child, list_[i])
        if wins(p, plies - 1, ply + 1) == own:
            found = own
            break
    slot.key = key
    slot.plies = plies
    slot.answer = 2 if found else 1
    return found


def winning_actions(object capsule, bytes state, int plies, int table_bits=20) -> tuple[list[int], int]:
    """Find every action of the player to move that forces a win within `plies` plies.

    Args:
        capsule: PyCapsule of a `bw_game` that is won or lost.
        state: the game's state at a decision node.
        plies: 1 to 64, that action included.
        table_bits: the table remembers 2**table_bits answers, 10 to 28.

    Returns:
        The winning actions in the game's order, and the nodes visited.

    Raises:
        ValueError: another kind of game, no state of it at a decision, a number out of range.
    """
    cdef const bw_game *game = game_of(capsule)
    cdef const char *raw
    cdef Proof p
    cdef bint good
    cdef int64_t i, n
    if not game.flags & BW_WIN_LOSS or game.max_actions > MAX_ACTIONS:
        raise ValueError("proofs need a game that is won or lost, with at most 4096 actions a node")
    check_state(game, state)
    raw = state
    if game.kind(raw) != BW_DECISION:
        raise ValueError(f"expected a state of {game.name.decode()} with a decision to make")
    if not 1 <= plies <= MAX_PLIES or not 10 <= table_bits <= 28:
        raise ValueError("plies must be in 1..64 and table_bits in 10..28")
    p.game = game
    p.player = game.player(raw)
    p.nodes = 0
    p.mask = (<uint64_t>1 << table_bits) - 1
    p.slots = <Slot *>calloc(p.mask + 1, sizeof(Slot))
    p.states = <char *>malloc((plies + 2) * game.state_size)
    p.actions = <bw_action *>malloc((plies + 2) * game.max_actions * sizeof(bw_action))
    p.scores = <int32_t *>malloc((plies + 2) * game.max_actions * sizeof(int32_t))
    try:
        if p.slots == NULL or p.states == NULL or p.actions == NULL or p.scores == NULL:
            raise MemoryError
        n = game.actions(raw, p.actions, game.max_actions)
        roots = [p.actions[i] for i in range(n)]
        found = []
        for action in roots:
            memcpy(p.states, raw, game.state_size)
            game.apply(p.states, action)
            with nogil:
                good = wins(&p, plies - 1, 0)
            if good:
                found.append(action)
        return found, p.nodes
    finally:
        free(p.slots)
        free(p.states)
        free(p.actions)
        free(p.scores)
