/* Random numbers without instructions of any ISA, and which ISA's there are. */
#define LANES 8
#define TARGET
#define FMA(a, b, c)   fused_lanes(a, b, c)
#define FMA64(a, b, c) fused_lanes64(a, b, c)
#define ROOT(x)        root_lanes(x)
#define ROOT64(x)      root_lanes64(x)
#define MULTIPLY(a, b) (((a) & UINT32_MAX) * ((b) & UINT32_MAX))
#define LESSER(a, b)   choose((a) < (b), a, b)
#define IF_ODD(x, y)   (-((x) & 1) & (y))
#define HALVES(x)      __builtin_convertvector(round_f16(x), u16v)
#define LONGS(h)       __builtin_convertvector(h, i64v)
#define DOUBLES(h)     __builtin_convertvector(h, f64v)
#define LOOPS          nomen__random_plain
#define ONE_BY_ONE     /* FMA and ROOT are functions of random_loops.h */
#include "core/random_loops.h"

const nomen__random_loops *nomen__random_loops_of(nomen__isa isa) {
    switch (isa) {
#if defined(__x86_64__)
    case NOMEN__AMX:
    case NOMEN__AVX512_BF16:
    case NOMEN__AVX512: return &nomen__random_avx512;
    case NOMEN__AVX2: return &nomen__random_avx2;
#endif
    default: return &nomen__random_plain;
    }
}

const nomen__random_loops *nomen__random_loops_best(void) {
    return nomen__random_loops_of(nomen__cpu_isa());
}
