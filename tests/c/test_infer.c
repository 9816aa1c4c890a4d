/* The name rules case by case, through nomen_infer where it can ask the question and directly where
 * it cannot. All small lists are covered by the golden vectors (tests/python/test_golden_infer.py);
 * here are the corners that those do not reach: ranks above 3, integers and ranges as dims, limits,
 * misuse. */
#define _GNU_SOURCE
#include "nomen/inference.h"
#include "op/infer.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#define ON(...)                                                                                    \
    .operands = (const char *const[]){__VA_ARGS__},                                                \
    .count = (int)(sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *))
/* expected: the names of the result, or "!" and the message */
#define ASK(expected, ...) check(__LINE__, expected, &(nomen_infer_args){.op = __VA_ARGS__})

static void check(int line, const char *expected, const nomen_infer_args *args) {
    char result[512], got[2048];
    nomen_clear_error();
    nomen_status status = nomen_infer(args, result, sizeof result);
    const nomen_error *error = nomen_last_error();
    if (status) {
        assert_non_null(error);
        assert_int_equal(error->code, status);
        snprintf(got, sizeof got, "!%s", error->message);
    } else {
        assert_null(error);
        snprintf(got, sizeof got, "%s", result);
    }
    if (strcmp(got, expected)) fail_msg("line %d: expected\n%s\ngot\n%s", line, expected, got);
}

static nomen_status code_of(const nomen_infer_args *args) {
    char result[512];
    nomen_clear_error();
    return nomen_infer(args, result, sizeof result);
}

static nomen_name name(const char *text) {
    nomen_name result = 0;
    assert_true(nomen_name_intern(text, strlen(text), &result));
    return result;
}

/* "a0 a1 ... a{n-1}" behind a prefix; the caller frees it. */
static char *many(const char *prefix, int n) {
    char *text = malloc((size_t)n * (strlen(prefix) + 4) + 1);
    size_t used = 0;
    text[0] = 0;
    for (int i = 0; i < n; i++)
        used += (size_t)sprintf(text + used, "%s%s%d", i ? " " : "", prefix, i);
    return text;
}

/* ---- dims ------------------------------------------------------------------------------------ */

static void parse_items(void **state) {
    (void)state;
    nomen__dimref at[8];
    int n = -1;
    assert_int_equal(nomen__dims_parse(" N\t...  * -1 +2 _9 ", at, 8, &n), NOMEN_OK);
    assert_int_equal(n, 6);
    assert_int_equal(at[0].kind, NOMEN__DIM_NAME);
    assert_int_equal(at[0].name, name("N"));
    assert_int_equal(at[1].kind, NOMEN__DIM_ELLIPSIS);
    assert_int_equal(at[2].kind, NOMEN__DIM_NONE);
    assert_int_equal(at[3].kind, NOMEN__DIM_INDEX);
    assert_int_equal(at[3].index, -1);
    assert_int_equal(at[4].index, 2);
    assert_int_equal(at[5].name, name("_9"));
    assert_int_equal(nomen__dims_parse("", at, 8, &n), NOMEN_OK);
    assert_int_equal(n, 0);
    assert_int_equal(nomen__dims_parse("a b", at, 1, &n), NOMEN_ERROR_NAME);
    nomen_clear_error();
    assert_int_equal(nomen__dims_parse("99999999999999999999999", at, 1, &n), NOMEN_OK);
    assert_true(at[0].index > INT32_MAX);
    static const char *const invalid[] = {"9a", "-", "--1", "1-", "N,C", "a.b", "..", "....", "**"};
    for (size_t i = 0; i < sizeof invalid / sizeof *invalid; i++) {
        char expected[256];
        assert_int_equal(nomen__dims_parse(invalid[i], at, 8, &n), NOMEN_ERROR_NAME);
        snprintf(expected, sizeof expected,
                 "Invalid name: a valid identifier contains only digits, alphabetical characters, "
                 "and/or "
                 "underscore and starts with a non-digit. got: '%s'.",
                 invalid[i]);
        assert_string_equal(nomen_last_error()->message, expected);
    }
}

static void lookup(void **state) {
    (void)state;
    ASK("N H", "sum", ON("N C H"), .dim = "C");
    ASK("N H", "sum", ON("N C H"), .dim = "-2");
    ASK("C", "sum", ON("N C H"), .dim = "2 N");
    ASK("", "sum", ON("N C H"));
    ASK("", "sum", ON("N C H"), .dim = ""); /* an empty list is all dims */
    ASK("N C H", "sum", ON("N C H"), .dim = "", .keepdim = true);
    ASK("", "sum", ON(""), .dim = "0");
    ASK("", "sum", ON(""), .dim = "-1");
    ASK("N C H", "sum", ON("N C H"), .dim = "H 0", .keepdim = true);
    ASK("*", "sum", ON("* C"), .dim = "C");
    ASK("!Please look up dimensions by name, got: name = None.", "sum", ON("* C"), .dim = "*");
    ASK("!Name 'X' not found in Tensor[None, 'C'].", "sum", ON("* C"), .dim = "X");
    ASK("!Name 'c' not found in Tensor['C'].", "sum", ON("C"), .dim = "c");
    ASK("!Dimension out of range (expected to be in range of [-2, 1], but got 5)", "sum", ON("N C"),
        .dim = "5");
    ASK("!Dimension out of range (expected to be in range of [-1, 0], but got 1)", "sum", ON(""),
        .dim = "1");
    assert_int_equal(code_of(&(nomen_infer_args){.op = "sum", ON("N"), .dim = "-2"}),
                     NOMEN_ERROR_INDEX);
    ASK("!dim 1 appears multiple times in the list of dims", "sum", ON("N C H"), .dim = "C N 1");
    /* all dims are looked up before a repetition is told */
    ASK("!Name 'X' not found in Tensor['N', 'C'].", "sum", ON("N C"), .dim = "C C N X");
    ASK("!Invalid name: a valid identifier contains only digits, alphabetical characters, and/or "
        "underscore and starts with a non-digit. got: '...'.",
        "sum", ON("N C"), .dim = "...");
}

static void two_results(void **state) {
    (void)state;
    ASK("", "max", ON("N C"));
    ASK("N; N", "max", ON("N C"), .dim = "C");
    ASK("; ", "var_mean", ON("N C"));
    ASK("N; N", "mode", ON("N C"));
    ASK("N C; N C", "sort", ON("N C"), .dim = "0");
    ASK("!Name 'X' not found in Tensor['N'].", "topk", ON("N"), .dim = "X");
}

/* ---- unify ----------------------------------------------------------------------------------- */

static void unify_folds(void **state) {
    (void)state;
    ASK("N C H", "addcmul", ON("N * *", "", "C H"));
    ASK("A B C D", "where", ON("C D", "* B * *", "A * * D"));
    ASK("", "where", ON("", "", ""));
    ASK("* *", "where", ON("", "*", "* *"));
    ASK("N C", "add", ON("N C"));
    ASK("!Error when attempting to broadcast dims ['A', 'N'] and dims ['C']: dim 'N' and dim 'C' "
        "are at "
        "the same position from the right but do not match.",
        "where", ON("N", "A *", "C"));
    ASK("!Misaligned dims when attempting to broadcast dims ['X', 'N'] and dims ['N', None]: dim "
        "'N' "
        "appears in a different position from the right across both lists.",
        "add", ON("X N", "N *"));
    ASK("!Misaligned dims when attempting to broadcast dims [None, 'C'] and dims ['C', None]: dim "
        "'C' "
        "appears in a different position from the right across both lists.",
        "mul", ON("C *", "* C"));
    /* the first problem from the right is the second list's N, not the first one's */
    ASK("!Misaligned dims when attempting to broadcast dims ['N', None] and dims ['N', None, "
        "None]: dim "
        "'N' appears in a different position from the right across both lists.",
        "add", ON("N * *", "* *", "N *"));
}

static void unify_long_folds(void **state) {
    (void)state;
    /* odd and even numbers of steps end in different buffers */
    for (int count = 1; count <= 7; count++) {
        static const char *const lists[] = {"* * * *", "D",   "C *", "B * *",
                                            "A * * *", "* D", "C D"};
        static const char *const expected[] = {"* * * *", "* * * D", "* * C D", "* B C D",
                                               "A B C D", "A B C D", "A B C D"};
        check(__LINE__, expected[count - 1],
              &(nomen_infer_args){.op = "add", .operands = lists, .count = count});
    }
}

static void concatenation(void **state) {
    (void)state;
    ASK("N C", "cat", ON("N *", "* C", "* *"), .dim = "0");
    nomen__namelist none;
    assert_int_equal(nomen__names_cat(NULL, 0, &none), NOMEN_ERROR_SHAPE);
    assert_string_equal(nomen_last_error()->message, "expected a non-empty list of Tensors");
    ASK("!zero-dimensional tensor (at position 1) cannot be concatenated", "cat",
        ON("N", "", "X Y"));
    ASK("!Tensors must have same number of dimensions: got 1 and 2", "cat", ON("N", "N", "N C"));
    /* names that disagree before the rank does are told first */
    ASK("!Error when attempting to cat dims ['N'] and dims ['C']: dim 'N' and dim 'C' are at the "
        "same "
        "position from the right but do not match.",
        "cat", ON("N", "C", "N C"));
    ASK("!Name 'C' not found in Tensor[None, None].", "cat", ON("* *", "N C"), .dim = "C");
    ASK("* N C", "stack", ON("N *", "* C"));
    ASK("N C S", "stack", ON("N C", "N C"), .dim = "-1", .out_dim = "S");
    ASK("N S C", "stack", ON("N C", "N C"), .dim = "C", .out_dim = "S");
    ASK("!Cannot construct a tensor with duplicate names. Got names: ['N', 'N'].", "stack",
        ON("N", "N"), .out_dim = "N");
    ASK("!stack: operands must have the same number of dims, but Tensor['N'] has 1 and Tensor[] "
        "has 0",
        "stack", ON("N", ""));
}

static void masks(void **state) {
    (void)state;
    ASK("N C", "masked_fill", ON("N C", "C"));
    ASK("N C", "masked_fill_", ON("N C", "C"));
    ASK("N C", "masked_fill_", ON("N C", ""));
    ASK("* N", "masked_fill", ON("* *", "N"));
    ASK("* *", "masked_fill", ON("*", "* *"));
    ASK("!masked_fill_: attempted to broadcast Tensor['N', 'C'] to Tensor['C'] but the number of "
        "dims (2) "
        "must be less than or equal to the number of dims in the tensor (1)",
        "masked_fill_", ON("C", "N C"));
    ASK("!Name mismatch: specified out tensor with names ['N', None] are not the same as the "
        "computed "
        "output names ['N', 'C']. Please rename the out tensor's dims with `Tensor.rename`.",
        "masked_fill_", ON("N *", "C"));
    ASK("*", "masked_select", ON("N C", "C"));
    ASK("*", "masked_select", ON("", ""));
}

/* ---- existing tensors ------------------------------------------------------------------------ */

static void targets(void **state) {
    (void)state;
    ASK("N C", "add", ON("N *", "* C"), .out = "N C");
    ASK("N C", "add", ON("N *", "* C"), .out = "* *");
    ASK("N C", "abs", ON("N C"), .out = "*");
    ASK("!Name mismatch: specified out tensor with names ['A'] are not the same as the computed "
        "output "
        "names [None]. Please rename the out tensor's dims with `Tensor.rename`.",
        "abs", ON("*"), .out = "A");
    ASK("!Cannot resize named tensor with resize_ or resize_as_ (tried to resize Tensor['N'] with "
        "size "
        "[2] to [3]). This may be caused by passing a named tensor as an `out=` argument; please "
        "ensure "
        "that the sizes are the same. ",
        "abs", ON("N"), .out = "N", .out_size = (const int64_t[]){2},
        .result_size = (const int64_t[]){3});
    ASK("N", "abs", ON("N"), .out = "N", .out_size = (const int64_t[]){3},
        .result_size = (const int64_t[]){3});
    /* sizes are compared where both are known */
    ASK("N", "abs", ON("N"), .out = "N", .out_size = (const int64_t[]){2});
    ASK("N", "abs", ON("N"), .out = "N", .result_size = (const int64_t[]){3});
    ASK("N C", "add_", ON("* *", "N C"));
    ASK("!Name mismatch: specified out tensor with names ['C'] are not the same as the computed "
        "output "
        "names ['N', 'C']. Please rename the out tensor's dims with `Tensor.rename`.",
        "add_", ON("C", "N C"));
    ASK("!Name mismatch: specified out tensor with names ['N'] are not the same as the computed "
        "output "
        "names [None]. Please rename the out tensor's dims with `Tensor.rename`.",
        "masked_select", ON("N", "N"), .out = "N");
}

static void views_in_place(void **state) {
    (void)state;
    ASK("C N", "transpose_", ON("N C"), .dim = "0 1");
    ASK("A B", "rename_", ON("N C"), .names = "A B");
    ASK("!transpose: takes no out", "transpose", ON("N C"), .dim = "N C", .out = "C N");
}

/* ---- products -------------------------------------------------------------------------------- */

static void products(void **state) {
    (void)state;
    ASK("", "matmul", ON("A", "B"));
    ASK("A C", "matmul", ON("A C D", "B"));
    ASK("A D", "matmul", ON("C", "A B D"));
    ASK("* C A B", "matmul", ON("C A B", "* * A B"));
    ASK("A B C F", "matmul", ON("A B C D", "B E F"));
    ASK("P Q R x w", "matmul", ON("P * R x y", "Q * z w"));
    ASK("!both arguments to matmul need to be at least 1D, but they are 0D and 2D", "matmul",
        ON("", "A B"));
    ASK("!matmul: Cannot match 'X' (index 0 of ['X', 'B', 'C']) with None (index 1 of ['X', None, "
        "'A', "
        "'B']) because the latter names already have 'X'. Are your tensors misaligned?",
        "matmul", ON("X * A B", "X B C"));
    /* of two disagreements the left one is told */
    ASK("!matmul: Expected 'P' (index 0 of ['P', 'Q', 'a', 'b']) to match 'R' (index 0 of ['R', "
        "'S', 'b', "
        "'c']) but they do not match.",
        "matmul", ON("P Q a b", "R S b c"));
    ASK("!Matrix multiplying Tensor['C', 'A', 'B'] with Tensor['B', 'C'] would produce output "
        "tensor with "
        "duplicate names ['C', 'A', 'C']. Please rename the input tensors with `Tensor.rename` to "
        "prevent "
        "this.",
        "matmul", ON("C A B", "B C"));
    ASK("!Matrix multiplying Tensor['A', 'B'] with Tensor['C', 'A', 'B', 'D'] would produce output "
        "tensor "
        "with duplicate names ['C', 'A', 'A', 'D']. Please rename the input tensors with "
        "`Tensor.rename` "
        "to prevent this.",
        "matmul", ON("A B", "C A B D"));
    ASK("N H", "addmm", ON("H", "N C", "W H"));
    ASK("N", "addmv", ON("", "N C", "W"));
    ASK("!Error when attempting to broadcast dims ['N', 'H'] and dims ['X']: dim 'H' and dim 'X' "
        "are at "
        "the same position from the right but do not match.",
        "addmm", ON("X", "N C", "W H"));
}

static void distances(void **state) {
    (void)state;
    ASK("M N g h", "cdist", ON("M N g f", "N h f"));
    ASK("!cdist: Attempted to propagate dims 'B' (index 1 of ['A', 'B', 'x', 'y']) and 'B' (index "
        "-2 of "
        "['B', 'z']) to the output, but that would create a tensor with duplicate names ['A' 'B' "
        "'x' "
        "'B']. Please rename your inputs with Tensor.rename to prevent this.",
        "cdist", ON("A B x y", "B z"));
    ASK("!cdist: both operands need at least 2 dims, but Tensor['A'] has 1 and Tensor['A', 'B'] "
        "has 2",
        "cdist", ON("A", "A B"));
}

/* ---- wanted names ---------------------------------------------------------------------------- */

static void renaming(void **state) {
    (void)state;
    ASK("A C Z", "rename", ON("N C H"), .names = "A ... Z");
    ASK("* * *", "rename", ON("N C H"));
    ASK("", "rename", ON(""), .names = "");
    ASK("C N H", "rename", ON("N C H"), .dim = "N C", .names = "C N");
    ASK("* C", "rename_", ON("N C"), .dim = "N", .names = "*");
    ASK("!Number of names (0) and number of dimensions in tensor (2) do not match. Attempted to "
        "create a "
        "tensor with names []",
        "rename", ON("N C"), .names = "");
    /* too many names beside an ellipsis: the names are counted as they were given */
    ASK("!Number of names (4) and number of dimensions in tensor (3) do not match. Attempted to "
        "create a "
        "tensor with names ['A', 'B', 'C', 'D']",
        "rename", ON("N C H"), .names = "... A B C D");
    ASK("!rename_: More than one Ellipsis ('...') found in names (('...', 'A', '...')). This "
        "function "
        "supports up to one Ellipsis.",
        "rename_", ON("N C"), .names = "... A ...");
    ASK("!rename: Tried to rename dim 'X' to dim Y in Tensor[('N', 'C')] but dim 'X' does not "
        "exist",
        "rename", ON("N C"), .dim = "N X", .names = "A Y");
    ASK("!rename_: Tried to rename dim 'X' to dim None in Tensor[(None,)] but dim 'X' does not "
        "exist",
        "rename_", ON("*"), .dim = "X", .names = "*");
    ASK("!Cannot construct a tensor with duplicate names. Got names: ['C', 'C'].", "rename",
        ON("N C"), .dim = "N", .names = "C");
    ASK("!rename: 1 names cannot replace 2", "rename", ON("N C"), .dim = "N C", .names = "A");
    ASK("!Invalid name: a valid identifier contains only digits, alphabetical characters, and/or "
        "underscore and starts with a non-digit. got: '0'.",
        "rename", ON("N"), .names = "0");
}

static void refining(void **state) {
    (void)state;
    ASK("N * H", "refine_names", ON("* * *"), .names = "N ... H");
    ASK("!refine_names: cannot coerce Tensor['N', None] to Tensor[None, 'C'] because 'N' is more "
        "specific "
        "than None at index 0",
        "refine_names", ON("N *"), .names = "* C");
    ASK("!refine_names: cannot coerce Tensor[None] to Tensor['A', 'B'] because they have a "
        "different "
        "number of dims (1 and 2 respectively).",
        "refine_names", ON("*"), .names = "A ... B");
}

static void aligning(void **state) {
    (void)state;
    ASK("A H N B C D", "align_to", ON("N C H"), .names = "A H N B C D");
    ASK("H N A C", "align_to", ON("N C H"), .names = "H ... A C");
    ASK("C *", "align_to", ON("* C"), .names = "C ...");
    ASK("* C", "align_to", ON("* C"), .names = "...");
    ASK("N * C", "align_to", ON("C N"), .names = "N * C");
    ASK("N C H", "align_as", ON("", "N C H"));
    ASK("!align_to: Cannot find dim 'H' from Tensor['N', 'H'] in desired alignment ['N', None].",
        "align_as", ON("N H", "N *"));
    ASK("!align_to: Cannot find dim 'H' from Tensor['N', 'H'] in desired alignment ['N', 'N'].",
        "align_to", ON("N H"), .names = "N N");
    ASK("!Cannot construct a tensor with duplicate names. Got names: ['N', 'N'].", "align_to",
        ON("N"), .names = "N N");
    ASK("!Cannot construct a tensor with duplicate names. Got names: ['Q', 'N', 'Q'].", "align_to",
        ON("N"), .names = "Q ... Q");
    ASK("!align_to: the desired order of dimensions cannot contain a None name, got ['C', None]",
        "align_to", ON("N C"), .names = "C ... *");
    ASK("!align_to: More than one Ellipsis ('...') found in names (('...', '...')). This function "
        "supports up to one Ellipsis.",
        "align_to", ON("N"), .names = "... ...");
    ASK("A B C; A B C; A B C", "align_tensors", ON("A C", "A B C", "B C"));
    ASK("* B; * B", "align_tensors", ON("B", "* B"));
}

static void align_sources(void **state) {
    (void)state;
    nomen_name own_names[] = {name("N"), 0, name("H")};
    nomen__names own = {3, own_names};
    nomen__dimref want[4];
    nomen__namelist result;
    int n, source[NOMEN_MAX_DIMS];
    assert_int_equal(nomen__dims_parse("H Q ... N", want, 4, &n), NOMEN_OK);
    assert_int_equal(nomen__names_align_to(own, (nomen__dims){n, want}, &result, source), NOMEN_OK);
    assert_int_equal(result.n, 4);
    assert_memory_equal(source, ((const int[]){2, -1, 1, 0}), 4 * sizeof(int));
    /* without an ellipsis: so many, and not one more */
    for (int k = 0; k < NOMEN_MAX_DIMS; k++) source[k] = -7;
    nomen_name named[] = {name("N"), name("H")};
    assert_int_equal(nomen__dims_parse("H Q N", want, 4, &n), NOMEN_OK);
    assert_int_equal(
        nomen__names_align_to((nomen__names){2, named}, (nomen__dims){n, want}, &result, source),
        NOMEN_OK);
    assert_memory_equal(source, ((const int[]){1, -1, 0, -7}), 4 * sizeof(int));
    nomen_name target_names[] = {name("N"), name("Z"), 0, name("H")};
    nomen__names target = {4, target_names};
    assert_int_equal(nomen__names_align_tensors(own, target, source), NOMEN_OK);
    assert_memory_equal(source, ((const int[]){0, -1, 1, 2}), 4 * sizeof(int));
}

/* ---- shapes ---------------------------------------------------------------------------------- */

static void flattening(void **state) {
    (void)state;
    ASK("N f", "flatten", ON("N C H"), .dim = "C H", .out_dim = "f");
    ASK("N f", "flatten", ON("N C H"), .dim = "1 H", .out_dim = "f");
    ASK("N f", "flatten", ON("N C H"), .dim = "C ... -1", .out_dim = "f");
    ASK("N C", "flatten", ON("N C H"), .dim = "C H", .out_dim = "C");
    ASK("*", "flatten", ON("N C H"));
    ASK("f", "flatten", ON(""), .out_dim = "f");
    ASK("f C", "flatten", ON("N C"), .dim = "N", .out_dim = "f");
    ASK("!flatten() has invalid args: start_dim cannot come after end_dim", "flatten", ON("N C H"),
        .dim = "H ... C");
    ASK("!Dimension out of range (expected to be in range of [-3, 2], but got 7)", "flatten",
        ON("N C H"), .dim = "0 ... 7");
    ASK("!flatten(tensor, dims, out_dim): dims cannot be empty", "flatten", ON("N C"), .dim = "");
    ASK("!flatten(tensor, dims, out_dim): dims ['H', 1] must be consecutive in Tensor['N', 'C', "
        "'H']",
        "flatten", ON("N C H"), .dim = "H 1");
    ASK("!flatten(tensor, dims, out_dim): dims ['C', 'C'] must be consecutive in Tensor['N', 'C']",
        "flatten", ON("N C"), .dim = "C C");
    ASK("!Cannot construct a tensor with duplicate names. Got names: ['N', 'N'].", "flatten",
        ON("N C H"), .dim = "C H", .out_dim = "N");
}

static void splitting(void **state) {
    (void)state;
    ASK("N A B", "unflatten", ON("N D"), .dim = "D", .names = "A B");
    ASK("A * D", "unflatten", ON("N D"), .dim = "0", .names = "A *");
    ASK("!unflatten: sizes must be non-empty", "unflatten", ON("N"), .dim = "N", .names = "");
    ASK("!unflatten: takes 1 dim, but 2 were given", "unflatten", ON("N D"), .dim = "N D",
        .names = "A");
    ASK("!unflatten: takes 1 dim, but 0 were given", "unflatten", ON("N D"), .names = "A");
    assert_int_equal(
        code_of(&(nomen_infer_args){.op = "unflatten", ON(""), .dim = "0", .names = "A"}),
        NOMEN_ERROR_INDEX);
    ASK("* * *", "unflatten", ON("* *"), .dim = "0", .ndim = 2);
    ASK("!unflatten: input is a named tensor but no names were given for unflattened sizes",
        "unflatten", ON("N *"), .dim = "1", .ndim = 2);
    ASK("!unflatten: 1 names were given for 2 sizes", "unflatten", ON("N"), .dim = "N",
        .names = "A", .ndim = 2);
}

/* ---- what errors advise ---------------------------------------------------------------------- */

enum { WORD = 40 };

/* Insertions, losses, replacements and swaps of neighbours between a's first i and b's first k
 * letters: the definition, with everything that is known kept. */
static int slips(const char *a, int i, const char *b, int k, signed char known[WORD][WORD]) {
    if (!i || !k) return i + k;
    if (known[i][k] >= 0) return known[i][k];
    int best = slips(a, i - 1, b, k - 1, known) + (a[i - 1] != b[k - 1]);
    int lost = slips(a, i - 1, b, k, known) + 1, more = slips(a, i, b, k - 1, known) + 1;
    if (lost < best) best = lost;
    if (more < best) best = more;
    if (i > 1 && k > 1 && a[i - 1] == b[k - 2] && a[i - 2] == b[k - 1]) {
        int swapped = slips(a, i - 2, b, k - 2, known) + 1;
        if (swapped < best) best = swapped;
    }
    known[i][k] = (signed char)best;
    return best;
}

static int random_letters(char *at, int n) {
    for (int i = 0; i < n; i++) at[i] = "abcABC"[rand() % 3 + 3 * (rand() % 8 == 0)];
    at[n] = 0;
    return n;
}

/* A few slips of the word, of which no more is known than that. */
static void slip(char *word, int times) {
    for (; times > 0; times--) {
        size_t n = strlen(word), i = (size_t)rand() % n;
        char c = word[i];
        switch (rand() % 4) {
        case 0: word[i] = "abcd"[rand() % 4]; break;
        case 1:
            if (n > 1) memmove(word + i, word + i + 1, n - i);
            break;
        case 2:
            if (n + 2 < WORD) memmove(word + i + 1, word + i, n - i + 1);
            break;
        default:
            if (i + 1 < n) word[i] = word[i + 1], word[i + 1] = c;
        }
    }
}

static void small(char *to, const char *from) {
    for (; *from; from++) *to++ = (char)(*from >= 'A' && *from <= 'Z' ? *from + 32 : *from);
    *to = 0;
}

static void names_that_were_meant(void **state) {
    (void)state;
    srand(5);
    int meant = 0, other = 0;
    for (int round = 0; round < 20000; round++) {
        char own[WORD], asked[WORD], a[WORD], b[WORD], want[WORD + 32];
        signed char known[WORD][WORD];
        int n = random_letters(own, 1 + rand() % (round % 4 ? 9 : 33));
        strcpy(asked, own);
        slip(asked, 1 + rand() % 4);
        if (!strcmp(own, asked)) continue;
        small(a, asked);
        small(b, own);
        memset(known, -1, sizeof known);
        int length = (int)strlen(a), far = slips(a, length, b, n, known);
        bool near = far <= (length <= 2 ? 0 : length <= 5 ? 1 : 2) && n < 32 && length < 32;
        assert_int_equal(code_of(&(nomen_infer_args){.op = "sum", ON(own), .dim = asked}),
                         NOMEN_ERROR_NAME);
        snprintf(want, sizeof want, near ? "did you mean '%s'?" : "the dims are ['%s']", own);
        if (strcmp(nomen_last_error()->hint, want))
            fail_msg("%s for %s: %s", asked, own, nomen_last_error()->hint);
        near ? meant++ : other++;
    }
    assert_true(meant > 5000 && other > 2000);
}

static void moving(void **state) {
    (void)state;
    ASK("C N H", "transpose", ON("N C H"), .dim = "N 1");
    ASK("N", "transpose", ON("N"), .dim = "0 0");
    ASK("H * N", "permute", ON("N * H"), .dim = "H 1 0");
    ASK("", "permute", ON(""));
    ASK("!permute: takes 3 dims, but 2 were given", "permute", ON("N C H"), .dim = "H N");
    ASK("!permute(): duplicate dims are not allowed. dim 0 is there twice", "permute", ON("N C"),
        .dim = "N N");
    ASK("N * C", "unsqueeze", ON("N C"), .dim = "1");
    ASK("N C X", "unsqueeze", ON("N C"), .dim = "-1", .out_dim = "X");
    ASK("X N C", "unsqueeze", ON("N C"), .dim = "N", .out_dim = "X");
    ASK("!Dimension out of range (expected to be in range of [-3, 2], but got 3)", "unsqueeze",
        ON("N C"), .dim = "3");
    ASK("N H", "squeeze", ON("N C H"), .dim = "C", .size = (const int64_t[]){2, 1, 4});
    ASK("N C H", "squeeze", ON("N C H"), .dim = "N", .size = (const int64_t[]){2, 1, 4});
    ASK("N H", "squeeze", ON("N C H"), .size = (const int64_t[]){2, 1, 4});
    ASK("N", "squeeze", ON("N C H"), .dim = "H C");
    ASK("* * N C", "expand", ON("N C"), .ndim = 4);
    assert_int_equal(code_of(&(nomen_infer_args){.op = "expand", ON("N C"), .ndim = 1}),
                     NOMEN_ERROR_SHAPE);
    ASK("C *", "diagonal", ON("N C H"), .dim = "0 2");
    ASK("C E", "diagonal", ON("N C H"), .dim = "N H", .out_dim = "E");
    ASK("!diagonal dimensions cannot be identical 0, 0", "diagonal", ON("N C"), .dim = "0 N");
    ASK("!select() cannot be applied to a 0-dim tensor.", "select", ON(""), .dim = "5");
    ASK("!Name 'N' not found in Tensor[].", "select", ON(""), .dim = "N");
    ASK("!Dimension specified as -1 but tensor has no dimensions", "unbind", ON(""), .dim = "-1");
    ASK("C", "unbind", ON("N C"));
    ASK("H C N", "movedim", ON("N C H"), .dim = "N H 2 0");
    ASK("N C H", "movedim", ON("N C H"), .dim = "");
    ASK("!movedim: takes 2 dims, but 3 were given", "movedim", ON("N C H"), .dim = "N C H");
    ASK("!movedim: repeated dim in `destination` (dim 1)", "movedim", ON("N C"), .dim = "N C 1 -1");
}

/* Dims that no operand has. */
static void making(void **state) {
    (void)state;
    ASK("N C *", "unfold", ON("N C"), .dim = "C");
    ASK("!Name 'T' not found in Tensor['N', 'C'].", "unfold", ON("N C"), .dim = "T");
    ASK("N C *", "view_as_real", ON("N C"));
    ASK("N", "view_as_complex", ON("N C"));
    ASK("!Input tensor must have one or more dimensions", "view_as_complex", ON(""));
    ASK("* *", "diag", ON("N"));
    ASK("*", "diag", ON("N C"));
    ASK("!diag(): Supports 1D or 2D tensors. Got 3D", "diag", ON("N C H"));
    ASK("N * *", "diag_embed", ON("N C"));
    ASK("* N *", "diag_embed", ON("N C"), .dim = "0 2");
    ASK("!diagonal dimensions cannot be identical 0, 0", "diag_embed", ON(""), .dim = "0 -1");
    ASK("N * *", "reshape", ON("N C"), .ndim = 3, .size = (const int64_t[]){2, 6},
        .result_size = (const int64_t[]){2, 2, 3});
    ASK("!view: which names stay depends on the sizes of self and of the result", "view", ON("N C"),
        .ndim = 3);
    ASK("!view: which names stay depends on the sizes of self and of the result", "view", ON("N C"),
        .ndim = 3, .size = (const int64_t[]){2, 6});
    ASK("!view: which names stay depends on the sizes of self and of the result", "view", ON("N C"),
        .ndim = 3, .result_size = (const int64_t[]){2, 2, 3});
    ASK("* * *", "view", ON("* *"), .ndim = 3);
    ASK("!reshape: the sizes do not have the same product", "reshape", ON("N"), .ndim = 1,
        .size = (const int64_t[]){2}, .result_size = (const int64_t[]){-2});
    ASK("!reshape: the sizes do not have the same product", "reshape", ON("N C"), .ndim = 1,
        .size = (const int64_t[]){INT64_MAX, 2}, .result_size = (const int64_t[]){-2});
    ASK("* C", "vstack", ON("C", "* C"));
    ASK("* C *", "dstack", ON("C"));
    ASK("N *", "column_stack", ON("N", "N"));
    ASK("*", "hstack", ON("", ""));
    ASK("* N", "tile", ON("N"), .ndim = 2);
    ASK("N C", "tile", ON("N C"), .ndim = 1);
    ASK("*", "repeat_interleave", ON("N C", ""));
    ASK("N", "repeat_interleave", ON("N", ""));
    ASK("* * *", "as_strided_", ON("N"), .ndim = 3);
    ASK("* *", "resize_", ON("* * *"), .ndim = 2);
    ASK("N C", "resize_", ON("N C"), .ndim = 2);
    ASK("N C", "resize_", ON("N C"), .ndim = 2, .size = (const int64_t[]){2, 3});
    ASK("N C", "resize_", ON("N C"), .ndim = 2, .result_size = (const int64_t[]){2, 3});
    ASK("N C", "resize_", ON("N C"), .ndim = 2, .size = (const int64_t[]){2, 3},
        .result_size = (const int64_t[]){2, 3});
    ASK("N C", "resize_as_", ON("* *", "N C"));
    ASK("* *", "zeros", .ndim = 2);
    ASK("!diag_embed: takes 2 dims, but 0 were given", "diag_embed", ON("N C"), .dim = "");
    /* dims are wanted one by one of both, and not of both as vectors */
    ASK("N C", "take_along_dim", ON("N *", "* C"), .dim = "");
    /* as many elements as there can be */
    ASK("N", "reshape", ON("N"), .ndim = 1, .size = (const int64_t[]){INT64_MAX},
        .result_size = (const int64_t[]){INT64_MAX});
    ASK("!unflatten: 1 names were given for 65 sizes", "unflatten", ON("N"), .dim = "N",
        .names = "A", .ndim = 65);
    ASK("!unflatten: 0 names were given for 2 sizes", "unflatten", ON("N"), .dim = "N", .names = "",
        .ndim = 2);
}

/* Lists of other calls lie where results are made: all that counts is written, and no more. */
static void reshaping_over_another_list(void **state) {
    (void)state;
    static const int64_t joined[] = {6, 0}, split[] = {2, 3}, none[] = {0, 2};
    nomen_name own[] = {name("N"), name("C"), name("behind")};
    nomen__namelist result;
    memset(&result, 0x55, sizeof result);
    const nomen_name before = result.at[0];
    nomen__names_reshape((nomen__names){1, own}, joined, 2, split, false, &result);
    assert_int_equal(result.n, 2);
    assert_memory_equal(result.at, ((const nomen_name[]){0, 0, before}), 3 * sizeof *result.at);
    nomen__names_reshape((nomen__names){2, own}, none, 2, none, true, &result);
    assert_int_equal(result.n, 2);
    assert_memory_equal(result.at, ((const nomen_name[]){own[0], own[1], before}),
                        3 * sizeof *result.at);
}

static void positions_of_a_diagonal(void **state) {
    (void)state;
    nomen_name own[] = {name("N"), name("C")};
    const nomen__dimref first = {NOMEN__DIM_INDEX, 0, 0}, last = {NOMEN__DIM_INDEX, 0, -1};
    const nomen__names names = {2, own};
    nomen__namelist result;
    int i, j;
    assert_int_equal(nomen__names_diag_embed(names, &first, &last, &i, &j, &result), NOMEN_OK);
    assert_true(i == 0 && j == 2);
    assert_int_equal(nomen__names_diag_embed(names, &last, &first, &i, &j, &result), NOMEN_OK);
    assert_true(i == 2 && j == 0);
    assert_int_equal(result.n, 3);
    assert_memory_equal(result.at, ((const nomen_name[]){0, own[0], 0}), 3 * sizeof *result.at);
}

/* More dims than nomen_infer takes for both of the two lists. */
static void moving_many(void **state) {
    (void)state;
    nomen__dimref up[NOMEN_MAX_DIMS + 1], down[NOMEN_MAX_DIMS];
    int order[NOMEN_MAX_DIMS];
    for (int i = 0; i <= NOMEN_MAX_DIMS; i++)
        up[i] = (nomen__dimref){NOMEN__DIM_INDEX, 0, i % NOMEN_MAX_DIMS};
    for (int i = 0; i < NOMEN_MAX_DIMS; i++)
        down[i] = (nomen__dimref){NOMEN__DIM_INDEX, 0, NOMEN_MAX_DIMS - 1 - i};
    const nomen__names own = {NOMEN_MAX_DIMS, NULL};
    const nomen__dims all = {NOMEN_MAX_DIMS, up}, turned = {NOMEN_MAX_DIMS, down},
                      over = {NOMEN_MAX_DIMS + 1, up};
    assert_int_equal(nomen__dims_moved(own, all, turned, order), NOMEN_OK);
    for (int k = 0; k < NOMEN_MAX_DIMS; k++) assert_int_equal(order[k], NOMEN_MAX_DIMS - 1 - k);
    assert_int_equal(nomen__dims_moved(own, over, over, order), NOMEN_ERROR_SHAPE);
    assert_string_equal(nomen_last_error()->message, "65 dims are too many");
    assert_int_equal(nomen__dims_moved(own, over, all, order), NOMEN_ERROR_SHAPE);
    assert_string_equal(nomen_last_error()->message,
                        "movedim: Invalid source or destination dims: source (65 dims) should "
                        "contain the same number of dims as destination (64 dims)");
}

/* ---- limits and misuse ----------------------------------------------------------------------- */

static void sixty_four_dims(void **state) {
    (void)state;
    char *full = many("d", 64), *over = many("d", 65);
    check(__LINE__, full, &(nomen_infer_args){.op = "add", ON(full, "d63")});
    check(__LINE__, full, &(nomen_infer_args){.op = "abs", ON(full)});
    check(__LINE__, full, &(nomen_infer_args){.op = "align_to", ON("d5"), .names = full});
    assert_int_equal(code_of(&(nomen_infer_args){.op = "sum", ON(full), .dim = full}), NOMEN_OK);
    assert_int_equal(code_of(&(nomen_infer_args){.op = "matmul", ON(full, "* *")}), NOMEN_OK);
    const nomen_infer_args refused[] = {
        {.op = "add", ON(over, "")},
        {.op = "unsqueeze", ON(full), .dim = "0"},
        {.op = "stack", ON(full)},
        {.op = "expand", ON("N"), .ndim = 65},
        {.op = "unflatten", ON(full), .dim = "d0", .names = "A B"},
        {.op = "unflatten", ON(full), .dim = "d63", .names = "A B"},
        {.op = "align_to", ON("X"), .names = over},
        {.op = "align_to", ON(full), .names = "... E"},
        {.op = "rename", ON("X"), .names = over},
        {.op = "sum", ON("X"), .dim = over},
        {.op = "zeros", .names = over},
        {.op = "as_strided", ON("X"), .ndim = 65},
        {.op = "index", ON(full, "A B"), .dim = "3"},
        {.op = "flatten", ON(over), .dim = "0 1"},
    };
    char *most = many("d", 63);
    const nomen_infer_args allowed[] = {
        {.op = "unsqueeze", ON(most), .dim = "0"},
        {.op = "stack", ON(most)},
        {.op = "expand", ON("N"), .ndim = 64},
        {.op = "as_strided", ON("X"), .ndim = 64},
        {.op = "unflatten", ON(most), .dim = "d0", .names = "A B"},
        {.op = "unflatten", ON(full), .dim = "d63", .names = "A"},
        {.op = "flatten", ON(full), .dim = "d0 d1"},
        {.op = "align_to", ON(most), .names = "... E"},
        {.op = "rename", ON(full), .names = full},
        {.op = "zeros", .names = full},
        {.op = "index", ON(most, "A B"), .dim = "3"},
        {.op = "outer", ON(most, "A")},
        {.op = "diag_embed", ON(most)},
    };
    for (size_t i = 0; i < sizeof allowed / sizeof *allowed; i++)
        if (code_of(&allowed[i]) != NOMEN_OK) fail_msg("%s refuses 64 dims", allowed[i].op);
    char *dotted = malloc(strlen(over) + 8);
    sprintf(dotted, "%s ...", over);
    const struct {
        nomen_infer_args args;
        int dims;
    } told[] = {
        {{.op = "unsqueeze", ON(full), .dim = "0"}, 65},
        {{.op = "diag_embed", ON(full)}, 65},
        {{.op = "reshape", ON(full), .ndim = 66}, 66},
        {{.op = "unflatten", ON(full), .dim = "d3", .names = "A B C"}, 66},
        {{.op = "unflatten", ON(full), .dim = "d63", .names = "A B C D"}, 67},
        {{.op = "index", ON(full, "A B C"), .dim = "3"}, 66},
        {{.op = "index", ON(full, "A B C D"), .dim = "3 4"}, 66},
        {{.op = "align_to", ON(full), .names = "... E F"}, 66},
        {{.op = "align_to", ON("X"), .names = over}, 65},
        {{.op = "align_to", ON("X"), .names = dotted}, 65},
        {{.op = "rename", ON("X"), .names = over}, 65},
        {{.op = "rename", ON("X"), .names = dotted}, 65},
        {{.op = "as_strided", ON("X"), .ndim = 66}, 66},
        {{.op = "expand", ON("X"), .ndim = 66}, 66},
        {{.op = "zeros", .names = over}, 65},
    };
    for (size_t i = 0; i < sizeof told / sizeof *told; i++) {
        char start[160];
        assert_int_equal(code_of(&told[i].args), NOMEN_ERROR_NAME);
        snprintf(start, sizeof start,
                 "Named tensors only support up to 64 dims: Attempted to create a tensor with dim "
                 "%d with names ['",
                 told[i].dims);
        if (strncmp(nomen_last_error()->message, start, strlen(start)))
            fail_msg("%s of %d dims: %s", told[i].args.op, told[i].dims,
                     nomen_last_error()->message);
    }
    free(dotted);
    const nomen_infer_args both[] = {{.op = "outer", ON(full, "A")},
                                     {.op = "outer", ON("A", full)}};
    for (size_t i = 0; i < sizeof both / sizeof *both; i++) {
        assert_int_equal(code_of(&both[i]), NOMEN_ERROR_SHAPE);
        assert_string_equal(nomen_last_error()->message, "outer: the result has more than 64 dims");
    }
    free(most);
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        if (code_of(&refused[i]) != NOMEN_ERROR_NAME)
            fail_msg("%s lets 65 dims pass", refused[i].op);
    code_of(&(nomen_infer_args){.op = "align_to", ON(full), .names = "... E"});
    assert_non_null(strstr(nomen_last_error()->message, "only support up to 64 dims"));
    free(full);
    free(over);
}

/* At the ends of what there is room for. */
static void longest_lists_and_words(void **state) {
    (void)state;
    char word[101];
    for (int n = 62; n <= 100; n++) {
        memset(word, 'q', sizeof word);
        word[n] = 0;
        assert_int_equal(code_of(&(nomen_infer_args){.op = word, ON("N")}), NOMEN_ERROR_VALUE);
    }
    ASK("!zeros_: there is no operand to write to", "zeros_", .names = "N");
    assert_int_equal(code_of(&(nomen_infer_args){.op = "zeros_", .names = "N"}), NOMEN_ERROR_TYPE);
    ASK("; ", "max", ON("N C"), .dim = "");
    ASK("", "sum", ON("N C"), .dim = "");
    /* sizes at the end of memory: not one more is read */
    long page = sysconf(_SC_PAGESIZE);
    char *pages =
        mmap(NULL, 2 * (size_t)page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(pages != MAP_FAILED && !mprotect(pages + page, (size_t)page, PROT_NONE));
    int64_t *sizes = (int64_t *)(void *)(pages + page) - 3;
    sizes[0] = 2, sizes[1] = 1, sizes[2] = 4;
    ASK("N H", "squeeze", ON("N C H"), .size = sizes);
    munmap(pages, 2 * (size_t)page);
    const char *many_operands[80];
    for (int i = 0; i < 80; i++) many_operands[i] = "N";
    nomen_infer_args args = {.op = "cat", .operands = many_operands, .count = 64, .dim = "N"};
    assert_int_equal(code_of(&args), NOMEN_OK);
    args.dim = "0";
    assert_int_equal(code_of(&args), NOMEN_OK);
    args.op = "stack";
    assert_int_equal(code_of(&args), NOMEN_OK);
    args.op = "cat";
    args.count = 80;
    assert_int_equal(code_of(&args), NOMEN_ERROR_TYPE);
    int told = 0;
    for (const char *at = nomen_last_error()->operands; *at; at++) told += *at == '[';
    assert_int_equal(told, 64);
    char *over = many("d", 65), *dotted = malloc(strlen(over) + 8);
    sprintf(dotted, "... %s", over);
    static const char *const lists[] = {"align_to", "refine_names"};
    const char *const texts[] = {over, dotted}; /* the ellipsis is no dim */
    for (int i = 0; i < 4; i++)
        check(__LINE__,
              "!Named tensors only support up to 64 dims: Attempted to create a tensor with dim 65 "
              "with names ['X']",
              &(nomen_infer_args){.op = lists[i / 2], ON("X"), .names = texts[i % 2]});
    free(dotted);
    free(over);
}

static void long_lists_leave_room_for_the_reason(void **state) {
    (void)state;
    char *a = many("a_name_of_some_length_", 64), *b = many("another_one_", 64);
    const nomen_infer_args args[] = {
        {.op = "add", ON(a, b)},
        {.op = "matmul", ON(a, b)},
        {.op = "align_tensors", ON(a, b)},
        {.op = "align_to", ON(a), .names = b},
        {.op = "add", ON(a, ""), .out = b},
    };
    static const char *const ends[] = {"at the same position from the right but do not match.",
                                       "but they do not match.", "is not a subsequence of `names`.",
                                       " in desired alignment ['another_one_0'",
                                       "`Tensor.rename`."};
    for (size_t i = 0; i < sizeof args / sizeof *args; i++) {
        assert_int_equal(code_of(&args[i]), NOMEN_ERROR_NAME);
        const char *message = nomen_last_error()->message;
        size_t length = strlen(message), end = strlen(ends[i]);
        assert_true(length > end);
        if (i == 3) /* ends in the list itself */
            assert_non_null(strstr(message, ends[i]));
        else
            assert_string_equal(message + length - end, ends[i]);
    }
    free(a);
    free(b);
}

static void misuse(void **state) {
    (void)state;
    ASK("!nomen_infer: there is no operation 'frobnicate'", "frobnicate", ON("N"));
    ASK("!nomen_infer: there is no operation ''", "", ON("N"));
    ASK("!nomen_infer: there is no operation '_'", "_", ON("N"));
    ASK("!nomen_infer: there is no operation 'add mul'", "add mul", ON("N"));
    ASK("!nomen_infer: no operation given", NULL);
    ASK("!matmul: takes 2 to 2 operands, but 1 were given", "matmul", ON("N"));
    ASK("!matmul: operands is NULL", "matmul", .count = 2);
    ASK("!matmul: operand 1 is NULL", "matmul", ON("N", NULL));
    ASK("!Cannot construct a tensor with duplicate names. Got names: ['N', 'N'].", "abs",
        ON("N N"));
    const char *crowd[65];
    for (int i = 0; i < 65; i++) crowd[i] = "N";
    static const struct {
        int count;
        nomen_status status;
    } crowds[] = {
        {-1, NOMEN_ERROR_TYPE}, {0, NOMEN_ERROR_TYPE}, {64, NOMEN_OK}, {65, NOMEN_ERROR_TYPE}};
    for (size_t i = 0; i < sizeof crowds / sizeof *crowds; i++) {
        const nomen_infer_args args = {.op = "add", .operands = crowd, .count = crowds[i].count};
        assert_int_equal(code_of(&args), crowds[i].status);
    }
    ASK("!add: takes 1 to 64 operands, but 0 were given", "add", .count = 0);
    ASK("!Named tensors only support up to 64 dims: Attempted to create a tensor with dim 66 with "
        "names ['X']",
        "as_strided", ON("X"), .ndim = 66);
    ASK("!Named tensors only support up to 64 dims: Attempted to create a tensor with dim 66 with "
        "names []",
        "zeros", .ndim = 66);
    ASK("!Invalid name: a valid identifier contains only digits, alphabetical characters, and/or "
        "underscore and starts with a non-digit. got: '..x'.",
        "sum", ON("N"), .dim = "..x");
    ASK("!Name mismatch: specified out tensor with names ['N', None] are not the same as the "
        "computed output names ['N', 'C']. Please rename the out tensor's dims with "
        "`Tensor.rename`.",
        "add_", ON("N *", "N C"), .out = "N C");
    ASK("!einsum: the equation is missing", "einsum", ON("N"));
    ASK("N", "detach", ON("N"));
    ASK("", "item", ON("N"));
    ASK("* N", "expand_as", ON("N"), .ndim = 2);
    ASK("* N", "expand_as", ON("N", "A B"));
    ASK("!cat: takes 1 dim, but 0 were given", "cat", ON("N", "N"), .dim = "");
    ASK("!diagonal: takes 2 dims, but 0 were given", "diagonal", ON("N C"), .dim = "");
    ASK("!Dimension specified as 0 but tensor has no dimensions", "unflatten", ON(""), .dim = "0",
        .names = "A");
    ASK("!too many dims in 'a b': at most 1 are allowed here", "unsqueeze", ON("N"), .dim = "0",
        .out_dim = "a b");
    ASK("* N", "unsqueeze", ON("N"), .dim = "0", .out_dim = "");
    ASK("!rename: More than one Ellipsis ('...') found in names (('...', '...')). This function "
        "supports up to one Ellipsis.",
        "rename", ON("N"), .names = "... ...");
    const struct {
        nomen_infer_args args;
        nomen_status status;
    } wrong[] = {
        {{.op = "matmul", .count = 2}, NOMEN_ERROR_TYPE},
        {{.op = "matmul", ON("N", NULL)}, NOMEN_ERROR_TYPE},
        {{.op = "transpose", ON("N C"), .dim = "0 1", .out = "N C"}, NOMEN_ERROR_TYPE},
        {{.op = "einsum", ON("N")}, NOMEN_ERROR_TYPE},
        {{.op = "view", ON("N"), .ndim = 1}, NOMEN_ERROR_TYPE},
        {{.op = "view",
          ON("N"),
          .ndim = 1,
          .size = (const int64_t[]){2},
          .result_size = (const int64_t[]){3}},
         NOMEN_ERROR_SHAPE},
        {{.op = "frobnicate", ON("N")}, NOMEN_ERROR_VALUE},
        {{.op = "sum", ON("N"), .dim = "999999999999999999999"}, NOMEN_ERROR_INDEX},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_int_equal(code_of(&wrong[i].args), wrong[i].status);
    ASK("!Dimension out of range (expected to be in range of [-1, 0], but got 123456789012345678)",
        "sum", ON("N"), .dim = "123456789012345678");
    assert_int_equal(code_of(&(nomen_infer_args){.op = "matmul", ON("N", NULL)}), NOMEN_ERROR_TYPE);
    assert_string_equal(nomen_last_error()->operands, "[N], [NULL]");
    nomen_clear_error();
    assert_int_equal(nomen_infer(NULL, NULL, 0), NOMEN_ERROR_TYPE);
    assert_null(nomen_infer_rule("frobnicate"));
    assert_null(nomen_infer_rule(NULL));
    assert_null(nomen_infer_rule_text("frobnicate"));
    assert_string_equal(nomen_infer_rule("add_"), "unify");
    assert_string_equal(nomen_infer_rule("rename_"), "rename");
    assert_non_null(nomen_infer_rule_text("unify"));
    assert_non_null(nomen_infer_rule_text("none"));
    assert_null(nomen_infer_rule_text(NULL));
    assert_string_equal(nomen_infer_rule("detach"), "keep");
    assert_null(
        nomen_infer_rule("a_name_longer_than_that_of_any_operation_there_is_or_ever_will_be_"));
}

static void room_for_the_result(void **state) {
    (void)state;
    char room[8] = "untouch";
    const nomen_infer_args args = {
        .op = "max", ON("N C"), .dim = "C"}; /* "N; N" and its end: 5 bytes */
    nomen_clear_error();
    assert_int_equal(nomen_infer(&args, NULL, 0), NOMEN_OK);
    assert_int_equal(nomen_infer(&args, room, 4), NOMEN_ERROR_VALUE);
    assert_string_equal(nomen_last_error()->message,
                        "nomen_infer: the result needs 5 bytes, but there are 4");
    assert_string_equal(room, "untouch");
    assert_int_equal(nomen_infer(&args, room, 5), NOMEN_OK);
    assert_string_equal(room, "N; N");
    const struct {
        nomen_infer_args args;
        size_t needs;
    } fits[] = {
        {{.op = "abs", ON("N *")}, 4}, {{.op = "sum", ON("N")}, 1}, {{.op = "abs", ON("*")}, 2}};
    for (size_t i = 0; i < sizeof fits / sizeof *fits; i++) {
        nomen_clear_error();
        assert_int_equal(nomen_infer(&fits[i].args, room, fits[i].needs), NOMEN_OK);
        assert_int_equal(nomen_infer(&fits[i].args, room, fits[i].needs - 1), NOMEN_ERROR_VALUE);
    }
}

static void factories(void **state) {
    (void)state;
    ASK("N *", "zeros", .names = "N *");
    ASK("", "zeros", .names = NULL);
    ASK("!Cannot construct a tensor with duplicate names. Got names: ['N', 'N'].", "empty",
        .names = "N N");
}

static void strict_contraction(void **state) {
    (void)state;
    ASK("N H", "matmul", ON("N C", "K H"));
    ASK("N H", "matmul", ON("N C", "C H"), .strict = true);
    ASK("N H", "mm", ON("N C", "* H"), .strict = true);
    ASK("!matmul: strict contraction: 'C' (index 1 of ['N', 'C']) and 'K' (index 0 of ['K', 'H']) "
        "would be contracted but have different names.",
        "matmul", ON("N C", "K H"), .strict = true);
    ASK("!addmm: strict contraction: 'C' (index 1 of ['N', 'C']) and 'K' (index 0 of ['K', 'H']) "
        "would be contracted but have different names.",
        "addmm", ON("", "N C", "K H"), .strict = true);
    ASK("!mv: strict contraction: 'C' (index 1 of ['N', 'C']) and 'K' (index 0 of ['K']) would be "
        "contracted but have different names.",
        "mv", ON("N C", "K"), .strict = true);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parse_items),
        cmocka_unit_test(lookup),
        cmocka_unit_test(two_results),
        cmocka_unit_test(unify_folds),
        cmocka_unit_test(unify_long_folds),
        cmocka_unit_test(concatenation),
        cmocka_unit_test(masks),
        cmocka_unit_test(targets),
        cmocka_unit_test(views_in_place),
        cmocka_unit_test(products),
        cmocka_unit_test(distances),
        cmocka_unit_test(renaming),
        cmocka_unit_test(refining),
        cmocka_unit_test(aligning),
        cmocka_unit_test(align_sources),
        cmocka_unit_test(flattening),
        cmocka_unit_test(splitting),
        cmocka_unit_test(names_that_were_meant),
        cmocka_unit_test(moving),
        cmocka_unit_test(making),
        cmocka_unit_test(reshaping_over_another_list),
        cmocka_unit_test(positions_of_a_diagonal),
        cmocka_unit_test(moving_many),
        cmocka_unit_test(sixty_four_dims),
        cmocka_unit_test(misuse),
        cmocka_unit_test(longest_lists_and_words),
        cmocka_unit_test(long_lists_leave_room_for_the_reason),
        cmocka_unit_test(room_for_the_result),
        cmocka_unit_test(factories),
        cmocka_unit_test(strict_contraction),
    };
    return cmocka_run_group_tests_name("infer", tests, NULL, NULL);
}
