/* What a device is made of: a backend is a shared object libnomen_backend_<name>.so that the
 * library opens when the device <name> is first used. nomen/nomen.h does not include this header; a
 * backend includes nothing else of nomen and links against nothing of it.
 *
 * All structs begin with their size in bytes, as the side knows it that made them, and grow at
 * their end only: what lies behind the size of the other side is absent there. A backend's
 * functions may be called by several threads at once. They return NOMEN_OK, or report with
 * host->fail and return what they reported. */
#ifndef NOMEN_BACKEND_H
#define NOMEN_BACKEND_H

#include "nomen/dtype.h"
#include "nomen/enums.gen.h"

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Another version means that something changed its place or meaning; what is only added shows in
 * the sizes. */
#define NOMEN_BACKEND_VERSION 1
/* The one symbol of a backend, a nomen_backend_open_function. */
#define NOMEN_BACKEND_ENTRY  "nomen_backend_open"
#define NOMEN_BACKEND_EXPORT __attribute__((visibility("default")))

/* ---- what the library offers to a backend ---------------------------------------------------- */

typedef struct nomen_backend_host {
    size_t bytes;
    uint32_t version; /* NOMEN_BACKEND_VERSION of the library */
    /* Records what went wrong in this thread, and returns status. */
    nomen_status (*fail)(nomen_status status, const char *text);
    /* Memory of the host for the backend's own notes; NULL, and an error is recorded, if there is
     * none. release takes the size that was asked for. */
    void *(*allocate)(size_t bytes);
    void (*release)(void *at, size_t bytes);
} nomen_backend_host;

/* ---- kernels --------------------------------------------------------------------------------- */

/* A tensor as a kernel sees it. */
typedef struct nomen_backend_operand {
    size_t bytes;
    void *data; /* of the element at index 0: an address of the device */
    nomen_dtype dtype;
    int32_t ndim;
    const int64_t *size, *stride; /* stride in elements, of any sign; 0 shows an element again */
    int32_t number; /* not 0: one element, and data is an address of the host, valid until the
                       kernel returns; all strides are 0 */
} nomen_backend_operand;

/* An argument of the operation that is no tensor and was given. */
typedef struct nomen_backend_argument {
    size_t bytes;
    const char *name; /* as in the operation's documentation */
    enum { NOMEN_BACKEND_NUMBER, NOMEN_BACKEND_TEXT } kind;
    double re, im;    /* numbers, flags, integers */
    int64_t integer;  /* flags and integers */
    const char *text; /* words */
} nomen_backend_argument;

/* How the operands of a kernel go together. */
typedef enum nomen_backend_form {
    /* out[i] = f(in0[i], in1[i], ...): all have the dims of the output, in which an input that was
     * broadcast has strides of 0. Inputs are of the dtype `compute` (the first one of `where` is
     * bool). Output and inputs are the same elements or lie apart. The kernels "copy" and "fill"
     * are of this form: copy's input may be of any dtype and is converted, fill's is a number. */
    NOMEN_BACKEND_ELEMENTS,
    /* Outputs have the dims of the input, with size 1 and stride 0 in those that are reduced
     * (`dims`, a set of bits): everything that falls into one place becomes one result. An output
     * may be absent (data NULL). correction: of var and std. */
    NOMEN_BACKEND_REDUCTION,
    /* Along `dim` (-1: one element): output and input have the same dims. */
    NOMEN_BACKEND_ROWS,
    NOMEN_BACKEND_SCAN,
    /* Vectors, matrices, or batches of matrices that broadcast, as matmul knows them. */
    NOMEN_BACKEND_PRODUCT
} nomen_backend_form;

typedef struct nomen_backend_call {
    size_t bytes;
    const char *operation; /* "sub" */
    const char *kernel;    /* "sub_scaled": what was looked up */
    nomen_backend_form form;
    nomen_dtype compute;
    int32_t outputs, inputs, arguments;
    const nomen_backend_operand *const *output, *const *input;
    const nomen_backend_argument *const *argument;
    int32_t dim;
    uint64_t dims;
    double correction;
    int32_t device; /* its number */
    void *stream;
} nomen_backend_call;

/* Puts the work into the stream. The structs are gone when it returns; the memory of the operands
 * stays until work that is put into the stream later gives it back. */
typedef nomen_status nomen_backend_kernel(void *state, const nomen_backend_call *call);

/* ---- what a backend hands in ----------------------------------------------------------------- */

typedef enum nomen_backend_way {
    NOMEN_BACKEND_TO_DEVICE,   /* the host's memory may change when the call returns */
    NOMEN_BACKEND_FROM_DEVICE, /* the host's memory is written when the call returns */
    NOMEN_BACKEND_WITHIN
} nomen_backend_way;

/* bytes: on entry the room that the library has; the backend sets it to what it filled, which may
 * be less but never more. All but name, state and close are needed, and so are the kernels "copy"
 * and "fill" of every dtype. */
typedef struct nomen_backend {
    size_t bytes;
    uint32_t version; /* NOMEN_BACKEND_VERSION that the backend was compiled with */
    const char *name; /* the device's, "mock" */
    void *state;      /* handed to all functions */

    int32_t (*count)(void *state); /* of devices: mock:0, mock:1 ... */

    /* Work of one stream is done in order. What a stream does after wait comes after what stood
     * before record in the stream where event was recorded. */
    nomen_status (*stream_new)(void *state, int32_t device, void **stream);
    void (*stream_free)(void *state, void *stream); /* synchronises first */
    nomen_status (*record)(void *state, void *stream, void **event);
    nomen_status (*wait)(void *state, void *stream, void *event);
    void (*event_free)(void *state, void *event);
    nomen_status (*synchronize)(void *state, void *stream); /* reports what went wrong on the way */

    /* Addresses are multiples of 64, and sums of an address and an offset inside are addresses. The
     * host never follows them. free: when the work that is in the stream by now is done. */
    nomen_status (*alloc)(void *state, void *stream, size_t bytes, void **at);
    void (*free)(void *state, void *stream, void *at, size_t bytes);
    nomen_status (*copy)(void *state, void *stream, nomen_backend_way way, void *to,
                         const void *from, size_t bytes);

    /* NULL: there is none. The library asks for every call, and copies nothing to the host on its
     * own account. */
    nomen_backend_kernel *(*find)(void *state, const char *kernel, nomen_dtype compute);

    void (*close)(void *state); /* after a failed start; a backend that is in use stays */
} nomen_backend;

/* host stays valid. On failure nothing of backend is used. */
typedef nomen_status nomen_backend_open_function(const nomen_backend_host *host,
                                                 nomen_backend *backend);

#ifdef __cplusplus
}
#endif
#endif
