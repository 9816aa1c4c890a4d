/* Devices inside the library: a number per device, 0 is the CPU. What a tensor knows is the number
 * (t->device) and whether it is another than 0 (NOMEN__AWAY). */
#ifndef NOMEN_SRC_DEVICE_H
#define NOMEN_SRC_DEVICE_H

#include "core/core.h"
#include "nomen/backend.h"

enum { NOMEN__MOST_DEVICES = 64 };

typedef struct nomen__device {
    nomen_backend *backend;
    void *stream; /* all work of the device */
    int32_t index;
    char name[40]; /* "mock:0" */
} nomen__device;

/* The device with that number, which a tensor has. */
const nomen__device *nomen__device_at(unsigned number);
/* "cpu", "mock", "mock:1"; NULL is the CPU. Opens the backend and the device. */
nomen_status nomen__device_find(const char *text, uint8_t *number);
const char *nomen__device_name(unsigned number);
/* Is there a file that calls itself the backend of such devices? Nothing is opened. */
bool nomen__backend_exists(const char *type, size_t length);

/* nomen__tensor_empty on a device. */
nomen_tensor *nomen__tensor_empty_on(unsigned device, nomen_dtype dtype, int ndim,
                                     const int64_t *size);
/* The bytes of two contiguous tensors of one dtype and as many elements, at least one, whose values
 * are there; they are on one device, or on two of which one may be the CPU. */
nomen_status nomen__move_bytes(nomen_tensor *to, const nomen_tensor *from);
/* Refuses a tensor whose elements the CPU has to read. */
nomen_status nomen__need_cpu(const char *what, const nomen_tensor *t);
/* The element at index 0 of every dim, as it lies in memory. */
nomen_status nomen__element(const nomen_tensor *t, void *value);

#endif
