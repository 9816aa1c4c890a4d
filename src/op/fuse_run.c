/* Runs steps that were put off: the chain becomes a list of loops over values, and block by block
 * all of them run before the next block begins. A value is a block in a buffer, or where a header
 * wants it, a part of memory. The loops are those of the kernel tables, so the numbers are those
 * that one operation after the other would give. */
#include "op/fusing.h"

#include <string.h>

/* CHUNK: elements of a task of the pool, as the iterator has them. AREA: bytes of a thread's
 * buffers, which share the nearest cache with what is read. */
enum { CHUNK = 32768, AREA = 32768, WANTED = 16384, LONGEST = 4096, SHORTEST = 16, ROW = 256 };

/* Every step adds at most one value per operand, a cast of it, what it writes and a cast of that; a
 * reader one more cast. */
enum {
    VALUES = (2 * NOMEN__MAX_IN + 2) * NOMEN__FUSE_WORK + 1,
    LOOPS = (NOMEN__MAX_IN + 2) * NOMEN__FUSE_WORK + 1
};

typedef enum kind { NUMBER, FLAT, WOUND, MADE } kind;

/* FLAT: memory with one step; WOUND: several dims, a block is put together where it does not lie in
 * one run; MADE: by a loop. */
typedef struct value {
    kind kind;
    int64_t item;
    char *memory;                  /* FLAT; MADE: where it goes, NULL: into the buffer only */
    const nomen__fuse_input *from; /* NUMBER, FLAT, WOUND */
    nomen__loop *copy;             /* WOUND */
    int slot, last;                /* of the buffer, -1: none; the last loop that reads it */
    uint8_t dtype;
} value;

typedef struct loop {
    nomen__loop *run;
    int nin, in[NOMEN__MAX_IN], out;
} loop;

struct nomen__fuse_program {
    value *value;
    loop *loop;
    nomen__fused **step, *last;
    char **memory;    /* of each step that gets some: steps may be gone when it is given back */
    size_t *capacity; /* of it; 0: none */
    int values, loops, steps, slots;
    int reading;                /* the value that a reader gets, -1: there is none */
    int64_t item, block, numel; /* of the widest value; elements */
    int64_t row;                /* blocks end where rows of so many elements do, too */
    uint32_t mark;
    size_t bytes;
};
typedef nomen__fuse_program program;

/* ---- the list of loops ----------------------------------------------------------------------- */

static int add_value(program *p, kind k, uint8_t dtype) {
    value *v = &p->value[p->values];
    *v = (value){.kind = k, .item = nomen__item(dtype), .slot = -1, .last = -1, .dtype = dtype};
    if (v->item > p->item) p->item = v->item;
    return p->values++;
}

static void read_by(program *p, int v, int which) {
    value *at = &p->value[v];
    at->last = which;
}

static bool same_input(const nomen__fuse_input *a, const nomen__fuse_input *b) {
    if (a->data != b->data || a->dtype != b->dtype || a->ndim != b->ndim) return false;
    for (int d = 0; d < a->ndim; d++)
        if (a->size[d] != b->size[d] || a->move[d] != b->move[d]) return false;
    return true;
}

static int value_of_memory(program *p, const nomen__fuse_input *in) {
    kind k = in->ndim < 2 ? FLAT : WOUND;
    for (int v = 0; v < p->values; v++)
        if (p->value[v].kind == k && p->value[v].from && same_input(p->value[v].from, in)) return v;
    int v = add_value(p, k, in->dtype);
    p->value[v].from = in;
    p->value[v].memory = in->data;
    if (k == WOUND) p->value[v].copy = nomen__kernel_find("copy", (nomen_dtype)in->dtype)->loop;
    return v;
}

/* The value of a step that became memory before. */
static int value_of_made(program *p, const nomen__fused *f) {
    for (int v = 0; v < p->values; v++)
        if (p->value[v].kind == FLAT && !p->value[v].from && p->value[v].memory == f->storage->data)
            return v;
    int v = add_value(p, FLAT, f->dtype);
    p->value[v].memory = f->storage->data;
    return v;
}

static int value_of(program *p, const nomen__fuse_input *in) {
    if (in->step) return in->step->made ? value_of_made(p, in->step) : in->step->place;
    if (in->storage) return value_of_memory(p, in);
    int v = add_value(p, NUMBER, in->as);
    p->value[v].from = in;
    return v;
}

/* The value in another dtype: by a loop of its own, which is shared. */
static int cast_value(program *p, int v, uint8_t to) {
    nomen__loop *cast = nomen__cast_loop((nomen_dtype)p->value[v].dtype, (nomen_dtype)to);
    if (!cast) return v;
    for (int i = 0; i < p->loops; i++)
        if (p->loop[i].run == cast && p->loop[i].nin == 1 && p->loop[i].in[0] == v)
            return p->loop[i].out;
    int out = add_value(p, MADE, to);
    p->loop[p->loops++] = (loop){cast, 1, {v}, out};
    return out;
}

static void add_step(program *p, nomen__fused *f) {
    loop l = {.run = f->loop, .nin = f->nin};
    for (int i = 0; i < f->nin; i++) {
        int v = value_of(p, &f->in[i]);
        l.in[i] = p->value[v].kind == NUMBER ? v : cast_value(p, v, f->in[i].as);
    }
    l.out = add_value(p, MADE, f->writes);
    p->loop[p->loops++] = l;
    f->place = cast_value(p, l.out, f->dtype);
    p->step[p->steps++] = f;
}

/* What is read comes before who reads it. The depth is bounded by NOMEN__FUSE_WORK. */
static void visit(program *p, nomen__fused *f) {
    if (f->made || f->mark == p->mark) return;
    f->mark = p->mark;
    for (int i = 0; i < f->nin; i++)
        if (f->in[i].step) visit(p, f->in[i].step);
    add_step(p, f);
}

/* ---- buffers --------------------------------------------------------------------------------- */

static int take_slot(program *p, bool *taken) {
    int s = 0;
    while (s < p->slots && taken[s]) s++;
    if (s == p->slots) p->slots++;
    taken[s] = true;
    return s;
}

/* A buffer for each value from the loop that makes it, or the first that reads it, to the last that
 * reads it. */
static void share_slots(program *p, bool *taken) {
    for (int i = 0; i < p->loops; i++) {
        for (int k = 0; k < p->loop[i].nin; k++) read_by(p, p->loop[i].in[k], i);
        read_by(p, p->loop[i].out, i);
    }
    for (int i = 0; i < p->loops; i++) {
        loop *l = &p->loop[i];
        for (int k = 0; k < l->nin; k++) {
            value *v = &p->value[l->in[k]];
            if (v->kind == WOUND && v->slot < 0) v->slot = take_slot(p, taken);
        }
        value *out = &p->value[l->out];
        if (!out->memory) out->slot = take_slot(p, taken);
        for (int k = 0; k < l->nin; k++) {
            const value *v = &p->value[l->in[k]];
            if (v->last == i && v->slot >= 0) taken[v->slot] = false;
        }
        if (out->last == i && out->slot >= 0) taken[out->slot] = false;
    }
}

/* Blocks are short enough for the buffers; within a row, operands that repeat or have holes are
 * read where they lie, unless rows are very short. */
static void choose_block(program *p) {
    int64_t each = p->slots * p->item, block = each ? WANTED / each : CHUNK;
    if (each && block > LONGEST) block = LONGEST;
    if (block < SHORTEST) block = SHORTEST;
    p->block = INT64_C(1) << (63 - __builtin_clzll((unsigned long long)block));
    while (p->block * each > AREA) p->block /= 2;
    p->row = INT64_MAX;
    for (int k = 0; k < p->values; k++) {
        const value *v = &p->value[k];
        if (v->kind == WOUND && v->from->size[0] >= ROW && v->from->size[0] < p->row)
            p->row = v->from->size[0];
    }
}

/* ---- blocks ---------------------------------------------------------------------------------- */

typedef struct run_state {
    const program *p;
    char *area;
    char **at; /* by value: where the block lies */
    int64_t *step;
} run_state;

/* n elements from number `first` of a value with several dims. */
static void unwind(run_state *r, int which, int64_t first, int64_t n) {
    const value *v = &r->p->value[which];
    const nomen__fuse_input *in = v->from;
    int64_t index[NOMEN__FUSE_DIMS], rest = first;
    char *at = in->data;
    for (int d = 0; d < in->ndim; d++) {
        index[d] = rest % in->size[d];
        rest /= in->size[d];
        at += index[d] * in->move[d];
    }
    if (in->size[0] - index[0] >= n) {
        r->at[which] = at;
        r->step[which] = in->move[0];
        return;
    }
    char *to = r->area + v->slot * r->p->block * r->p->item;
    r->at[which] = to;
    r->step[which] = v->item;
    while (n > 0) {
        int64_t part = in->size[0] - index[0] < n ? in->size[0] - index[0] : n;
        v->copy((char *const[2]){to, at}, (const int64_t[2]){v->item, in->move[0]}, part);
        to += part * v->item;
        n -= part;
        at -= index[0] * in->move[0];
        index[0] = 0;
        for (int d = 1; d < in->ndim; d++) {
            at += in->move[d];
            if (++index[d] < in->size[d]) break;
            at -= in->size[d] * in->move[d];
            index[d] = 0;
        }
    }
}

static void run_block(run_state *r, int64_t first, int64_t n) {
    const program *p = r->p;
    for (int k = 0; k < p->values; k++) {
        const value *v = &p->value[k];
        if (v->kind == WOUND)
            r->at[k] = NULL;
        else if (v->memory)
            r->at[k] = v->memory + first * r->step[k];
    }
    for (int i = 0; i < p->loops; i++) {
        const loop *l = &p->loop[i];
        char *ptr[NOMEN__MAX_IN + 1];
        int64_t step[NOMEN__MAX_IN + 1];
        ptr[0] = r->at[l->out];
        step[0] = r->step[l->out];
        for (int k = 0; k < l->nin; k++) {
            int v = l->in[k];
            if (!r->at[v]) unwind(r, v, first, n);
            ptr[k + 1] = r->at[v];
            step[k + 1] = r->step[v];
        }
        l->run(ptr, step, n);
    }
}

void nomen__fuse_compute(const nomen__fuse_program *p, int64_t begin, int64_t end, char *to) {
    _Alignas(64) char area[AREA];
    char *at[VALUES];
    int64_t step[VALUES];
    run_state r = {p, area, at, step};
    for (int k = 0; k < p->values; k++) {
        const value *v = &p->value[k];
        step[k] = v->kind == NUMBER ? 0 : v->item;
        if (v->kind == NUMBER) at[k] = (char *)(uintptr_t)v->from->number;
        if (v->kind == FLAT && v->from) step[k] = v->from->ndim ? v->from->move[0] : 0;
        if (v->kind == MADE && !v->memory) at[k] = area + v->slot * p->block * p->item;
    }
    for (int64_t n; begin < end; begin += n) {
        n = end - begin < p->block ? end - begin : p->block;
        if (p->row - begin % p->row < n) n = p->row - begin % p->row;
        if (to) {
            at[p->reading] = to;
            to += n * step[p->reading];
        }
        run_block(&r, begin, n);
    }
}

/* ---- all of it ------------------------------------------------------------------------------- */

static program *program_room(size_t work) {
    size_t values = VALUES / NOMEN__FUSE_WORK * work + 1 + work;
    size_t loops = LOOPS / NOMEN__FUSE_WORK * work + 1 + work;
    size_t bytes = sizeof(program) + values * sizeof(value) + loops * sizeof(loop) +
                   work * (sizeof(nomen__fused *) + sizeof(char *) + sizeof(size_t)) +
                   values * sizeof(bool);
    program *p = nomen__alloc(bytes);
    if (!p) return NULL;
    *p = (program){.bytes = bytes, .item = 1, .reading = -1};
    p->value = (value *)(void *)(p + 1);
    p->loop = (loop *)(void *)(p->value + values);
    p->step = (nomen__fused **)(void *)(p->loop + loops);
    p->memory = (char **)(void *)(p->step + work);
    p->capacity = (size_t *)(void *)(p->memory + work);
    return p;
}

static void take_back(program *p) {
    for (int i = 0; i < p->steps; i++)
        if (p->capacity[i]) nomen__buffer_free(p->memory[i], p->capacity[i]);
}

/* Will somebody ask for its values? A temporary of an open scope will most often not be; the second
 * time it is believed. */
static bool is_wanted(nomen__fused *f) {
    const nomen_tensor *t = f->header[0];
    if (f->headers != 1 || f->read || !t->scope || t->python) return f->headers;
    f->read = atomic_load_explicit(&t->refs, memory_order_acquire) == 1 &&
              atomic_load_explicit(&t->storage->refs, memory_order_acquire) == 1;
    return !f->read;
}

static bool give_memory(program *p) {
    memset(p->capacity, 0, sizeof *p->capacity * (size_t)p->steps);
    for (int i = 0; i < p->steps; i++) {
        nomen__fused *f = p->step[i];
        if (f == p->last ? p->reading >= 0 : !is_wanted(f)) continue;
        size_t bytes = (size_t)(f->numel * nomen__item(f->dtype));
        p->memory[i] = p->value[f->place].memory = nomen__buffer_new(bytes, &p->capacity[i]);
        if (p->memory[i]) continue;
        p->capacity[i] = 0;
        take_back(p);
        return false;
    }
    return true;
}

nomen__fuse_program *nomen__fuse_program_new(nomen__fused *last, nomen_dtype as) {
    program *p = program_room(last->work);
    if (!p) return NULL;
    p->mark = nomen__fuse_mark();
    p->last = last;
    p->numel = last->numel;
    visit(p, last);
    if (as) p->reading = cast_value(p, last->place, (uint8_t)as);
    if (give_memory(p)) {
        bool *taken = (bool *)(void *)(p->capacity + last->work);
        memset(taken, 0, (size_t)p->values * sizeof *taken);
        share_slots(p, taken);
        choose_block(p);
        return p;
    }
    nomen__free(p, p->bytes);
    return NULL;
}

void nomen__fuse_publish(nomen__fuse_program *p) {
    for (int i = 0; i < p->steps; i++) {
        nomen__fused *f = p->step[i];
        if (!p->capacity[i]) continue;
        nomen__storage *s = f->storage;
        s->data = p->memory[i];
        s->capacity = p->capacity[i];
        s->release = NULL;
        s->payload = NULL;
        for (uint32_t k = 0; k < f->headers; k++) {
            f->header[k]->data = s->data;
            f->header[k]->flags &= (uint8_t)~NOMEN__AWAY;
        }
        f->headers = 0;
        f->made = true;
        nomen__storage_retain(s);
        p->capacity[i] = 0;
    }
}

void nomen__fuse_program_free(nomen__fuse_program *p) {
    take_back(p);
    nomen__free(p, p->bytes);
}
