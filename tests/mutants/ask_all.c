/* Asks nomen_infer, and the rules themselves where it does not tell all, the questions of a file,
 * once for each mutant and in a process of its own, and says which mutants gave a wrong answer. */
#include "nomen/inference.h"
#include "op/infer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

/* Which mutant is called, 0: none; which functions have been; the function of each mutant. */
extern int nomen__mutant;
extern unsigned char nomen__reached[256];
extern const unsigned char nomen__function_of[];

enum { FIELDS = 17, BATCH = 500, LIMIT_US = 60000, STACK = 40000, MOST = 8000, WORDS = 4 };

/* A question as it stands in the file, field by field; "~" is what is not given. */
enum {
    OP,
    LISTS,
    DIM,
    NAMES,
    OUT_DIM,
    KEEPDIM,
    RANK,
    OUT,
    SIZE,
    OUT_SIZE,
    RESULT_SIZE,
    STRICT,
    EQUATION,
    CODE,
    ANSWER,
    HINT,
    OPERANDS
};

typedef struct question {
    char *field[FIELDS];
    const char *operands[8];
    int count;
    int64_t sizes[3][10];
    uint64_t reaches[WORDS]; /* the functions that it calls */
} question;

static question *questions;
static int total;

static char *take(char **at, char until) {
    char *start = *at, *end = strchr(start, until);
    if (end) *end = 0;
    *at = end ? end + 1 : start + strlen(start);
    return start;
}

static const char *given(const question *q, int field) {
    return strcmp(q->field[field], "~") ? q->field[field] : NULL;
}

static const int64_t *numbers(question *q, int field) {
    int64_t *sizes = q->sizes[field - SIZE];
    if (!given(q, field)) return NULL;
    int n = 0;
    for (char *at = q->field[field]; *at && n < 10;) sizes[n++] = strtoll(at, &at, 10);
    return sizes;
}

static void read_questions(const char *path) {
    FILE *file = fopen(path, "r");
    if (!file) exit(3);
    char *line = NULL;
    size_t room = 0;
    ssize_t length;
    while ((length = getline(&line, &room, file)) > 0) {
        line[length - 1] = 0;
        questions = realloc(questions, (size_t)(total + 1) * sizeof *questions);
        question *q = &questions[total++];
        char *at = strdup(line);
        for (int i = 0; i < FIELDS; i++) q->field[i] = take(&at, '\t');
        q->count = 0;
        if (given(q, LISTS))
            for (char *rest = q->field[LISTS]; q->count < 8;) {
                q->operands[q->count++] = take(&rest, ';');
                if (!*rest) break;
            }
    }
    fclose(file);
}

/* Lists of "A B;C" end in ";", so that an empty one can be the last. */
static nomen__names names_of(const char *text, nomen_name *room) {
    nomen__names names = {0, room};
    nomen__dimref items[NOMEN_MAX_DIMS];
    if (nomen__dims_parse(text, items, NOMEN_MAX_DIMS, &names.n)) exit(4);
    for (int i = 0; i < names.n; i++) room[i] = items[i].name;
    return names;
}

/* Positions that the rules find and nomen_infer has no use for. */
static nomen_status positions(const question *q, char *text, size_t room) {
    nomen_name own_names[NOMEN_MAX_DIMS], other_names[NOMEN_MAX_DIMS];
    nomen__names own = names_of(q->operands[0], own_names), other = {0, NULL};
    nomen__dimref at[NOMEN_MAX_DIMS];
    nomen__dims dims = {-1, at};
    nomen__namelist result;
    int found[NOMEN_MAX_DIMS + 2] = {0}, count = 0;
    uint64_t mask = 0;
    nomen_status status = NOMEN_OK;
    if (q->count > 1) other = names_of(q->operands[1], other_names);
    if (given(q, DIM)) status = nomen__dims_parse(given(q, DIM), at, NOMEN_MAX_DIMS, &dims.n);
    if (status) return status;
    const char *op = q->field[OP];
    if (!strcmp(op, "!align_to")) {
        status = nomen__names_align_to(own, dims, &result, found);
        count = result.n;
    } else if (!strcmp(op, "!align_tensors")) {
        status = nomen__names_align_tensors(own, other, found);
        count = other.n;
    } else if (!strcmp(op, "!flatten_list")) {
        status = nomen__names_flatten_list(own, dims, 0, &found[0], &found[1], &result);
        count = 2;
    } else if (!strcmp(op, "!flatten_range")) {
        status = nomen__names_flatten_range(own, &at[0], &at[1], 0, &found[0], &found[1], &result);
        count = 2;
    } else if (!strcmp(op, "!transposed")) {
        status = nomen__dims_transposed(own, &at[0], &at[1], &found[0], &found[1]);
        count = 2;
    } else if (!strcmp(op, "!order")) {
        status = nomen__dim_order(own, dims, found);
        count = own.n;
    } else {
        status = nomen__dim_positions(own, dims, found, &mask);
        count = dims.n < 0 ? own.n : dims.n;
        found[count++] = (int)mask;
    }
    *text = 0;
    for (int i = 0; !status && i < count; i++)
        snprintf(text + strlen(text), room - strlen(text), "%s%d", i ? " " : "", found[i]);
    return status;
}

/* What a rule forgets to set is not by luck what it was the last time. */
static void __attribute__((noinline)) spoil(void) {
    volatile char stack[STACK];
    memset((char *)stack, 0x55, sizeof stack);
}

static int right(question *q) {
    char got[8192];
    spoil();
    nomen_infer_args args = {.op = q->field[OP],
                             .operands = q->operands,
                             .count = q->count,
                             .dim = given(q, DIM),
                             .names = given(q, NAMES),
                             .out_dim = given(q, OUT_DIM),
                             .keepdim = *q->field[KEEPDIM] == '1',
                             .ndim = atoi(q->field[RANK]),
                             .out = given(q, OUT),
                             .size = numbers(q, SIZE),
                             .out_size = numbers(q, OUT_SIZE),
                             .result_size = numbers(q, RESULT_SIZE),
                             .strict = *q->field[STRICT] == '1',
                             .equation = given(q, EQUATION)};
    nomen_clear_error();
    nomen_status status =
        *args.op == '!' ? positions(q, got, sizeof got) : nomen_infer(&args, got, sizeof got);
    if (status != atoi(q->field[CODE])) return 0;
    if (!status) return !strcmp(got, q->field[ANSWER]);
    const nomen_error *error = nomen_last_error();
    if (!error || error->code != status) return 0;
    return !strcmp(error->message, q->field[ANSWER]) && !strcmp(error->hint, q->field[HINT]) &&
           (*args.op == '!' ||
            (!strcmp(error->op, args.op) && !strcmp(error->operands, q->field[OPERANDS])));
}

/* Without a mutant: all are answered rightly; and which functions does each call? */
static int ask_first(void) {
    for (int i = 0; i < total; i++) {
        question *q = &questions[i];
        memset(nomen__reached, 0, sizeof nomen__reached);
        if (!right(q)) {
            fprintf(stderr, "%s [%s] dim=%s\n", q->field[OP], q->field[LISTS], q->field[DIM]);
            return 1;
        }
        memset(q->reaches, 0, sizeof q->reaches);
        for (int f = 0; f < 64 * WORDS; f++)
            if (nomen__reached[f]) q->reaches[f / 64] |= UINT64_C(1) << f % 64;
    }
    return 0;
}

static int ask(int mutant) {
    int function = nomen__function_of[mutant], asked = 0;
    nomen__mutant = mutant;
    for (int i = 0; i < total && asked < MOST; i++) {
        if (!(questions[i].reaches[function / 64] >> function % 64 & 1)) continue;
        /* of the processor, and not of the clock: others may be at work */
        const struct itimerval limit = {{0, 0}, {0, LIMIT_US}};
        if (asked++ % BATCH == 0) setitimer(ITIMER_VIRTUAL, &limit, NULL);
        if (!right(&questions[i])) return 1;
    }
    return 0;
}

/* ask_all QUESTIONS FIRST STEP LAST: a line "MUTANT alive|wrong|died" for each. */
int main(int argc, char **argv) {
    if (argc != 5) return 2;
    read_questions(argv[1]);
    if (ask_first()) return 7;
    for (int mutant = atoi(argv[2]); mutant <= atoi(argv[4]); mutant += atoi(argv[3])) {
        fflush(stdout);
        pid_t child = fork();
        if (!child) {
            if (!freopen("/dev/null", "w", stdout)) return 5;
            _exit(ask(mutant));
        }
        int status = 0;
        if (child < 0 || waitpid(child, &status, 0) != child) return 6;
        printf("%d %s\n", mutant,
               WIFSIGNALED(status)        ? "died"
               : WEXITSTATUS(status) == 0 ? "alive"
                                          : "wrong");
    }
    return 0;
}
