/* Memory for the buffers of local functions: each call has its own, on a stack of them.

   Addresses for all calls that may be open are set aside when the first is made, so that
   no frame moves; they take no memory. That is asked for as calls become deeper, twice as
   much each time. FRAMES is how many bytes all of them are. */

#ifndef DYCL_FRAMES_H
#define DYCL_FRAMES_H

#include "support.h"

/* Memory for a frame of `size` bytes more, of `room` at most; false: there is none. */
bool dycl_grow_frames(struct dycl_host *h, size_t room, size_t size);

/* The next frame; NULL: no memory. */
#define dycl_frame(h, size)                                                            \
    ((h)->frames_ready - (h)->frames_used < (size) &&                                  \
             !dycl_grow_frames(h, FRAMES, size)                                        \
         ? NULL                                                                        \
         : (h)->frames + ((h)->frames_used += (size)) - (size))

/* Whether the stack of the thread that runs this is nearly used up. */
bool dycl_is_deep(struct dycl_host *h);

#endif
