/* What the fuzzing targets share: bytes that make decisions, and what must hold of every tensor. */
#ifndef NOMEN_TESTS_CHECKS_H
#define NOMEN_TESTS_CHECKS_H

#include "core/core.h"
#include "nomen/nomen.h"

/* Prints what does not hold and dies, which is how a target reports a finding. */
#define EXPECT(condition) ((condition) ? (void)0 : broken(#condition, __FILE__, __LINE__))
_Noreturn void broken(const char *what, const char *file, int line);

/* ---- bytes ----------------------------------------------------------------------------------- */

typedef struct feed {
    const uint8_t *at, *end;
} feed;

unsigned feed_byte(feed *f);              /* 0 when none is left */
unsigned feed_below(feed *f, unsigned n); /* 0 .. n - 1 */
int64_t feed_word(feed *f);               /* eight bytes */
int64_t feed_integer(feed *f);            /* mostly small, now and then at an edge of its type */
int64_t feed_size(feed *f);               /* mostly 0 to 4, seldom negative or enormous */
double feed_double(feed *f);
nomen_number feed_number(feed *f);
nomen_dtype feed_dtype(feed *f);
/* Up to a newline, as text; NULL where it begins with 0xff. */
const char *feed_line(feed *f, char *buffer, size_t size);
/* Names, integers and "..." out of a short list of words, so that most of them are meant. */
const char *feed_dims(feed *f, char *buffer, size_t size);
/* A tensor with at most 256 elements, of values that follow from the bytes. */
nomen_tensor *feed_tensor(feed *f);
/* Integers around 0 .. limit, a few of them outside. */
nomen_tensor *feed_positions(feed *f, int64_t limit);

/* ---- invariants ------------------------------------------------------------------------------ */

/* Sizes, strides and flags agree, every element lies in the storage, no name comes twice. */
void check_tensor(const nomen_tensor *t);
/* A call has failed: somebody is told why, and nothing is pending afterwards. */
void check_failure(void);
/* Same dims, names, dtype and bits? */
bool same_values(nomen_tensor *a, nomen_tensor *b);

/* What is alive when an input begins must be all that is alive when it has ended. */
typedef struct balance {
    int64_t tensors, buffers;
} balance;
balance balance_open(void);
void balance_close(const balance *b);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif
