/* Fuzzes texts that mean names and dims: the split of a list, nomen_infer with every operation of
 * the table, equations of einsum, dims as arguments of operations. What is inferred is what the
 * operation does. */
#include "checks.h"

#include "op/op.h"

#include <stdio.h>
#include <string.h>

enum { LINE = 200 };

/* A list of names that the library has made: it reads its own text, and no name comes twice. */
static void check_list(const char *text, nomen_name *names, int *count) {
    EXPECT(nomen__names_split(text, names, count) == NOMEN_OK);
    EXPECT(nomen__check_names(names, *count, *count) == NOMEN_OK);
}

static void split(feed *f) {
    char line[LINE];
    nomen_name names[NOMEN_MAX_DIMS], one;
    int count = 0;
    const char *text = feed_line(f, line, sizeof line);
    if (!text) text = "";
    if (nomen__names_split(text, names, &count)) {
        check_failure();
        return;
    }
    EXPECT(count >= 0 && count <= NOMEN_MAX_DIMS);
    for (int i = 0; i < count; i++) {
        const char *word = nomen_name_text(names[i]);
        if (!names[i]) continue;
        EXPECT(word && strstr(text, word) && strlen(word) && !strpbrk(word, " \t\n*."));
        EXPECT(nomen_name_intern(word, strlen(word), &one) && one == names[i]);
    }
    size_t length = (size_t)feed_byte(f) % (strlen(text) + 1);
    if (!nomen_name_intern(text, length, &one)) check_failure();
}

static const char *some_text(feed *f, char *line, bool plain) {
    return plain ? feed_line(f, line, LINE) : feed_dims(f, line, LINE);
}

static void infer(feed *f) {
    char operand[4][LINE], dim[LINE], given[LINE], out[LINE], new_dim[LINE], equation[LINE];
    const char *operands[4];
    char op[64], result[600], short_one[8];
    unsigned how = feed_byte(f);
    bool plain = how & 8;
    int row = (int)((feed_byte(f) << 8 | feed_byte(f)) % (unsigned)nomen__op_count);
    snprintf(op, sizeof op, "%s%s", nomen__ops[row].name, how & 1 ? "_" : "");
    nomen_infer_args args = {.op = op, .operands = operands, .count = (int)feed_below(f, 5)};
    for (int i = 0; i < args.count; i++) {
        operands[i] = some_text(f, operand[i], plain);
        if (!operands[i]) operands[i] = "";
    }
    if (how & 2) args.dim = some_text(f, dim, plain);
    if (how & 4) args.names = some_text(f, given, plain);
    if (how & 16) args.out_dim = some_text(f, new_dim, plain);
    if (how & 32) args.out = some_text(f, out, plain);
    if (how & 64) args.equation = feed_line(f, equation, LINE);
    unsigned flags = feed_byte(f);
    args.keepdim = flags & 1;
    args.strict = flags & 2;
    args.ndim = flags & 4 ? (int)feed_integer(f) : 0;
    nomen_status first = nomen_infer(&args, result, sizeof result);
    if (first) {
        check_failure();
        return;
    }
    size_t length = strlen(result);
    EXPECT(length < sizeof result);
    nomen_name names[NOMEN_MAX_DIMS];
    int count;
    for (char *at = result; at;) {
        char *next = strstr(at, "; ");
        if (next) *next = 0;
        check_list(at, names, &count);
        at = next ? next + 2 : NULL;
    }
    first = nomen_infer(&args, short_one, sizeof short_one);
    EXPECT((first == NOMEN_OK) == (length < sizeof short_one));
    if (first) check_failure();
}

/* Without names the letters alone decide; whatever the equation is, nothing is read beside the
 * operands. */
static void einsum(feed *f) {
    char line[LINE];
    nomen_tensor *at[4];
    int count = 1 + (int)feed_below(f, 3);
    for (int i = 0; i < count; i++) at[i] = feed_tensor(f);
    const char *equation = feed_line(f, line, sizeof line);
    if (!equation) return;
    nomen_tensor *t = nomen_einsum(equation, {count, at});
    if (t)
        check_tensor(t);
    else
        check_failure();
}

/* Dims in text, as operations take them; nomen_infer knows the names of what they make. */
static void dims(feed *f) {
    char line[LINE], one[LINE], answer[600], own[600] = "";
    nomen_tensor *t = feed_tensor(f), *r = NULL;
    unsigned which = feed_below(f, 10), plain = feed_byte(f) & 1;
    const char *list = some_text(f, line, plain), *name = some_text(f, one, plain);
    const char *ops[] = {"sum",      "permute", "flatten",      "squeeze", "unsqueeze",
                         "align_to", "rename",  "refine_names", "softmax", "transpose"};
    switch (which) {
    case 0: r = nomen_sum(t, list); break;
    case 1: r = nomen_permute(t, list); break;
    case 2: r = nomen_flatten(t, list, name); break;
    case 3: r = nomen_squeeze(t, list); break;
    case 4: r = nomen_unsqueeze(t, list, name); break;
    case 5: r = nomen_align_to(t, list); break;
    case 6: r = nomen_rename(t, list); break;
    case 7: r = nomen_refine_names(t, list); break;
    case 8: r = nomen_softmax(t, list); break;
    default: r = nomen_transpose(t, list, name); break;
    }
    if (!r)
        check_failure();
    else
        check_tensor(r);
    if (nomen_size(t, name ? name : "") < 0) check_failure();
    /* flatten and transpose write their arguments otherwise there; 0-d tensors take the dim 0 */
    if (which == 2 || which == 9 || which == 3 || !list || !t->ndim) return;
    for (int i = 0, used = 0; i < t->ndim; i++)
        used += snprintf(own + used, sizeof own - (size_t)used, i ? " %s" : "%s",
                         nomen_name_of(t, i) ? nomen_name_of(t, i) : "*");
    const char *operands[] = {own};
    nomen_infer_args args = {.op = ops[which], .operands = operands, .count = 1};
    *(which >= 5 && which <= 7 ? &args.names : &args.dim) = list;
    if (which == 4) args.out_dim = name;
    bool agrees = nomen_infer(&args, answer, sizeof answer) == NOMEN_OK;
    nomen_clear_error();
    if (!r) return; /* sizes, dtypes may refuse what names allow */
    nomen_name names[NOMEN_MAX_DIMS];
    int count;
    EXPECT(agrees);
    check_list(answer, names, &count);
    EXPECT(count == r->ndim);
    for (int i = 0; i < count; i++) EXPECT(names[i] == nomen__name_at(r, i));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    feed f = {data, data + size};
    balance b = balance_open();
    nomen_set_memory_limit(1 << 20);
    nomen_scope() {
        switch (feed_below(&f, 4)) {
        case 0: split(&f); break;
        case 1: infer(&f); break;
        case 2: einsum(&f); break;
        default: dims(&f); break;
        }
    }
    nomen_clear_error();
    balance_close(&b);
    return 0;
}
