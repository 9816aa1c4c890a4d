/* Random generators: seeds, locks and states. The loops that draw are in random_simd.c, the
 * distributions in random_fill.c. */
#include "core/draw.h"

#include <errno.h>
#include <string.h>
#include <sys/random.h>

static nomen_generator default_generator = {
    .lock = PTHREAD_MUTEX_INITIALIZER,
    .seed = NOMEN_DEFAULT_SEED,
};

/* The recurrence that spreads 32 bits over the state; Matsumoto and Nishimura's of 2002. */
static void start(nomen_generator *g) {
    g->state[0] = (uint32_t)g->seed;
    for (uint32_t i = 1; i < NOMEN__MT_WORDS; i++)
        g->state[i] = 1812433253U * (g->state[i - 1] ^ (g->state[i - 1] >> 30)) + i;
    g->position = NOMEN__MT_WORDS;
    g->has_next_normal = false;
    g->started = true;
}

/* A child of a fork finds the default generator unlocked and whole, whatever other threads were
 * doing. */
static pthread_once_t fork_once = PTHREAD_ONCE_INIT;

static void before_fork(void) { pthread_mutex_lock(&default_generator.lock); }

static void after_fork(void) { pthread_mutex_unlock(&default_generator.lock); }

static void watch_forks(void) { pthread_atfork(before_fork, after_fork, after_fork); }

nomen_generator *nomen__generator_lock(nomen_generator *g) {
    if (!g) g = &default_generator;
    if (g == &default_generator) pthread_once(&fork_once, watch_forks);
    pthread_mutex_lock(&g->lock);
    if (!g->started) start(g);
    return g;
}

void nomen__generator_unlock(nomen_generator *g) { pthread_mutex_unlock(&g->lock); }

void nomen__generator_refill(nomen_generator *g) {
    nomen__random_loops_best()->refill(g->state, g->ready);
    g->position = 0;
}

nomen_generator *nomen_generator_new(uint64_t seed) {
    nomen_generator *g = nomen__calloc(1, sizeof *g);
    if (!g) return NULL;
    pthread_mutex_init(&g->lock, NULL);
    g->seed = seed;
    return g;
}

void nomen_generator_free(nomen_generator **g) {
    if (!g || !*g || *g == &default_generator) return;
    pthread_mutex_destroy(&(*g)->lock);
    nomen__free(*g, sizeof **g);
    *g = NULL;
}

void nomen_generator_manual_seed(nomen_generator *g, uint64_t seed) {
    g = nomen__generator_lock(g);
    g->seed = seed;
    start(g);
    nomen__generator_unlock(g);
}

uint64_t nomen_generator_seed(nomen_generator *g) {
    uint64_t seed = 0;
    ssize_t got;
    do got = getrandom(&seed, sizeof seed, 0);
    while (got < 0 && errno == EINTR);
    if (got != (ssize_t)sizeof seed) {
        nomen__fail(
            NOMEN_ERROR_STATE,
            "the system gives no random bytes (%s); give a seed of your own with manual_seed",
            strerror(errno));
        return 0;
    }
    nomen_generator_manual_seed(g, seed);
    return seed;
}

uint64_t nomen_generator_initial_seed(nomen_generator *g) {
    g = nomen__generator_lock(g);
    uint64_t seed = g->seed;
    nomen__generator_unlock(g);
    return seed;
}

void nomen_manual_seed(uint64_t seed) { nomen_generator_manual_seed(NULL, seed); }

uint64_t nomen_seed(void) { return nomen_generator_seed(NULL); }

uint64_t nomen_initial_seed(void) { return nomen_generator_initial_seed(NULL); }

/* A state as bytes, little-endian: magic, version, position, seed, flag, next normal, words,
 * checksum. */
enum {
    STATE_VERSION = 1,
    AT_MAGIC = 0,
    AT_VERSION = 8,
    AT_POSITION = 12,
    AT_SEED = 16,
    AT_FLAG = 24,
    AT_NORMAL = 32,
    AT_WORDS = 40,
    AT_CHECKSUM = AT_WORDS + 4 * NOMEN__MT_WORDS,
    STATE_BYTES = AT_CHECKSUM + 8,
};
static const char magic[8] = "nomen-mt";

static void put(unsigned char *at, uint64_t value, int bytes) {
    for (int i = 0; i < bytes; i++) at[i] = (unsigned char)(value >> (8 * i));
}

static uint64_t get(const unsigned char *at, int bytes) {
    uint64_t value = 0;
    for (int i = 0; i < bytes; i++) value |= (uint64_t)at[i] << (8 * i);
    return value;
}

/* FNV-1a: catches torn and edited states, not forged ones. */
static uint64_t checksum(const unsigned char *at, size_t bytes) {
    uint64_t sum = UINT64_C(14695981039346656037);
    for (size_t i = 0; i < bytes; i++) sum = (sum ^ at[i]) * UINT64_C(1099511628211);
    return sum;
}

size_t nomen_generator_get_state(nomen_generator *g, void *state, size_t size) {
    if (!state || size < STATE_BYTES) return STATE_BYTES;
    unsigned char *at = state;
    memset(at, 0, STATE_BYTES);
    memcpy(at + AT_MAGIC, magic, sizeof magic);
    put(at + AT_VERSION, STATE_VERSION, 4);
    g = nomen__generator_lock(g);
    uint64_t normal = 0;
    if (g->has_next_normal) memcpy(&normal, &g->next_normal, sizeof normal);
    put(at + AT_POSITION, (uint64_t)g->position, 4);
    put(at + AT_SEED, g->seed, 8);
    put(at + AT_FLAG, g->has_next_normal, 8);
    put(at + AT_NORMAL, normal, 8);
    for (int i = 0; i < NOMEN__MT_WORDS; i++) put(at + AT_WORDS + 4 * i, g->state[i], 4);
    nomen__generator_unlock(g);
    put(at + AT_CHECKSUM, checksum(at, AT_CHECKSUM), 8);
    return STATE_BYTES;
}

/* What is wrong with these bytes, or NULL. */
static const char *state_defect(const unsigned char *at, size_t size) {
    if (size < AT_WORDS || memcmp(at, magic, sizeof magic) != 0)
        return "they are not a generator state of this library";
    if (get(at + AT_VERSION, 4) != STATE_VERSION) return "they have another version";
    if (size != STATE_BYTES) return "their number is wrong";
    if (get(at + AT_CHECKSUM, 8) != checksum(at, AT_CHECKSUM)) return "their checksum is wrong";
    if (get(at + AT_POSITION, 4) > NOMEN__MT_WORDS) return "the position is outside the block";
    if (get(at + AT_FLAG, 8) > 1) return "the flag is neither 0 nor 1";
    double normal;
    uint64_t bits = get(at + AT_NORMAL, 8);
    memcpy(&normal, &bits, sizeof normal);
    if (!(normal > -64 && normal < 64)) return "the kept normal number is out of range";
    uint64_t any =
        get(at + AT_WORDS, 4) >> 31; /* of the first word the recurrence uses the top bit only */
    for (int i = 1; i < NOMEN__MT_WORDS; i++) any |= get(at + AT_WORDS + 4 * i, 4);
    return any ? NULL : "all words are zero, and would stay so";
}

nomen_status nomen_generator_set_state(nomen_generator *g, const void *state, size_t size) {
    const unsigned char *at = state;
    const char *defect = at ? state_defect(at, size) : "there are none";
    if (defect)
        return nomen__fail(
            NOMEN_ERROR_VALUE,
            "the %zu bytes cannot be a generator's state: %s; pass what get_state returned", size,
            defect);
    g = nomen__generator_lock(g);
    uint64_t normal = get(at + AT_NORMAL, 8);
    g->seed = get(at + AT_SEED, 8);
    g->has_next_normal = get(at + AT_FLAG, 8) == 1;
    memcpy(&g->next_normal, &normal, sizeof normal);
    for (int i = 0; i < NOMEN__MT_WORDS; i++) g->state[i] = (uint32_t)get(at + AT_WORDS + 4 * i, 4);
    g->position = (int)get(at + AT_POSITION, 4);
    nomen__random_loops_best()->temper(g->state, g->ready);
    nomen__generator_unlock(g);
    return NOMEN_OK;
}
