/* The kernel tables of every ISA that was built, and whether this machine runs it. */
#ifndef NOMEN_TEST_KERNEL_ISAS_H
#define NOMEN_TEST_KERNEL_ISAS_H

#include "kernels/kernel.h"

#include <stdbool.h>
#include <string.h>

#define ARRAY(file, isa) nomen__kernels_##file##_##isa
#define X(file)          +1
enum {
    TABLES = 0
#include "kernel_tables.h"
};
#undef X
/* The place of each file's table. */
#define X(file) TABLE_##file,
enum {
#include "kernel_tables.h"
};
#undef X
typedef struct isa_tables {
    const char *name;
    const nomen__kernel *table[TABLES];
} isa_tables;

#define X(file) extern const nomen__kernel ARRAY(file, scalar)[];
#include "kernel_tables.h"
#undef X
#if NOMEN_BUILT_AVX2
#define X(file) extern const nomen__kernel ARRAY(file, avx2)[];
#include "kernel_tables.h"
#undef X
#endif
#if NOMEN_BUILT_AVX512
#define X(file) extern const nomen__kernel ARRAY(file, avx512)[];
#include "kernel_tables.h"
#undef X
#endif
#if NOMEN_BUILT_NEON
#define X(file) extern const nomen__kernel ARRAY(file, neon)[];
#include "kernel_tables.h"
#undef X
#endif
static const isa_tables all_isas[] = {
    {"scalar",
     {
#define X(file) ARRAY(file, scalar),
#include "kernel_tables.h"
#undef X
     }},
#if NOMEN_BUILT_AVX2
    {"avx2",
     {
#define X(file) ARRAY(file, avx2),
#include "kernel_tables.h"
#undef X
     }},
#endif
#if NOMEN_BUILT_AVX512
    {"avx512",
     {
#define X(file) ARRAY(file, avx512),
#include "kernel_tables.h"
#undef X
     }},
#endif
#if NOMEN_BUILT_NEON
    {"neon",
     {
#define X(file) ARRAY(file, neon),
#include "kernel_tables.h"
#undef X
     }},
#endif
};
static inline bool isa_runs(int i) {
#if defined(__x86_64__)
    if (strcmp(all_isas[i].name, "avx2") == 0)
        return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    if (strcmp(all_isas[i].name, "avx512") == 0)
        return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
               __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
#endif
    return i >= 0;
}
enum { ISAS = (int)(sizeof all_isas / sizeof all_isas[0]) };

#endif
