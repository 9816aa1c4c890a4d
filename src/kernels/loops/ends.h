/* How a row ends that is no number of whole vectors, and one number as a vector; no include guard,
 * included by the loops over one to four inputs, for their W of more than 1. Wants what they want,
 * and their n and whole (elements of all whole vectors). LD1, a vector of the number at a place, is
 * there where that is less than the first element of a vector to all lanes.
 *
 * A row of one vector or more ends with a whole one, which lies partly over the one before: with
 * AVX2 a vector that is loaded and stored in parts takes as long as six whole ones; with AVX-512 it
 * is there for nothing, but what is loaded next must not lie within the same 64 bytes, as the row
 * behind it does in place (Zen 4 waits for the store: three times as long for rows of 50 float32).
 * It is loaded before the others are stored (LOOP_KEEP), since in place they overwrite what it
 * begins with. */
#undef LOOP_KEEP
#undef LOOP_LAST
#undef LOOP_END
#undef LOOP_ONE
#ifdef LD1
#define LOOP_ONE(x, p) const V x = LD1(p)
#else
#define LOOP_ONE(x, p) const V x##_first = LDN(p, 1), x = SPLAT(x##_first)
#endif
#if VB >= 32
#define LOOP_KEEP(x, p) const V x = n >= W ? LD((p) + (n - W) * (int64_t)sizeof(T)) : (V){0}
#define LOOP_LAST(x, p) (n >= W ? (x) : LDN(p, n))
#define LOOP_END(p, v)                                                                             \
    do {                                                                                           \
        const __auto_type end = v;                                                                 \
        n >= W ? ST((p) + (n - W) * (int64_t)sizeof(OT), end) : STN(p, end, n);                    \
    } while (0)
#else
#define LOOP_KEEP(x, p) ((void)0)
#define LOOP_LAST(x, p) LDN((p) + whole * (int64_t)sizeof(T), n - whole)
#define LOOP_END(p, v)  STN((p) + whole * (int64_t)sizeof(OT), v, n - whole)
#endif
