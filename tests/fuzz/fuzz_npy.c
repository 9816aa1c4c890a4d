/* Fuzzes the reader of .npy files: raw bytes, a right beginning with any header, headers made of
 * parts. What was read is looked at, and written and read again. */
#define _GNU_SOURCE 1 /* memfd_create */
#include "checks.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { LONGEST = 4096 };

typedef struct text {
    char at[LONGEST];
    size_t used;
} text;

static void add(text *t, const char *part) {
    size_t n = strlen(part);
    if (t->used + n > sizeof t->at) return;
    memcpy(t->at + t->used, part, n);
    t->used += n;
}

static const char *pick(feed *f, const char *const *from, unsigned n) {
    return from[feed_below(f, n)];
}

static void add_shape(text *t, feed *f) {
    unsigned n = feed_byte(f);
    char number[64];
    n = n >= 250 ? n - 190 : n % 5;
    add(t, "(");
    for (unsigned i = 0; i < n; i++) {
        snprintf(number, sizeof number, "%s%" PRId64, i ? ", " : "", n > 5 ? 1 : feed_size(f));
        add(t, number);
    }
    add(t, n == 1 ? ",)" : feed_byte(f) == 255 ? ",,)" : ")");
}

/* {'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }  # nomen names: N C */
static void add_header(text *t, feed *f) {
    static const char *const codes[] = {
        "'<f4'", "'<f8'",  "'>f8'", "'|u1'",  "'|b1'", "'<i2'",          "'>i4'",  "'<i8'", "'<f2'",
        "'<c8'", "'>c16'", "'=f4'", "'|S10'", "'<U3'", "[('a', '<f4')]", "'<f16'", "f4",    "''"};
    static const char *const keys[] = {"descr", "fortran_order", "shape", "descr ", ""};
    static const char *const orders[] = {"False", "True", "false", "0"};
    unsigned order = feed_byte(f), odd = feed_byte(f);
    add(t, "{");
    for (unsigned i = 0; i < 3; i++) {
        unsigned k = (i + order) % 3;
        add(t, "'");
        add(t, odd == 255 ? pick(f, keys, 5) : keys[k]);
        add(t, "': ");
        if (k == 0) add(t, pick(f, codes, NOMEN_COUNT(codes)));
        if (k == 1) add(t, orders[order >> 4 < 14 ? order >> 4 & 1 : order >> 4 & 3]);
        if (k == 2) add_shape(t, f);
        add(t, odd == 254 ? " " : ", ");
    }
    add(t, "}");
    if (!(odd & 1)) return;
    char line[256];
    add(t, " # nomen names: ");
    const char *names = odd & 2 ? feed_line(f, line, sizeof line) : feed_dims(f, line, sizeof line);
    add(t, names ? names : "");
}

static void put(int file, const void *bytes, size_t n) {
    EXPECT(write(file, bytes, n) == (ssize_t)n);
}

static void put_file(int file, feed *f) {
    unsigned mode = feed_byte(f);
    if (mode % 4 == 0) {
        put(file, f->at, (size_t)(f->end - f->at));
        return;
    }
    text header = {.used = 0};
    unsigned version = mode & 0xc0 ? 1 : mode >> 4 & 3;
    if (mode % 4 == 1) {
        char line[1024];
        const char *given = feed_line(f, line, sizeof line);
        add(&header, given ? given : "");
    } else {
        add_header(&header, f);
    }
    size_t claimed = header.used + (mode == 255 ? feed_byte(f) : 0);
    uint8_t start[12] = {0x93,
                         'N',
                         'U',
                         'M',
                         'P',
                         'Y',
                         (uint8_t)version,
                         0,
                         (uint8_t)claimed,
                         (uint8_t)(claimed >> 8)};
    put(file, start, version > 1 ? 12 : 10);
    put(file, header.at, header.used);
    /* As many elements as the header may mean, the bytes again and again. */
    size_t left = (size_t)(f->end - f->at), want = mode & 8 ? 1024 : left;
    for (size_t done = 0; left && done < want; done += left) put(file, f->at, left);
    if (!left && want) put(file, header.at, header.used);
}

/* Written and read again it is the same. */
static void check_again(nomen_tensor *t) {
    static char path[64];
    if (!path[0]) snprintf(path, sizeof path, "/dev/shm/nomen-fuzz-%ld.npy", (long)getpid());
    EXPECT(nomen_save_npy(t, path) == NOMEN_OK);
    nomen_tensor *again = nomen_load_npy(path);
    unlink(path);
    EXPECT(again);
    EXPECT(same_values(t, again));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    feed f = {data, data + size};
    char path[64];
    balance b = balance_open();
    int file = memfd_create("npy", MFD_CLOEXEC);
    EXPECT(file >= 0);
    put_file(file, &f);
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    nomen_set_memory_limit(1 << 24);
    nomen_scope() {
        nomen_tensor *t = nomen_load_npy(path);
        if (t) {
            check_tensor(t);
            char shown[64];
            nomen_repr(t, shown, sizeof shown);
            if (size % 16 == 7) check_again(t);
        } else {
            check_failure();
        }
    }
    close(file);
    balance_close(&b);
    return 0;
}
