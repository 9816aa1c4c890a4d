/* The entry of the mock backend. */
#include "mock.h"

static mock_state state = {.lock = PTHREAD_MUTEX_INITIALIZER};

static int32_t count(void *unused) {
    (void)unused;
    return MOCK_DEVICES;
}

static nomen_backend_kernel *find(void *unused, const char *kernel, nomen_dtype compute) {
    (void)unused;
    return mock_kernel_find(kernel, compute) ? mock_launch : NULL;
}

static void close_all(void *unused) {
    (void)unused;
    mock_memory_close(&state);
}

NOMEN_BACKEND_EXPORT nomen_backend_open_function nomen_backend_open;

nomen_status nomen_backend_open(const nomen_backend_host *host, nomen_backend *backend) {
    if (host->version != NOMEN_BACKEND_VERSION || backend->bytes < sizeof *backend)
        return host->fail(NOMEN_ERROR_DEVICE, "mock was built for another version of the library");
    state.host = host;
    if (mock_memory_open(&state)) return NOMEN_ERROR_MEMORY;
    *backend = (nomen_backend){
        .bytes = sizeof *backend,
        .version = NOMEN_BACKEND_VERSION,
        .name = "mock",
        .state = &state,
        .count = count,
        .stream_new = mock_stream_new,
        .stream_free = mock_stream_free,
        .record = mock_record,
        .wait = mock_wait,
        .event_free = mock_event_free,
        .synchronize = mock_synchronize,
        .alloc = mock_alloc,
        .free = mock_free,
        .copy = mock_copy,
        .find = find,
        .close = close_all,
    };
    return NOMEN_OK;
}
