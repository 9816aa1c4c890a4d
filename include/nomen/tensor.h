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
 * its kind (float32 tensor * nomen_scalar(2) stays float32). Belongs to the current scope. */
NOMEN_API nomen_tensor *nomen_scalar_call(nomen_number value);
#define nomen_scalar(v) nomen_scalar_call(nomen_num(v))

/* The floating dtype of tensors that are made without one, of float numbers, and of functions like
 * exp on integers; for the whole process, float32 until it is set to another floating dtype. */
NOMEN_API nomen_status nomen_set_default_dtype(nomen_dtype dtype);
NOMEN_API nomen_dtype nomen_get_default_dtype(void); /* what it is now */

/* Questions. On NULL: 0, NULL or false. */
NOMEN_API nomen_dtype nomen_dtype_of(const nomen_tensor *t);
NOMEN_API int nomen_ndim(const nomen_tensor *t);
NOMEN_API int64_t nomen_numel(const nomen_tensor *t);
NOMEN_API const int64_t *nomen_shape(const nomen_tensor *t);   /* ndim sizes, borrowed */
NOMEN_API const int64_t *nomen_strides(const nomen_tensor *t); /* in elements, borrowed */
/* The size of a dim given as a name or an integer ("C", "-1"); -1 and an error if there is none. */
NOMEN_API int64_t nomen_size(const nomen_tensor *t, const char *dim);
NOMEN_API int64_t nomen_stride(const nomen_tensor *t, const char *dim);
/* The name of dim i (negative counts from the end), or NULL if it has none or there is no such dim.
 */
NOMEN_API const char *nomen_name_of(const nomen_tensor *t, int i);
NOMEN_API bool nomen_has_names(const nomen_tensor *t);
NOMEN_API bool nomen_is_contiguous(const nomen_tensor *t);
/* The first element; strides lead to the others. Writing through it is the caller's affair (see
 * nomen_touch). */
NOMEN_API void *nomen_data(const nomen_tensor *t);
/* Says that data was written through nomen_data: saved tensors of the tape notice. */
NOMEN_API void nomen_touch(nomen_tensor *t);

/* The one element of a one-element tensor. On error NAN or 0 and an error. */
NOMEN_API double nomen_item(const nomen_tensor *t);
NOMEN_API int64_t nomen_item_int(const nomen_tensor *t);
NOMEN_API nomen_number nomen_item_number(const nomen_tensor *t);

/* Replaces the names in place: "N C", "* C", NULL for none. No autograd effect. */
NOMEN_API nomen_status nomen_set_names(nomen_tensor *t, const char *names);

/* A tensor on memory of the caller: row-major, of dtype; `release(payload)` is called when the last
 * tensor on it is gone (may be NULL). The memory must be aligned to the element. On error nothing
 * is released. */
NOMEN_API nomen_tensor *nomen_from_data(void *data, nomen_dtype dtype, const char *names,
                                        nomen_sizes size, void (*release)(void *payload),
                                        void *payload);

#ifdef __cplusplus
}
#endif
#endif
