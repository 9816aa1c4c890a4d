/* What would fix an error of names: sentences that follow from the lists alone. The messages keep
 * their fixed texts; these go beside them. */
#include "op/infer_text.h"

#include <string.h>

static char lower(char c) { return c >= 'A' && c <= 'Z' ? (char)(c + 'a' - 'A') : c; }

static int least(int a, int b, int c) {
    int d = a < b ? a : b;
    return d < c ? d : c;
}

enum { LONGEST = 32 };

/* How many letters to insert, drop, replace or swap with their neighbour, whatever their case;
 * LONGEST if one is too long to be a slip of the other. */
static int distance(const char *a, const char *b) {
    size_t n = strlen(a), m = strlen(b);
    if (n >= LONGEST || m >= LONGEST) return LONGEST;
    int row[3][LONGEST + 1]; /* two rows back, one back, this one */
    for (size_t k = 0; k <= m; k++) row[1][k] = (int)k;
    for (size_t i = 1; i <= n; i++) {
        int *two = row[(i - 1) % 3], *one = row[i % 3], *now = row[(i + 1) % 3];
        now[0] = (int)i;
        for (size_t k = 1; k <= m; k++) {
            bool same = lower(a[i - 1]) == lower(b[k - 1]);
            now[k] = least(now[k - 1] + 1, one[k] + 1, one[k - 1] + !same);
            if (i > 1 && k > 1 && lower(a[i - 1]) == lower(b[k - 2]) &&
                lower(a[i - 2]) == lower(b[k - 1]) && two[k - 2] + 1 < now[k])
                now[k] = two[k - 2] + 1;
        }
    }
    return row[(n + 1) % 3][m];
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
