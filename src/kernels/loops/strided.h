/* Include-template: elements of one size at any step, into an array and back; no include guard,
 * included once per size by loops.h. Wants SIZE (of an element in bytes) and T (such an element,
 * for those that are only moved). After: loop_gather_SIZE, loop_scatter_SIZE; SIZE and T are
 * undefined.
 *
 * Limit: the loads, or the stores, of single elements. Four at a time are put together in a
 * register (the compiler's own loop of single ones takes four times as long), or two of 16 bytes:
 * vectors are loaded from what is stored, and wait for narrower stores. Every second element, as of
 * the real parts of complex numbers, comes out of whole vectors, and with AVX-512 goes into them.
 */

/* AVX-512 finds elements of 8 bytes by permutations of two vectors. */
#if VB >= 32 && (SIZE == 2 || SIZE == 4 || (SIZE == 8 && VB == 32))
#define LOOP_SECONDS
/* As many of n elements, every second one in memory, as whole vectors hold; says how many. */
static inline int64_t LOOP_NAME2(loop_seconds, SIZE)(T *to, const char *from, int64_t n) {
    enum { LANES = 32 / SIZE };
    int64_t i = 0;
    for (; i + LANES < n; i += LANES) { /* never beyond the last element */
        LOOP_NAME2(loop_32, SIZE) x, y;
        memcpy(&x, from + i * 2 * SIZE, sizeof x);
        memcpy(&y, from + i * 2 * SIZE + 32, sizeof y);
        x = LOOP_NAME2(loop_even, SIZE)(x, y);
        memcpy(to + i, &x, sizeof x);
    }
    return i;
}
#endif

#if VB == 64 && SIZE < 16
/* The elements that `place` tells of two vectors; only so many of them are written, if these are
 * the last ones. (Single bytes by way of words, for want of shuffles.) */
static inline __attribute__((always_inline)) void
LOOP_NAME2(loop_pick, SIZE)(T *to, const char *from, LOOP_NAME2(loop_places, SIZE) place,
                            const bool last, int64_t some) {
    const __m512i x = _mm512_loadu_si512(from), y = _mm512_loadu_si512(from + 64);
#if SIZE == 1
    const __m512i both = _mm512_permutex2var_epi16(x, (__m512i)(place >> 1), y);
    const __m512i odd = (__m512i)((place & 1) << 3);
    const __m256i z = _mm512_cvtepi16_epi8(_mm512_srlv_epi16(both, odd));
    last ? _mm256_mask_storeu_epi8(to, (__mmask32)loop_first(some), z)
         : _mm256_storeu_si256((void *)to, z);
#else
#if SIZE == 2
    const __m512i z = _mm512_permutex2var_epi16(x, (__m512i)place, y);
#elif SIZE == 4
    const __m512i z = _mm512_permutex2var_epi32(x, (__m512i)place, y);
#else
    const __m512i z = _mm512_permutex2var_epi64(x, (__m512i)place, y);
#endif
    last ? _mm512_mask_storeu_epi8(to, loop_first(some * SIZE), z) : _mm512_storeu_si512(to, z);
#endif
}

/* All of n elements a few places apart, if as many come out of pairs of vectors by shuffles that it
 * pays; says how many. The last vectors reach back: in parts, what they do not load may lie in a
 * page that is not there, which takes the processor hundreds of cycles to see. */
static inline int64_t LOOP_NAME2(loop_near, SIZE)(T *to, const char *from, int64_t step,
                                                  int64_t n) {
    enum { LANES = SIZE == 1 ? 32 : 64 / SIZE, LOADED = 128, WORTH = SIZE == 8 ? 8 : 6 };
    typedef LOOP_NAME2(loop_place, SIZE) place_type;
    const int64_t apart = step / SIZE;
    if (apart < 2 || step % SIZE || n < 2 * LANES || (n - 1) * step + SIZE < LOADED) return 0;
    const int64_t found = (LOADED / SIZE - 1) / apart + 1, each = found < LANES ? found : LANES;
    if (each < WORTH) return 0;
    const LOOP_NAME2(loop_places, SIZE) place = LOOP_NAME2(loop_count, SIZE) * (place_type)apart;
    const char *const first = from;
    int64_t i = 0;
    /* whichever numbers stand behind `each` are written again by the next ones */
    for (; i + LANES <= n && (n - 1 - i) * step + SIZE >= LOADED; i += each, from += each * step)
        LOOP_NAME2(loop_pick, SIZE)(to + i, from, place, false, LANES);
    for (; i < n; i += each, from += each * step) {
        const int64_t some = n - i < each ? n - i : each;
        const char *const back = from + (some - 1) * step + SIZE - LOADED;
        const char *const start = back < first ? first : back;
        const place_type ahead = (place_type)((from - start) / SIZE);
        LOOP_NAME2(loop_pick, SIZE)(to + i, start, place + ahead, true, some);
    }
    return n;
}
#endif

#if VB == 64 && SIZE < 16
/* A vector, to every second place: what lies between is not touched. */
static inline __attribute__((always_inline)) void LOOP_NAME2(loop_spread, SIZE)(char *to,
                                                                                __m512i x) {
#if SIZE == 1
    const __m512i low = _mm512_cvtepu8_epi16(_mm512_castsi512_si256(x));
    const __m512i high = _mm512_cvtepu8_epi16(_mm512_extracti64x4_epi64(x, 1));
#else
    enum { HALF = 32 / SIZE };
    const LOOP_NAME2(loop_places, SIZE) place = LOOP_NAME2(loop_count, SIZE) >> 1;
#if SIZE == 2
    const __m512i low = _mm512_permutexvar_epi16((__m512i)place, x);
    const __m512i high = _mm512_permutexvar_epi16((__m512i)(place + HALF), x);
#elif SIZE == 4
    const __m512i low = _mm512_permutexvar_epi32((__m512i)place, x);
    const __m512i high = _mm512_permutexvar_epi32((__m512i)(place + HALF), x);
#else
    const __m512i low = _mm512_permutexvar_epi64((__m512i)place, x);
    const __m512i high = _mm512_permutexvar_epi64((__m512i)(place + HALF), x);
#endif
#endif
    LOOP_NAME2(loop_put_seconds, SIZE)(to, low);
    LOOP_NAME2(loop_put_seconds, SIZE)(to + 64, high);
}
#endif

LOOP_APART LOOP_NAME2(loop_gather, SIZE)(T *to, const char *from, int64_t step, int64_t n) {
    int64_t i = 0;
#if VB == 64 && SIZE < 16
    i = LOOP_NAME2(loop_near, SIZE)(to, from, step, n);
#endif
#ifdef LOOP_SECONDS
    if (i == 0 && step == 2 * SIZE) i = LOOP_NAME2(loop_seconds, SIZE)(to, from, n);
#endif
    from += i * step;
#if SIZE < 16
    typedef T fours __attribute__((vector_size(4 * SIZE)));
    for (; i + 4 <= n; i += 4, from += 4 * step) {
        const fours x = {*(const T *)from, *(const T *)(from + step), *(const T *)(from + 2 * step),
                         *(const T *)(from + 3 * step)};
        memcpy(to + i, &x, sizeof x);
    }
#elif VB >= 32
    for (; i + 2 <= n; i += 2, from += 2 * step) {
        const T x = *(const T *)from, y = *(const T *)(from + step);
        const loop_32_8 both = __builtin_shufflevector(x, y, 0, 1, 2, 3);
        memcpy(to + i, &both, sizeof both);
    }
#endif
    for (; i < n; i++, from += step) to[i] = *(const T *)from;
}

LOOP_APART LOOP_NAME2(loop_scatter, SIZE)(const T *from, char *to, int64_t step, int64_t n) {
    int64_t i = 0;
#if VB == 64 && SIZE < 16
    for (; step == 2 * SIZE && i + 64 / SIZE < n; i += 64 / SIZE, to += 128)
        LOOP_NAME2(loop_spread, SIZE)(to, _mm512_loadu_si512(from + i));
#endif
    for (; i + 4 <= n; i += 4, to += 4 * step) {
        const T a = from[i], b = from[i + 1], c = from[i + 2], d = from[i + 3];
        *(T *)to = a;
        *(T *)(to + step) = b;
        *(T *)(to + 2 * step) = c;
        *(T *)(to + 3 * step) = d;
    }
    for (; i < n; i++, to += step) *(T *)to = from[i];
}

#undef SIZE
#undef T
#undef LOOP_SECONDS
