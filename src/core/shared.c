/* Memory that several processes see: files without a name (memfd), mapped. A process passes the
 * descriptor on (fork, a socket), the system frees the memory when the last one has let go. */
#define _GNU_SOURCE
#include "core/calls.h"
#include "core/devices.h"

#include "nomen/exchange.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct mapping {
    void *at;
    size_t bytes;
    int file;
} mapping;

static void unmap(void *payload) {
    mapping *m = payload;
    munmap(m->at, m->bytes);
    close(m->file);
    nomen__free(m, sizeof *m);
}

static void bad_system(const char *what) {
    nomen__fail(NOMEN_ERROR_STATE, "shared memory: %s: %s", what, strerror(errno));
}

/* Takes over the descriptor, also when it fails. */
static nomen__storage *map_file(int file, size_t bytes) {
    nomen__storage *s = NULL;
    mapping *m = nomen__alloc(sizeof *m);
    void *at = m ? nomen__sys_map_shared(file, bytes ? bytes : 1) : NULL;
    if (m && at == MAP_FAILED) bad_system("it cannot be mapped");
    if (m && at != MAP_FAILED) {
        *m = (mapping){at, bytes ? bytes : 1, file};
        s = nomen__storage_foreign(at, bytes, unmap, m);
        if (!s) munmap(at, m->bytes);
    }
    if (!s) {
        nomen__free(m, sizeof *m);
        close(file);
    }
    return s;
}

/* Sealed against shrinking: whoever has the descriptor could take the memory away from under the
 * others, who would be killed for touching it. */
static int new_file(size_t bytes) {
    int file = nomen__system_fails() ? -1 : memfd_create("nomen", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (file < 0) {
        bad_system("it cannot be made");
        return -1;
    }
    /* fallocate: the memory is there, or this fails; not at the first write */
    const off_t length = (off_t)bytes;
    if (length < 0 || (bytes && (errno = nomen__sys_fallocate(file, length)) != 0) ||
        nomen__system_fails() ||
        fcntl(file, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) < 0) {
        if (bytes && (errno == ENOSPC || errno == ENOMEM))
            nomen__fail(NOMEN_ERROR_MEMORY, "there is no shared memory for %zu bytes", bytes);
        else
            bad_system("it cannot be made");
        close(file);
        return -1;
    }
    return file;
}

nomen__storage *nomen__storage_shared(size_t bytes) {
    int file = new_file(bytes);
    return file < 0 ? NULL : map_file(file, bytes);
}

nomen__storage *nomen__storage_from_file(int file) {
    struct stat status;
    int seals = fcntl(file, F_GET_SEALS);
    if (seals < 0 || !(seals & F_SEAL_SHRINK) || nomen__sys_fstat(file, &status)) {
        nomen__fail(NOMEN_ERROR_VALUE,
                    "shared memory: the descriptor %d is not one of nomen_shared_file", file);
        return NULL;
    }
    int own = nomen__sys_duplicate(file);
    if (own < 0) {
        bad_system("its descriptor cannot be duplicated");
        return NULL;
    }
    return map_file(own, (size_t)status.st_size);
}

int nomen__storage_file(const nomen__storage *s) {
    return s->release == unmap ? ((const mapping *)s->payload)->file : -1;
}

bool nomen_is_shared(const nomen_tensor *t) { return t && nomen__storage_file(t->storage) >= 0; }

int nomen_shared_file(const nomen_tensor *t) { return t ? nomen__storage_file(t->storage) : -1; }

static void move_to(nomen_tensor *t, nomen__storage *s) {
    nomen__storage *old = t->storage;
    nomen__storage_retain(s);
    t->data = s->data + (t->data - old->data);
    t->storage = s;
    nomen__storage_release(old);
}

/* Headers know their storage, but storages do not know their headers: one that is not met here
 * would go on looking at the old memory. */
nomen_status nomen_share_memory(nomen_tensor *t) {
    if (!t) return nomen__fail(NOMEN_ERROR_TYPE, "share_memory: there is no tensor (NULL)");
    if (nomen__need_cpu("share_memory: the tensor", t)) return NOMEN_ERROR_UNSUPPORTED;
    nomen__storage *old = t->storage;
    if (nomen__storage_file(old) >= 0) return NOMEN_OK;
    if (nomen__before_write(old)) return NOMEN_ERROR_MEMORY; /* who has yet to read it lets go */
    nomen_tensor *base = t->base && t->base->storage == old ? t->base : NULL;
    int others = atomic_load(&old->refs) - (base ? 2 : 1);
    if (others > 0)
        return nomen__fail(
            NOMEN_ERROR_STATE,
            "share_memory: %d other tensor%s or array%s on the same memory would not "
            "see what is written from then on: share the memory before making views "
            "of it, or share a clone()",
            others, others == 1 ? "" : "s", others == 1 ? "" : "s");
    nomen__storage *s = nomen__storage_shared(old->bytes);
    if (!s) return NOMEN_ERROR_STATE;
    if (old->bytes) memcpy(s->data, old->data, old->bytes);
    atomic_store(&s->version, atomic_load(&old->version));
    if (base) move_to(base, s);
    move_to(t, s);
    nomen__storage_release(s);
    return NOMEN_OK;
}

nomen_tensor *nomen_from_shared_file(int file, nomen_dtype dtype, const char *names,
                                     nomen_sizes size) {
    nomen_name list[NOMEN_MAX_DIMS];
    int n = 0, ndim = size.count < 0 || size.count > NOMEN_MAX_DIMS ? -1 : (int)size.count;
    if (!nomen_dtype_size(dtype)) {
        nomen__fail(NOMEN_ERROR_DTYPE, "nomen_from_shared_file: %d is not a dtype", (int)dtype);
        return NULL;
    }
    if (ndim < 0) return nomen__tensor_new(dtype, NOMEN_MAX_DIMS + 1);
    if (names && (nomen__names_split(names, list, &n) || nomen__check_names(list, n, ndim)))
        return NULL;
    nomen__storage *s = nomen__storage_from_file(file);
    if (!s) return NULL;
    nomen_tensor *t = nomen__tensor_on_storage(s, dtype, 0, ndim, size.at, NULL);
    nomen__storage_release(s);
    if (t) nomen__set_names(t, names ? list : NULL);
    return nomen__scoped(t);
}
