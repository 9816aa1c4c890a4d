/* Opening backends, for device.c. */
#ifndef NOMEN_SRC_BACKEND_H
#define NOMEN_SRC_BACKEND_H

#include "core/devices.h"

enum { NOMEN__TYPE_BYTES = 24 };

/* Finds, opens and checks the backend of devices of that type; on failure nothing of it is left. */
nomen_status nomen__backend_open(const char *type, size_t length, nomen_backend *b);

#endif
