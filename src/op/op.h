/* Operations: the row of the table, the call that walks the pipeline, the rules that rows are made
 * of. */
#ifndef NOMEN_SRC_OP_H
#define NOMEN_SRC_OP_H

#include "core/core.h"
#include "core/devices.h"
#include "kernels/kernel.h"
#include "nomen/scope.h"
#include "op/infer.h"

#include <string.h>

struct nomen_generator;
typedef struct nomen__call nomen__call;
typedef struct nomen__op nomen__op;

enum {
    NOMEN__MAX_ARGS = 8, /* columns of one row's args */
    NOMEN__MAX_IN = 4,   /* tensor operands of one row (lists apart) */
    NOMEN__MAX_OUT = 2,
    NOMEN__POOL = 2 * NOMEN_MAX_DIMS + 8 /* dim references one call can hold */
};

/* ---- arguments ------------------------------------------------------------------------------- */

typedef enum nomen__kind {                 /* C type in the generated argument struct */
                           NOMEN__TENSOR,  /* nomen_tensor *; in Python numbers too */
                           NOMEN__TENSORS, /* nomen_list */
                           NOMEN__NUMBER,  /* nomen_number; absent by {0} */
                           NOMEN__INT,     /* int64_t */
                           NOMEN__FLAG,    /* bool */
                           NOMEN__DIM,     /* const char *: one dim, a name or an integer */
                           NOMEN__DIMS, /* const char *: a list of dims; in Python one dim or a list
                                         */
                           NOMEN__NAMES, /* const char *: names of a result; in Python a tuple of
                                            names or None */
                           NOMEN__NAME,  /* const char *: one new name, "*" or NULL: unnamed */
                           NOMEN__SIZES, /* nomen_sizes */
                           NOMEN__DTYPE, /* nomen_dtype */
                           NOMEN__TEXT,  /* const char *: a word such as rounding_mode="floor" */
                           NOMEN__GENERATOR, /* struct nomen_generator * */
} nomen__kind;
enum { NOMEN__KINDS = NOMEN__GENERATOR + 1 };

enum {
    NOMEN__OPTIONAL = 1, /* may be absent; a list of tensors may have gaps (NULL) */
    NOMEN__KEYWORD = 2,  /* in Python by keyword only */
    NOMEN__VARIADIC =
        4, /* in Python the positional rest may be spread: permute(0, 1), zeros(2, 3) */
    NOMEN__OPPOSITE = 8, /* a flag that is true by default in Python; in C, and in the call, its
                            opposite is false by default and has another name */
    NOMEN__NONE_IS_A_DIM = 16, /* Python's None is a dim to be looked up, which fails */
};

typedef struct nomen__argspec {
    const char *name;
    uint8_t kind, flags;
    uint16_t offset; /* in the generated argument struct */
} nomen__argspec;

typedef union nomen__arg {
    nomen_tensor *tensor;
    nomen_list list;
    const nomen_number *number;
    int64_t integer;
    bool flag;
    nomen__dims dims; /* DIM, DIMS, NAMES */
    nomen_name name;
    nomen_sizes sizes;
    nomen_dtype dtype;
    const char *text;
    struct nomen_generator *generator;
} nomen__arg;

/* ---- rows ------------------------------------------------------------------------------------ */

typedef nomen_status nomen__step(nomen__call *c);
typedef const char *nomen__by_number(const nomen_tensor *number);
struct nomen__backward;
typedef nomen_tensor *nomen__gradient(struct nomen__backward *b, int input);

enum nomen__form { NOMEN__FUNCTION = 1, NOMEN__METHOD = 2, NOMEN__INPLACE = 4, NOMEN__OUT = 8 };

/* in `save`, beside bit i for input i */
enum { NOMEN__SAVE_SECOND = 1u << 30, NOMEN__SAVE_RESULT = 1u << 31 };

typedef enum nomen__quick_kind {
    NOMEN__QUICK_NEVER,
    NOMEN__QUICK_SAME, /* the operands' dtype */
    NOMEN__QUICK_BOOL,
    NOMEN__QUICK_FLOAT, /* the operands' dtype if it is floating or complex */
    NOMEN__QUICK_REAL,  /* the operands' dtype unless it is complex */
} nomen__quick_kind;

/* Of rows with three operands. */
typedef enum nomen__three_kind {
    NOMEN__THREE_NEVER,
    NOMEN__THREE_SAME,      /* the result has the dtype of all */
    NOMEN__THREE_CONDITION, /* of the last two; the first is bool */
} nomen__three_kind;

struct nomen__op {
    const char *name, *signature, *doc;
    const char *first, *second; /* names of two results; NULL: a plain tuple; there is one */
    uint16_t id;
    uint16_t out_offset, second_offset, device_offset; /* in the argument struct; 0: none */
    uint16_t tail, bytes; /* of the argument struct: where that begins which may be absent; all */
    const void *given;    /* an argument struct that has bits where one with everything given may */
    uint8_t nargs, nout, forms;
    uint8_t lead;     /* how many arguments at the front are tensors that must be given */
    uint8_t more;     /* bit per tensor argument behind them, lists too */
    uint8_t view;     /* names and shape are all its steps: nothing is computed or refused */
    uint8_t spare;    /* everything behind them may be absent, and is no tensor */
    uint8_t required; /* bit per argument that must be given */
    uint8_t first_of[NOMEN__KINDS]; /* by kind: the first argument of that kind, from 1; 0: none */
    uint8_t list;    /* returns a list of tensors; 2: in Python a single one by itself */
    uint8_t truth;   /* returns whether its one element is true */
    uint8_t creates; /* makes tensors of nothing: a device may be given */
    uint8_t
        quick; /* nomen__quick_kind: what the short way of quick.c makes of the operands' dtype */
    uint8_t three;       /* nomen__three_kind */
    uint8_t primitive;   /* 1: walks the pipeline; 0: compose does it all */
    uint8_t shape_first; /* sizes are checked before names (mm, mv, bmm, addmm, dot) */
    uint8_t repeats;     /* in place, elements may lie on each other: the same is written to all */
    uint8_t pieces;      /* bit per tensor argument: its gradient may be made piece by piece */
    uint8_t pieces_kept; /* but not cut along the dims that were reduced */
    const nomen__argspec *args;
    uint32_t alone[2];            /* nomen__alone_of: of real and of complex numbers */
    uint32_t dtypes;              /* bit per dtype the kernel may compute in */
    const char *refuse_bool;      /* what is said of bool operands; NULL: nothing particular */
    const char *refuse_complex;   /* and of complex ones */
    const char *rule;             /* name rule, a word of namerules.def */
    const char *kernel;           /* name in the kernel tables, NULL: none */
    nomen__step *names;           /* operands' names to c->names */
    nomen__step *dtype;           /* c->compute and c->result[] */
    nomen__step *shape;           /* c->ndim, c->size (views: c->map) */
    nomen__step *launch;          /* runs the kernel; cannot fail once it has begun to write */
    nomen__step *compose;         /* composite rows */
    nomen__step *choose;          /* may swap c->kernel and operands before the dtype rule (alpha,
                                     rounding_mode, bounds) */
    nomen__by_number *by_number;  /* kernels of one operand that do what the kernel does with some
                                     numbers as the second one */
    nomen__gradient *grad;        /* NULL: not differentiable */
    uint32_t save[NOMEN__MAX_IN]; /* what the formula of each input needs */
    nomen__gradient *grad_second; /* the same of the second result */
    uint32_t save_second[NOMEN__MAX_IN];
};

extern const nomen__op nomen__ops[]; /* table.gen.c; ended by a row without a name */
extern const int nomen__op_count;
/* By its name or a second one. */
const nomen__op *nomen__op_find(const char *name);

/* A second name of a row; in order of names. */
typedef struct nomen__alias {
    const char *name;
    uint16_t op;
} nomen__alias;
extern const nomen__alias nomen__aliases[];
extern const int nomen__alias_count;

/* ---- views ----------------------------------------------------------------------------------- */

/* A view as a map of dims: result dim k walks input dim source[k] with step[k] times its stride
 * (source -1: a dim that is not there, stride 0), and input dim d is entered at start[d]. Names,
 * sizes, strides, offset and the gradient of every select, narrow, slice, transpose, permute,
 * squeeze, unsqueeze, expand, align follow from it. */
typedef struct nomen__map {
    int ndim, input_ndim;
    int8_t source[NOMEN_MAX_DIMS];
    int64_t size[NOMEN_MAX_DIMS], step[NOMEN_MAX_DIMS];
    int64_t start[NOMEN_MAX_DIMS]; /* per input dim */
} nomen__map;

/* A fresh header on t's storage, seen through the map; names are set by the caller. */
nomen_tensor *nomen__map_apply(const nomen_tensor *t, const nomen__map *map);
/* A stride that a view may keep. One that is longer than any memory leads to no element: it becomes
 * 0, so that sums and small multiples of strides never overflow. */
static inline int64_t nomen__stride_kept(int64_t stride) {
    const uint64_t most = UINT64_C(1) << 52;
    return (uint64_t)stride + most < 2 * most ? stride : 0;
}
/* The same as an operation that nobody records, with these names (NULL: none). */
nomen_tensor *nomen__map_view(nomen_tensor *t, const nomen__map *map, const nomen_name *names);
/* The map that leaves every dim as it is. */
void nomen__map_identity(const nomen_tensor *t, nomen__map *map);
/* The map and names of in[0] with its dims in the order of c->dims. */
void nomen__map_permute(nomen__call *c);
/* A header on t's storage with other sizes if strides allow it, else on a contiguous copy. No
 * autograd, no names. */
nomen_tensor *nomen__reshaped(nomen_tensor *t, int ndim, const int64_t *size);

/* t with every element once: a dim of step 0 becomes one of size 1, but for the dim to keep (-1:
 * none). */
nomen_tensor *nomen__folded(nomen_tensor *t, int keep);
/* The dims of t from the innermost in memory to the outermost. */
void nomen__memory_order(const nomen_tensor *t, int *dims);
/* Strides without holes in the order of those of a model with as many dims; the same for a fresh
 * tensor. */
void nomen__strides_like(const nomen_tensor *model, const int64_t *size, int64_t *stride);
void nomen__lay_out_like(nomen_tensor *fresh, const nomen_tensor *model);

/* memory_format=, as of memory_format.c: like the operands, or in an order of its own */
enum nomen__format {
    NOMEN__ANY_ORDER,
    NOMEN__ROW_MAJOR,
    NOMEN__CHANNELS_LAST,
    NOMEN__CHANNELS_LAST_3D
};
nomen_status nomen__format_find(const char *word, uint8_t *format);
nomen_status nomen__format_check(uint8_t format, int ndim);
bool nomen__lies_in_format(const nomen_tensor *t, uint8_t format);
/* The same, but there may be holes: of a part of an image. */
bool nomen__steps_in_format(const nomen_tensor *t, uint8_t format);
void nomen__lay_out_in_format(nomen_tensor *fresh, uint8_t format); /* channels last */
nomen_status nomen__reorder(nomen__call *c);                        /* the result of a composite */
/* A fresh tensor with the dtype and sizes of t, its dims in the order that they have in t's memory,
 * without holes. */
nomen_tensor *nomen__like_in_memory(const nomen_tensor *t);

/* What a call wants of the rows that it puts in order: results per row, the rank (from 0). */
typedef struct nomen__order_call {
    int64_t count, k;
    bool descending;
} nomen__order_call;

/* ---- calls ----------------------------------------------------------------------------------- */

struct nomen__call {
    const nomen__op *op;
    const char *kernel_name; /* op->kernel unless chosen otherwise */
    nomen_tensor *
        *in; /* operands in order: in_inline, or a list's (then nin may exceed NOMEN__MAX_IN) */
    int dim; /* the resolved single dim (DIM), or -1 */
    int dims_count; /* the resolved dims in c->dims, -1: none are given */
    uint8_t nout;
    int16_t wanted; /* the device that a factory was told, -1: none */
    /* from here to arg: zero at the start, all at once */
    const nomen__kernel *kernel; /* for c->compute */
    void *node, *second_node;    /* the tape's, while recording */
    uint32_t given;              /* bit per argument */
    uint32_t listed;             /* bit per DIMS argument that was written as a list */
    bool inplace;
    bool named;     /* an operand has names */
    bool record;    /* the tape wants to know */
    bool is_view;   /* out[0] shares storage with in[0] */
    bool put_off;   /* the values come later (fuse.c) */
    bool asked;     /* the short way was asked for, and is none */
    bool lent;      /* in place the caller wants no reference more: out[0] is arg[0] as it is */
    uint8_t format; /* nomen__format: how a fresh result is to lie in memory */
    uint8_t nin;
    uint8_t device;            /* where the results will be */
    bool skip[NOMEN__MAX_OUT]; /* result not wanted */
    uint16_t dims_used, sizes_used;
    int temporaries;
    nomen_tensor *
        out[NOMEN__MAX_OUT]; /* on entry out= or NULL; on success the results, one reference each */
    nomen_tensor *target[NOMEN__MAX_OUT]; /* out= as given, borrowed, while the call walks */
    nomen_tensor *fresh[NOMEN__MAX_OUT];  /* computed apart, to move into target at the end */
    nomen_tensor **results; /* rows that return lists: nomen__alloc'ed array of references */
    int64_t results_count;
    int64_t in_count; /* = nin, wide for lists */
    const nomen_tensor
        *like; /* a contiguous operand with the sizes of the result, if the shape step met one */
    const nomen_tensor *layout; /* a fresh result lies in memory in the order of its dims */
    uint64_t mask; /* the resolved dims (DIMS) as a set; all ones over the rank when absent */
    nomen__arg arg[NOMEN__MAX_ARGS];
    nomen_tensor *in_inline[NOMEN__MAX_IN];
    nomen_backend_kernel *device_kernel;        /* of c->device, where that is not the CPU */
    nomen_tensor *temporary[NOMEN__MAX_IN + 2]; /* made on the way, released at the end */
    nomen_dtype compute, result[NOMEN__MAX_OUT];
    nomen_dtype
        writes; /* what the kernel writes before it is cast for out[0]: bool for comparisons */
    double reduce_correction; /* var, std */
    nomen__order_call order;  /* sort, topk, median */
    int ndim;                 /* of the result */
    nomen__namelist names;    /* of the result; n = -1: none */
    int dims[NOMEN_MAX_DIMS]; /* the resolved dims in order */
    int64_t size[NOMEN_MAX_DIMS];
    int64_t sizes_pool[NOMEN_MAX_DIMS];
    union {
        nomen__map map; /* views */
        struct {        /* numbers that become operands, and end with the call */
            nomen_tensor passing[NOMEN__MAX_IN - 1];
            _Alignas(16) char passing_value[NOMEN__MAX_IN - 1][16];
        };
    };
    nomen__dimref dims_pool[NOMEN__POOL];
    nomen_number numbers[NOMEN__MAX_ARGS];
};

/* A call starts here; then the front end fills arg[], given, out[] and calls nomen__invoke. Only
 * what this sets has a value: the struct is large and mostly unused. Arguments not given stay
 * undefined: ask c->given. */
static inline void nomen__call_begin(nomen__call *c, const nomen__op *op) {
    c->op = op;
    c->kernel_name = op->kernel;
    c->in = c->in_inline;
    c->nout = op->nout;
    c->wanted = -1;
    c->dim = -1;
    c->dims_count = -1;
    c->names.n = -1;
    const size_t from = offsetof(nomen__call, kernel), to = offsetof(nomen__call, arg);
    __builtin_memset((char *)c + from, 0, to - from); /* a few wide stores */
}
/* A number that is not complex. */
static inline double nomen__real_of(const nomen_number *n) {
    return n->kind == NOMEN_NUMBER_FLOAT ? n->re : (double)n->i;
}
static inline bool nomen__given(const nomen__call *c, int arg) { return c->given >> arg & 1; }

/* Walks the pipeline. NOMEN_OK: c->out[] (or c->results) hold new references. Otherwise an error is
 * recorded, with the operation and its operands, and nothing was written. In place: out[0] is
 * arg[0] with a reference more, if it is not `lent`. */
nomen_status nomen__invoke(nomen__call *c);
/* What is left of a call that is_plain (call.c), whose operands are in in_inline, all of one dtype
 * that the row takes, and whose sizes are known: its one result, without names. */
nomen_tensor *nomen__run_sized(nomen__call *c);
/* The short way (quick.c) of a row with op->quick and nothing but its leading tensors given (b NULL
 * for one). NULL: not this time, and no error; go to nomen__invoke. */
nomen_tensor *nomen__quick(const nomen__op *op, const nomen_tensor *a, const nomen_tensor *b);
/* The same of a tensor and a number, which then needs no tensor. */
nomen_tensor *nomen__quick_number(const nomen__op *op, const nomen_tensor *t, const nomen_number *n,
                                  bool number_first);
/* The same of a row with op->three and three operands, all given and nothing else. NULL among them:
 * the number at its place. into: NULL, or what it is written to and which is given back: out=, or
 * the first operand, in place. */
nomen_tensor *nomen__quick_three(const nomen__op *op, const nomen_tensor *const operands[3],
                                 const nomen_number numbers[3], nomen_tensor *into);
/* The same in place; false: not this time. */
bool nomen__quick_into(const nomen__op *op, nomen_tensor *self, const nomen_tensor *b);
bool nomen__quick_number_into(const nomen__op *op, nomen_tensor *self, const nomen_number *n);
/* The same into out=, which must be as the result would be. */
bool nomen__quick_out(const nomen__op *op, const nomen_tensor *a, const nomen_tensor *b,
                      nomen_tensor *out);
/* Is everything behind the leading tensors absent from this argument struct, which is zero in every
 * kind of argument? Between the fields there may be anything. */
static inline bool nomen__nothing_behind(const nomen__op *op, const char *args) {
    uintptr_t given = 0; /* structs that have pointers are as long as so many words */
    for (size_t at = op->tail; at < op->bytes; at += sizeof given) {
        uintptr_t word, fields;
        memcpy(&word, args + at, sizeof word);
        memcpy(&fields, (const char *)op->given + at, sizeof fields);
        given |= word & fields;
    }
    return !given;
}
/* Is nothing behind the leading tensors given in this argument struct, but for out? */
bool nomen__quick_absent(const nomen__op *op, const char *args, nomen_tensor **out);
/* Entry of the C interface: an argument struct as the generated header declares it. */
nomen_tensor *nomen__call_struct(const nomen__op *op, const void *args, bool inplace);
nomen_list nomen__call_struct_list(const nomen__op *op, const void *args);
bool nomen__call_struct_bool(const nomen__op *op, const void *args);
/* "self=Tensor[N=32, C=64], other=Tensor[C=3]" */
void nomen__call_describe(nomen__text *t, const nomen__call *c, bool dtypes);

/* Position of the first argument of that kind in the row, or -1. */
static inline int nomen__arg_of(const nomen__op *op, nomen__kind kind) {
    return (int)op->first_of[kind] - 1;
}
/* Puts a text dim list into the call's pool as argument i; the front ends share it. */
nomen_status nomen__take_dims(nomen__call *c, int i, const char *text);
/* Calls a row with up to four tensors and nothing else: what composites are made of. One reference,
 * no scope. */
nomen_tensor *nomen__apply(int op, nomen_tensor *a, nomen_tensor *b);
/* The same with out=, if it is not NULL. */
nomen_tensor *nomen__apply_to(int op, nomen_tensor *a, nomen_tensor *b, nomen_tensor *out);
/* Can result i be written to the target, as far as dtypes go? */
nomen_status nomen__check_cast(const nomen__call *c, int i, const nomen_tensor *target);
/* out= of a composite, to be handed on to the last operation in it, which saves a copy; NULL where
 * there is none, or it has names, which are compared with those of the whole. */
nomen_tensor *nomen__compose_target(const nomen__call *c);
/* An operand without its names, inside a scope: itself if it has none. */
nomen_tensor *nomen__nameless(nomen_tensor *t);
/* Puts the value of a composite where the call wants it: into self, into out=, or as it is.
 * Consumes t. names: NULL if it has them already. */
nomen_status nomen__compose_deliver(nomen__call *c, nomen_tensor *t, const nomen__namelist *names);
/* The coordinates of all pairs i < j < n, row by row: int64, [pairs, 2]. */
nomen_tensor *nomen__pairs(int64_t n);
/* The gradient of softmax or log_softmax ("softmax_gradient" ...) along a dim, from the result y
 * and its gradient g: contiguous, of one dtype. One reference. */
nomen_tensor *nomen__rows_slopes(const char *kernel, const nomen_tensor *y, const nomen_tensor *g,
                                 int dim);
/* What the distances of points x and y, with p = 1 or 2, say of x: all of one dtype, float32 or
 * float64, and with the batch dims of g. One reference. */
nomen_tensor *nomen__distance_slopes(const nomen_tensor *x, const nomen_tensor *y,
                                     const nomen_tensor *g, const nomen_tensor *norm, double p);
/* One view of a row with (self, dim, integer[, integer]): select, narrow. No scope owns it. */
nomen_tensor *nomen__piece(int op, nomen_tensor *t, int dim, int64_t a, int64_t b);
/* cat of parts along a dim, to out if that is not NULL; t in another dtype. No scope owns them. */
nomen_tensor *nomen__joined(nomen_list parts, int dim, nomen_tensor *out);
nomen_tensor *nomen__converted(nomen_tensor *t, nomen_dtype dtype);
/* t with a dim of size 1 more, and t without its names: one reference, no scope; of NULL NULL. */
nomen_tensor *nomen__unsqueezed(nomen_tensor *t, int dim);
nomen_tensor *nomen__bare(nomen_tensor *t);
/* Room for the results of rows that return lists; gives back what is there after a failure. */
nomen_status nomen__results_begin(nomen__call *c, int64_t count);
nomen_status nomen__results_undo(nomen__call *c);
/* Promotion of operands as PyTorch does it: tensors with dims before 0-d ones before numbers, kind
 * by kind. */
nomen_dtype nomen__common_dtype(nomen_tensor *const *in, int64_t count);
/* Names of a result as one operand has them; a names argument as a list. */
nomen_status nomen__names_keep_of(nomen__call *c, const nomen_tensor *t);
/* Have both as many dims, and the same names, or none? Then the rules that unify them change
 * nothing. */
static inline bool nomen__named_alike(const nomen_tensor *a, const nomen_tensor *b) {
    bool alike = a->ndim == b->ndim && !((a->flags ^ b->flags) & NOMEN__NAMED);
    for (int i = 0; alike && (a->flags & NOMEN__NAMED) && i < a->ndim; i++)
        alike = a->names[i] == b->names[i];
    return alike;
}
/* The same of all, each beside the first. */
static inline bool nomen__all_named_alike(nomen_tensor *const *in, int64_t count) {
    bool alike = true;
    for (int64_t i = 1; alike && i < count; i++) alike = nomen__named_alike(in[0], in[i]);
    return alike;
}
nomen_status nomen__names_listed(nomen__dims dims, nomen__namelist *result);
/* The tensor dies with the call. */
void nomen__take_temporary(nomen__call *c, nomen_tensor *t);
nomen_status nomen__shape_batch(nomen__call *c);
/* Broadcasts size2 into (ndim, size); false if they do not fit. */
bool nomen__broadcast(int *ndim, int64_t *size, int ndim2, const int64_t *size2);
/* May t be expanded to these sizes? Says why not; the other one says it of a dim. */
nomen_status nomen__expands(const nomen_tensor *t, int ndim, const int64_t *size);
nomen_status nomen__fail_expanded(const nomen_tensor *t, int dim, int64_t wanted, int ndim,
                                  const int64_t *size);

/* A factor of one changes nothing; one of a higher kind than a sum's dtype is refused. */
bool nomen__is_one(const nomen_number *n);
nomen_status nomen__check_alpha(const nomen_number *alpha, nomen_dtype d);
/* 0: bool, 1: integers, 2: floating, 3: complex; the common dtype of two is of the higher kind. */
static inline int nomen__dtype_kind(nomen_dtype d) {
    return d >= NOMEN_C64 ? 3 : d >= NOMEN_F16 ? 2 : d == NOMEN_BOOL ? 0 : 1;
}
_Static_assert(NOMEN_F16 > NOMEN_I64 && NOMEN_C64 > NOMEN_F64, "kinds are ranges of dtypes");
/* What can count up to `most`: numbers' own dtype where it can, which saves conversions. */
static inline nomen_dtype nomen__counter_of(nomen_dtype own, int64_t most) {
    if (own == NOMEN_F64 || (own == NOMEN_F32 && most < 1 << 24)) return own;
    return most < INT32_MAX ? NOMEN_I32 : NOMEN_I64;
}
/* Can the number of a 0-d tensor be put into a tensor of this dtype? "value cannot be converted to
 * type .. without overflow" */
nomen_status nomen__check_fits(const nomen_tensor *value, nomen_dtype dtype);
nomen_status nomen__check_number(const nomen_number *number, nomen_dtype dtype);
/* The same for those of the operands that were given as numbers. */
nomen_status nomen__numbers_fit(nomen_tensor *const *in, int64_t count, nomen_dtype dtype);

/* The bytes of a number, at most 16, and what dtype they are of. */
nomen_dtype nomen__number_to(const nomen_number *n, void *value);
/* A 0-d tensor of one number, weak in promotion; one reference, no scope. */
nomen_tensor *nomen__wrap_number(const nomen_number *n);
/* A header of a number that lies at `value`, which nobody else sees or keeps. */
extern nomen__storage nomen__passing_storage; /* nothing else lies there */
static inline void nomen__pass_number(nomen_tensor *t, nomen_dtype d, void *value) {
    t->magic = NOMEN__LIVE;
    t->device = t->ndim = 0;
    t->flags = NOMEN__WRAPPED | NOMEN__CONTIGUOUS;
    t->base = NULL;
    t->numel = 1;
    t->storage = &nomen__passing_storage;
    t->data = value;
    t->dtype = (uint8_t)d;
}
/* A number as one more operand; of dtype d, which the call computes in, where that decides nothing:
 * then the launch need not cast it. Half types are left to it, since some kernels compute wider. */
nomen_status nomen__add_number(nomen__call *c, const nomen_number *n, nomen_dtype d);

/* ---- values that are put off (fuse.c) -------------------------------------------------------- */

extern _Thread_local uint16_t nomen__fusing __attribute__((tls_model("initial-exec")));
void nomen__fuse_enter(void);
/* The outermost one computes what this thread has put off, unless `early`: then it stays put off.
 */
nomen_status nomen__fuse_leave(bool early);
/* Leaves where that is nothing, because no thread has put off anything; false: call the other. */
bool nomen__fuse_left(void);
/* When operands are known: those that the call will follow are computed. */
nomen_status nomen__fuse_operands(const nomen__call *c);
/* Set by a front end whose objects own headers: does nothing but the running call hold the object?
 */
extern bool (*nomen__held_once)(const void *python);
/* When kernel and sizes are known, while this thread fuses: c->out[0] becomes a result whose values
 * are put off, or the operands are computed. */
nomen_status nomen__fuse_call(nomen__call *c);
/* The strides of a fresh result that lies in memory in the order of an operand; false, and nothing
 * said: row-major. */
bool nomen__result_strides(const nomen__call *c, int64_t *stride);
bool nomen__strides_of_taken(const nomen__call *c, int64_t *stride);

/* ---- the tape's hooks (src/autograd installs them) ------------------------------------------- */

typedef struct nomen__tape_hooks {
    /* Before the first write: checks in-place rules, makes the node and saves operands; sets
     * c->node, and c->second_node if the second result has a gradient too. */
    nomen_status (*prepare)(nomen__call *c);
    /* After the kernel: saves results, ties c->out[] to the nodes. Cannot fail. */
    void (*commit)(nomen__call *c);
    /* Instead of commit when a later step failed. */
    void (*discard)(nomen__call *c);
    /* Is t a result on the tape? */
    bool (*has_history)(const nomen_tensor *t);
} nomen__tape_hooks;
extern nomen__tape_hooks nomen__tape;
extern _Thread_local bool nomen__grad_enabled __attribute__((tls_model("initial-exec")));

/* What a view shares with its operand, where nothing is recorded. */
static inline void nomen__finish_view(nomen_tensor *out, nomen_tensor *of) {
    out->flags |= of->flags & (NOMEN__BLIND | NOMEN__UNHEARD);
    if (NOMEN_LIKELY(nomen__grad_enabled))
        nomen__set_base(out, of);
    else
        out->flags |= NOMEN__BLIND | (nomen__concerns_tape(of) ? NOMEN__UNHEARD : 0u);
}

/* ---- kernels (registry.c) -------------------------------------------------------------------- */

/* The row whose output is of another dtype than that of others of its name, or NULL. */
const nomen__kernel *nomen__kernel_writing(const char *name, nomen_dtype dtype, nomen_dtype to);
/* The row of the best ISA for (name, dtype), or NULL. Cached per op and dtype by nomen__op_kernel.
 */
const nomen__kernel *nomen__kernel_find(const char *name, nomen_dtype dtype);
/* The same through a cache of op's own when name is the pointer op->kernel. */
const nomen__kernel *nomen__op_kernel(const nomen__op *op, const char *name, nomen_dtype dtype);
/* What is in that cache; NULL: nothing yet. */
enum { NOMEN__CACHED_OPS = 512 };
extern const nomen__kernel *_Atomic nomen__op_kernels[NOMEN__CACHED_OPS][NOMEN_DTYPE_COUNT];
static inline const nomen__kernel *nomen__op_kernel_known(const nomen__op *op, nomen_dtype dtype) {
    return NOMEN_LIKELY(op->id < NOMEN__CACHED_OPS)
               ? atomic_load_explicit(&nomen__op_kernels[op->id][dtype], memory_order_relaxed)
               : NULL;
}
/* NULL: from is to, nothing to convert. */
nomen__loop *nomen__cast_loop(nomen_dtype from, nomen_dtype to);
nomen__loop *nomen__copy_loop(nomen_dtype dtype); /* values as they are */
/* The one or the other. */
static inline nomen__loop *nomen__move_loop(nomen_dtype from, nomen_dtype to) {
    return from == to ? nomen__copy_loop(to) : nomen__cast_loop(from, to);
}
/* One number; with the steps of a row, as loops are shortest for rows. */
static inline void nomen__cast_one(nomen__loop *cast, nomen_dtype to, void *value, nomen_dtype from,
                                   const void *at) {
    char *const ptr[2] = {value, (char *)(uintptr_t)at};
    const int64_t step[2] = {nomen__item(to), nomen__item(from)};
    cast(ptr, step, 1);
}

/* Whose product is taken for matrices of these sizes (blas.c): own, or one that stands for it. */
const nomen__gemm *nomen__gemm_for(const nomen__gemm *own, nomen_dtype dtype, int64_t m, int64_t n,
                                   int64_t k);

/* ---- the iterator (iter.c, iter_plan.c) ------------------------------------------------------ */

/* operand[0] is written, the others read; all are broadcast to (ndim, size). The kernel computes in
 * c's dtype; operands of other dtypes pass through a block buffer. */
typedef struct nomen__iter {
    int ndim, count;
    int64_t numel, alone; /* alone: elements that one thread does by itself, in chunks of half */
    nomen__loop *loop;
    char *base[NOMEN__MAX_IN + 1];
    nomen__loop *cast[NOMEN__MAX_IN +
                      1]; /* [0]: from the kernel's dtype; others: to it; NULL: none needed */
    int64_t item[NOMEN__MAX_IN + 1]; /* bytes of one element as the kernel sees it */
    int64_t size[NOMEN_MAX_DIMS];    /* innermost first, merged */
    int64_t step[NOMEN_MAX_DIMS]
                [NOMEN__MAX_IN + 1]; /* bytes, by dim: step[0] is what a loop wants */
    int64_t own[NOMEN__MAX_IN + 1];  /* bytes of one element as it lies in memory */
    bool simple;                     /* one short run, nothing to cast */
    bool casting;                    /* some cast[k] is not NULL */
    uint32_t tiled; /* bit per input that does not lie like the output in dims 0 and 1: read in
                       tiles, `high` rows of `width` elements at most; bit 0: written in such */
    bool called;    /* if tiled: short rows for which a light kernel is called one by one instead */
    bool spans;     /* if tiled: rows with the same holes in all inputs, which are computed, too */
    bool wide;      /* if tiled: tiles that are larger than what there is on the stack */
    int cut; /* if tiled: the dim of which a tile has `width` indices, and of the next one `high` */
    int64_t inner; /* elements of the dims before it, of which a tile has all */
    int64_t high, width;
    bool moves;  /* one input, whose elements are copied as they are */
    bool turns;  /* in such tiles: rows of the input become columns, which is all there is to do */
    bool planes; /* in such tiles: short rows are moved along a longer dim */
    bool even;   /* no input moves along dim 0: one number is computed, then spread */
    bool again;  /* none moves along dim 1: one row is computed, then repeated */
    nomen__loop *spread;
    uint64_t constant[NOMEN__MAX_IN + 1]
                     [2]; /* inputs of one element that were cast on the way in */
    nomen__lines *lines;  /* NULL: a call of the loop for each row */
} nomen__iter;

/* Resolves the row's DIM or DIMS argument against the first operand: c->dim, c->mask, c->dims.
 * Absent: all dims. The name rules do; what is chosen before them may. */
nomen_status nomen__resolve_dims(nomen__call *c);

/* Where one thread stops being enough: functions that take long per element, and the others. */
enum { NOMEN__ALONE_HEAVY = 16384, NOMEN__ALONE = 65536 };
static inline uint32_t nomen__alone_of(const nomen__op *op, nomen_dtype dtype) {
    return op->alone[dtype >= NOMEN_C64];
}

/* kernel_dtype: of the inputs; kernel_result: what the kernel writes. */
void nomen__iter_make(nomen__iter *it, nomen__loop *loop, nomen_tensor *out,
                      nomen_tensor *const *in, int nin, int ndim, const int64_t *size,
                      nomen_dtype kernel_dtype, nomen_dtype kernel_result);
/* The same with a dtype for each operand, the output first: for kernels whose inputs differ
 * (where). */
void nomen__iter_make_mixed(nomen__iter *it, nomen__loop *loop, nomen_tensor *out,
                            nomen_tensor *const *in, int nin, int ndim, const int64_t *size,
                            const nomen_dtype *dtypes);
/* After it was made: the kernel's loop over many lines, or where lines is NULL a call for each, if
 * that takes less time than copies that make one row of many. */
void nomen__iter_by_lines(nomen__iter *it, nomen__lines *lines);
/* Of an iterator that was made: so many elements are done by one thread. */
static inline void nomen__iter_alone(nomen__iter *it, int64_t alone) {
    if (it->again && 8 * it->size[0] <= alone) return; /* most of it is copies */
    it->alone = alone;
    it->simple &= it->numel <= alone;
}
void nomen__iter_run(const nomen__iter *it);
/* For what may take long: see nomen__parallel_asking. */
nomen_status nomen__iter_run_asking(const nomen__iter *it) __attribute__((warn_unused_result));

/* Might the two share an element? Their extents are compared, holes in them are not looked at. */
bool nomen__may_overlap(const nomen_tensor *a, const nomen_tensor *b);
/* Copies values (casting) from src to dst, broadcasting src to dst's dims, from device to device if
 * need be; fails where a device is involved, or it was interrupted. No names, no tape. */
nomen_status nomen__copy_values(nomen_tensor *dst, const nomen_tensor *src)
    __attribute__((warn_unused_result));
/* copy with the values of src; takes it over: NULL if it is NULL or if that failed. */
nomen_tensor *nomen__copied(nomen_tensor *copy, const nomen_tensor *src);
/* Every element becomes the number, cast to t's dtype. Complex into real is the caller's to refuse.
 */
nomen_status nomen__fill_values(nomen_tensor *t, const nomen_number *n);

/* ---- devices other than the CPU (place.c, launch_device.c) ----------------------------------- */

/* Where the call will run, when an operand is not on the CPU: sets c->device, refuses operands on
 * different devices, and rows that no device can run. */
nomen_status nomen__place_call(nomen__call *c);
nomen_status nomen__on_two_devices(unsigned a, unsigned b);
static inline nomen_status nomen__check_target(const nomen__call *c, const nomen_tensor *target) {
    return NOMEN_LIKELY(target->device == c->device)
               ? NOMEN_OK
               : nomen__on_two_devices(c->device, target->device);
}
/* After the kernel of the CPU is known, which says what there is to know of it: sets
 * c->device_kernel. */
nomen_status nomen__device_kernel_find(nomen__call *c);
/* What a factory made goes to the device that was asked for. */
nomen_status nomen__bring(nomen__call *c);
/* Instead of the row's launch. */
nomen_status nomen__launch_on_device(nomen__call *c);
/* Those of the launches that move and fill only: they run on any device as they are. */
bool nomen__launch_moves_only(nomen__step *launch);
/* t with a reference more, or a whole copy of it on the CPU, with its names. */
nomen_tensor *nomen__on_host(const nomen_tensor *t);
/* The operands of a launch that looks at their elements itself, wherever they are. */
nomen_status nomen__operands_on_host(nomen__call *c);
/* The moves where a device is involved. number: one element of t's dtype, on the host. */
nomen_status nomen__copy_across(nomen_tensor *dst, const nomen_tensor *src);
nomen_status nomen__copy_away(nomen_tensor *dst, const nomen_tensor *src);
nomen_status nomen__fill_away(nomen_tensor *t, const void *number);
/* Whether the first element is not 0, wherever it is: 1 or 0; -1, and an error, if that fails.
 * Consumes t; NULL is a failure that was told before. */
int nomen__truth(nomen_tensor *t);

/* The functions that rows are made of (names_*, dtype_*, shape_*, launch_*, view_*, compose_*,
 * choose_*) are declared in ops.gen.h, from the words that the table uses. */

#endif
