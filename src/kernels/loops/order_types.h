/* Include-template: order_keys.h for the dtypes that fit a key. Before: K, WIDTH (32: dtypes of up
 * to 32 bits, 64: all of them). After: below_ with WIDTH behind; K and WIDTH as they were. */

/* How many of n sorted keys are less. */
static int64_t ORDER_NAME(below, WIDTH, k)(const K *keys, int64_t n, K key) {
    int64_t low = 0, high = n;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (keys[middle] < key)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

#define SFX  b8
#define T    uint8_t
#define U    uint8_t
#define KIND 3
#include "kernels/loops/order_keys.h"

#define SFX  u8
#define T    uint8_t
#define U    uint8_t
#define KIND 0
#include "kernels/loops/order_keys.h"

#define SFX  i8
#define T    int8_t
#define U    uint8_t
#define KIND 1
#include "kernels/loops/order_keys.h"

#define SFX  i16
#define T    int16_t
#define U    uint16_t
#define KIND 1
#include "kernels/loops/order_keys.h"

#define SFX  i32
#define T    int32_t
#define U    uint32_t
#define KIND 1
#include "kernels/loops/order_keys.h"

#define SFX  f16
#define T    uint16_t
#define U    uint16_t
#define KIND 2
#define INF  0x7c00
#include "kernels/loops/order_keys.h"

#define SFX  bf16
#define T    uint16_t
#define U    uint16_t
#define KIND 2
#define INF  0x7f80
#include "kernels/loops/order_keys.h"

#define SFX  f32
#define T    float
#define U    uint32_t
#define KIND 2
#define INF  0x7f800000
#include "kernels/loops/order_keys.h"

#if WIDTH == 64
#define SFX  i64
#define T    int64_t
#define U    uint64_t
#define KIND 1
#include "kernels/loops/order_keys.h"

#define SFX  f64
#define T    double
#define U    uint64_t
#define KIND 2
#define INF  0x7ff0000000000000
#include "kernels/loops/order_keys.h"
#endif
