/* What a GPU computes of a network: whoever runs the host has it done, and C never sees
   memory of the GPU. A buffer that is there has its place in the arena all the same, by
   whose address it is known; weights and constants are known by their own. A negative
   session says what to do: a kernel of the GPU, or one of these two. */

#ifndef DYCL_DEVICE_H
#define DYCL_DEVICE_H

#include "support.h"

enum {
    DYCL_COPY_WITHIN = -1, /* copy a buffer to another one, both on the GPU */
    DYCL_FETCH = -2,       /* copy a buffer to its place in the arena: it is returned */
};

/* Nonzero: it has failed, and the caller knows how. */
DYCL_LOCAL int dycl_on_device(struct dycl_host *h, int64_t what, const void *from,
                              const void *to, int64_t size)
{
    const dycl_value arguments[] = {{.tensor = from}, {.tensor = to}, {.integer = size}};
    return dycl_call_engine(h, &what, arguments);
}

/* As dycl_keep, of what is on the GPU. NULL: it has failed. */
DYCL_LOCAL void *dycl_keep_on_device(struct dycl_host *h, unsigned char *turn,
                                     unsigned char *first, unsigned char *second,
                                     const void *source, size_t size)
{
    void *kept = (*turn ^= 1) ? first : second;
    return dycl_on_device(h, DYCL_COPY_WITHIN, source, kept, size) ? NULL : kept;
}

#endif
