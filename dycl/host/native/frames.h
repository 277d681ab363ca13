/* Memory for the buffers of local functions: each call has its own, on a stack of them.

   The room for all calls that may be open is set aside when the first is made. What is
   not used of it takes no memory. FRAMES is how many bytes that are. */

#ifndef DYCL_FRAMES_H
#define DYCL_FRAMES_H

#include "support.h"

/* Set the room aside; NULL: no memory. */
void *dycl_grow_frames(struct dycl_host *h, size_t room);

/* The next frame; NULL: no memory. */
#define dycl_frame(h, size)                                                            \
    ((h)->frames == NULL && dycl_grow_frames(h, FRAMES) == NULL                        \
         ? NULL                                                                        \
         : (h)->frames + ((h)->frames_used += (size)) - (size))

/* Whether the stack of the thread that runs this is nearly used up. */
bool dycl_is_deep(struct dycl_host *h);

#endif
