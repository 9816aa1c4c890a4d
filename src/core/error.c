/* The error of a thread: one code, one message, fixed buffers. They lie in the block of
 * the thread, so that running out of memory can be reported like everything else. */
#include "core/state.h"

#include <stdio.h>

/* For a thread that the system has not even the memory to know of. */
static const nomen_error no_memory = {NOMEN_ERROR_MEMORY, "", "no memory for the state of a thread",
                                      "", ""};

static nomen__error_state *mine(void) {
    nomen__thread *me = nomen__thread_get();
    return me ? &me->error : NULL;
}

static void text_add_v(nomen__text *t, const char *format, va_list arguments) NOMEN_PRINTF(2, 0);

static void text_add_v(nomen__text *t, const char *format, va_list arguments) {
    if (t->size == 0 || t->used + 1 >= t->size) return;
    size_t room = t->size - t->used;
    int wanted = vsnprintf(t->at + t->used, room, format, arguments);
    if (wanted < 0) {
        t->at[t->used] = 0;
    } else if ((size_t)wanted < room) {
        t->used += (size_t)wanted;
    } else {
        t->used = t->size - 1;
        for (size_t i = 0; i < 3 && i < t->used; i++) t->at[t->used - 1 - i] = '.';
    }
}

void nomen__text_add(nomen__text *t, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    text_add_v(t, format, arguments);
    va_end(arguments);
}

nomen_status nomen__fail_v(nomen_status code, const char *format, va_list arguments) {
    nomen__error_state *state = mine();
    if (!state) return code;
    state->took = !state->fresh;
    if (state->fresh) return code;
    nomen__text t = {state->message, sizeof state->message, 0};
    state->message[0] = 0;
    text_add_v(&t, format, arguments);
    state->op[0] = 0;
    state->operands[0] = 0;
    state->hint[0] = 0;
    state->public = (nomen_error){code, state->op, state->message, state->operands, state->hint};
    state->fresh = true;
    state->reported = false;
    return code;
}

nomen_status nomen__fail(nomen_status code, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    nomen__fail_v(code, format, arguments);
    va_end(arguments);
    return code;
}

nomen_status nomen__hint(nomen_status failed, const char *format, ...) {
    nomen__error_state *state = mine();
    if (!state || !state->fresh || !state->took || state->hint[0]) return failed;
    nomen__text t = {state->hint, sizeof state->hint, 0};
    va_list arguments;
    va_start(arguments, format);
    text_add_v(&t, format, arguments);
    va_end(arguments);
    return failed;
}

void nomen__error_context(const char *op, const char *operands) {
    nomen__error_state *state = mine();
    /* A failure that was dropped in favour of an earlier one must not put its name on that one. */
    if (!state || !state->fresh || !state->took || state->op[0] || state->operands[0]) return;
    nomen__text name = {state->op, sizeof state->op, 0};
    nomen__text_add(&name, "%s", op ? op : "");
    nomen__text list = {state->operands, sizeof state->operands, 0};
    nomen__text_add(&list, "%s", operands ? operands : "");
}

bool nomen__error_pending(void) {
    nomen__error_state *state = mine();
    return !state || state->fresh;
}

nomen_status nomen__error_code(void) {
    nomen__error_state *state = mine();
    return !state ? NOMEN_ERROR_MEMORY : state->fresh ? state->public.code : NOMEN_OK;
}

const nomen_error *nomen_last_error(void) {
    nomen__error_state *state = mine();
    if (!state) return &no_memory;
    if (state->public.code == NOMEN_OK || state->reported) return NULL;
    state->fresh = false;
    state->reported = true;
    return &state->public;
}

const char *nomen_error_text(void) {
    nomen__error_state *state = mine();
    if (!state) return no_memory.message;
    nomen__text t = {state->text, sizeof state->text, 0};
    state->text[0] = 0;
    if (state->public.code == NOMEN_OK) return state->text;
    state->fresh = false;
    size_t op = strlen(state->op); /* some messages begin with the operation: not twice */
    bool said = op && !strncmp(state->message, state->op, op) && strchr(":(_", state->message[op]);
    if (op && !said) nomen__text_add(&t, "%s: ", state->op);
    nomen__text_add(&t, "%s", state->message);
    if (state->operands[0]) nomen__text_add(&t, " (%s)", state->operands);
    if (state->hint[0]) nomen__text_add(&t, "; hint: %s", state->hint);
    return state->text;
}

void nomen_clear_error(void) {
    nomen__error_state *state = mine();
    if (!state) return;
    state->public.code = NOMEN_OK;
    state->fresh = false;
    state->reported = false;
    state->took = false;
}

void nomen__error_drop(void) {
    nomen__error_state *state = mine();
    if (state && state->fresh && state->took) nomen_clear_error();
}

const char *nomen_status_name(nomen_status code) {
    switch (code) {
    case NOMEN_OK: return "NOMEN_OK";
#define X(name, value, exception, meaning)                                                         \
    case NOMEN_ERROR_##name: return "NOMEN_ERROR_" #name;
#include "../../ops/errors.def"
#undef X
    }
    return "?";
}
