/* Tensors for others without a copy: other libraries (DLPack), other processes (shared memory). */
#ifndef NOMEN_EXCHANGE_H
#define NOMEN_EXCHANGE_H

#include "nomen/tensor.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- DLPack: a tensor as tensor libraries hand it to each other within a process ------------- */

/* The layout of these structs is that of DLPack's binary interface, versions 1.x: a pointer to
 * nomen_dl_managed may be cast to its DLManagedTensorVersioned and back, nomen_dl_managed_old to
 * DLManagedTensor. nomen knows the device 1, the CPU. */
typedef struct nomen_dl_tensor {
    void *data;
    struct {
        int32_t type, id;
    } device;
    int32_t ndim;
    struct {
        uint8_t code, bits; /* code: enum nomen_dl_code */
        uint16_t lanes;
    } dtype;
    int64_t *shape, *strides; /* strides in elements; NULL: row-major */
    uint64_t byte_offset;     /* from data to the first element */
} nomen_dl_tensor;

enum nomen_dl_code {
    NOMEN_DL_INT = 0,
    NOMEN_DL_UINT = 1,
    NOMEN_DL_FLOAT = 2,
    NOMEN_DL_BFLOAT = 4,
    NOMEN_DL_COMPLEX = 5,
    NOMEN_DL_BOOL = 6
};

enum { NOMEN_DL_CPU = 1, NOMEN_DL_MAJOR = 1, NOMEN_DL_MINOR = 1 };
enum { NOMEN_DL_READ_ONLY = 1, NOMEN_DL_COPIED = 2 }; /* flags */

typedef struct nomen_dl_managed {
    struct {
        uint32_t major, minor;
    } version;
    void *context;
    void (*deleter)(struct nomen_dl_managed *self); /* to be called once, by whoever uses it */
    uint64_t flags;
    nomen_dl_tensor tensor;
} nomen_dl_managed;

/* Before version 1: without flags, so memory that is read-only cannot be given away in it. */
typedef struct nomen_dl_managed_old {
    nomen_dl_tensor tensor;
    void *context;
    void (*deleter)(struct nomen_dl_managed_old *self);
} nomen_dl_managed_old;

/* The memory of a tensor, which stays alive until the deleter is called. Names have no place in it.
 * NULL and an error for a tensor that requires a gradient: detach it first.
 * Example:
 *     nomen_tensor *x = nomen_ones("N", NOMEN_SIZES(3));
 *     nomen_dl_managed *m = nomen_to_dlpack(x);
 *     m->tensor.ndim == 1 && m->tensor.shape[0] == 3
 *     m->deleter(m); */
NOMEN_API nomen_dl_managed *nomen_to_dlpack(const nomen_tensor *t);
/* The same in the old form; also an error if the memory is read-only.
 * Example:
 *     nomen_dl_managed_old *m = nomen_to_dlpack_old(nomen_ones("N", NOMEN_SIZES(3)));
 *     m->tensor.dtype.bits == 32
 *     m->deleter(m); */
NOMEN_API nomen_dl_managed_old *nomen_to_dlpack_old(const nomen_tensor *t);
/* A tensor on the memory of another library, with names ("N C", NULL: none). All that can be
 * checked is: version, device, dtype, sizes, strides, alignment. It takes m over and calls its
 * deleter when the last tensor on the memory is gone; on error m stays the caller's.
 * Names: those given; the protocol has none.
 * Errors: NOMEN_ERROR_DEVICE, NOMEN_ERROR_DTYPE, NOMEN_ERROR_SHAPE or NOMEN_ERROR_VALUE for what
 * cannot be used, NOMEN_ERROR_NAME for names that do not fit.
 * Example:
 *     nomen_dl_managed *m = nomen_to_dlpack(nomen_ones("N", NOMEN_SIZES(3)));
 *     nomen_tensor *y = nomen_from_dlpack(m, "C");
 *     nomen_size(y, "C") == 3 */
NOMEN_API nomen_tensor *nomen_from_dlpack(nomen_dl_managed *m, const char *names);
/* The same of the old form.
 * Names: those given.
 * Errors: as of nomen_from_dlpack.
 * Example:
 *     nomen_dl_managed_old *m = nomen_to_dlpack_old(nomen_ones(NULL, NOMEN_SIZES(3)));
 *     nomen_item(nomen_sum(nomen_from_dlpack_old(m, "C"))) == 3 */
NOMEN_API nomen_tensor *nomen_from_dlpack_old(nomen_dl_managed_old *m, const char *names);

/* ---- shared memory: a tensor that several processes see -------------------------------------- */

/* Moves the data of t, and of the tensor that it is a view of, into memory that children made by
 * fork share and that other processes can map. NOMEN_ERROR_STATE if more tensors than these two
 * use the memory: they would not see what is written later. Memory of the caller (nomen_from_data)
 * is left behind.
 * Example:
 *     nomen_tensor *x = nomen_ones("N", NOMEN_SIZES(3));
 *     nomen_share_memory(x) == NOMEN_OK && nomen_is_shared(x) */
NOMEN_API nomen_status nomen_share_memory(nomen_tensor *t);
/* Is the data in such memory?
 * Example:
 *     !nomen_is_shared(nomen_ones("N", NOMEN_SIZES(3))) */
NOMEN_API bool nomen_is_shared(const nomen_tensor *t);
/* The descriptor of that memory, borrowed, to be passed on to another process; -1: not shared.
 * Example:
 *     nomen_shared_file(nomen_ones("N", NOMEN_SIZES(3))) == -1 */
NOMEN_API int nomen_shared_file(const nomen_tensor *t);
/* A row-major tensor at the start of the memory that a descriptor of another process stands for.
 * The descriptor stays the caller's.
 * Names: those given.
 * Errors: NOMEN_ERROR_VALUE if the memory is smaller than that, NOMEN_ERROR_NAME for names that do
 * not fit.
 * Example:
 *     nomen_tensor *x = nomen_ones("N", NOMEN_SIZES(3));
 *     nomen_share_memory(x);
 *     int file = nomen_shared_file(x);
 *     nomen_tensor *y = nomen_from_shared_file(file, NOMEN_F32, "N", NOMEN_SIZES(3));
 *     nomen_zero_(y);
 *     nomen_item(nomen_sum(x)) == 0 */
NOMEN_API nomen_tensor *nomen_from_shared_file(int file, nomen_dtype dtype, const char *names,
                                               nomen_sizes size);

#ifdef __cplusplus
}
#endif
#endif
