/* Template: n numbers made of words by one function, some at a time; what is left over is made,
 * with the words behind it, in a block of its own. random_make.h includes it once per function with
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
    char made[AT_ONCE * ITEM], *out = to;
    (void)with;
    for (; n >= AT_ONCE; n -= AT_ONCE, words += AT_ONCE * EACH, out += AT_ONCE * ITEM)
        MAKE(words, out);
    if (n == 0) return;
    _Static_assert(AT_ONCE * EACH <= NOMEN__READY_PAD, "what is read behind the words is there");
    MAKE(words, made);
    memcpy(out, made, (size_t)n * ITEM);
}

#undef FUNCTION
#undef MAKE
#undef ITEM
#undef AT_ONCE
#undef EACH
