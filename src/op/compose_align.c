/* Composite rows: align_tensors, several tensors with one list of names. */
#include "nomen/ops.gen.h"
#include "op/op.h"
#include "op/rows.gen.h"

/* Dims that are missing are inserted, from the left, so that each place is that of the result. */
static nomen_tensor *aligned(nomen_tensor *t, nomen__names target, const int *source) {
    t = nomen_rename(t, "...");
    for (int k = 0; t && k < target.n; k++) {
        if (source[k] >= 0) continue;
        char place[NOMEN__DIM_TEXT];
        nomen_name name = nomen__names_at(target, k);
        t = nomen_unsqueeze(t, nomen__one_dim(k, place),
                            .name = name ? nomen_name_text(name) : NULL);
    }
    return t;
}

nomen_status nomen__compose_align_tensors(nomen__call *c) {
    nomen_list list = c->arg[0].list;
    nomen__names target = {0, NULL};
    for (int64_t i = 0; i < list.count; i++)
        if (i == 0 || list.at[i]->ndim > target.n) target = nomen__names_of(list.at[i]);
    int source[NOMEN_MAX_DIMS];
    for (int64_t i = 0; i < list.count; i++) {
        nomen_status s = nomen__names_align_tensors(nomen__names_of(list.at[i]), target, source);
        if (s) return s;
    }
    nomen_status s = nomen__results_begin(c, list.count);
    for (int64_t i = 0; !s && i < list.count; i++) {
        (void)nomen__names_align_tensors(nomen__names_of(list.at[i]), target, source);
        nomen_scope() {
            c->results[i] = aligned(list.at[i], target, source);
            if (c->results[i]) nomen__retain(c->results[i]);
        }
        if (!c->results[i]) return nomen__results_undo(c);
    }
    return s;
}
