/* Include-template: lines one by one in memory, a line in each lane of a vector, element by element
 * and by fours. Before: LANE_NAME(name), LANE_VECTOR of LANE_COUNT double, LANE_NAME(row) of as
 * many float, LANE_NAME(widen) and LANE_NAME(narrow) between both. After: LANE_NAME(before), (four)
 * and (apart); the rest is undefined. */

/* What a line is joined to: all before it, of this part and (sums) of the parts before. */
typedef struct LANE_NAME(before) {
    LANE_VECTOR own, base;
    bool sums, based;
} LANE_NAME(before);

/* Four elements of a line in each lane behind what is before them, which goes on. Two steps wait
 * for what is before, not four. Products of two float, and of those with what is before, do not
 * leave double where those of single elements stay in it. Elements that are not there are neutral.
 */
LANES_INLINE LANE_VECTOR LANE_NAME(four)(bool sums, LANE_VECTOR x[4], LANE_VECTOR own) {
    const LANE_VECTOR two = LANES_JOIN(sums, own, LANES_JOIN(sums, x[0], x[1]));
    const LANE_VECTOR last = LANES_JOIN(sums, x[2], x[3]);
    x[0] = LANES_JOIN(sums, own, x[0]);
    x[1] = two;
    x[2] = LANES_JOIN(sums, two, x[2]);
    x[3] = LANES_JOIN(sums, two, last);
    return x[3];
}

/* Element by element: n <= 4 of each line from j on. */
LANES_INLINE LANE_VECTOR LANE_NAME(apart)(const lanes *l, int lines, int64_t j, int n,
                                          const LANE_NAME(before) * b) {
    const LANE_VECTOR none = (LANE_VECTOR){0} + (b->sums ? 0.0 : 1.0);
    LANE_VECTOR x[4] = {none, none, none, none};
#pragma GCC unroll 4
    for (int k = 0; k < 4; k++) {
        const char *in = l->in + (j + k) * l->in_bytes;
        LANE_NAME(row) narrow = {0};
        LANE_VECTOR wide = {0};
        if (k >= n) break;
#pragma GCC unroll 4
        for (int i = 0; i < LANE_COUNT; i++) {
            const void *one = in + (i < lines ? i : 0) * l->in_row;
            if (l->in_bytes == 4)
                narrow[i] = *(const float *)one;
            else
                wide[i] = *(const double *)one;
        }
        x[k] = l->in_bytes == 4 ? LANE_NAME(widen)(narrow) : wide;
    }
    const LANE_VECTOR own = LANE_NAME(four)(b->sums, x, b->own);
    if (!l->out) return own;
#pragma GCC unroll 4
    for (int k = 0; k < 4; k++) {
        char *out = l->out + (j + k) * l->out_bytes;
        if (k >= n) break;
        if (b->based) x[k] += b->base;
        const LANE_NAME(row) narrow = LANE_NAME(narrow)(x[k]);
#pragma GCC unroll 4
        for (int i = 0; i < LANE_COUNT; i++, out += l->out_row) {
            void *to = out;
            if (i >= lines) break;
            if (l->out_bytes == 4)
                *(float *)to = narrow[i];
            else
                *(double *)to = x[k][i];
        }
    }
    return own;
}

#undef LANE_NAME
#undef LANE_COUNT
#undef LANE_VECTOR
