/* Clearing large tables without touching what was never touched. */
#ifndef BLOCKWIT_MEMORY_H
#define BLOCKWIT_MEMORY_H

#include <stdint.h>
#include <string.h>
#ifdef __linux__
#include <sys/mman.h>
#include <unistd.h>
#endif

/* Set `bytes` bytes of memory that came from calloc() to zero.
 *
 * Of a large block the whole pages go back to the system and come again as zeros when they are next touched: the cost
 * is that of the pages in use, where memset would make all of them resident. Only Linux promises the zeros. */
static inline void bw_zero(void *block, size_t bytes) {
#ifdef __linux__
    const size_t large = (size_t)32 << 20;
    if (bytes >= large) {
        const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
        const uintptr_t begin = (uintptr_t)block, end = begin + bytes;
        const uintptr_t first = (begin + page - 1) / page * page, last = end / page * page;
        if (madvise((void *)first, last - first, MADV_DONTNEED) == 0) {
            memset(block, 0, first - begin);
            memset((void *)last, 0, end - last);
            return;
        }
    }
#endif
    memset(block, 0, bytes);
}

#endif
