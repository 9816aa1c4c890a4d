/* Runs a target without libFuzzer: fuzz_x FILE-OR-FOLDER... runs those inputs, fuzz_x --random N
 * SEED CORPUS N more, which are inputs of that corpus with bytes changed, doubled and exchanged. */
#include "checks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 4096, LONGEST = 1024 };

static struct input {
    size_t size;
    uint8_t bytes[LONGEST];
} *inputs[MOST];
static int count;

static struct input *one_more(void) {
    struct input *input = calloc(1, sizeof *input);
    EXPECT(input && count < MOST);
    return inputs[count++] = input;
}

/* A corpus: an input per line, in hexadecimal digits. */
static void take_lines(FILE *file) {
    static char line[2 * LONGEST + 2];
    while (fgets(line, sizeof line, file)) {
        struct input *input = one_more();
        for (unsigned byte; sscanf(line + 2 * input->size, "%2x", &byte) == 1;)
            input->bytes[input->size++] = (uint8_t)byte;
    }
}

static void take(const char *path) {
    size_t length = strlen(path);
    FILE *file = fopen(path, "rb");
    EXPECT(file);
    if (length > 4 && strcmp(path + length - 4, ".hex") == 0) {
        take_lines(file);
    } else {
        struct input *input = one_more();
        input->size = fread(input->bytes, 1, LONGEST, file);
    }
    fclose(file);
}

static uint64_t state;

static unsigned draw(unsigned n) {
    state += UINT64_C(0x9e3779b97f4a7c15);
    uint64_t z = (state ^ state >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return (unsigned)((z ^ z >> 31) % n);
}

static void change(struct input *x) {
    switch (draw(5)) {
    case 0:
        if (x->size) x->bytes[draw((unsigned)x->size)] = (uint8_t)draw(256);
        break;
    case 1:
        if (x->size) x->bytes[draw((unsigned)x->size)] ^= (uint8_t)(1u << draw(8));
        break;
    case 2:
        if (x->size < LONGEST) x->bytes[x->size++] = (uint8_t)draw(256);
        break;
    case 3:
        if (x->size) x->size = draw((unsigned)x->size) + 1;
        break;
    default: { /* the front of this one, the end of another */
        const struct input *other = inputs[draw((unsigned)count)];
        size_t from = x->size ? draw((unsigned)x->size) : 0;
        size_t n = other->size > from ? other->size - from : 0;
        memcpy(x->bytes + from, other->bytes + from, n);
        x->size = from + n;
    }
    }
}

/* A finding is to be had again: the bytes are kept where the caller asked for it. */
static void run(const struct input *x) {
    const char *keep = getenv("NOMEN_FUZZ_KEEP");
    if (keep) {
        FILE *file = fopen(keep, "wb");
        EXPECT(file && fwrite(x->bytes, 1, x->size, file) == x->size);
        fclose(file);
    }
    uint8_t *exact = malloc(x->size ? x->size : 1); /* the sanitizer knows its end */
    EXPECT(exact);
    memcpy(exact, x->bytes, x->size);
    LLVMFuzzerTestOneInput(exact, x->size);
    free(exact);
}

int main(int argc, char **argv) {
    int more = 0, at = 1;
    if (argc > 3 && strcmp(argv[1], "--random") == 0) {
        more = atoi(argv[2]);
        state = strtoull(argv[3], NULL, 10);
        at = 4;
    }
    for (; at < argc; at++) take(argv[at]);
    EXPECT(count > 0);
    for (int i = 0; i < count; i++) run(inputs[i]);
    struct input *x = calloc(1, sizeof *x);
    EXPECT(x);
    for (int i = 0; i < more; i++) {
        *x = *inputs[draw((unsigned)count)];
        for (unsigned changes = 1 + draw(6); changes; changes--) change(x);
        run(x);
    }
    for (int i = 0; i < count; i++) free(inputs[i]);
    free(x);
    printf("%d inputs of the corpus, %d others\n", count, more);
    return 0;
}
