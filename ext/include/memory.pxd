cdef extern from "memory.h" nogil:
    void bw_zero(void *block, size_t bytes)
