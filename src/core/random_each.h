/* Template: n numbers made of words by one function, some at a time; what is left over is made in a
 * block of its own. random_short.h includes it once per function with
 *   FUNCTION  its name                  MAKE(words, out)   makes AT_ONCE numbers; may read `with`
 *   ITEM   bytes of a number         AT_ONCE, EACH      LANES and 1 word per number, if not given
 */

#ifndef AT_ONCE
#define AT_ONCE LANES
#define EACH    1
#endif

BODY void FUNCTION(const uint32_t *words, char *out, int64_t n, const void *with) {
    uint32_t rest[AT_ONCE * EACH] = {0};
    char made[AT_ONCE * ITEM];
    int64_t i = 0;
    (void)with;
    for (; i + AT_ONCE <= n; i += AT_ONCE) MAKE(words + i * EACH, out + i * ITEM);
    if (i == n) return;
    memcpy(rest, words + i * EACH, (size_t)(n - i) * EACH * sizeof *rest);
    MAKE(rest, made);
    memcpy(out + i * ITEM, made, (size_t)(n - i) * ITEM);
}

#undef FUNCTION
#undef MAKE
#undef ITEM
#undef AT_ONCE
#undef EACH
