/* Values that are put off. While a thread fuses, a large pointwise operation is checked as ever,
 * but leaves a step instead of values: a tensor with everything but data. When somebody asks for
 * the values, all steps that lead to them run together, block by block (fuse_run.c). Only for
 * fuse*.c; what others need to know is nomen__put_off in core.h. */
#ifndef NOMEN_SRC_FUSING_H
#define NOMEN_SRC_FUSING_H

#include "op/op.h"

/* LEAST: smaller results are computed at once, for they stay in cache anyway. WORK: steps and
 * inputs of one run at most. DIMS: of an input, counted as the loops see them. */
enum { NOMEN__FUSE_LEAST = 65536, NOMEN__FUSE_WORK = 128, NOMEN__FUSE_DIMS = 4 };

typedef struct nomen__fused nomen__fused;

/* Where an operand of a step comes from: another step, memory, or one number. */
typedef struct nomen__fuse_input {
    nomen__fused *step;
    nomen__storage *storage; /* NULL: a step, or a number */
    char *data;
    uint8_t dtype, as; /* as it lies in memory; as the kernel wants it */
    int ndim;          /* of memory, in the order of the result's: innermost first, merged */
    int64_t size[NOMEN__FUSE_DIMS], move[NOMEN__FUSE_DIMS]; /* bytes */
    uint64_t number[2];
} nomen__fuse_input;

/* One block. Everything in it is guarded by the lock of fuse.c. */
struct nomen__fused {
    int64_t refs;                  /* the storage's, and those of steps that read it */
    nomen__fused *next, *previous; /* among all that are put off; among the dead */
    const void *owner;             /* the thread that put it off */
    const nomen__op *op;
    nomen__loop *loop;
    nomen__storage *storage; /* made: one reference; before: none, it is alive while headers are */
    nomen_tensor **header;   /* all that are on the storage; room for one more at least */
    nomen_tensor *few[4];
    uint32_t headers, room;
    bool made;
    bool read;             /* without being made: a second time it would be computed in vain */
    uint8_t writes, dtype; /* of the kernel; of the result */
    int ndim, nin;
    uint32_t work; /* steps and inputs that lead here, counted as often as they are met */
    uint32_t mark; /* of the walk that met it last */
    int32_t place; /* among the values of a run */
    int64_t numel, *size, *stride;
    nomen__fuse_input in[NOMEN__MAX_IN];
    size_t bytes;
};

/* A mark that no step has yet; with the lock held. */
uint32_t nomen__fuse_mark(void);
/* The steps that lead to one, as loops over blocks. */
typedef struct nomen__fuse_program nomen__fuse_program;
/* With the lock held, as the next two: NULL and an error without memory. The values of `last` come
 * as `as` into memory of the reader's (NONE: they become memory themselves); whatever else has a
 * header becomes memory on the way. */
nomen__fuse_program *nomen__fuse_program_new(nomen__fused *last, nomen_dtype as);
/* After all of it has run: headers become ordinary tensors. */
void nomen__fuse_publish(nomen__fuse_program *p);
void nomen__fuse_program_free(nomen__fuse_program *p);
/* Elements begin to end, in the order of memory, to `to` if there is a reader. From any thread. */
void nomen__fuse_compute(const nomen__fuse_program *p, int64_t begin, int64_t end, char *to);

/* For reductions (launch_reduce.c). The program of a tensor that is put off and whose only owner is
 * about to let go of it, as it seems; then no memory is needed for it. NULL without an error: it is
 * better made. Nobody else fuses until nomen__fuse_close, which is told whether all of it has run.
 */
nomen_status nomen__fuse_open(const nomen_tensor *t, nomen_dtype as, nomen__fuse_program **p);
void nomen__fuse_close(nomen__fuse_program *p, bool done);

/* With the lock held: n pieces of a program's work, `each` elements in one, shared out as by
 * nomen__parallel. Now and then it is asked whether to go on, without the lock; *lost: steps may
 * have changed meanwhile, so the program is of no use and the rest was left out. NULL: nobody is
 * asked.
 */
nomen_status nomen__fuse_share(int64_t n, int64_t grain, int64_t each, nomen__task *task,
                               void *context, bool *lost);

#endif
