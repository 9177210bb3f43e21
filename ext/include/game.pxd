from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t

from rng cimport bw_rng


cdef extern from "game.h" nogil:
    const uint32_t BW_GAME_ABI
    const char *BW_GAME_CAPSULE
    const int BW_MAX_PLAYERS
    const int BW_UNIT
    const uint64_t BW_NO_ACTION
    const uint32_t BW_ZERO_SUM
    const uint32_t BW_WIN_LOSS
    const uint32_t BW_WIDE
    const int BW_DECISION
    const int BW_CHANCE
    const int BW_TERMINAL

    ctypedef uint64_t bw_action
    ctypedef int32_t bw_value

    ctypedef struct bw_game:
        uint32_t abi
        uint32_t flags
        uint32_t state_size
        uint32_t state_align
        int32_t max_players
        int64_t max_actions
        int64_t max_outcomes
        const char *name
        int (*players)(const void *state) noexcept nogil
        int (*kind)(const void *state) noexcept nogil
        int (*player)(const void *state) noexcept nogil
        int64_t (*actions)(const void *state, bw_action *out, int64_t cap) noexcept nogil
        int64_t (*top)(const void *state, int64_t k, bw_action *out, bw_value *value) noexcept nogil
        bw_action (*sample)(const void *state, bw_rng *rng) noexcept nogil
        void (*apply)(void *state, bw_action action) noexcept nogil
        void (*playout_step)(void *state, bw_rng *rng) noexcept nogil
        int64_t (*outcomes)(const void *state, bw_action *out, double *probability,
                            int64_t cap) noexcept nogil
        uint64_t (*key)(const void *state) noexcept nogil
        int (*repetition)(const void *state) noexcept nogil
        void (*returns)(const void *state, bw_value *out) noexcept nogil
        void (*evaluate)(const void *state, bw_value *out) noexcept nogil
        void (*bounds)(const void *state, int player, bw_value *low, bw_value *high) noexcept nogil
        int32_t (*order)(const void *state, bw_action action) noexcept nogil

    const uint32_t BW_ORACLE_ABI
    const char *BW_ORACLE_CAPSULE

    ctypedef struct bw_oracle:
        uint32_t abi
        const void *self
        int (*probe)(const void *self, const void *state, int *plies) noexcept nogil
