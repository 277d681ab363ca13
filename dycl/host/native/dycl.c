/* What all networks have in common: compiled once, and linked with each. */

#include "support.c"

#include "blocks.c"

#include "heap.c"

#include "stack.c"

#include "frames.c"

#include "batch.c"

#include "together.c"

#include "times.c"

#include "entry.c"
