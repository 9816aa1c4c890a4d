/* Composite row: einsum. Operands are taken in from the left, one product of matrices each. */
#include "nomen/inference.h"
#include "nomen/ops.gen.h"
#include "op/letters.h"
#include "op/rows.gen.h"

#include <string.h>

/* A tensor without names, and the labels of its dims. */
typedef struct part {
    nomen_tensor *t;
    nomen__term is;
} part;

typedef struct job {
    nomen__letters letters;
    int64_t size[NOMEN__LABELS]; /* -1: not seen yet */
    int last[NOMEN__LABELS];     /* the last operand that has the label; NOMEN__TERMS: the result */
} job;

static int find(const nomen__term *t, int label) {
    for (int d = 0; d < t->n; d++)
        if (t->label[d] == label) return d;
    return -1;
}

/* ---- sizes ----------------------------------------------------------------------------------- */

static nomen_status fail_size(int label, int operand, int64_t size, int64_t seen) {
    char letter[] = {(char)(label < 26 ? 'A' + label : 'a' + label - 26), 0};
    return nomen__fail(NOMEN_ERROR_SHAPE,
                       "einsum(): subscript %s has size %lld for operand %d which does not "
                       "broadcast with previously seen size %lld",
                       label < NOMEN__LETTERS ? letter : "...", (long long)size, operand,
                       (long long)seen);
}

static nomen_status find_sizes(job *j, nomen_tensor *const *in) {
    for (int i = 0; i < NOMEN__LABELS; i++) j->size[i] = j->last[i] = -1;
    for (int k = 0; k < j->letters.count; k++) {
        const nomen__term *t = &j->letters.term[k];
        for (int d = 0; d < t->n; d++) {
            int label = t->label[d], before = find(t, label);
            int64_t own = in[k]->size[d], *size = &j->size[label];
            if (before < d && in[k]->size[before] != own)
                return nomen__fail(NOMEN_ERROR_SHAPE,
                                   "einsum(): subscript %c is repeated for operand %d but the "
                                   "sizes don't match, %lld != %lld",
                                   label < 26 ? 'A' + label : 'a' + label - 26, k, (long long)own,
                                   (long long)in[k]->size[before]);
            if (*size >= 0 && own != *size && own != 1 && *size != 1)
                return fail_size(label, k, own, *size);
            if (*size < 0 || *size == 1) *size = own;
            j->last[label] = k;
        }
    }
    for (int d = 0; d < j->letters.out.n; d++) j->last[j->letters.out.label[d]] = NOMEN__TERMS;
    return NOMEN_OK;
}

/* ---- one operand ----------------------------------------------------------------------------- */

static void drop(nomen__term *t, int d) {
    memmove(t->label + d, t->label + d + 1, (size_t)(t->n - d - 1));
    t->n--;
}

/* A letter that comes twice is a diagonal, which stands behind the other dims. */
static void take_diagonals(part *p) {
    char first[NOMEN__DIM_TEXT], second[NOMEN__DIM_TEXT];
    for (int i = 0; i < p->is.n; i++)
        for (int k = i + 1; k < p->is.n; k++) {
            if (p->is.label[i] != p->is.label[k]) continue;
            uint8_t label = p->is.label[i];
            p->t = nomen_diagonal(p->t, 0, nomen__one_dim(i, first), nomen__one_dim(k, second));
            drop(&p->is, k);
            drop(&p->is, i);
            p->is.label[p->is.n++] = label;
            i = -1; /* from the beginning: dims have moved */
            break;
        }
}

/* What no operand from k on and not the result asks for is summed. */
static void sum_unused(const job *j, part *p, int k, const nomen__term *other) {
    int dims[NOMEN_MAX_DIMS], n = 0;
    char text[NOMEN__DIM_TEXT];
    for (int d = 0; d < p->is.n; d++)
        if (j->last[p->is.label[d]] <= k && (!other || find(other, p->is.label[d]) < 0))
            dims[n++] = d;
    if (!n) return;
    /* a sum of integers is int64, that of products has the dtype of the factors */
    nomen_dtype own = j->letters.count > 1 ? nomen_dtype_of(p->t) : NOMEN_DTYPE_NONE;
    p->t = nomen_sum(p->t, .dim = nomen__dims_text(dims, n, text), .dtype = own);
    while (n) drop(&p->is, dims[--n]);
}

/* The dims in the order of the labels, those that are lacking with size 1; whole: with the size
 * that the label has in other operands. */
static nomen_tensor *ordered(const job *j, const part *p, const nomen__term *order, bool whole) {
    int dims[NOMEN_MAX_DIMS], n = 0;
    int64_t size[NOMEN_MAX_DIMS];
    char text[NOMEN__DIM_TEXT];
    bool same = true;
    if (!p->t) return NULL; /* the product before failed */
    for (int k = 0; k < order->n; k++) {
        int d = find(&p->is, order->label[k]);
        size[k] = d < 0 ? 1 : nomen_shape(p->t)[d];
        same &= d == k;
        if (d >= 0) dims[n++] = d;
    }
    if (same && order->n == p->is.n && !whole) return p->t;
    nomen_tensor *t = same ? p->t : nomen_permute(p->t, nomen__dims_text(dims, n, text));
    if (n < order->n) t = nomen_reshape(t, (nomen_sizes){order->n, size});
    bool wide = false;
    for (int k = 0; whole && k < order->n; k++) {
        wide |= size[k] != j->size[order->label[k]];
        size[k] = j->size[order->label[k]];
    }
    return wide ? nomen_expand(t, (nomen_sizes){order->n, size}) : t;
}

/* ---- two operands ---------------------------------------------------------------------------- */

typedef struct groups {
    nomen__term batch, left, right, sum;
} groups;

static void add(nomen__term *t, uint8_t label) { t->label[t->n++] = label; }

static void append(nomen__term *t, const nomen__term *more) {
    memcpy(t->label + t->n, more->label, (size_t)more->n);
    t->n += more->n;
}

static int64_t numel(const job *j, const nomen__term *t) {
    int64_t n = 1;
    for (int d = 0; d < t->n; d++) n *= j->size[t->label[d]];
    return n;
}

static nomen_tensor *matrices(const job *j, const part *p, const nomen__term *batch,
                              const nomen__term *rows, const nomen__term *columns) {
    nomen__term order = *batch;
    append(&order, rows);
    append(&order, columns);
    nomen_tensor *t = ordered(j, p, &order, true);
    int64_t size[] = {numel(j, batch), numel(j, rows), numel(j, columns)};
    return nomen_reshape(t, batch->n ? (nomen_sizes){3, size} : (nomen_sizes){2, size + 1});
}

/* Sums of so few products are added up as rows are: a product of matrices for each would be mostly
 * the call. */
enum { FEW_PRODUCTS = 32 };

/* Do the elements of the vectors not lie side by side? */
static bool lies_across(const part *p, const nomen__term *sum) {
    for (int k = 0; k < sum->n; k++) {
        const int d = find(&p->is, sum->label[k]);
        if (p->t->size[d] > 1 && p->t->stride[d] == 1) return false;
    }
    return true;
}

/* Vectors, one for each element of the batch: are products element by element added up? */
static bool by_elements(const job *j, const part *a, const part *b, const groups *g) {
    if (!a->t || !b->t || g->left.n || g->right.n || a->t->dtype != b->t->dtype) return false;
    if (numel(j, &g->sum) <= FEW_PRODUCTS) return true;
    return lies_across(a, &g->sum) && lies_across(b, &g->sum) && nomen__item(a->t->dtype) >= 4;
}

/* Sums of halves are rounded once. */
static nomen_tensor *sum_products(const job *j, const part *a, const part *b,
                                  const nomen__term *sum, const nomen__term *all) {
    int64_t size[NOMEN_MAX_DIMS];
    int dims[NOMEN_MAX_DIMS];
    char text[NOMEN__DIM_TEXT];
    const bool single = numel(j, sum) == 1, across = lies_across(a, sum);
    nomen__term order = across ? *sum : *all;
    append(&order, across ? all : sum);
    nomen_tensor *x = ordered(j, a, &order, false), *y = ordered(j, b, &order, false);
    const nomen_dtype own = nomen_dtype_of(a->t);
    if (!single && (own == NOMEN_F16 || own == NOMEN_BF16)) {
        x = nomen_to(x, NOMEN_F32);
        y = nomen_to(y, NOMEN_F32);
    }
    nomen_tensor *products = nomen_mul(x, y);
    if (single) {
        for (int d = 0; d < all->n; d++) size[d] = j->size[all->label[d]];
        return nomen_reshape(products, (nomen_sizes){all->n, size});
    }
    for (int d = 0; d < sum->n; d++) dims[d] = across ? d : all->n + d;
    nomen_tensor *sums = nomen_sum(products, .dim = nomen__dims_text(dims, sum->n, text),
                                   .dtype = nomen_dtype_of(products));
    return nomen_to(sums, own);
}

/* The product of a and b, summed over what nobody asks for behind operand k. */
static nomen_status contract(const job *j, part *a, part *b, int k) {
    groups g = {.batch.n = 0};
    sum_unused(j, a, k, &b->is);
    sum_unused(j, b, k, &a->is);
    for (int d = 0; d < a->is.n; d++) {
        uint8_t label = a->is.label[d];
        bool both = find(&b->is, label) >= 0;
        add(!both ? &g.left : j->last[label] > k ? &g.batch : &g.sum, label);
    }
    for (int d = 0; d < b->is.n; d++)
        if (find(&a->is, b->is.label[d]) < 0) add(&g.right, b->is.label[d]);
    nomen__term all = g.batch;
    if (g.batch.n + g.left.n + g.right.n > NOMEN_MAX_DIMS)
        return nomen__fail(NOMEN_ERROR_SHAPE,
                           "einsum(): an intermediate result has more than %d "
                           "dims",
                           NOMEN_MAX_DIMS);
    append(&all, &g.left);
    append(&all, &g.right);
    if (!g.sum.n) {
        a->t = nomen_mul(ordered(j, a, &all, false), ordered(j, b, &all, false));
    } else if (by_elements(j, a, b, &g)) {
        a->t = sum_products(j, a, b, &g.sum, &all);
    } else {
        int64_t size[NOMEN_MAX_DIMS];
        nomen_tensor *left = matrices(j, a, &g.batch, &g.left, &g.sum);
        nomen_tensor *right = matrices(j, b, &g.batch, &g.sum, &g.right);
        a->t = g.batch.n ? nomen_bmm(left, right) : nomen_mm(left, right);
        for (int d = 0; d < all.n; d++) size[d] = j->size[all.label[d]];
        a->t = nomen_reshape(a->t, (nomen_sizes){all.n, size});
    }
    a->is = all;
    return NOMEN_OK;
}

static part operand(const job *j, const nomen__call *c, int k) {
    part p = {nomen_rename(c->in[k]), j->letters.term[k]};
    take_diagonals(&p);
    return p;
}

nomen_status nomen__compose_einsum(nomen__call *c) {
    nomen__names operands[NOMEN__TERMS];
    nomen__namelist names;
    job j;
    nomen_tensor *r = NULL;
    for (int64_t k = 0; k < c->in_count && k < NOMEN__TERMS; k++)
        operands[k] = nomen__names_of(c->in[k]);
    int count = c->in_count > NOMEN__TERMS ? NOMEN__TERMS + 1 : (int)c->in_count;
    nomen_status s = nomen__letters_read(c->arg[0].text, operands, count, &j.letters);
    if (!s) s = nomen__letters_names(&j.letters, operands, nomen_strict_contraction(), &names);
    if (!s) s = find_sizes(&j, c->in);
    if (s) return s;
    nomen_scope() {
        part whole = operand(&j, c, 0);
        sum_unused(&j, &whole, 0, NULL);
        for (int k = 1; !s && k < count; k++) {
            part next = operand(&j, c, k);
            s = contract(&j, &whole, &next, k);
        }
        r = s ? NULL : ordered(&j, &whole, &j.letters.out, false);
        if (r) nomen__retain(r);
    }
    return r ? nomen__compose_deliver(c, r, &names) : NOMEN_ERROR_STATE;
}
