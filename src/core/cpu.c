/* What this processor can do, asked for by feature bits and never by model: virtual machines lie
 * about the model. */
#define _GNU_SOURCE
#include "core/core.h"

#include <stdlib.h>
#include <string.h>

#if defined(__x86_64__)
#include <cpuid.h>
#endif
#if defined(__linux__)
#include <sys/syscall.h>
#include <unistd.h>
#endif

static _Atomic int chosen; /* the ISA plus one; 0: not asked yet */

const char *nomen__isa_name(nomen__isa isa) {
    static const char *const names[NOMEN__ISA_COUNT] = {"scalar",      "avx2", "avx512",
                                                        "avx512_bf16", "amx",  "neon"};
    return (unsigned)isa < NOMEN__ISA_COUNT ? names[isa] : "?";
}

#if defined(__x86_64__) && (defined(NOMEN_BUILT_AVX2) || defined(NOMEN_BUILT_AVX512))
/* The compiler's test includes what the operating system saves; f16c is not known to every
 * compiler's test, but needs no more of the system than AVX2 does. */
static bool has_avx2(void) {
    unsigned a, b, c, d;
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma") ||
        !__builtin_cpu_supports("bmi2"))
        return false;
    return __get_cpuid(1, &a, &b, &c, &d) && (c & (1u << 29));
}
#endif

#if defined(__x86_64__) && defined(NOMEN_BUILT_AVX512)
static bool has_avx512(void) {
    return has_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
           __builtin_cpu_supports("avx512cd");
}

static bool has_avx512_bf16(void) { return has_avx512() && __builtin_cpu_supports("avx512bf16"); }
#endif

#if defined(__linux__) && defined(__x86_64__) && defined(NOMEN_BUILT_AVX512)
/* Tiles, and sums of products of bfloat16 in them, by the processor and by what the system saves.
 */
static bool has_amx(void) {
    unsigned a, b, c, d, low, high;
    if (!has_avx512_bf16() || !__get_cpuid_count(7, 0, &a, &b, &c, &d)) return false;
    if (!(d & (1u << 22)) || !(d & (1u << 24))) return false;
    __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return (low & (3u << 17)) == 3u << 17;
}

static bool permit_tiles(void) {
    enum { REQUEST_PERMISSION = 0x1023, TILES = 18 };
    return syscall(SYS_arch_prctl, REQUEST_PERMISSION, TILES) == 0;
}
#else
static bool has_amx(void) { return false; }

static bool permit_tiles(void) { return false; }
#endif

static bool usable(nomen__isa isa) {
    switch (isa) {
    case NOMEN__SCALAR: return true;
#if defined(__x86_64__) && defined(NOMEN_BUILT_AVX2)
    case NOMEN__AVX2: return has_avx2();
#endif
#if defined(__x86_64__) && defined(NOMEN_BUILT_AVX512)
    case NOMEN__AVX512: return has_avx512();
    case NOMEN__AVX512_BF16: return has_avx512_bf16();
#endif
    case NOMEN__AMX: return has_amx();
#if defined(__aarch64__) && defined(NOMEN_BUILT_NEON)
    case NOMEN__NEON: return true;
#endif
    default: return false;
    }
}

nomen__isa nomen__cpu_isa(void) {
    int known = atomic_load_explicit(&chosen, memory_order_relaxed);
    if (NOMEN_LIKELY(known)) return (nomen__isa)(known - 1);
#if defined(__x86_64__)
    __builtin_cpu_init();
#endif
    nomen__isa best = NOMEN__SCALAR;
    const char *wish = getenv("NOMEN_ISA");
    int highest = NOMEN__ISA_COUNT - 1;
    for (int i = 0; wish && i < NOMEN__ISA_COUNT; i++)
        if (!strcmp(wish, nomen__isa_name((nomen__isa)i))) highest = i;
    for (int i = 0; i <= highest; i++)
        if (usable((nomen__isa)i)) best = (nomen__isa)i;
    atomic_store_explicit(&chosen, (int)best + 1, memory_order_relaxed);
    return best;
}

bool nomen__cpu_pairs(void) {
    const nomen__isa isa = nomen__cpu_isa();
    return isa == NOMEN__AVX512_BF16 || isa == NOMEN__AMX;
}

bool nomen__cpu_parts(void) {
    const nomen__isa isa = nomen__cpu_isa();
    return isa >= NOMEN__AVX512 && isa <= NOMEN__AMX;
}

bool nomen__cpu_tiles(void) {
    static _Atomic int answer; /* 0: not asked yet, 1: no, 2: yes */
    int known = atomic_load_explicit(&answer, memory_order_relaxed);
    if (NOMEN_LIKELY(known)) return known == 2;
    bool may = nomen__cpu_isa() == NOMEN__AMX && permit_tiles();
    atomic_store_explicit(&answer, may ? 2 : 1, memory_order_relaxed);
    return may;
}
