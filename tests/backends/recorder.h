/* What the recorder says of the last call of a kernel. */
#ifndef NOMEN_TEST_RECORDER_H
#define NOMEN_TEST_RECORDER_H

#include "nomen/backend.h"

enum { RECORDED_OPERANDS = 4, RECORDED_DIMS = 4, RECORDED_ARGUMENTS = 8 };

typedef struct recorded_operand {
    int there; /* it has data */
    nomen_dtype dtype;
    int32_t ndim, number;
    int64_t size[RECORDED_DIMS], stride[RECORDED_DIMS];
} recorded_operand;

typedef struct recorded_argument {
    char name[32], text[32];
    double re, im;
    int64_t integer;
} recorded_argument;

/* The state of the backend. */
typedef struct recorder {
    int calls;     /* of kernels that were found, "copy" and "fill" apart */
    int fail_copy; /* the number of copies until one fails, 0: none does */
    int fail_find; /* not 0: no kernel is found any more */
    char operation[32], kernel[32];
    nomen_backend_form form;
    int32_t outputs, inputs, arguments, dim;
    uint64_t dims;
    recorded_operand output[RECORDED_OPERANDS], input[RECORDED_OPERANDS];
    recorded_argument argument[RECORDED_ARGUMENTS];
} recorder;

#endif
