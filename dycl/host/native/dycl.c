/* What all networks have in common: compiled once, and linked with each. */

#include "support.c"

#include "heap.c"

#include "entry.c"
