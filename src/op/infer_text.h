/* How the name rules print name lists in their errors. Included by src/op/infer_*.c only; the rules
 * are in infer.h. */
#ifndef NOMEN_SRC_INFER_TEXT_H
#define NOMEN_SRC_INFER_TEXT_H

#include "op/infer.h"

/* Returned by value, so that a list can be printed inside the argument list of nomen__fail. */
typedef struct nomen__listtext {
    char at[256]; /* cut lists keep the reason and the remedy behind them in the message */
} nomen__listtext;

/* "['N', None]" */
nomen__listtext nomen__text_list(nomen__names a);
/* "('N', None)", "('N',)" */
nomen__listtext nomen__text_tuple(nomen__names a);
/* The same of a list as the user wrote it: "['N', 0, '...']", "('...', 'N')". */
nomen__listtext nomen__text_dims(nomen__dims dims);
nomen__listtext nomen__text_dims_tuple(nomen__dims dims);

static inline nomen__names nomen__names_read(const nomen__namelist *list) {
    return (nomen__names){list->n, list->at};
}
static inline bool nomen__names_any(nomen__names a) {
    if (a.at)
        for (int i = 0; i < a.n; i++)
            if (a.at[i]) return true;
    return false;
}
/* Where a name stands, -1: nowhere. */
static inline int nomen__names_find(nomen__names a, nomen_name name) {
    if (a.at)
        for (int i = 0; i < a.n; i++)
            if (a.at[i] == name) return i;
    return -1;
}
/* The position of the first name that occurs again further right, -1: none does; *again is where.
 * a.at is not NULL.
 */
static inline int nomen__names_repeated(nomen__names a, int *again) {
    for (int i = 0; i < a.n - 1; i++)
        for (int j = i + 1; a.at[i] && j < a.n; j++)
            if (a.at[j] == a.at[i]) {
                *again = j;
                return i;
            }
    return -1;
}
/* An item as a name: integers and "..." are refused as the invalid names that they are. */
nomen_status nomen__dimref_name(const nomen__dimref *item, nomen_name *name);
/* Hints beside the messages (infer_hint.c); they return `failed`. A name that is not there: */
nomen_status nomen__hint_missing(nomen_status failed, nomen__names own, nomen_name asked);
/* Two lists that cannot be matched. */
nomen_status nomen__hint_disagree(nomen_status failed, nomen__names a, nomen__names b);
/* E4 for lists that do not fit a tensor. */
nomen_status nomen__fail_too_many(int64_t ndim, nomen__names names);

#endif
