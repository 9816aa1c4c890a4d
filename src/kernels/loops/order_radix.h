/* Include-template: sorting by the digits of keys. Before: K and WIDTH as order_engine.h has them,
 * ITEM (what is sorted), PART (the end of the name), KEY_OF(item). After: radix_ with WIDTH and
 * PART behind; ITEM, PART and KEY_OF are undefined. */

/* By digits of 8 bits, the lowest first; digits that all have in common are passed over. */
static void ORDER_NAME(radix, WIDTH, PART)(ITEM *a, ITEM *spare, int64_t n) {
    K varying = 0;
    for (int64_t i = 0; i < n; i++) varying |= KEY_OF(a[i]) ^ KEY_OF(a[0]);
    int shift[WIDTH / 8], digits = 0;
    for (int d = 0; d < WIDTH; d += 8)
        if (varying >> d & 255) shift[digits++] = d;
    int64_t count[WIDTH / 8][256];
    memset(count, 0, sizeof *count * (size_t)digits);
    for (int64_t i = 0; i < n; i++)
        for (int d = 0; d < digits; d++) count[d][KEY_OF(a[i]) >> shift[d] & 255]++;
    ITEM *from = a, *to = spare;
    for (int d = 0; d < digits; d++) {
        int64_t *at = count[d], sum = 0;
        for (int k = 0; k < 256; k++) {
            int64_t here = at[k];
            at[k] = sum;
            sum += here;
        }
        int64_t i = 0;
        while (i < n && !(i && nomen__kernel_stopped())) {
            const int64_t end = n - i < NOMEN__LONG_ROW ? n : i + NOMEN__LONG_ROW;
            for (; i < end; i++) to[at[KEY_OF(from[i]) >> shift[d] & 255]++] = from[i];
        }
        if (i < n) break; /* `from` still has all */
        ITEM *swap = from;
        from = to;
        to = swap;
    }
    if (from != a) memcpy(a, from, sizeof *a * (size_t)n);
}
#undef ITEM
#undef PART
#undef KEY_OF
