/* nomen_infer: names as text in, names as text out, through the rules of infer.h. The rule of
 * an operation is in its row of the table; what the rules are called is in ops/namerules.def. */
#include "nomen/inference.h"

#include "op/infer_text.h"
#include "op/letters.h"
#include "op/op.h"
#include "op/rows.gen.h"

#include <string.h>

enum { MAX_OPERANDS = 64, FRESH = 0, VIEW = 1 };

typedef enum rule {
#define X(word, least, most, kind, text) RULE_##word,
#include "../../ops/namerules.def"
#undef X
    RULE_COUNT
} rule;

/* The rule of each operation stands in its row of the table (ops/). Here are those that have no row
 * yet, in order of rule; one or two results, without and with a dim. */
typedef struct entry {
    uint8_t rule, without_dim, with_dim;
    int16_t id; /* of the row */
} entry;

static const struct {
    entry entry;
    const char *ops;
} others[] = {
    {{RULE_none, 1, 1, -1}, "equal item"},
    {{RULE_given, 1, 1, -1}, "tensor"},
    {{RULE_keep, 1, 1, -1}, "detach type"},
    {{RULE_expand, 1, 1, -1}, "expand_as"},
};

typedef struct request {
    const nomen_infer_args *args;
    int count, results, id;
    nomen__dims dim, names;
    nomen_name out_dim;
    nomen__namelist result;
    nomen__names in[MAX_OPERANDS];
    nomen__namelist storage[MAX_OPERANDS];
    nomen__dimref dim_items[NOMEN_MAX_DIMS + 1], name_items[2 * NOMEN_MAX_DIMS];
} request;

static nomen__names none_or(const nomen__namelist *list) {
    return (nomen__names){list->n, nomen__names_any(nomen__names_read(list)) ? list->at : NULL};
}

static bool find_other(const char *op, size_t length, entry *found) {
    for (size_t row = 0; length && row < NOMEN_COUNT(others); row++)
        for (const char *at = others[row].ops; *at;) {
            size_t word = strcspn(at, " ");
            if (word == length && !memcmp(at, op, length)) {
                *found = others[row].entry;
                return true;
            }
            at += word;
            at += strspn(at, " ");
        }
    return false;
}

static int rule_of_word(const char *word);

static bool find_word(const char *op, size_t length, entry *found) {
    char name[64];
    if (length >= sizeof name) return false;
    memcpy(name, op, length);
    name[length] = 0;
    const nomen__op *row = nomen__op_find(name);
    if (!row) return find_other(op, length, found);
    /* max of everything is a number alone; others always make both */
    bool alone = row->names == nomen__names_reduce_rule;
    *found = (entry){(uint8_t)rule_of_word(row->rule), alone ? 1 : row->nout, row->nout,
                     (int16_t)row->id};
    return true;
}

/* "add_" is add in place unless it is an operation of its own. */
static bool find_op(const char *op, entry *found) {
    size_t length = strlen(op);
    return find_word(op, length, found) ||
           (length > 1 && op[length - 1] == '_' && find_word(op, length - 1, found));
}

/* ---- rules ----------------------------------------------------------------------------------- */

static nomen_status want_dims(const request *r, int count) {
    const int given = r->dim.n < 0 ? 0 : r->dim.n;
    if (given == count) return NOMEN_OK;
    return nomen__fail(NOMEN_ERROR_TYPE, "%s: takes %d dim%s, but %d %s given", r->args->op, count,
                       count == 1 ? "" : "s", given, given == 1 ? "was" : "were");
}

static nomen_status one_position(const request *r, int *position) {
    nomen_status status = want_dims(r, 1);
    return status ? status : nomen__dim_position(r->in[0], &r->dim.at[0], position);
}

static nomen_status wanted_names(const request *r, nomen__namelist *list) {
    list->n = 0;
    for (int i = 0; i < r->names.n; i++) {
        if (i == NOMEN_MAX_DIMS) return nomen__fail_too_many(r->names.n, nomen__names_read(list));
        nomen_name name;
        nomen_status status = nomen__dimref_name(&r->names.at[i], &name);
        if (status) return status;
        list->at[i] = name;
        list->n = i + 1;
    }
    return NOMEN_OK;
}

static nomen_status rule_none(request *r) {
    r->result.n = 0;
    return NOMEN_OK;
}

static nomen_status rule_compared(request *r) {
    nomen_status status = nomen__unify_all(r->in, r->count, &r->result);
    r->result.n = 0;
    return status;
}

/* So many dims that have no names. */
static nomen_status unnamed(request *r, int ndim) {
    if (ndim > NOMEN_MAX_DIMS)
        return nomen__fail_too_many(ndim, r->count ? r->in[0] : (nomen__names){0, NULL});
    r->result.n = ndim > 0 ? ndim : 0;
    for (int i = 0; i < ndim; i++) r->result.at[i] = 0;
    return NOMEN_OK;
}

/* Without the number of dims it is that of the names. */
static nomen_status rule_given(request *r) {
    if (r->names.n < 0) return unnamed(r, r->args->ndim);
    nomen_status status = wanted_names(r, &r->result);
    int ndim = r->args->ndim > 0 ? r->args->ndim : r->result.n;
    return status ? status : nomen__names_validate(r->result.at, r->result.n, ndim);
}

static nomen_status rule_keep(request *r) {
    int positions[NOMEN_MAX_DIMS];
    uint64_t mask;
    nomen_status status = nomen__dim_positions(r->in[0], r->dim, positions, &mask);
    nomen__names_copy(r->in[0], &r->result);
    return status;
}

static nomen_status rule_unify(request *r) { return nomen__unify_all(r->in, r->count, &r->result); }

static nomen_status rule_reduce(request *r) {
    int positions[NOMEN_MAX_DIMS];
    uint64_t mask;
    if (r->dim.n == 0) r->dim.n = -1; /* as in calls: an empty list is all dims */
    nomen_status status = nomen__dim_positions(r->in[0], r->dim, positions, &mask);
    if (status) return status;
    nomen__names_reduce(r->in[0], mask, r->args->keepdim, &r->result);
    return NOMEN_OK;
}

static nomen_status rule_reduce_last(request *r) {
    static const nomen__dimref last = {NOMEN__DIM_INDEX, 0, -1};
    if (r->dim.n < 0) r->dim = (nomen__dims){1, &last};
    return rule_reduce(r);
}

static nomen_status rule_contract(request *r) {
    nomen_status s =
        r->args->strict ? nomen__names_contracted(r->in[0], r->in[1], r->args->op) : NOMEN_OK;
    if (s) return s;
    return nomen__names_matmul(r->in[0], r->in[1], &r->result);
}

static nomen_status rule_contract_add(request *r) {
    nomen_status s =
        r->args->strict ? nomen__names_contracted(r->in[1], r->in[2], r->args->op) : NOMEN_OK;
    if (s) return s;
    return nomen__names_addmm(r->in[0], r->in[1], r->in[2], &r->result);
}

static nomen_status rule_pairwise(request *r) {
    return nomen__names_cdist(r->in[0], r->in[1], &r->result);
}

static nomen_status rule_contract_sum_add(request *r) {
    nomen_status s =
        r->args->strict ? nomen__names_contracted(r->in[1], r->in[2], r->args->op) : NOMEN_OK;
    return s ? s : nomen__names_addbmm(r->in[0], r->in[1], r->in[2], &r->result);
}

static nomen_status rule_outer(request *r) {
    return nomen__names_chain(r->args->op, r->in[0], r->in[0].n, r->in[1], r->in[1].n, &r->result);
}

static nomen_status rule_outer_add(request *r) {
    return nomen__names_addr(r->in[0], r->in[1], r->in[2], &r->result);
}

static nomen_status rule_inner(request *r) {
    return nomen__names_inner(r->in[0], r->in[1], r->args->strict, &r->result);
}

static nomen_status rule_subscripts(request *r) {
    nomen__letters letters;
    if (!r->args->equation)
        return nomen__fail(NOMEN_ERROR_TYPE, "%s: the equation is missing", r->args->op);
    nomen_status s = nomen__letters_read(r->args->equation, r->in, r->count, &letters);
    return s ? s : nomen__letters_names(&letters, r->in, r->args->strict, &r->result);
}

/* How many new dims there are the names do not say: one, unless it is told. */
static nomen_status rule_unnamed(request *r) {
    return unnamed(r, r->args->ndim > 0 ? r->args->ndim : 1);
}

static nomen_status rule_strided(request *r) { return unnamed(r, r->args->ndim); }

static nomen_status rule_resize(request *r) {
    nomen__names own = r->in[0];
    if (!own.at) return unnamed(r, r->args->ndim);
    nomen__names_copy(own, &r->result);
    const int64_t *from = r->args->size, *to = r->args->result_size;
    return from && to ? nomen__names_check_resize(own, from, to, r->args->ndim) : NOMEN_OK;
}

static nomen_status rule_search(request *r) {
    return nomen__names_search(r->in[0], r->in[1], &r->result);
}

static nomen_status rule_unique(request *r) {
    return r->dim.n < 0 ? rule_unnamed(r) : rule_keep(r);
}

static nomen_status rule_quantile(request *r) {
    nomen_status s = rule_reduce(r);
    nomen__names q = r->count > 1 ? r->in[1] : (nomen__names){0, NULL};
    nomen__namelist kept = r->result;
    return s ? s
             : nomen__names_chain(r->args->op, q, q.n, nomen__names_read(&kept), kept.n,
                                  &r->result);
}

/* A dim's name is looked up before all else, a position once there is a tensor that has dims. */
static nomen_status rule_cat(request *r) {
    int position;
    nomen_status status = r->dim.n < 0 ? NOMEN_OK : want_dims(r, 1);
    bool by_name = r->dim.n > 0 && r->dim.at[0].kind != NOMEN__DIM_INDEX;
    if (!status && by_name) status = one_position(r, &position);
    for (int i = 0; !status && i < r->count; i++)
        if (!r->in[i].n) status = nomen__names_cat(r->in, r->count, &r->result);
    if (!status && r->dim.n > 0) status = one_position(r, &position);
    return status ? status : nomen__names_cat(r->in, r->count, &r->result);
}

static nomen_status rule_pile(request *r) {
    nomen__namelist *list = r->storage;
    for (int i = 0; i < r->count; i++) {
        nomen__namelist own = list[i];
        int front, back;
        nomen__pile_dims(r->id, own.n, &front, &back);
        list[i].n = 0;
        for (int k = 0; k < front; k++) list[i].at[list[i].n++] = 0;
        for (int k = 0; k < own.n; k++) list[i].at[list[i].n++] = own.at[k];
        for (int k = 0; k < back; k++) list[i].at[list[i].n++] = 0;
        r->in[i] = none_or(&list[i]);
    }
    return nomen__names_cat(r->in, r->count, &r->result); /* no name depends on the dim */
}

static nomen_status rule_stack(request *r) {
    static const nomen__dimref first = {NOMEN__DIM_INDEX, 0, 0};
    nomen__namelist all;
    if (r->dim.n < 0) r->dim = (nomen__dims){1, &first};
    int position;
    nomen_status status = want_dims(r, 1);
    if (!status) status = nomen__dim_place(r->in[0], &r->dim.at[0], &position);
    int alike = 1; /* names that disagree further left are told first, as in cat */
    while (alike < r->count && r->in[alike].n == r->in[0].n) alike++;
    if (!status) status = nomen__unify_all(r->in, alike, &all);
    if (!status && alike < r->count)
        return nomen__fail(NOMEN_ERROR_SHAPE,
                           "stack: operands must have the same number of dims, but Tensor%s has %d "
                           "and Tensor%s has %d",
                           nomen__text_list(r->in[0]).at, r->in[0].n,
                           nomen__text_list(r->in[alike]).at, r->in[alike].n);
    return status ? status
                  : nomen__names_insert(nomen__names_read(&all), position, r->out_dim, &r->result);
}

static nomen_status rule_masked_fill(request *r) {
    return nomen__names_masked_fill(r->in[0], r->in[1], r->args->op, false, &r->result);
}

static nomen_status rule_masked_select(request *r) {
    return nomen__names_masked_select(r->in[0], r->in[1], &r->result);
}

static nomen_status index_names(request *r, nomen__namelist *result) {
    int dims[NOMEN_MAX_DIMS];
    uint64_t mask;
    nomen_status status = nomen__dim_positions(r->in[0], r->dim, dims, &mask);
    for (int i = 1; !status && i < r->dim.n; i++)
        if (dims[i] != dims[i - 1] + 1)
            return nomen__fail(NOMEN_ERROR_NAME, "%s: the dims must be neighbours, in order",
                               r->args->op);
    int count = r->dim.n < 0 ? r->in[0].n : r->dim.n;
    if (status) return status;
    return nomen__names_index(r->in[0], count && r->dim.n > 0 ? dims[0] : 0, count, r->in[1],
                              result);
}

static nomen_status rule_index(request *r) { return index_names(r, &r->result); }

static nomen_status rule_index_put(request *r) {
    nomen__namelist taken, unused;
    nomen_status status = index_names(r, &taken);
    if (!status) status = nomen__unify(none_or(&taken), r->in[2], "broadcast", &unused);
    nomen__names_copy(r->in[0], &r->result);
    return status;
}

static nomen_status rule_along(request *r) {
    nomen_status status = rule_keep(r);
    return status ? status : rule_unify(r);
}

static nomen_status rule_along_last(request *r) {
    nomen_status status = rule_keep(r);
    return status ? status : nomen__unify(r->in[0], r->in[2], "broadcast", &r->result);
}

static nomen_status rule_take_along(request *r) {
    if (r->dim.n >= 0) return rule_along(r);
    nomen__namelist own, index;
    nomen__names_flat(r->in[0], &own);
    nomen__names_flat(r->in[1], &index);
    return nomen__unify(none_or(&own), none_or(&index), "broadcast", &r->result);
}

/* An operand alone is how often each position comes. */
static nomen_status rule_spread(request *r) {
    if (r->count < 2) return unnamed(r, 1);
    int position;
    nomen__names_flat(r->in[0], &r->result);
    if (r->dim.n < 0) return NOMEN_OK;
    nomen_status status = want_dims(r, 1);
    if (!status) status = nomen__dim_of_some(r->in[0], &r->dim.at[0], &position);
    nomen__names_copy(r->in[0], &r->result);
    return status;
}

static nomen_status rule_diag(request *r) { return nomen__names_diag(r->in[0], &r->result); }

static nomen_status rule_diag_embed(request *r) {
    static const nomen__dimref last[2] = {{NOMEN__DIM_INDEX, 0, -2}, {NOMEN__DIM_INDEX, 0, -1}};
    int i, j;
    if (r->dim.n < 0) r->dim = (nomen__dims){2, last};
    nomen_status status = want_dims(r, 2);
    if (status) return status;
    return nomen__names_diag_embed(r->in[0], &r->dim.at[0], &r->dim.at[1], &i, &j, &r->result);
}

static nomen_status rule_as_index(request *r) {
    nomen__names_copy(r->in[1], &r->result);
    return NOMEN_OK;
}

static nomen_status rule_positions(request *r) {
    r->result.n = 2;
    r->result.at[0] = r->result.at[1] = 0;
    return NOMEN_OK;
}

static nomen_status rule_rename(request *r) {
    const char *op = r->args->op;
    if (r->dim.n < 0) return nomen__names_rename(r->in[0], r->names, op, &r->result);
    nomen__namelist old, fresh;
    nomen_status status = wanted_names(r, &fresh);
    if (!status && fresh.n != r->dim.n)
        status =
            nomen__fail(NOMEN_ERROR_TYPE, "%s: %d names cannot replace %d", op, fresh.n, r->dim.n);
    for (int i = 0; !status && i < r->dim.n; i++)
        status = nomen__dimref_name(&r->dim.at[i], &old.at[i]);
    if (status) return status;
    return nomen__names_rename_map(r->in[0], old.at, fresh.at, fresh.n, op, &r->result);
}

static nomen_status rule_refine(request *r) {
    return nomen__names_refine(r->in[0], r->names, &r->result);
}

static nomen_status rule_align_to(request *r) {
    int source[NOMEN_MAX_DIMS];
    return nomen__names_align_to(r->in[0], r->names, &r->result, source);
}

static nomen_status rule_align_as(request *r) {
    nomen__names other = r->in[1];
    for (int i = 0; i < other.n; i++) {
        nomen_name name = nomen__names_at(other, i);
        r->name_items[i] = (nomen__dimref){name ? NOMEN__DIM_NAME : NOMEN__DIM_NONE, name, 0};
    }
    r->names = (nomen__dims){other.n, r->name_items};
    return rule_align_to(r);
}

static nomen_status rule_align_tensors(request *r) {
    int source[NOMEN_MAX_DIMS], longest = 0;
    for (int i = 1; i < r->count; i++)
        if (r->in[i].n > r->in[longest].n) longest = i;
    for (int i = 0; i < r->count; i++) {
        nomen_status status = nomen__names_align_tensors(r->in[i], r->in[longest], source);
        if (status) return status;
    }
    nomen__names_copy(r->in[longest], &r->result);
    r->results = r->count;
    return NOMEN_OK;
}

static nomen_status flatten(request *r, int *first, int *last) {
    static const nomen__dimref whole[2] = {{NOMEN__DIM_INDEX, 0, 0}, {NOMEN__DIM_INDEX, 0, -1}};
    const nomen__dimref *start = &whole[0], *end = &whole[1];
    if (r->dim.n == 3 && r->dim.at[1].kind == NOMEN__DIM_ELLIPSIS) {
        start = &r->dim.at[0];
        end = &r->dim.at[2];
    } else if (r->dim.n >= 0) {
        return nomen__names_flatten_list(r->in[0], r->dim, r->out_dim, first, last, &r->result);
    }
    return nomen__names_flatten_range(r->in[0], start, end, r->out_dim, first, last, &r->result);
}

static nomen_status rule_flatten(request *r) {
    int first, last;
    nomen_status status = flatten(r, &first, &last);
    if (!status && first == last && !r->args->out_dim) /* nothing merged, nothing renamed */
        nomen__names_copy(r->in[0], &r->result);
    return status;
}

/* ndim: how many dims the one becomes, where names do not say it. */
static nomen_status rule_unflatten(request *r) {
    int position, ndim = r->args->ndim;
    nomen__namelist fresh;
    nomen_status status = want_dims(r, 1);
    if (!status) status = nomen__dim_of_some(r->in[0], &r->dim.at[0], &position);
    if (status) return status;
    if (r->names.n < 0 && r->in[0].at)
        return nomen__fail(
            NOMEN_ERROR_NAME,
            "unflatten: input is a named tensor but no names were given for unflattened sizes");
    if (r->names.n < 0) {
        status = unnamed(r, ndim);
        fresh = r->result;
    } else {
        status = wanted_names(r, &fresh);
    }
    if (!status && ndim > 0 && fresh.n != ndim)
        return nomen__fail(NOMEN_ERROR_NAME, "unflatten: %d names were given for %d sizes", fresh.n,
                           ndim);
    return status ? status
                  : nomen__names_unflatten(r->in[0], position, fresh.at, fresh.n, &r->result);
}

static nomen_status rule_squeeze(request *r) {
    int positions[NOMEN_MAX_DIMS];
    uint64_t mask;
    nomen_status status = nomen__dim_positions(r->in[0], r->dim, positions, &mask);
    if (status) return status;
    for (int i = r->in[0].n - 1; r->args->size && i >= 0; i--)
        if (r->args->size[i] != 1) mask &= ~((uint64_t)1 << i);
    nomen__names_reduce(r->in[0], mask, false, &r->result);
    return NOMEN_OK;
}

static nomen_status rule_select(request *r) {
    static const nomen__dimref first = {NOMEN__DIM_INDEX, 0, 0};
    int position;
    bool pieces = r->id == NOMEN__OP_UNBIND;
    if (pieces && r->dim.n < 0) r->dim = (nomen__dims){1, &first};
    nomen_status status = want_dims(r, 1);
    if (status) return status;
    status = pieces ? nomen__dim_of_some(r->in[0], &r->dim.at[0], &position)
                    : nomen__dim_selected(r->in[0], &r->dim.at[0], &position);
    if (status) return status;
    nomen__names_reduce(r->in[0], (uint64_t)1 << position, false, &r->result);
    return NOMEN_OK;
}

static nomen_status rule_transpose(request *r) {
    int i, j;
    nomen_status status = want_dims(r, 2);
    if (status) return status;
    return nomen__names_transpose(r->in[0], &r->dim.at[0], &r->dim.at[1], &i, &j, &r->result);
}

static nomen_status rule_permute(request *r) {
    int order[NOMEN_MAX_DIMS];
    const nomen__dims dims = {r->in[0].n, r->dim.at}; /* none given: of no dims */
    nomen_status status = want_dims(r, dims.n);
    if (!status) status = nomen__dim_order(r->in[0], dims, order);
    if (status) return status;
    nomen__names_permute(r->in[0], order, &r->result);
    return NOMEN_OK;
}

static nomen_status rule_move(request *r) {
    int order[NOMEN_MAX_DIMS], half = r->dim.n / 2;
    nomen_status status = want_dims(r, r->dim.n < 0 ? 2 : half * 2);
    nomen__dims from = {half, r->dim.at}, to = {half, r->dim.at + half};
    if (!status) status = nomen__dims_moved(r->in[0], from, to, order);
    if (status) return status;
    nomen__names_permute(r->in[0], order, &r->result);
    return NOMEN_OK;
}

/* -1: there is no such number of elements. */
static int64_t product(const int64_t *size, int ndim) {
    int64_t numel = 1;
    for (int k = 0; k < ndim; k++)
        if (size[k] < 0 || __builtin_mul_overflow(numel, size[k], &numel)) return -1;
    return numel;
}

static nomen_status rule_reshape(request *r) {
    const nomen_infer_args *args = r->args;
    nomen_status status = unnamed(r, args->ndim);
    if (status || !r->in[0].at) return status;
    if (!args->size || !args->result_size)
        return nomen__fail(NOMEN_ERROR_TYPE,
                           "%s: which names stay depends on the sizes of self and of the result",
                           args->op);
    int64_t numel = product(args->size, r->in[0].n);
    if (numel < 0 || numel != product(args->result_size, args->ndim))
        return nomen__fail(NOMEN_ERROR_SHAPE, "%s: the sizes do not have the same product",
                           args->op);
    nomen__names_reshape(r->in[0], args->size, args->ndim, args->result_size, !numel, &r->result);
    return NOMEN_OK;
}

static nomen_status rule_append(request *r) {
    nomen_status status = rule_keep(r);
    return status ? status : nomen__names_append(r->in[0], &r->result);
}

static nomen_status rule_drop_last(request *r) {
    int n = r->in[0].n;
    if (!n) return nomen__fail(NOMEN_ERROR_SHAPE, "Input tensor must have one or more dimensions");
    nomen__names_reduce(r->in[0], (uint64_t)1 << (n - 1), false, &r->result);
    return NOMEN_OK;
}

static nomen_status rule_insert(request *r) {
    int position;
    nomen_status status = want_dims(r, 1);
    if (!status) status = nomen__dim_place(r->in[0], &r->dim.at[0], &position);
    return status ? status : nomen__names_insert(r->in[0], position, r->out_dim, &r->result);
}

static nomen_status rule_expand(request *r) {
    int ndim = r->count > 1 ? r->in[1].n : r->args->ndim;
    return nomen__names_expand(r->in[0], ndim, &r->result);
}

static nomen_status rule_repeat(request *r) {
    return nomen__names_repeat(r->in[0], r->args->ndim, &r->result);
}

static nomen_status rule_tile(request *r) {
    int own = r->in[0].n, ndim = r->args->ndim;
    return nomen__names_expand(r->in[0], ndim < own ? own : ndim, &r->result);
}

static nomen_status rule_diagonal(request *r) {
    static const nomen__dimref front[2] = {{NOMEN__DIM_INDEX, 0, 0}, {NOMEN__DIM_INDEX, 0, 1}};
    int i, j;
    nomen__namelist rest;
    if (r->dim.n < 0) r->dim = (nomen__dims){2, front};
    nomen_status status = want_dims(r, 2);
    if (!status) status = nomen__dims_crossing(r->in[0], &r->dim.at[0], &r->dim.at[1], &i, &j);
    if (status) return status;
    nomen__names_reduce(r->in[0], (uint64_t)1 << i | (uint64_t)1 << j, false, &rest);
    return nomen__names_insert(nomen__names_read(&rest), rest.n, r->out_dim, &r->result);
}

static const struct {
    const char *word, *text;
    nomen_status (*run)(request *r);
    int least, most, kind;
} rules[RULE_COUNT] = {
#define X(word, least, most, kind, text) {#word, text, rule_##word, least, most, kind},
#include "../../ops/namerules.def"
#undef X
};

/* ---- front ----------------------------------------------------------------------------------- */

static nomen_status parse_names(const char *text, nomen__namelist *list) {
    nomen__dimref items[NOMEN_MAX_DIMS];
    nomen_status status = nomen__dims_parse(text, items, NOMEN_MAX_DIMS, &list->n);
    for (int i = 0; !status && i < list->n; i++)
        status = nomen__dimref_name(&items[i], &list->at[i]);
    return status ? status : nomen__names_validate(list->at, list->n, list->n);
}

static nomen_status parse_dims(const char *text, nomen__dimref *items, size_t room,
                               nomen__dims *dims) {
    *dims = (nomen__dims){-1, items};
    return text ? nomen__dims_parse(text, items, (int)room, &dims->n) : NOMEN_OK;
}

static nomen_status parse(request *r) {
    const nomen_infer_args *args = r->args;
    nomen_status status = NOMEN_OK;
    for (int i = 0; !status && i < r->count; i++) {
        if (!args->operands[i])
            return nomen__fail(NOMEN_ERROR_TYPE, "%s: operand %d is NULL", args->op, i);
        status = parse_names(args->operands[i], &r->storage[i]);
        if (!status) r->in[i] = none_or(&r->storage[i]);
    }
    if (!status) status = parse_dims(args->dim, r->dim_items, NOMEN_COUNT(r->dim_items), &r->dim);
    if (!status)
        status = parse_dims(args->names, r->name_items, NOMEN_COUNT(r->name_items), &r->names);
    if (status || !args->out_dim) return status;
    nomen__dimref item;
    int count = 0;
    status = nomen__dims_parse(args->out_dim, &item, 1, &count);
    if (status) return status;
    if (!count) item = (nomen__dimref){NOMEN__DIM_NONE, 0, 0};
    return nomen__dimref_name(&item, &r->out_dim);
}

/* What an existing tensor asks of the names that it is to receive. */
static nomen_status match_target(const request *r, int kind, bool inplace) {
    const nomen_infer_args *args = r->args;
    nomen__names computed = nomen__names_read(&r->result);
    nomen__namelist out;
    if (args->out) {
        if (kind == VIEW) return nomen__fail(NOMEN_ERROR_TYPE, "%s: takes no out", args->op);
        nomen_status status = parse_names(args->out, &out);
        if (!status && args->out_size && args->result_size)
            status = nomen__names_check_resize(nomen__names_read(&out), args->out_size,
                                               args->result_size, computed.n);
        if (!status) status = nomen__names_match_out(nomen__names_read(&out), computed);
        if (status) return status;
    }
    if (!inplace || kind != FRESH) return NOMEN_OK;
    if (!r->count)
        return nomen__fail(NOMEN_ERROR_TYPE, "%s: there is no operand to write to", args->op);
    return nomen__names_match_out(r->in[0], computed);
}

static nomen_status write_result(const request *r, char *result, size_t size) {
    if (!result) return NOMEN_OK;
    size_t one = r->result.n ? (size_t)r->result.n - 1 : 0; /* the blanks */
    for (int i = 0; i < r->result.n; i++)
        one += r->result.at[i] ? strlen(nomen_name_text(r->result.at[i])) : 1;
    size_t needed = (one + 2) * (size_t)r->results - 1;
    if (needed > size)
        return nomen__fail(NOMEN_ERROR_VALUE,
                           "nomen_infer: the result needs %zu bytes, but there are %zu", needed,
                           size);
    nomen__text t = {result, size, 0};
    result[0] = 0;
    for (int k = 0; k < r->results; k++) {
        if (k) nomen__text_add(&t, "; ");
        for (int i = 0; i < r->result.n; i++)
            nomen__text_add(&t, "%s%s", i ? " " : "",
                            r->result.at[i] ? nomen_name_text(r->result.at[i]) : "*");
    }
    return NOMEN_OK;
}

static nomen_status infer(request *r, const entry *op, char *result, size_t size) {
    const nomen_infer_args *args = r->args;
    rule which = op->rule;
    if (r->count < rules[which].least || r->count > rules[which].most)
        return nomen__fail(NOMEN_ERROR_TYPE, "%s: takes %d to %d operands, but %d were given",
                           args->op, rules[which].least, rules[which].most, r->count);
    if (r->count && !args->operands)
        return nomen__fail(NOMEN_ERROR_TYPE, "%s: operands is NULL", args->op);
    nomen_status status = parse(r);
    if (status) return status;
    r->results = r->dim.n < 0 ? op->without_dim : op->with_dim;
    r->id = op->id;
    status = rules[which].run(r);
    bool inplace = args->op[strlen(args->op) - 1] == '_';
    if (!status) status = match_target(r, rules[which].kind, inplace);
    return status ? status : write_result(r, result, size);
}

nomen_status nomen_infer(const nomen_infer_args *args, char *result, size_t size) {
    if (!args || !args->op) return nomen__fail(NOMEN_ERROR_TYPE, "nomen_infer: no operation given");
    entry op;
    if (!find_op(args->op, &op))
        return nomen__fail(NOMEN_ERROR_VALUE, "nomen_infer: there is no operation '%.100s'",
                           args->op);
    request r; /* large and mostly unused: parse sets what is read */
    r.args = args;
    r.count = args->count;
    r.out_dim = 0;
    nomen_status status = infer(&r, &op, result, size);
    if (!status) return NOMEN_OK;
    NOMEN__TEXT(operands, 512);
    for (int i = 0; args->operands && i < args->count && i < MAX_OPERANDS; i++)
        nomen__text_add(&operands, "%s[%s]", i ? ", " : "",
                        args->operands[i] ? args->operands[i] : "NULL");
    nomen__error_context(args->op, operands.at);
    return status;
}

static int rule_of_word(const char *word) {
    int i = 0;
    while (i < RULE_COUNT - 1 && strcmp(rules[i].word, word) != 0)
        i++; /* the generator knows that it is one */
    return i;
}

const char *nomen_infer_rule(const char *op) {
    entry found;
    return op && find_op(op, &found) ? rules[found.rule].word : NULL;
}

const char *nomen_infer_rule_text(const char *word) {
    for (int i = 0; word && i < RULE_COUNT; i++)
        if (!strcmp(rules[i].word, word)) return rules[i].text;
    return NULL;
}
