/* The containers of the backward walk: gradients by node, nodes by age, a path. */
#ifndef NOMEN_SRC_PENDING_H
#define NOMEN_SRC_PENDING_H

#include "autograd/tape.h"

typedef struct nomen__entry {
    nomen__node *node; /* NULL: free; borrowed, the graph outlives the walk */
    nomen_tensor *grad, *result;
    bool adds; /* leaf: grad is to be added to what is there */
    bool seen, target, needed,
        passes; /* walks to chosen inputs: asked for, leads there, leads on */
} nomen__entry;

/* A hash table. Entries move when others are added or taken. */
typedef struct nomen__pending {
    nomen__entry *at;
    size_t room, used; /* room: a power of two, or 0 */
} nomen__pending;

nomen__entry *nomen__pending_find(const nomen__pending *p, const nomen__node *n);
nomen__entry *nomen__pending_add(nomen__pending *p,
                                 nomen__node *n); /* must not be there; NULL: no memory */
nomen_tensor *nomen__pending_take(nomen__pending *p,
                                  const nomen__node *n); /* removes it, with its reference */
void nomen__pending_free(nomen__pending *p);

/* The node with the largest number first. */
typedef struct nomen__heap {
    nomen__node **at;
    size_t room, used;
} nomen__heap;

bool nomen__heap_push(nomen__heap *h, nomen__node *n);
nomen__node *nomen__heap_pop(nomen__heap *h); /* NULL: empty */
void nomen__heap_free(nomen__heap *h);

typedef struct nomen__step_back {
    nomen__node *node;
    uint32_t next; /* edge to look at */
} nomen__step_back;

typedef struct nomen__path {
    nomen__step_back *at;
    size_t room, used;
} nomen__path;

bool nomen__path_push(nomen__path *p, nomen__node *n);
void nomen__path_free(nomen__path *p);

#endif
