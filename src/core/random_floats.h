/* Template: numbers of one type as those of a floating dtype. random_store.h includes it once per
 * type with
 *   FUNCTION  its name        FROM  the type        TARGET  the attribute of functions
 *   HALVES    where a processor rounds eight floats to 16 bits (random_store.c) */

TARGET static void FUNCTION(nomen_dtype dtype, void *restrict out, const FROM *restrict in,
                            int64_t n) {
    uint16_t *const two = out;
    float *const f32 = out;
    double *const f64 = out;
    switch (dtype) {
    case NOMEN_F16: {
        int64_t i = 0;
#ifdef HALVES
        typedef FROM some __attribute__((vector_size(8 * sizeof(FROM)), aligned(8), may_alias));
        for (; i + 8 <= n; i += 8)
            HALVES(two + i, __builtin_convertvector(*(const some *)(in + i), floats_8));
#endif
        for (; i < n; i++) two[i] = f16_of((float)in[i]);
        break;
    }
    case NOMEN_BF16:
        for (int64_t i = 0; i < n; i++) two[i] = bf16_of((float)in[i]);
        break;
    case NOMEN_F32:
        for (int64_t i = 0; i < n; i++) f32[i] = (float)in[i];
        break;
    default:
        for (int64_t i = 0; i < n; i++) f64[i] = (double)in[i];
    }
}

#undef FUNCTION
#undef FROM
