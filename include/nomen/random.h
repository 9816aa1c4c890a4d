/* Random generators: what is drawn, and how to repeat it. The functions that fill tensors are in
 * ops.gen.h. */
#ifndef NOMEN_RANDOM_H
#define NOMEN_RANDOM_H

#include "nomen/error.h"
#include "nomen/export.h"

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A Mersenne twister (mt19937) that draws the very numbers of PyTorch's CPU generator for the same
 * seed. Every function below may be called from several threads at once; NULL is the default
 * generator of the process. */
typedef struct nomen_generator nomen_generator;

/* The seed of the default generator, and a good one for others. */
#define NOMEN_DEFAULT_SEED UINT64_C(67280421310721)

/* NULL and NOMEN_ERROR_MEMORY if there is no memory. Each wants one nomen_generator_free, which
 * sets it to NULL.
 * Errors: NOMEN_ERROR_MEMORY.
 * Example:
 *     nomen_generator *g = nomen_generator_new(7);
 *     nomen_tensor *x = nomen_rand("N", NOMEN_SIZES(2), .generator = g);
 *     nomen_size(x, "N") == 2
 *     nomen_generator_free(&g);
 *     g == NULL */
NOMEN_API nomen_generator *nomen_generator_new(uint64_t seed);
NOMEN_API void nomen_generator_free(nomen_generator **g);

/* Starts over from a seed: the low 32 bits select the sequence, all 64 are remembered.
 * Example:
 *     nomen_generator_manual_seed(NULL, 7);
 *     nomen_generator_initial_seed(NULL) == 7 */
NOMEN_API void nomen_generator_manual_seed(nomen_generator *g, uint64_t seed);
/* Starts over from a seed that the system draws, and returns it; 0 and an error if the system has
 * none to give.
 * Example:
 *     uint64_t seed = nomen_generator_seed(NULL);
 *     nomen_generator_initial_seed(NULL) == seed */
NOMEN_API uint64_t nomen_generator_seed(nomen_generator *g);
/* The seed it last started from.
 * Example:
 *     nomen_generator *g = nomen_generator_new(7);
 *     nomen_generator_initial_seed(g) == 7
 *     nomen_generator_free(&g); */
NOMEN_API uint64_t nomen_generator_initial_seed(nomen_generator *g);

/* The same three for the default generator.
 * Example:
 *     nomen_manual_seed(0);
 *     nomen_initial_seed() == 0 && nomen_seed() == nomen_initial_seed() */
NOMEN_API void nomen_manual_seed(uint64_t seed);
NOMEN_API uint64_t nomen_seed(void);
NOMEN_API uint64_t nomen_initial_seed(void);

/* Everything needed to go on from here later, as bytes. Returns how many there are, and writes them
 * if `size` is enough. The bytes carry a version and a checksum and are the same on all machines.
 * Example:
 *     char state[8192];
 *     size_t size = nomen_generator_get_state(NULL, state, sizeof state);
 *     size > 0 && size <= sizeof state */
NOMEN_API size_t nomen_generator_get_state(nomen_generator *g, void *state, size_t size);
/* Goes on from such bytes, or from those of a state of PyTorch's CPU generator. NOMEN_ERROR_VALUE,
 * and nothing changed, if they are not a state.
 * Errors: that one.
 * Example:
 *     char state[8192];
 *     size_t size = nomen_generator_get_state(NULL, state, sizeof state);
 *     double first = nomen_item(nomen_rand(NULL, NOMEN_SIZES(1)));
 *     nomen_generator_set_state(NULL, state, size) == NOMEN_OK
 *     nomen_item(nomen_rand(NULL, NOMEN_SIZES(1))) == first */
NOMEN_API nomen_status nomen_generator_set_state(nomen_generator *g, const void *state,
                                                 size_t size);

#ifdef __cplusplus
}
#endif
#endif
