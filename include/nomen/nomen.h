/* nomen: tensors whose dims have names. This header brings in all others but backend.h. */
#ifndef NOMEN_H
#define NOMEN_H

#define NOMEN_VERSION_MAJOR 0
#define NOMEN_VERSION_MINOR 1
#define NOMEN_VERSION_PATCH 0

#include "nomen/blas.h"
#include "nomen/device.h"
#include "nomen/dtype.h"
#include "nomen/error.h"
#include "nomen/exchange.h"
#include "nomen/fuse.h"
#include "nomen/grad.h"
#include "nomen/inference.h"
#include "nomen/io.h"
#include "nomen/memory.h"
#include "nomen/names.h"
#include "nomen/ops.gen.h"
#include "nomen/random.h"
#include "nomen/scope.h"
#include "nomen/tensor.h"

#endif
