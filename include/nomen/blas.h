/* Whose matrix products: nomen has its own for every dtype, and can use those of an OpenBLAS that
 * is installed for float32, float64, complex64 and complex128. Nothing of it is needed. */
#ifndef NOMEN_BLAS_H
#define NOMEN_BLAS_H

#include "nomen/error.h"

#ifdef __cplusplus
extern "C" {
#endif

/* "own": the kernels of nomen. "openblas": OpenBLAS wherever it can; an error if none is found.
 * "auto": OpenBLAS, if there is one, for the sizes and dtypes where it was measured to be faster.
 * For the whole process; it begins as the environment variable NOMEN_BLAS says, else with "own":
 * results are the same on machines with and without OpenBLAS, and others in the process keep it as
 * they set it. The library is looked for when it is first wanted: the file that NOMEN_BLAS_LIBRARY
 * names, else libopenblas as the system finds it. It gets one thread, also for others that use the
 * same file in this process: nomen's own threads share out the work.
 * Errors: NOMEN_ERROR_VALUE for another word, NOMEN_ERROR_UNSUPPORTED for "openblas" where there
 * is none.
 * Example:
 *     nomen_set_blas("own") == NOMEN_OK
 *     nomen_set_blas("none of them") == NOMEN_ERROR_VALUE */
NOMEN_API nomen_status nomen_set_blas(const char *which);
/* What is in force: "own" too if there is no OpenBLAS.
 * Example:
 *     nomen_set_blas("own");
 *     strcmp(nomen_get_blas(), "own") == 0 */
NOMEN_API const char *nomen_get_blas(void);

#ifdef __cplusplus
}
#endif
#endif
