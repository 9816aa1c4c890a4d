/* Which rows of the table a C test program calls, in which form and with which dtypes. The linker
 * puts these functions between the public functions and the library (--wrap in tests.cmake), so the
 * library knows nothing of it. NOMEN_MEASURED names the file that the lines are added to. */
#include "count_calls.h"
#include "op/op.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FUNCTION, IN_PLACE, OUT, GRADIENT, SECOND, FORMS };
static const char *const words[FORMS] = {"function", "in_place", "out", "gradient", "second"};
enum { MOST_ROWS = 1024, NAMED = 31 };
static _Atomic uint32_t seen[MOST_ROWS][FORMS]; /* a bit per dtype, and NAMED */
static const char *case_file[MOST_ROWS];

nomen_tensor *__real_nomen__call_struct(const nomen__op *op, const void *args, bool inplace);
nomen_list __real_nomen__call_struct_list(const nomen__op *op, const void *args);
bool __real_nomen__call_struct_bool(const nomen__op *op, const void *args);
nomen_tensor *__wrap_nomen__call_struct(const nomen__op *op, const void *args, bool inplace);
nomen_list __wrap_nomen__call_struct_list(const nomen__op *op, const void *args);
bool __wrap_nomen__call_struct_bool(const nomen__op *op, const void *args);

static void mark(const nomen__op *op, int form, uint32_t bits) {
    if (op->id < MOST_ROWS) atomic_fetch_or(&seen[op->id][form], bits);
}

/* The first tensor among the arguments that is not bool, or else the first one, or the result. */
static const nomen_tensor *operand(const nomen__op *op, const char *args, const nomen_tensor *t) {
    const nomen_tensor *first = NULL;
    for (int i = 0; i < op->nargs; i++) {
        const void *field = args + op->args[i].offset;
        const nomen_tensor *given = NULL;
        if (op->args[i].kind == NOMEN__TENSOR) given = *(nomen_tensor *const *)field;
        if (op->args[i].kind == NOMEN__TENSORS) {
            nomen_list list = *(const nomen_list *)field;
            for (int64_t k = 0; k < list.count && !given; k++) given = list.at[k];
        }
        if (!given || given->magic != NOMEN__LIVE) continue;
        if (given->dtype != NOMEN_BOOL) return given;
        if (!first) first = given;
    }
    return first ? first : t;
}

static void count(const nomen__op *op, const void *args, int form, const nomen_tensor *result) {
    const nomen_tensor *t = operand(op, args, result);
    if (!t) return;
    mark(op, form, 1u << t->dtype | (t->flags & NOMEN__NAMED ? 1u << NAMED : 0u));
}

nomen_tensor *__wrap_nomen__call_struct(const nomen__op *op, const void *args, bool inplace) {
    nomen_tensor *t = __real_nomen__call_struct(op, args, inplace);
    if (!t) return NULL;
    bool out = op->out_offset &&
               *(nomen_tensor *const *)(const void *)((const char *)args + op->out_offset);
    count(op, args, inplace ? IN_PLACE : out ? OUT : FUNCTION, t);
    return t;
}

nomen_list __wrap_nomen__call_struct_list(const nomen__op *op, const void *args) {
    nomen_list list = __real_nomen__call_struct_list(op, args);
    if (list.at) count(op, args, FUNCTION, list.count ? list.at[0] : NULL);
    return list;
}

bool __wrap_nomen__call_struct_bool(const nomen__op *op, const void *args) {
    bool truth = __real_nomen__call_struct_bool(op, args);
    if (!nomen__error_pending()) count(op, args, FUNCTION, NULL);
    return truth;
}

void nomen__count_gradient(const char *file, const char *row, nomen_dtype dtype, bool second) {
    const nomen__op *op = nomen__op_find(row);
    mark(op, second ? SECOND : GRADIENT, 1u << dtype);
    case_file[op->id] = file;
}

__attribute__((destructor)) static void tell(void) {
    const char *path = getenv("NOMEN_MEASURED");
    FILE *file = path ? fopen(path, "a") : NULL;
    if (!file) return;
    for (int i = 0; i < nomen__op_count; i++) {
        for (int form = 0; form < FORMS; form++) {
            uint32_t bits = atomic_load(&seen[nomen__ops[i].id][form]);
            if (!bits) continue;
            fprintf(file, "%s %s %d", nomen__ops[i].name, words[form], (int)(bits >> NAMED));
            if (form == GRADIENT || form == SECOND) fprintf(file, " %s", case_file[i]);
            for (int d = 1; d < NAMED; d++)
                if (bits >> d & 1) fprintf(file, " %s", nomen_dtype_name((nomen_dtype)d));
            fputc('\n', file);
        }
    }
    fclose(file);
}
