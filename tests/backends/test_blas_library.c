/* A BLAS as small as can be, for tests: the four products, written down plainly, and how often they
 * were called. It is taken for OpenBLAS because it can be told how many threads to use. */
#include <complex.h>
#include <stddef.h>

#define OPEN __attribute__((visibility("default")))

OPEN int blas_calls, blas_threads;
OPEN void openblas_set_num_threads(int n);

void openblas_set_num_threads(int n) { blas_threads = n; }

#define SUFFIX   s
#define T        float
#define FACTOR   float
#define VALUE(x) (x)
#include "test_blas_product.h"
#define SUFFIX   d
#define T        double
#define FACTOR   double
#define VALUE(x) (x)
#include "test_blas_product.h"
#define SUFFIX   c
#define T        float _Complex
#define FACTOR   const void *
#define VALUE(x) (*(const float _Complex *)(x))
#include "test_blas_product.h"
#define SUFFIX   z
#define T        double _Complex
#define FACTOR   const void *
#define VALUE(x) (*(const double _Complex *)(x))
#include "test_blas_product.h"
