/* Multi-head attention, forward and backward, with a name for every dim. A plain loop over arrays
 * computes the same without nomen, and both must agree; attention.py gets the same numbers. */
#include <nomen/nomen.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { BATCH = 2, TIME = 4, FEATURES = 6, HEADS = 4, DEPTH = 3, CHANNELS = HEADS * DEPTH };
enum { QUERY, KEY, VALUE, OUT, WEIGHTS };

/* The channels of each head. `times` says whose time it is: "time=query" or "time=key". */
static nomen_tensor *project(nomen_tensor *x, nomen_tensor *weight, const char *times) {
    nomen_tensor *channels = nomen_matmul(x, weight);
    channels = nomen_unflatten(channels, "channel", NOMEN_SIZES(HEADS, DEPTH), "head depth");
    return nomen_rename(channels, .map = times);
}

/* Each time asks (query) all times up to its own (key) for their values. */
static nomen_tensor *attend(nomen_tensor *x, nomen_tensor *const weight[WEIGHTS]) {
    nomen_tensor *query = project(x, weight[QUERY], "time=query");
    nomen_tensor *key = project(x, weight[KEY], "time=key");
    nomen_tensor *value = project(x, weight[VALUE], "time=key");
    query = nomen_align_to(query, "batch head query depth");
    key = nomen_align_to(key, "batch head depth key");
    value = nomen_align_to(value, "batch head key depth");

    nomen_tensor *now = nomen_arange("query", .end = nomen_num(TIME));
    nomen_tensor *past = nomen_le(nomen_rename(now, "key"), nomen_align_to(now, "query key"));
    nomen_tensor *score = nomen_div(nomen_matmul(query, key), nomen_scalar(sqrt(DEPTH)));
    score = nomen_where(past, score, nomen_scalar(-INFINITY));

    nomen_tensor *mixed = nomen_matmul(nomen_softmax(score, "key"), value);
    mixed = nomen_align_to(mixed, "batch query head depth");
    mixed = nomen_matmul(nomen_flatten(mixed, "head depth", "channel"), weight[OUT]);
    return nomen_rename(mixed, .map = "query=time");
}

/* ---- the same as a plain loop ---------------------------------------------------------------- */

typedef struct plain {
    double x[BATCH][TIME][FEATURES], target[BATCH][TIME][FEATURES];
    double weight[OUT][FEATURES][CHANNELS], out[CHANNELS][FEATURES];
} plain;

static void copy(void *to, nomen_tensor *from) {
    nomen_scope() {
        const double *data = nomen_data(nomen_contiguous(from));
        if (data) memcpy(to, data, (size_t)nomen_numel(from) * sizeof *data);
    }
}

static plain *plain_copy(nomen_tensor *x, nomen_tensor *target, nomen_tensor *const weight[]) {
    static plain p;
    copy(p.x, x);
    copy(p.target, target);
    for (int w = 0; w < OUT; w++) copy(p.weight[w], weight[w]);
    copy(p.out, weight[OUT]);
    return &p;
}

/* Row t of one head of one example: c holds its queries, keys and values, from channel `first` on.
 */
static void plain_head(double c[OUT][TIME][CHANNELS], int first, int t, double mixed[CHANNELS]) {
    double share[TIME], most = -INFINITY, total = 0;
    for (int s = 0; s <= t; s++) {
        share[s] = 0;
        for (int d = first; d < first + DEPTH; d++) share[s] += c[QUERY][t][d] * c[KEY][s][d];
        share[s] /= sqrt(DEPTH);
        most = fmax(most, share[s]);
    }
    for (int s = 0; s <= t; s++) total += share[s] = exp(share[s] - most);
    for (int d = first; d < first + DEPTH; d++) {
        mixed[d] = 0;
        for (int s = 0; s <= t; s++) mixed[d] += share[s] / total * c[VALUE][s][d];
    }
}

static double plain_loss(const plain *p) {
    double total = 0;
    for (int b = 0; b < BATCH; b++) {
        double c[OUT][TIME][CHANNELS] = {0};
        for (int w = 0; w < OUT; w++)
            for (int t = 0; t < TIME; t++)
                for (int f = 0; f < FEATURES; f++)
                    for (int d = 0; d < CHANNELS; d++)
                        c[w][t][d] += p->x[b][t][f] * p->weight[w][f][d];
        for (int t = 0; t < TIME; t++) {
            double mixed[CHANNELS];
            for (int head = 0; head < HEADS; head++) plain_head(c, head * DEPTH, t, mixed);
            for (int f = 0; f < FEATURES; f++) {
                double out = -p->target[b][t][f];
                for (int d = 0; d < CHANNELS; d++) out += mixed[d] * p->out[d][f];
                total += out * out;
            }
        }
    }
    return total / (BATCH * TIME * FEATURES);
}

/* How the loss of the plain loop changes with one number of p. */
static double plain_slope(const plain *p, double *number) {
    const double middle = *number, step = 1e-5;
    *number = middle + step;
    double above = plain_loss(p);
    *number = middle - step;
    double below = plain_loss(p);
    *number = middle;
    return (above - below) / (2 * step);
}

/* The largest distance of a number of a gradient from that slope. */
static double worst_slope(plain *p, nomen_tensor *const weight[]) {
    double worst = 0, gradient[FEATURES * CHANNELS] = {0};
    for (int w = 0; w < WEIGHTS; w++) {
        double *number = w == OUT ? p->out[0] : p->weight[w][0];
        copy(gradient, nomen_gradient(weight[w]));
        for (int i = 0; i < FEATURES * CHANNELS; i++)
            worst = fmax(worst, fabs(gradient[i] - plain_slope(p, number + i)));
    }
    return worst;
}

/* ---- what the reader sees -------------------------------------------------------------------- */

/* The heads stay behind the time. There are as many as times, so the sizes fit. */
static void show_mistake(nomen_tensor *x, nomen_tensor *const weight[WEIGHTS]) {
    nomen_scope() {
        nomen_tensor *query = project(x, weight[QUERY], "time=query");
        nomen_tensor *key = project(x, weight[KEY], "time=key");
        nomen_matmul(query, nomen_align_to(key, "batch head depth key"));
        printf("a wrong program, with the heads behind the time, gets this error:\n  %s\n",
               nomen_error_text());
        nomen_clear_error();
    }
}

static nomen_tensor *randn(const char *names, nomen_sizes size) {
    return nomen_randn(names, size, NOMEN_F64);
}

int main(void) {
    nomen_manual_seed(1);
    nomen_tensor *x = randn("batch time features", NOMEN_SIZES(BATCH, TIME, FEATURES));
    nomen_tensor *target = randn("batch time features", NOMEN_SIZES(BATCH, TIME, FEATURES));
    nomen_tensor *weight[WEIGHTS];
    for (int w = 0; w < WEIGHTS; w++) {
        weight[w] = w == OUT ? randn("channel features", NOMEN_SIZES(CHANNELS, FEATURES))
                             : randn("features channel", NOMEN_SIZES(FEATURES, CHANNELS));
        nomen_mul_(weight[w], nomen_scalar(0.5));
        nomen_set_requires_grad(weight[w], true);
    }

    double loss = 0;
    nomen_scope() {
        nomen_tensor *error = nomen_sub(attend(x, weight), target);
        nomen_tensor *mean = nomen_mean(nomen_square(error));
        nomen_backward(mean);
        loss = nomen_item(mean);
    }
    plain *p = plain_copy(x, target, weight);
    double loss_error = fabs(loss - plain_loss(p)), slope_error = worst_slope(p, weight);
    if (nomen_last_error()) { /* of any operation above */
        fprintf(stderr, "%s\n", nomen_error_text());
        return 1;
    }
    nomen_tensor *gradient = nomen_gradient(weight[QUERY]);
    printf("loss: %.12f\n", loss);
    printf("gradient of the query's weight: %s %s\n", nomen_name_of(gradient, 0),
           nomen_name_of(gradient, 1));
    printf("the plain loop agrees: loss within %.0e, gradients within %.0e\n", loss_error,
           slope_error);
    show_mistake(x, weight);
    return loss_error < 1e-12 && slope_error < 1e-7 ? 0 : 1;
}
