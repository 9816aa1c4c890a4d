/* Backends: shared objects that bring a device. Where they are looked for, how they are opened, and
 * what is checked before one is believed. */
#define _GNU_SOURCE
#include "core/backends.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PATH_BYTES = 4096 };

/* ---- where ----------------------------------------------------------------------------------- */

static bool is_type(const char *type, size_t length) {
    if (!length || length > NOMEN__TYPE_BYTES - 1) return false;
    for (size_t i = 0; i < length; i++)
        if (!(type[i] >= 'a' && type[i] <= 'z') && !(i && type[i] >= '0' && type[i] <= '9') &&
            !(i && type[i] == '_'))
            return false;
    return true;
}

/* folder/libnomen_backend_<type>.so, if it can be read. */
static bool is_in(const char *folder, size_t folder_length, const char *type, size_t length,
                  char path[PATH_BYTES]) {
    int n = snprintf(path, PATH_BYTES, "%.*s/libnomen_backend_%.*s.so", (int)folder_length, folder,
                     (int)length, type);
    return n > 0 && n < PATH_BYTES && access(path, R_OK) == 0;
}

/* The folder of the file that this code is in: libnomen.so, the Python module, or the program. */
static size_t own_folder(const char **folder) {
    static const char here;
    Dl_info info;
    if (!dladdr(&here, &info) || !info.dli_fname) return 0;
    const char *slash = strrchr(info.dli_fname, '/');
    *folder = info.dli_fname;
    return slash ? (size_t)(slash - info.dli_fname) : 0;
}

static bool find_file(const char *type, size_t length, char path[PATH_BYTES]) {
    if (!is_type(type, length)) return false;
    const char *folder = getenv("NOMEN_BACKEND_PATH");
    while (folder && *folder) {
        size_t n = strcspn(folder, ":");
        if (n && n < PATH_BYTES && is_in(folder, n, type, length, path)) return true;
        folder += n + (folder[n] == ':');
    }
    size_t n = own_folder(&folder);
    return n && n < PATH_BYTES && is_in(folder, n, type, length, path);
}

bool nomen__backend_exists(const char *type, size_t length) {
    char path[PATH_BYTES];
    return find_file(type, length, path);
}

/* ---- what it says ---------------------------------------------------------------------------- */

static nomen_status fail_for_backend(nomen_status status, const char *text) {
    return nomen__fail(status ? status : NOMEN_ERROR_DEVICE, "%s", text ? text : "");
}

static const nomen_backend_host host = {
    .bytes = sizeof host,
    .version = NOMEN_BACKEND_VERSION,
    .fail = fail_for_backend,
    .allocate = nomen__alloc,
    .release = nomen__free,
};

/* What the first version had: less cannot be used. */
enum { LEAST_BYTES = offsetof(nomen_backend, find) + sizeof((nomen_backend *)0)->find };

static nomen_status bad(const char *path, const char *what) {
    return nomen__fail(NOMEN_ERROR_DEVICE, "the backend %s cannot be used: %s", path, what);
}

#define NEEDED(name) {#name, offsetof(nomen_backend, name)}
static const char *missing_function(const nomen_backend *b) {
    static const struct {
        const char *name;
        size_t at;
    } needed[] = {NEEDED(count), NEEDED(stream_new), NEEDED(stream_free), NEEDED(record),
                  NEEDED(wait),  NEEDED(event_free), NEEDED(synchronize), NEEDED(alloc),
                  NEEDED(free),  NEEDED(copy),       NEEDED(find)};
    for (size_t i = 0; i < NOMEN_COUNT(needed); i++) {
        void (*function)(void);
        memcpy(&function, (const char *)b + needed[i].at, sizeof function);
        if (!function) return needed[i].name;
    }
    return NULL;
}
#undef NEEDED

static nomen_status check_kernels(const nomen_backend *b, const char *path) {
    static const char *const needed[] = {"copy", "fill"};
    for (size_t i = 0; i < NOMEN_COUNT(needed); i++)
        for (int d = NOMEN_DTYPE_NONE + 1; d < NOMEN_DTYPE_COUNT; d++)
            if (!b->find(b->state, needed[i], (nomen_dtype)d))
                return nomen__fail(NOMEN_ERROR_DEVICE,
                                   "the backend %s cannot be used: it has no kernel \"%s\" for %s",
                                   path, needed[i], nomen_dtype_name((nomen_dtype)d));
    return NOMEN_OK;
}

static nomen_status check(nomen_backend *b, const char *path) {
    NOMEN__TEXT(why, 200);
    if (b->version != NOMEN_BACKEND_VERSION) {
        nomen__text_add(&why, "it is of version %u, and this library of version %d: build it anew",
                        (unsigned)b->version, NOMEN_BACKEND_VERSION);
        return bad(path, why.at);
    }
    if (b->bytes < LEAST_BYTES || b->bytes > sizeof *b) {
        nomen__text_add(&why,
                        "it says that it filled %zu bytes, where %zu to %zu are right: "
                        "build it anew",
                        b->bytes, (size_t)LEAST_BYTES, sizeof *b);
        return bad(path, why.at);
    }
    /* what it does not know of is absent, whatever it wrote there */
    memset((char *)b + b->bytes, 0, sizeof *b - b->bytes);
    const char *missing = missing_function(b);
    if (!missing) return check_kernels(b, path);
    nomen__text_add(&why, "it has no function '%s'", missing);
    return bad(path, why.at);
}

static nomen_status start(void *file, const char *path, nomen_backend *b) {
    void *symbol = dlsym(file, NOMEN_BACKEND_ENTRY);
    if (!symbol) return bad(path, "it does not export " NOMEN_BACKEND_ENTRY);
    nomen_backend_open_function *open;
    memcpy(&open, &symbol, sizeof open);
    *b = (nomen_backend){.bytes = sizeof *b};
    nomen_status s = open(&host, b);
    if (s) {
        const nomen_error *e = nomen__error_pending() ? nomen_last_error() : NULL;
        NOMEN__TEXT(why, 400);
        nomen__text_add(&why, "it did not start: %s",
                        e ? e->message : "it does not say why (nomen_backend_open failed)");
        return nomen__fail(s == NOMEN_ERROR_MEMORY ? s : NOMEN_ERROR_DEVICE,
                           "the backend %s cannot be used: %s", path, why.at);
    }
    s = check(b, path);
    /* where its functions are is only known of a backend that says the truth about its size */
    if (s && b->version == NOMEN_BACKEND_VERSION && b->bytes == sizeof *b && b->close)
        b->close(b->state);
    return s;
}

nomen_status nomen__backend_open(const char *type, size_t length, nomen_backend *b) {
    char path[PATH_BYTES];
    if (!find_file(type, length, path)) {
        const char *folders = getenv("NOMEN_BACKEND_PATH");
        bool cuda = length == 4 && !memcmp(type, "cuda", 4);
        return nomen__hint(
            nomen__fail(NOMEN_ERROR_DEVICE,
                        "nomen not compiled with %.*s enabled: there is no device '%.*s', for no "
                        "backend libnomen_backend_%.*s.so was found",
                        (int)length, cuda ? "CUDA" : type, (int)length, type, (int)length, type),
            "looked for it in %s%sthe folder of the library; NOMEN_BACKEND_PATH lists others",
            folders ? folders : "", folders ? " and " : "");
    }
    void *file = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!file) {
        const char *why = dlerror();
        return bad(path, why ? why : "it cannot be opened");
    }
    nomen_status s = start(file, path, b);
    if (s) dlclose(file);
    return s;
}
