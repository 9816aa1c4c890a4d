/* .npy files: reading and writing tensors. The text of the header is read in npy_header.c. */
#include "io/npy.h"

#include "core/calls.h"
#include "nomen/scope.h"
#include "op/op.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* NumPy itself reads no header of more than 10,000 characters; ours are padded to a multiple of 64
 * bytes. */
enum { PREFIX = 8, LONGEST_READ = 65536, LONGEST_WRITTEN = 9984, ALIGNMENT = 64, CHUNK = 16384 };
/* Bytes that are read or written at once: between two pieces it is asked whether to go on. */
enum { PIECE = 1 << 24 };
static const char magic[6] = {'\x93', 'N', 'U', 'M', 'P', 'Y'};

static nomen_status bad_file(const char *path, const char *what) {
    return nomen__fail(NOMEN_ERROR_VALUE, "'%s' is not a usable .npy file: %s", path, what);
}

static nomen_status bad_system(const char *path, const char *what) {
    return nomen__fail(NOMEN_ERROR_STATE, "'%s' cannot be %s: %s", path, what, strerror(errno));
}

/* ---- reading --------------------------------------------------------------------------------- */

static nomen_status read_all(int file, const char *path, void *to, size_t bytes) {
    for (char *at = to; bytes > 0;) {
        nomen_status stopped = nomen__ask();
        if (stopped) return stopped;
        ssize_t got = nomen__sys_read(file, at, bytes < PIECE ? bytes : PIECE);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return bad_system(path, "read");
        if (got == 0) return bad_file(path, "it ends too early");
        at += got;
        bytes -= (size_t)got;
    }
    return NOMEN_OK;
}

/* Reads the header and checks that the array it promises is there. *left: bytes behind the header.
 */
static nomen_status read_header(int file, const char *path, nomen__npy *npy, int64_t *left) {
    unsigned char start[PREFIX + 4];
    struct stat status;
    if (nomen__sys_fstat(file, &status)) return bad_system(path, "read");
    if (!S_ISREG(status.st_mode)) return bad_file(path, "it is not a regular file");
    int64_t bytes = (int64_t)status.st_size;
    if (bytes < PREFIX + 2) return bad_file(path, "it is too short");
    nomen_status failed = read_all(file, path, start, PREFIX + 2);
    if (failed) return failed;
    if (memcmp(start, magic, sizeof magic) != 0)
        return bad_file(path, "it does not begin like one");
    if (start[6] < 1 || start[6] > 3 || start[7] != 0)
        return bad_file(path, "its version is not 1.0, 2.0 or 3.0");
    int64_t length = start[8] | start[9] << 8, used = PREFIX + 2;
    if (start[6] > 1) {
        if (bytes < PREFIX + 4) return bad_file(path, "it is too short");
        failed = read_all(file, path, start + PREFIX + 2, 2);
        if (failed) return failed;
        length |= (int64_t)start[10] << 16 | (int64_t)start[11] << 24;
        used = PREFIX + 4;
    }
    if (length > LONGEST_READ) return bad_file(path, "its header is longer than 65,536 characters");
    if (length > bytes - used) return bad_file(path, "it ends within its header");
    char *text = nomen__alloc((size_t)length + 1);
    if (!text) return NOMEN_ERROR_MEMORY;
    failed = read_all(file, path, text, (size_t)length);
    text[length] = 0;
    if (!failed) failed = nomen__npy_header(text, (size_t)length, path, npy);
    nomen__free(text, (size_t)length + 1);
    *left = bytes - used - length;
    return failed;
}

static void swap_bytes(char *at, size_t item, int64_t count) {
    for (int64_t i = 0; i < count; i++, at += item) {
        for (size_t k = 0; k < item / 2; k++) {
            char kept = at[k];
            at[k] = at[item - 1 - k];
            at[item - 1 - k] = kept;
        }
    }
}

static nomen_status fill(nomen_tensor *t, int file, const char *path, const nomen__npy *npy) {
    size_t item = nomen_dtype_size(npy->dtype);
    nomen_status failed = read_all(file, path, t->data, (size_t)t->numel * item);
    if (failed) return failed;
    int parts = nomen_dtype_is_complex(npy->dtype) ? 2 : 1;
    for (int64_t i = 0, n; i < t->numel && !failed; i += n) {
        n = t->numel - i < PIECE ? t->numel - i : PIECE;
        char *at = t->data + i * (int64_t)item;
        if (npy->swapped) swap_bytes(at, item / (size_t)parts, n * parts);
        for (int64_t k = 0; k < n && npy->dtype == NOMEN_BOOL; k++) at[k] = at[k] != 0;
        failed = nomen__ask();
    }
    if (failed) return failed;
    if (npy->column_major) {
        int64_t step = 1;
        for (int i = 0; i < t->ndim; i++) {
            t->stride[i] = step;
            step *= t->size[i] > 1 ? t->size[i] : 1;
        }
        nomen__tensor_finish(t);
    }
    nomen__set_names(t, npy->names);
    return NOMEN_OK;
}

static nomen_tensor *load(int file, const char *path) {
    nomen__npy npy;
    int64_t left = 0;
    if (read_header(file, path, &npy, &left)) return NULL;
    size_t item = nomen_dtype_size(npy.dtype);
    int64_t count = nomen__checked_numel(npy.size, npy.ndim, item);
    if (count < 0) {
        nomen__error_drop();
        bad_file(path, "its sizes are larger than any memory");
        return NULL;
    }
    if (count * (int64_t)item > left) {
        nomen__fail(NOMEN_ERROR_VALUE,
                    "'%s' is not a usable .npy file: its header promises %" PRId64
                    " bytes, but %" PRId64 " are there",
                    path, count * (int64_t)item, left);
        return NULL;
    }
    nomen_tensor *t = nomen__tensor_empty(npy.dtype, npy.ndim, npy.size);
    if (!t) return NULL;
    if (fill(t, file, path, &npy)) {
        nomen__release(t);
        return NULL;
    }
    return nomen__scoped(t);
}

nomen_tensor *nomen_load_npy(const char *path) {
    if (!path) {
        nomen__fail(NOMEN_ERROR_VALUE, "load_npy: the path is NULL");
        return NULL;
    }
    /* Not waiting for the other end, should it be a pipe. */
    int file = nomen__sys_open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK, 0);
    if (file < 0) {
        bad_system(path, "opened");
        return NULL;
    }
    nomen_tensor *t = load(file, path);
    close(file);
    return t;
}

/* ---- writing --------------------------------------------------------------------------------- */

static nomen_status write_all(int file, const char *path, const void *from, size_t bytes) {
    for (const char *at = from; bytes > 0;) {
        nomen_status stopped = nomen__ask();
        if (stopped) return stopped;
        ssize_t put = nomen__sys_write(file, at, bytes < PIECE ? bytes : PIECE);
        if (put < 0 && errno == EINTR) continue;
        if (put < 0) return bad_system(path, "written");
        at += put;
        bytes -= (size_t)put;
    }
    return NOMEN_OK;
}

/* The whole header, padded; header has room for LONGEST_WRITTEN bytes and more. Returns its length,
 * 0 with an error. */
static size_t make_header(const nomen_tensor *t, char *header, size_t room) {
    static const char *const codes[NOMEN_DTYPE_COUNT] = {
        [NOMEN_BOOL] = "|b1", [NOMEN_U8] = "|u1", [NOMEN_I8] = "|i1",   [NOMEN_I16] = "i2",
        [NOMEN_I32] = "i4",   [NOMEN_I64] = "i8", [NOMEN_F16] = "f2",   [NOMEN_F32] = "f4",
        [NOMEN_F64] = "f8",   [NOMEN_C64] = "c8", [NOMEN_C128] = "c16",
    };
    const char *code = codes[t->dtype];
    const char *order = *code == '|' ? "" : __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? "<" : ">";
    nomen__text text = {header + PREFIX + 2, room - PREFIX - 2, 0};
    nomen__text_add(&text, "{'descr': '%s%s', 'fortran_order': False, 'shape': (", order, code);
    for (int i = 0; i < t->ndim; i++)
        nomen__text_add(&text, "%s%" PRId64, i ? ", " : "", t->size[i]);
    nomen__text_add(&text, t->ndim == 1 ? ",), }" : "), }");
    for (int i = 0; i < t->ndim && nomen__is_named(t); i++) {
        const char *name = nomen_name_text(nomen__name_at(t, i));
        nomen__text_add(&text, "%s%s", i ? " " : " # nomen names: ", name ? name : "*");
    }
    size_t whole = (PREFIX + 2 + text.used + ALIGNMENT) / ALIGNMENT * ALIGNMENT;
    if (whole > LONGEST_WRITTEN || whole > room) {
        nomen__fail(NOMEN_ERROR_UNSUPPORTED, "save_npy: the dim names are too long for the header "
                                             "of a .npy file; rename the dims first");
        return 0;
    }
    memset(text.at + text.used, ' ', whole - PREFIX - 2 - text.used);
    header[whole - 1] = '\n';
    memcpy(header, magic, sizeof magic);
    header[6] = 1;
    header[7] = 0;
    header[8] = (char)((whole - PREFIX - 2) & 255);
    header[9] = (char)((whole - PREFIX - 2) >> 8);
    return whole;
}

typedef struct writer {
    int file;
    const char *path;
    size_t item, used;
    char chunk[CHUNK];
} writer;

static nomen_status flush(writer *w) {
    size_t used = w->used;
    w->used = 0;
    return write_all(w->file, w->path, w->chunk, used);
}

/* Elements in row-major order, whatever the strides. */
static nomen_status write_dim(writer *w, const nomen_tensor *t, const char *at, int dim) {
    nomen_status failed = NOMEN_OK;
    if (dim == t->ndim) {
        if (w->used + w->item > CHUNK) failed = flush(w);
        memcpy(w->chunk + w->used, at, w->item);
        w->used += w->item;
        return failed;
    }
    int64_t step = t->stride[dim] * (int64_t)w->item;
    for (int64_t i = 0; i < t->size[dim] && !failed; i++)
        failed = write_dim(w, t, at + i * step, dim + 1);
    return failed;
}

static nomen_status write_tensor(int file, const char *path, const nomen_tensor *t,
                                 const char *header, size_t header_length) {
    writer w = {.file = file, .path = path, .item = nomen_dtype_size((nomen_dtype)t->dtype)};
    nomen_status failed = write_all(file, path, header, header_length);
    if (!failed) failed = nomen__make_ready(t);
    if (failed || t->numel == 0) return failed;
    if (t->device) {
        nomen_tensor *here = nomen__on_host(t);
        failed = here ? write_all(file, path, here->data, (size_t)t->numel * w.item)
                      : NOMEN_ERROR_DEVICE;
        nomen__release(here);
        return failed;
    }
    if (t->flags & NOMEN__CONTIGUOUS)
        return write_all(file, path, t->data, (size_t)t->numel * w.item);
    failed = write_dim(&w, t, t->data, 0);
    return failed ? failed : flush(&w);
}

/* Where to write: what path leads to if that is there, so that a link stays a link. mode: that of
 * what is there, or 0. */
static nomen_status find_target(const char *path, char *target, size_t size, mode_t *mode) {
    struct stat status;
    *mode = 0;
    if (nomen__sys_stat(path, &status)) {
        if (errno != ENOENT) return bad_system(path, "written");
        if ((size_t)snprintf(target, size, "%s", path) < size) return NOMEN_OK;
        errno = ENAMETOOLONG;
        return bad_system(path, "written");
    }
    if (!S_ISREG(status.st_mode))
        return nomen__fail(NOMEN_ERROR_STATE,
                           "'%s' cannot be written: it is there and not a regular file", path);
    *mode = status.st_mode & 0777;
    return nomen__sys_realpath(path, target) ? NOMEN_OK : bad_system(path, "written");
}

/* Into a file beside it, which takes its place when all is written. */
static nomen_status replace_file(const nomen_tensor *t, const char *path, const char *header,
                                 size_t header_length) {
    char target[PATH_MAX], beside[PATH_MAX + 32];
    mode_t mode;
    nomen_status failed = find_target(path, target, sizeof target, &mode);
    if (failed) return failed;
    int file = -1;
    for (int attempt = 0; attempt < 100 && file < 0; attempt++) {
        snprintf(beside, sizeof beside, "%s.%ld-%d.tmp", target, (long)getpid(), attempt);
        file = nomen__sys_open(beside, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (file < 0 && errno != EEXIST) break;
    }
    if (file < 0) return bad_system(path, "written");
    if (mode && nomen__sys_fchmod(file, mode)) failed = bad_system(path, "written");
    if (!failed) failed = write_tensor(file, path, t, header, header_length);
    if (nomen__sys_close(file) && !failed) failed = bad_system(path, "written");
    if (!failed && nomen__sys_rename(beside, target)) failed = bad_system(path, "written");
    if (failed) unlink(beside);
    return failed;
}

nomen_status nomen_save_npy(const nomen_tensor *t, const char *path) {
    char header[LONGEST_WRITTEN + ALIGNMENT];
    if (!t || !path)
        return nomen__fail(NOMEN_ERROR_VALUE, "save_npy: the %s is NULL", t ? "path" : "tensor");
    if (t->dtype == NOMEN_BF16)
        return nomen__fail(NOMEN_ERROR_UNSUPPORTED,
                           "save_npy: a .npy file cannot hold bfloat16; convert to float32, which "
                           "holds every value of it");
    size_t header_length = make_header(t, header, sizeof header);
    if (!header_length) return NOMEN_ERROR_UNSUPPORTED;
    return replace_file(t, path, header, header_length);
}
