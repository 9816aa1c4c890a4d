/* Devices: where the elements of a tensor are. A device is a text, "cpu", "mock" or "mock:1"; NULL
 * is the CPU. All others come from backends (nomen/backend.h), which are looked for in the folders
 * of NOMEN_BACKEND_PATH (separated by ':') and then in the folder of the library. */
#ifndef NOMEN_DEVICE_H
#define NOMEN_DEVICE_H

#include "nomen/tensor.h"

#ifdef __cplusplus
extern "C" {
#endif

/* "cpu", "mock:0": where t is. On NULL NULL. nomen_to(t, .device = "mock") brings it elsewhere.
 * Example:
 *     strcmp(nomen_device_of(nomen_ones("N", NOMEN_SIZES(2))), "cpu") == 0 */
NOMEN_API const char *nomen_device_of(const nomen_tensor *t);
/* How many devices of that type there are; 0 if it has no backend here. Opens the backend; what is
 * wrong with it is an error, and -1.
 * Example:
 *     nomen_device_count("cpu") == 1 */
NOMEN_API int nomen_device_count(const char *type);
/* Waits until all that was asked of the device is done, and reports what went wrong.
 * Errors: NOMEN_ERROR_DEVICE if there is no such device; else what went wrong there.
 * Example:
 *     nomen_synchronize("cpu") == NOMEN_OK */
NOMEN_API nomen_status nomen_synchronize(const char *device);

#ifdef __cplusplus
}
#endif
#endif
