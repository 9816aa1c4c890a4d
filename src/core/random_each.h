/* Template: n numbers made of words by one function, some at a time; what is left over is made in a
 * block of its own. random_make.h includes it once per function with
 *   FUNCTION  its name               MAKE(words, out)   makes AT_ONCE numbers; may read `with`
 *   ITEM   bytes of a number         AT_ONCE, EACH      LANES and 1 word per number, if not given
 */

#ifndef AT_ONCE
#define AT_ONCE LANES
#endif
#ifndef EACH
#define EACH 1
#endif

TARGET static void FUNCTION(const uint32_t *words, void *to, int64_t n,
                            const nomen__making *given) {
    const nomen__making with = given ? *given : (nomen__making){0}; /* no store changes a copy */
    uint32_t rest[AT_ONCE * EACH] = {0};
    char made[AT_ONCE * ITEM], *out = to;
    (void)with;
    for (; n >= AT_ONCE; n -= AT_ONCE, words += AT_ONCE * EACH, out += AT_ONCE * ITEM)
        MAKE(words, out);
    if (n == 0) return;
    memcpy(rest, words, (size_t)n * EACH * sizeof *rest);
    MAKE(rest, made);
    memcpy(out, made, (size_t)n * ITEM);
}

#undef FUNCTION
#undef MAKE
#undef ITEM
#undef AT_ONCE
#undef EACH
