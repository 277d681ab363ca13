/* What model.c says of an artifact, for pick.c. */

#ifndef DYCL_PICK_H
#define DYCL_PICK_H

#include "dycl.h"

#pragma GCC visibility push(hidden)

/* Name, and what the processor has to have; the best first. */
extern const struct dycl_target {
    const char *name, *features;
} dycl_targets[];
extern const int dycl_target_count;

#pragma GCC visibility pop

#endif
