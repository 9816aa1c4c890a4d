/* Include-template: erfc where a vector can be a table: exp(-x^2), the square exact, times
 * exp(x^2) erfc(x) in pieces, both in two parts. Before: V, U, NAME, NUMBER, ENTRY, POLY, TOP
 * (beyond which it is 0), FIRST (of the bits that tell the piece), STEPS (of the powers of 2). All
 * are undefined after. */

VMATH_QUICK V NAME(v_erfc)(V x) {
    const V a = NAME(v_min)(NAME(v_abs)(x), TOP), z = a * a, z_low = v_fma(a, a, -z);
    const V u = v_fma(a, v_like(a, NUMBER(ERFC_SCALE)), v_like(a, 1));
    const U i = (U)u >> FIRST;
    enum { ROWS = sizeof NUMBER(ERFC_PIECES) / sizeof NUMBER(ERFC_PIECES)[0] };
    const V d = a - ENTRY(NUMBER(ERFC_PIECES)[0], i), head = ENTRY(NUMBER(ERFC_PIECES)[1], i);
    const V p = NAME(v_piece)(i, d, NUMBER(ERFC_PIECES), ROWS);
    const V q = head + p, q_low = (head - q) + p;
    /* -z = k ln(2) / STEPS + r */
    const V t = v_fma(z, v_like(z, -NUMBER(LOG2E_STEPS)), v_like(z, NUMBER(MAGIC)));
    const V k = t - NUMBER(MAGIC), high = v_fma(k, v_like(z, -NUMBER(LN2_STEP_HIGH)), -z);
    const V r = v_fma(k, v_like(z, -NUMBER(LN2_STEP_LOW)), high) - z_low;
    const V e = v_fma(r * r, POLY(r, EXPM1_STEP), r);
    const V power = ENTRY(NUMBER(EXP2_STEPS)[0], (U)t), rest = ENTRY(NUMBER(EXP2_STEPS)[1], (U)t);
    const V y = power * q;
    const V lost = v_fma(power, q_low, v_fma(rest, q, v_fma(power, q, -y)));
    const V far = NAME(v_scale)(y + v_fma(y, e, lost), NAME(v_floor)(k / STEPS));
    const V result = NAME(v_either)(NAME(v_negative)(x), 2 - far, far);
    return v_sel(x != x, x, result);
}

#undef V
#undef U
#undef NAME
#undef NUMBER
#undef ENTRY
#undef POLY
#undef TOP
#undef FIRST
#undef STEPS
