from libc.stdint cimport int16_t, int32_t, int64_t, uint32_t

from game cimport bw_game, bw_value


cdef extern from "learn.h" nogil:
    const uint32_t BW_LINEAR_ABI
    const char *BW_LINEAR_CAPSULE
    const int BW_WEIGHT_UNIT

    ctypedef struct bw_linear:
        uint32_t abi
        const bw_game *game
        int32_t most_active
        int64_t count
        int16_t *weight
        int (*is_learned)(const void *state) noexcept nogil
        int (*active)(const void *state, int player, int32_t *out, bw_value *base) noexcept nogil

    float bw_get(const float *at)
    void bw_put(float *at, float value)
    int16_t bw_get_weight(const int16_t *at)
    void bw_put_weight(int16_t *at, int16_t value)
