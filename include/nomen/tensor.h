/* Tensors: what they are made of. Operations are in ops.gen.h. */
#ifndef NOMEN_TENSOR_H
#define NOMEN_TENSOR_H

#include "nomen/dtype.h"
#include "nomen/error.h"
#include "nomen/names.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct nomen_tensor nomen_tensor;

/* Sizes by value: NOMEN_SIZES(32, 64). {0} is the empty list. */
typedef struct nomen_sizes {
    int64_t count;
    const int64_t *at;
} nomen_sizes;
#define NOMEN_SIZES(...)                                                                           \
    ((nomen_sizes){(int64_t)(sizeof((const int64_t[]){__VA_ARGS__}) / sizeof(int64_t)),            \
                   (const int64_t[]){__VA_ARGS__}})

/* Several tensors: NOMEN_LIST(a, b). Lists returned by operations belong to the current scope. */
typedef struct nomen_list {
    int64_t count;
    nomen_tensor *const *at;
} nomen_list;
#define NOMEN_LIST(...)                                                                            \
    ((nomen_list){                                                                                 \
        (int64_t)(sizeof((nomen_tensor *const[]){__VA_ARGS__}) / sizeof(nomen_tensor *)),          \
        (nomen_tensor *const[]){__VA_ARGS__}})

/* A number that may be absent: {0} is "not given", nomen_num(2.5) is 2.5. */
typedef struct nomen_number {
    enum {
        NOMEN_ABSENT,
        NOMEN_NUMBER_BOOL,
        NOMEN_NUMBER_INT,
        NOMEN_NUMBER_FLOAT,
        NOMEN_NUMBER_COMPLEX
    } kind;
    int64_t i;     /* bool, int */
    double re, im; /* float, complex */
} nomen_number;
/* A number of that kind; nomen_num(v) chooses the kind by the type of v.
 * Example:
 *     nomen_number_int(2).i == 2 && nomen_number_float(2.5).re == 2.5
 *     nomen_number_complex(1, 2).im == 2 && nomen_number_bool(true).kind == NOMEN_NUMBER_BOOL
 *     nomen_num(2.5f).kind == NOMEN_NUMBER_FLOAT */
NOMEN_API nomen_number nomen_number_int(int64_t value);
NOMEN_API nomen_number nomen_number_bool(bool value);
NOMEN_API nomen_number nomen_number_float(double value);
NOMEN_API nomen_number nomen_number_complex(double re, double im);
#ifndef __cplusplus
#define nomen_num(v)                                                                               \
    _Generic((v),                                                                                  \
        bool: nomen_number_bool,                                                                   \
        float: nomen_number_float,                                                                 \
        double: nomen_number_float,                                                                \
        default: nomen_number_int)(v)
#endif

/* A 0-d tensor made of a number; as an operand it does not change the dtype of the others beyond
 * its kind (float32 tensor * nomen_scalar(2) stays float32). Belongs to the current scope.
 * Names: none.
 * Errors: no memory.
 * Example:
 *     nomen_dtype_of(nomen_mul(nomen_ones("N", NOMEN_SIZES(2)), nomen_scalar(2.5))) == NOMEN_F32 */
NOMEN_API nomen_tensor *nomen_scalar_call(nomen_number value);
#define nomen_scalar(v) nomen_scalar_call(nomen_num(v))

/* The floating dtype of tensors that are made without one, of float numbers, and of functions like
 * exp on integers; for the whole process, float32 until it is set to another floating dtype.
 * Errors: NOMEN_ERROR_TYPE for a dtype that is not floating.
 * Example:
 *     nomen_set_default_dtype(NOMEN_F64) == NOMEN_OK && nomen_get_default_dtype() == NOMEN_F64
 *     nomen_set_default_dtype(NOMEN_I32) == NOMEN_ERROR_TYPE
 *     nomen_set_default_dtype(NOMEN_F32); */
NOMEN_API nomen_status nomen_set_default_dtype(nomen_dtype dtype);
NOMEN_API nomen_dtype nomen_get_default_dtype(void); /* what it is now */

/* Questions. On NULL: 0, NULL or false.
 * Example:
 *     nomen_tensor *x = nomen_ones("N C", NOMEN_SIZES(2, 3));
 *     nomen_dtype_of(x) == NOMEN_F32 && nomen_ndim(x) == 2 && nomen_numel(x) == 6
 *     nomen_shape(x)[1] == 3 && nomen_strides(x)[0] == 3 */
NOMEN_API nomen_dtype nomen_dtype_of(const nomen_tensor *t);
NOMEN_API int nomen_ndim(const nomen_tensor *t);
NOMEN_API int64_t nomen_numel(const nomen_tensor *t);
NOMEN_API const int64_t *nomen_shape(const nomen_tensor *t);   /* ndim sizes, borrowed */
NOMEN_API const int64_t *nomen_strides(const nomen_tensor *t); /* in elements, borrowed */
/* The size of a dim given as a name or an integer ("C", "-1"); -1 and an error if there is none.
 * nomen_stride: how far its next element is, in elements.
 * Example:
 *     nomen_tensor *x = nomen_ones("N C", NOMEN_SIZES(2, 3));
 *     nomen_size(x, "C") == 3 && nomen_size(x, "-2") == 2 && nomen_stride(x, "N") == 3
 *     nomen_size(x, "time") == -1 */
NOMEN_API int64_t nomen_size(const nomen_tensor *t, const char *dim);
NOMEN_API int64_t nomen_stride(const nomen_tensor *t, const char *dim);
/* The name of dim i (negative counts from the end), or NULL if it has none or there is no such dim.
 * Example:
 *     nomen_tensor *x = nomen_ones("N *", NOMEN_SIZES(2, 3));
 *     strcmp(nomen_name_of(x, 0), "N") == 0 && nomen_name_of(x, -1) == NULL */
NOMEN_API const char *nomen_name_of(const nomen_tensor *t, int i);
/* Does some dim have a name?
 * Example:
 *     !nomen_has_names(nomen_ones(NULL, NOMEN_SIZES(2))) */
NOMEN_API bool nomen_has_names(const nomen_tensor *t);
/* Do the elements lie in row-major order without holes?
 * Example:
 *     nomen_tensor *x = nomen_ones("N C", NOMEN_SIZES(2, 3));
 *     nomen_is_contiguous(x) && !nomen_is_contiguous(nomen_transpose(x, "N", "C")) */
NOMEN_API bool nomen_is_contiguous(const nomen_tensor *t);
/* The first element; strides lead to the others. Writing through it is the caller's affair (see
 * nomen_touch).
 * Example:
 *     float *at = nomen_data(nomen_ones("N", NOMEN_SIZES(2)));
 *     at[1] == 1 */
NOMEN_API void *nomen_data(const nomen_tensor *t);
/* Says that data was written through nomen_data: saved tensors of the tape notice.
 * Example:
 *     nomen_tensor *x = nomen_ones("N", NOMEN_SIZES(2));
 *     *(float *)nomen_data(x) = 5;
 *     nomen_touch(x);
 *     nomen_item(nomen_sum(x)) == 6 */
NOMEN_API void nomen_touch(nomen_tensor *t);

/* The one element of a one-element tensor. On error NAN or 0 and an error.
 * Example:
 *     nomen_tensor *x = nomen_full(NULL, NOMEN_SIZES(1), nomen_num(2.5));
 *     nomen_item(x) == 2.5 && nomen_item_int(x) == 2 && nomen_item_number(x).re == 2.5
 *     isnan(nomen_item(nomen_ones("N", NOMEN_SIZES(2)))) */
NOMEN_API double nomen_item(const nomen_tensor *t);
NOMEN_API int64_t nomen_item_int(const nomen_tensor *t);
NOMEN_API nomen_number nomen_item_number(const nomen_tensor *t);

/* Replaces the names in place: "N C", "* C", NULL for none. No autograd effect.
 * Errors: NOMEN_ERROR_NAME for names that do not fit the dims, that come twice, or that are none.
 * Example:
 *     nomen_tensor *x = nomen_ones(NULL, NOMEN_SIZES(2, 3));
 *     nomen_set_names(x, "N C") == NOMEN_OK && nomen_size(x, "C") == 3
 *     nomen_set_names(x, "N") == NOMEN_ERROR_NAME */
NOMEN_API nomen_status nomen_set_names(nomen_tensor *t, const char *names);

/* A tensor on memory of the caller: row-major, of dtype; `release(payload)` is called when the last
 * tensor on it is gone (may be NULL). The memory must be aligned to the element. On error nothing
 * is released.
 * Names: those given.
 * Errors: NOMEN_ERROR_VALUE for memory that is not aligned, NOMEN_ERROR_SHAPE for negative sizes,
 * NOMEN_ERROR_NAME for names that do not fit.
 * Example:
 *     float numbers[] = {1, 2, 3, 4};
 *     nomen_tensor *x = nomen_from_data(numbers, NOMEN_F32, "N C", NOMEN_SIZES(2, 2), NULL, NULL);
 *     nomen_item(nomen_sum(x)) == 10 */
NOMEN_API nomen_tensor *nomen_from_data(void *data, nomen_dtype dtype, const char *names,
                                        nomen_sizes size, void (*release)(void *payload),
                                        void *payload);

#ifdef __cplusplus
}
#endif
#endif
