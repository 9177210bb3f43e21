from libc.stdint cimport uint8_t, uint16_t, uint32_t, uint64_t

from game cimport bw_game


cdef extern from "blocks.h" nogil:
    const uint32_t BW_BLOCKS_ABI
    const char *BW_BLOCKS_CAPSULE
    const int BW_BLOCKS_RULES
    const int BW_TURNED_SQUARE
    const int BW_MAX_TARGETS
    const int BW_EXIT

    ctypedef struct bw_placed:
        uint8_t rules
        uint8_t side
        uint8_t count[2]
        uint8_t square[2][4]
        uint8_t orientation[2][4]

    ctypedef struct bw_blocks:
        uint32_t abi
        const bw_game *game
        uint64_t usable
        const uint8_t *turned
        int (*reach)(int rules, int side, int square, int orientation, uint64_t own, uint64_t other,
                     uint16_t *out) noexcept nogil
        int (*placed)(const void *state, bw_placed *out) noexcept nogil
