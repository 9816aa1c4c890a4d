/* Integers as they lie in memory, on processors of both byte orders. */
#ifndef NOMEN_TEST_BYTES_H
#define NOMEN_TEST_BYTES_H

#include <stdint.h>
#include <string.h>

/* The low bytes of x. */
static inline void store_int(void *p, int64_t x, int64_t bytes) {
    const int64_t unused =
        __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? 0 : (int64_t)sizeof x - bytes;
    memcpy(p, (const char *)&x + unused, (size_t)bytes);
}

/* Are these the low bytes of x? */
static inline int is_int(const void *p, int64_t x, int64_t bytes) {
    char low[sizeof x];
    store_int(low, x, bytes);
    return memcmp(p, low, (size_t)bytes) == 0;
}

#endif
