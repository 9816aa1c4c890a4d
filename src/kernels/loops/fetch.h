/* Include-template: elements of one step as an array. Before: FN, T (stored type), F (fetched type:
 * T, or float for half types, then with FETCH(T) -> F and WIDEN(const T *, F *, n)). After:
 * FN(fetch). */

/* n elements at p as an array of F: the memory itself where it is one, else copied into buf. */
static inline const F *FN(fetch)(const char *p, int64_t step, int64_t n, F *buf) {
#ifdef FETCH
    if (step == (int64_t)sizeof(T))
        WIDEN((const T *)(const void *)p, buf, n);
    else if (step) { /* to the end of buf, and widened from there on: the one in front is read first
                      */
        T *const narrow = (T *)(void *)(buf + n) - n;
        loop_take(narrow, p, step, n, sizeof(T));
        WIDEN(narrow, buf, n);
    } else {
        const F one = FETCH(*(const T *)(const void *)p);
        for (int64_t i = 0; i < n; i++) buf[i] = one;
    }
#else
    if (step == (int64_t)sizeof(T)) return (const F *)(const void *)p;
    if (step == 0) {
        const F one = *(const T *)(const void *)p;
        for (int64_t i = 0; i < n; i++) buf[i] = one;
        return buf;
    }
    if (n < 8) /* a call would take as long */
        for (int64_t i = 0; i < n; i++) buf[i] = *(const T *)(const void *)(p + i * step);
    else
        loop_take(buf, p, step, n, sizeof(T));
#endif
    return buf;
}
