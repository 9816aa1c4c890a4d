/* Trains a two-layer network to read handwritten digits. Every dim has a name, no dim is a number,
 * and digits.py gets the same numbers from the same seed. */
#include <nomen/nomen.h>

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifndef NOMEN_EXAMPLE_DATA
#define NOMEN_EXAMPLE_DATA "examples/data"
#endif

enum { ROWS = 1797, HELD_OUT = 360, PIXELS = 64, COLUMNS = PIXELS + 1, HIDDEN = 64, DIGITS = 10 };
enum { EPOCHS = 30, BATCH = 16 };
static const double RATE = 0.1, MOMENTUM = 0.9;

/* ---- the data -------------------------------------------------------------------------------- */

static unsigned char rows[ROWS][COLUMNS]; /* the pixels, 0 to 16, and behind them the digit */

static bool read_rows(const char *path) {
    FILE *file = fopen(path, "r");
    if (!file) return false;
    unsigned char *cell = rows[0];
    const unsigned char *end = cell + sizeof rows;
    while (cell < end && fscanf(file, "%hhu%*c", cell) == 1) cell++;
    fclose(file);
    return cell == end;
}

/* Each row, from the last, changes places with one before it or itself, as the dice fall. */
static void shuffle_rows(void) {
    nomen_scope() {
        const double *draw = nomen_data(nomen_rand("row", NOMEN_SIZES(ROWS), NOMEN_F64));
        for (int i = ROWS - 1; draw && i > 0; i--) {
            int j = (int)(draw[i] * (i + 1));
            unsigned char row[COLUMNS];
            memcpy(row, rows[i], COLUMNS);
            memcpy(rows[i], rows[j], COLUMNS);
            memcpy(rows[j], row, COLUMNS);
        }
    }
}

/* 3 becomes 0001000000: a row of digits for each of the batch. */
static nomen_tensor *one_hot(nomen_tensor *label) {
    nomen_tensor *digit = nomen_arange("digit", .end = nomen_num(DIGITS));
    return nomen_to(nomen_eq(nomen_align_to(label, "batch digit"), digit), NOMEN_F32);
}

/* ---- the network ----------------------------------------------------------------------------- */

typedef struct parameter {
    nomen_tensor *value, *velocity;
} parameter;

enum { HIDDEN_WEIGHT, HIDDEN_BIAS, DIGIT_WEIGHT, DIGIT_BIAS, PARAMETERS };

static parameter parameter_new(nomen_tensor *value) {
    nomen_set_requires_grad(value, true);
    return (parameter){value, nomen_zeros_like(value)};
}

static parameter weight_new(const char *names, int64_t inputs, int64_t outputs) {
    nomen_tensor *value = nomen_randn(names, NOMEN_SIZES(inputs, outputs));
    return parameter_new(nomen_mul_(value, nomen_scalar(sqrt(2.0 / (double)inputs))));
}

static nomen_tensor *scores_of(const parameter *net, nomen_tensor *image) {
    nomen_tensor *hidden = nomen_matmul(image, net[HIDDEN_WEIGHT].value);
    hidden = nomen_relu(nomen_add(hidden, net[HIDDEN_BIAS].value));
    return nomen_add(nomen_matmul(hidden, net[DIGIT_WEIGHT].value), net[DIGIT_BIAS].value);
}

/* The negative log likelihood of the truth, on average over the batch. */
static nomen_tensor *loss_of(const parameter *net, nomen_tensor *image, nomen_tensor *truth) {
    nomen_tensor *likelihood = nomen_log_softmax(scores_of(net, image), "digit");
    likelihood = nomen_sum(nomen_mul(likelihood, truth), "digit");
    return nomen_neg(nomen_mean(likelihood, "batch"));
}

static double accuracy_of(const parameter *net, nomen_tensor *image, nomen_tensor *truth) {
    double accuracy = 0;
    nomen_scope() nomen_no_grad() {
        nomen_tensor *guess = nomen_argmax(scores_of(net, image), "digit");
        nomen_tensor *right = nomen_eq(guess, nomen_argmax(truth, "digit"));
        accuracy = nomen_item(nomen_mean(right, "batch", .dtype = NOMEN_F64));
    }
    return accuracy;
}

/* Gradient descent with momentum. */
static void step(parameter p) {
    nomen_mul_(p.velocity, nomen_scalar(MOMENTUM));
    nomen_add_(p.velocity, nomen_gradient(p.value));
    nomen_sub_(p.value, p.velocity, .alpha = nomen_num(RATE));
    nomen_zero_grad(p.value);
}

/* One pass over all batches; returns the mean loss. What a batch needs dies with its scope. */
static double train(const parameter *net, nomen_list images, nomen_list truths) {
    double total = 0;
    for (int64_t i = 0; i < images.count; i++) {
        nomen_scope() {
            nomen_tensor *loss = loss_of(net, images.at[i], truths.at[i]);
            nomen_backward(loss);
            total += nomen_item(loss);
            nomen_no_grad() {
                for (int p = 0; p < PARAMETERS; p++) step(net[p]);
            }
        }
    }
    return total / (double)images.count;
}

/* ---- what the reader sees -------------------------------------------------------------------- */

/* A line that updates in place on a terminal, a line for each epoch in a log. */
static void show_progress(int epoch, double loss) {
    bool terminal = isatty(STDOUT_FILENO);
    printf("%sepoch %2d of %d: loss %.9f", terminal ? "\r" : "", epoch, EPOCHS, loss);
    if (!terminal || epoch == EPOCHS) printf("\n");
    fflush(stdout);
}

/* Takes the mean image from the hidden layer: 64 pixels from 64 hidden numbers: sizes fit. */
static void show_mistake(const parameter *net, nomen_tensor *image) {
    nomen_scope() {
        nomen_tensor *mean = nomen_mean(image, "batch");
        nomen_sub(nomen_matmul(image, net[HIDDEN_WEIGHT].value), mean);
        printf("a wrong program, image @ weight - mean of the images, gets this error:\n  %s\n",
               nomen_error_text());
        nomen_clear_error();
    }
}

/* An operation on what failed fails silently, so that one look covers all that went before. */
static bool failed(void) {
    if (!nomen_last_error()) return false;
    fprintf(stderr, "%s\n", nomen_error_text());
    return true;
}

int main(int argc, char **argv) {
    const char *path = NOMEN_EXAMPLE_DATA "/digits.csv";
    if (!read_rows(path)) {
        fprintf(stderr, "%s: not there, or not %d rows of %d numbers\n", path, ROWS, COLUMNS);
        return 1;
    }
    nomen_manual_seed(argc > 1 ? strtoull(argv[1], NULL, 10) : 4); /* usage: digits [SEED] */
    shuffle_rows();

    nomen_tensor *image = NULL, *truth = NULL;
    nomen_scope() {
        nomen_tensor *all =
            nomen_from_data(rows, NOMEN_U8, "batch column", NOMEN_SIZES(ROWS, COLUMNS), NULL, NULL);
        nomen_tensor *pixel = nomen_narrow(all, "column", 0, PIXELS);
        image = nomen_keep(nomen_div(nomen_rename(pixel, "batch pixel"), nomen_scalar(16)));
        truth = nomen_keep(one_hot(nomen_select(all, "column", PIXELS)));
    }
    const int64_t learn = ROWS - HELD_OUT;
    nomen_list images =
        nomen_split(nomen_narrow(image, "batch", 0, learn), nomen_num(BATCH), "batch");
    nomen_list truths =
        nomen_split(nomen_narrow(truth, "batch", 0, learn), nomen_num(BATCH), "batch");
    nomen_tensor *new_image = nomen_narrow(image, "batch", learn, HELD_OUT);
    nomen_tensor *new_truth = nomen_narrow(truth, "batch", learn, HELD_OUT);

    const parameter net[PARAMETERS] = {
        [HIDDEN_WEIGHT] = weight_new("pixel hidden", PIXELS, HIDDEN),
        [HIDDEN_BIAS] = parameter_new(nomen_zeros("hidden", NOMEN_SIZES(HIDDEN))),
        [DIGIT_WEIGHT] = weight_new("hidden digit", HIDDEN, DIGITS),
        [DIGIT_BIAS] = parameter_new(nomen_zeros("digit", NOMEN_SIZES(DIGITS))),
    };
    for (int epoch = 1; epoch <= EPOCHS; epoch++) {
        double loss = train(net, images, truths);
        if (failed()) return 1;
        show_progress(epoch, loss);
    }
    double accuracy = accuracy_of(net, new_image, new_truth);
    if (failed()) return 1;
    show_mistake(net, new_image);
    printf("held-out accuracy: %.1f %%\n", 100 * accuracy);
    return 0;
}
