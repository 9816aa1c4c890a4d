/* Random generators: seeds, locks and states. The loops that draw are in random_loops.h, the
 * distributions in random_fill.c. */
#include "core/draw.h"
#include "core/forks.h"

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

static void watch_forks(void) { nomen__watch_forks(before_fork, after_fork); }

nomen_generator *nomen__generator_lock(nomen_generator *g) {
    if (!g) g = &default_generator;
    const bool fresh = !atomic_load_explicit(&g->started, memory_order_acquire);
    if (NOMEN_UNLIKELY(fresh) && g == &default_generator) pthread_once(&fork_once, watch_forks);
    pthread_mutex_lock(&g->lock);
    if (NOMEN_UNLIKELY(fresh) && !g->started) start(g);
    return g;
}

void nomen__generator_unlock(nomen_generator *g) { pthread_mutex_unlock(&g->lock); }

nomen_status nomen__generator_ask(nomen_generator *g) {
    if (!nomen__ask_is_due()) return NOMEN_OK;
    pthread_mutex_unlock(&g->lock);
    nomen_status status = nomen__ask();
    pthread_mutex_lock(&g->lock);
    return status;
}

void nomen__generator_refill(nomen_generator *g) {
    nomen__random_loops_best()->refill(g->state, g->ready);
    g->position = 0;
}

void nomen__generator_copy(nomen_generator *to, const nomen_generator *from) {
    to->has_next_normal = from->has_next_normal;
    to->next_normal = from->next_normal;
    to->position = from->position;
    memcpy(to->state, from->state, sizeof to->state);
    memcpy(to->ready, from->ready, sizeof to->ready);
}

void nomen__generator_skip(nomen_generator *g, int64_t words) {
    const nomen__random_loops *loops = nomen__random_loops_best();
    int64_t position = g->position + words;
    if (position > NOMEN__MT_WORDS) {
        for (; position > NOMEN__MT_WORDS; position -= NOMEN__MT_WORDS) loops->step(g->state);
        loops->temper(g->state, g->ready);
    }
    g->position = (int)position;
}

nomen_generator *nomen_generator_new(uint64_t seed) {
    nomen_generator *g = nomen__calloc(1, sizeof *g);
    if (!g) return NULL;
    pthread_mutex_init(&g->lock, NULL);
    g->seed = seed;
    return g;
}

void nomen_generator_free(nomen_generator **g) {
    if (!g || !*g) return;
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

typedef struct generator_state {
    uint64_t seed, position, flag, normal; /* normal: the bits of a double */
    uint32_t words[NOMEN__MT_WORDS];
} generator_state;

static const char *read_own(const unsigned char *at, size_t size, generator_state *s) {
    if (size < AT_WORDS || memcmp(at, magic, sizeof magic) != 0)
        return "they are not a generator state of this library, nor one of PyTorch's";
    if (get(at + AT_VERSION, 4) != STATE_VERSION) return "they have another version";
    if (size != STATE_BYTES) return "their number is wrong";
    if (get(at + AT_CHECKSUM, 8) != checksum(at, AT_CHECKSUM)) return "their checksum is wrong";
    s->seed = get(at + AT_SEED, 8);
    s->position = get(at + AT_POSITION, 4);
    s->flag = get(at + AT_FLAG, 8);
    s->normal = get(at + AT_NORMAL, 8);
    for (int i = 0; i < NOMEN__MT_WORDS; i++) s->words[i] = (uint32_t)get(at + AT_WORDS + 4 * i, 4);
    return NULL;
}

/* What PyTorch's CPU generator gives as its state: seed, words left in the block and one, started,
 * place of the next, words of 64 bits each, and behind a number of no use the kept normal one. */
enum {
    FOREIGN_LEFT = 8,
    FOREIGN_STARTED = 12,
    FOREIGN_NEXT = 16,
    FOREIGN_WORDS = 24,
    FOREIGN_NORMAL = FOREIGN_WORDS + 8 * NOMEN__MT_WORDS + 8,
    FOREIGN_FLAG = FOREIGN_NORMAL + 16,
    FOREIGN_BYTES = FOREIGN_FLAG + 16,
};

static const char *read_foreign(const unsigned char *at, generator_state *s) {
    uint64_t left = get(at + FOREIGN_LEFT, 4), next = get(at + FOREIGN_NEXT, 8);
    if (get(at + FOREIGN_STARTED, 4) != 1 || left < 1 || left > NOMEN__MT_WORDS)
        return "they have the size of PyTorch's, but not their form";
    s->position = NOMEN__MT_WORDS + 1 - left;
    if (next != s->position && !(next == 0 && left == 1))
        return "they have the size of PyTorch's, but not their form";
    s->seed = get(at, 8);
    s->flag = get(at + FOREIGN_FLAG, 4);
    s->normal = s->flag ? get(at + FOREIGN_NORMAL, 8) : 0;
    for (int i = 0; i < NOMEN__MT_WORDS; i++) {
        uint64_t word = get(at + FOREIGN_WORDS + 8 * i, 8);
        if (word > UINT32_MAX) return "a word has more than 32 bits";
        s->words[i] = (uint32_t)word;
    }
    return NULL;
}

/* What is wrong with these bytes, or NULL. */
static const char *read_state(const unsigned char *at, size_t size, generator_state *s) {
    const char *defect = size == FOREIGN_BYTES ? read_foreign(at, s) : read_own(at, size, s);
    if (defect) return defect;
    if (s->position > NOMEN__MT_WORDS) return "the position is outside the block";
    if (s->flag > 1) return "the flag is neither 0 nor 1";
    double normal;
    memcpy(&normal, &s->normal, sizeof normal);
    if (!(normal > -64 && normal < 64)) return "the kept normal number is out of range";
    uint32_t any = s->words[0] >> 31; /* of the first word the recurrence uses the top bit only */
    for (int i = 1; i < NOMEN__MT_WORDS; i++) any |= s->words[i];
    return any ? NULL : "all words are zero, and would stay so";
}

nomen_status nomen_generator_set_state(nomen_generator *g, const void *state, size_t size) {
    generator_state s;
    const char *defect = state ? read_state(state, size, &s) : "there are none";
    if (defect)
        return nomen__fail(
            NOMEN_ERROR_VALUE,
            "the %zu bytes cannot be a generator's state: %s; pass what get_state returned", size,
            defect);
    g = nomen__generator_lock(g);
    g->seed = s.seed;
    g->has_next_normal = s.flag == 1;
    memcpy(&g->next_normal, &s.normal, sizeof s.normal);
    memcpy(g->state, s.words, sizeof s.words);
    g->position = (int)s.position;
    nomen__random_loops_best()->temper(g->state, g->ready);
    nomen__generator_unlock(g);
    return NOMEN_OK;
}
