/* Tensors as text and as files. */
#ifndef NOMEN_IO_H
#define NOMEN_IO_H

#include "nomen/tensor.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- text ------------------------------------------------------------------------------------ */

/* How nomen_repr writes. Get the options, change some, set them. */
typedef struct nomen_print_options {
    int precision;     /* digits behind the point: 0 .. NOMEN_MAX_PRECISION, default 4 */
    int edgeitems;     /* of a summarised dim, so many from each end: at least 1, default 3 */
    int linewidth;     /* columns of a line: at least 1, default 80 */
    int sci_mode;      /* 1: always 1.5000e+00, 0: never, -1 (default): when the numbers are too far
                          apart */
    int64_t threshold; /* tensors of more elements are summarised: at least 0, default 1000,
                          INT64_MAX: none */
} nomen_print_options;

#define NOMEN_MAX_PRECISION 100

/* The options of the process. Setting NULL brings the defaults back; NOMEN_ERROR_VALUE, and nothing
 * changed, if one is out of range.
 * Errors: NOMEN_ERROR_VALUE for an option out of range.
 * Example:
 *     nomen_print_options o = nomen_get_print_options();
 *     o.precision = 2;
 *     nomen_set_print_options(&o) == NOMEN_OK && nomen_get_print_options().precision == 2
 *     nomen_set_print_options(NULL) == NOMEN_OK */
NOMEN_API nomen_print_options nomen_get_print_options(void);
NOMEN_API nomen_status nomen_set_print_options(const nomen_print_options *options);

/* The text of a tensor, as PyTorch prints it: "tensor([[0., 0.],\n        [0., 0.]], names=('N',
 * 'C'))". Like snprintf: writes at most size bytes, the last a NUL, and returns how long the whole
 * text is without it. buffer may be NULL if size is 0. Returns 0 (no text is that short) for NULL,
 * and with an error if there is no memory.
 * Example:
 *     char text[80];
 *     nomen_repr(nomen_ones("N", NOMEN_SIZES(2)), text, sizeof text) == strlen(text)
 *     strcmp(text, "tensor([1., 1.], names=('N',))") == 0 */
NOMEN_API size_t nomen_repr(const nomen_tensor *t, char *buffer, size_t size);

/* ---- .npy files, NumPy's format of one array ------------------------------------------------- */

/* Writes a file that NumPy reads. It replaces what was at path as a whole: on an error the old file
 * is still there. Names stand in a comment of the header: nomen_load_npy finds them, NumPy passes
 * over them. The format cannot hold bfloat16 (NOMEN_ERROR_UNSUPPORTED), strides, and whether a
 * gradient is wanted. NOMEN_ERROR_STATE, with the system's reason, if the file cannot be written.
 * Errors: those two.
 * Example:
 *     nomen_save_npy(nomen_ones("N", NOMEN_SIZES(2)), "example.npy") == NOMEN_OK */
NOMEN_API nomen_status nomen_save_npy(const nomen_tensor *t, const char *path);
/* Reads such a file, of NumPy's versions 1 to 3, either byte order and either memory order;
 * column-major files give column-major strides. NULL and an error for anything else: the header is
 * checked against the size of the file before memory is asked for. Bytes after the array are left
 * alone.
 * Names: those that nomen_save_npy wrote; none in files of NumPy.
 * Errors: NOMEN_ERROR_VALUE for what is no such file, NOMEN_ERROR_STATE, with the system's reason,
 * if it cannot be read.
 * Example:
 *     nomen_save_npy(nomen_ones("N", NOMEN_SIZES(2)), "example.npy");
 *     nomen_size(nomen_load_npy("example.npy"), "N") == 2 */
NOMEN_API nomen_tensor *nomen_load_npy(const char *path);

#ifdef __cplusplus
}
#endif
#endif
