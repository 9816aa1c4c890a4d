/* What would fix an error of names: sentences that follow from the lists alone. The messages keep
 * their fixed texts; these go beside them. */
#include "op/infer_text.h"

#include <string.h>

static int least(int a, int b, int c) {
    int d = a < b ? a : b;
    return d < c ? d : c;
}

enum { LONGEST = 32 };

/* The length of a name, which is copied in small letters, or LONGEST if there is no room. */
static int in_small_letters(const char *from, char (*to)[LONGEST]) {
    int n = 0;
    for (; from[n]; n++) {
        if (n == LONGEST - 1) return LONGEST;
        (*to)[n] = from[n] >= 'A' && from[n] <= 'Z' ? (char)(from[n] + 'a' - 'A') : from[n];
    }
    return n;
}

/* How many letters to insert, drop, replace or swap with their neighbour, whatever their case;
 * LONGEST if one is too long to be a slip of the other. */
static int distance(const char *one, const char *other) {
    char a[LONGEST], b[LONGEST];
    int n = in_small_letters(one, &a), m = in_small_letters(other, &b);
    if (n == LONGEST || m == LONGEST) return LONGEST;
    int d[LONGEST][LONGEST]; /* between the first i and the first k letters */
    for (int k = 0; k < LONGEST; k++) d[0][k] = k;
    for (int i = 1; i <= n; i++) {
        d[i][0] = i;
        for (int k = 1; k <= m; k++) {
            d[i][k] =
                least(d[i - 1][k] + 1, d[i][k - 1] + 1, d[i - 1][k - 1] + (a[i - 1] != b[k - 1]));
            if (i > 1 && k > 1 && a[i - 1] == b[k - 2] && a[i - 2] == b[k - 1])
                d[i][k] = least(d[i][k], d[i][k], d[i - 2][k - 2] + 1);
        }
    }
    return d[n][m];
}

/* The name of the list that is most like the one asked for, 0: none is like it. */
static nomen_name nearest(nomen__names own, const char *asked) {
    size_t length = strlen(asked);
    int best = length <= 2 ? 0 : length <= 5 ? 1 : 2; /* short names: their case only */
    nomen_name found = 0;
    for (int i = 0; i < own.n; i++) {
        nomen_name name = nomen__names_at(own, i);
        int d = name ? distance(asked, nomen_name_text(name)) : LONGEST;
        if (d > best || (found && d == best)) continue;
        best = d;
        found = name;
    }
    return found;
}

nomen_status nomen__hint_missing(nomen_status failed, nomen__names own, nomen_name asked) {
    if (!nomen__names_any(own))
        return nomen__hint(failed, "the tensor has no names: give it some with rename or "
                                   "refine_names, or use the position of the dim");
    nomen_name near = nearest(own, nomen_name_text(asked));
    if (near) return nomen__hint(failed, "did you mean '%s'?", nomen_name_text(near));
    return nomen__hint(failed, "the dims are %s", nomen__text_list(own).at);
}

/* Are all dims of both named, and every name of a one of b? */
static bool within(nomen__names a, nomen__names b) {
    if (nomen__names_find(b, 0) >= 0) return false;
    for (int i = 0; i < a.n; i++)
        if (!nomen__names_at(a, i) || nomen__names_find(b, a.at[i]) < 0) return false;
    return true;
}

nomen_status nomen__hint_disagree(nomen_status failed, nomen__names a, nomen__names b) {
    if (within(a, b) || within(b, a))
        return nomen__hint(failed, "%s brings the dims of one into the order of the other%s",
                           "align_as",
                           a.n == b.n ? "" : " and adds those that are missing, with size 1");
    for (int i = 0; i < a.n; i++) {
        int k = nomen__names_at(a, i) ? nomen__names_find(b, a.at[i]) : -1;
        if (k >= 0 && b.n - k != a.n - i)
            return nomen__hint(failed,
                               "dims of one name must stand at one place, counted from the "
                               "right: move '%s' with align_to or permute",
                               nomen_name_text(a.at[i]));
    }
    return nomen__hint(failed, "give dims that mean the same one name with rename; rename(None) "
                               "drops the names, so that dims match by position alone");
}
