/* Memory for the calls of local functions, and how much of the stack is left. */

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <pthread.h>
#include <sys/mman.h>

#include "frames.h"

/* Addresses without memory: fewer, where the process may not have as many. */
static bool dycl_reserve_frames(struct dycl_host *h, size_t room, size_t size)
{
    const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    for (; room >= size; room /= 2) {
        void *made = mmap(NULL, room, PROT_NONE, flags, -1, 0);
        if (made != MAP_FAILED) {
            h->frames = made;
            h->frames_size = room;
            return true;
        }
    }
    return false;
}

bool dycl_grow_frames(struct dycl_host *h, size_t room, size_t size)
{
    const size_t least = (size_t)64 << 10;
    if (h->frames == NULL && !dycl_reserve_frames(h, room, size))
        return false;
    size_t needed = h->frames_used + size, ready = 2 * h->frames_ready;
    if (needed > h->frames_size)
        return false;
    ready = ready < least ? least : ready;
    ready = ready < needed ? needed : ready;
    ready = ready > h->frames_size ? h->frames_size : ready;
    if (mprotect(h->frames, ready, PROT_READ | PROT_WRITE) != 0)
        return false;
    h->frames_ready = ready;
    return true;
}

/* Where the stack of this thread ends, less what kernels need. */
static uintptr_t dycl_find_stack_end(const struct dycl_host *h)
{
    const size_t spare = (size_t)256 << 10;
    const uintptr_t own = dycl_own_stack_end(h, spare);
    if (own != 0)
        return own;
    static __thread uintptr_t known; /* to ask takes a tenth of a millisecond */
    if (known != 0)
        return known;
    uintptr_t here = (uintptr_t)__builtin_frame_address(0);
    uintptr_t end = here > spare ? here - spare : 1;
#ifdef __linux__
    pthread_attr_t attributes;
    void *start;
    size_t size;
    if (pthread_getattr_np(pthread_self(), &attributes) == 0) {
        if (pthread_attr_getstack(&attributes, &start, &size) == 0)
            known = end = (uintptr_t)start + (size > 4 * spare ? spare : size / 4);
        pthread_attr_destroy(&attributes);
    }
#endif
    return end;
}

bool dycl_is_deep(struct dycl_host *h)
{
    if (h->stack_end == 0) /* a run begins, perhaps on another thread than the last */
        h->stack_end = dycl_find_stack_end(h);
    return (uintptr_t)__builtin_frame_address(0) < h->stack_end;
}
