/* The calls of the system that files, shared memory and threads are made of. All go through here,
 * so that a build for tests can make any of them fail, be cut short, or be interrupted. */
#ifndef NOMEN_CORE_CALLS_H
#define NOMEN_CORE_CALLS_H

#include "core/core.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* What is to become of this call: 0 nothing, -1 it fails (errno is set), 1 it is cut short. */
#ifdef NOMEN_FAULTS
int nomen__system_fault(void);
#else
static inline int nomen__system_fault(void) { return 0; }
#endif

/* Of calls that wait for nothing, which no signal interrupts. */
static inline bool nomen__system_fails(void) { return nomen__system_fault() < 0 && errno != EINTR; }

static inline ssize_t nomen__sys_read(int file, void *to, size_t bytes) {
    int fault = nomen__system_fault();
    return fault < 0 ? -1 : read(file, to, fault && bytes ? 1 : bytes);
}

static inline ssize_t nomen__sys_write(int file, const void *from, size_t bytes) {
    int fault = nomen__system_fault();
    return fault < 0 ? -1 : write(file, from, fault && bytes ? 1 : bytes);
}

static inline int nomen__sys_open(const char *path, int flags, mode_t mode) {
    int file;
    do {
        file = nomen__system_fault() < 0 ? -1 : open(path, flags, mode);
    } while (file < 0 && errno == EINTR);
    return file;
}

/* The descriptor is gone whatever the answer is: interrupted is as good as done. */
static inline int nomen__sys_close(int file) {
    int status = close(file);
    if (nomen__system_fault() < 0) status = -1;
    return status && errno == EINTR ? 0 : status;
}

/* The struct is zeroed for memory sanitizers that do not know how newer C libraries fill it. */
static inline int nomen__sys_fstat(int file, struct stat *status) {
    *status = (struct stat){0};
    return nomen__system_fails() ? -1 : fstat(file, status);
}

static inline int nomen__sys_stat(const char *path, struct stat *status) {
    *status = (struct stat){0};
    return nomen__system_fails() ? -1 : stat(path, status);
}

static inline int nomen__sys_fchmod(int file, mode_t mode) {
    return nomen__system_fails() ? -1 : fchmod(file, mode);
}

static inline char *nomen__sys_realpath(const char *path, char *target) {
    return nomen__system_fails() ? NULL : realpath(path, target);
}

static inline int nomen__sys_rename(const char *from, const char *to) {
    return nomen__system_fails() ? -1 : rename(from, to);
}

static inline void *nomen__sys_map_shared(int file, size_t bytes) {
    if (nomen__system_fails()) return MAP_FAILED;
    return mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
}

static inline int nomen__sys_duplicate(int file) {
    return nomen__system_fails() ? -1 : fcntl(file, F_DUPFD_CLOEXEC, 0);
}

/* 0 or an error number. Shared memory is filled page by page, and any signal ends that. */
static inline int nomen__sys_fallocate(int file, off_t bytes) {
    int error;
    do {
        error = nomen__system_fault() < 0 ? errno : posix_fallocate(file, 0, bytes);
    } while (error == EINTR);
    return error;
}

static inline int nomen__sys_thread(pthread_t *thread, void *(*run)(void *), void *argument) {
    return nomen__system_fails() ? errno : pthread_create(thread, NULL, run, argument);
}

#endif
