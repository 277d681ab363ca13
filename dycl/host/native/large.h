/* Large blocks in memory of their own, where a caller has taken their like (blocks.h). */

#ifndef DYCL_LARGE_H
#define DYCL_LARGE_H

#include <stdlib.h>

#include "support.h"

/* A large block of a kernel that should be on its own; NULL: there is none. */
static void *dycl_take_own(struct dycl_blocks *b, size_t size)
{
    if (b->noted == DYCL_NOTED || !(b->wanted >> b->noted & 1) || size > SIZE_MAX / 4)
        return NULL;
    char *made = dycl_allocate(DYCL_IN_FRONT + size);
    if (made == NULL)
        return NULL;
    b->own |= (uint32_t)1 << b->noted;
    return b->large[b->noted++] = made + DYCL_IN_FRONT;
}

/* The number of a large block, among those in memory of their own or those that are not;
   less than 0: it is none of them. */
static int dycl_large_number(const struct dycl_blocks *b, const void *start, bool own)
{
    for (int i = (int)b->noted - 1; i >= 0; i--)
        if (b->large[i] == start && (b->own >> i & 1) == own)
            return i;
    return -1;
}

static bool dycl_free_own(struct dycl_blocks *b, const void *start)
{
    int number = b->own == 0 ? -1 : dycl_large_number(b, start, true);
    if (number < 0)
        return false;
    /* Nobody has taken it: its like has no memory of its own next time. */
    b->own &= ~((uint32_t)1 << number);
    b->wanted &= ~((uint32_t)1 << number);
    free((char *)start - DYCL_IN_FRONT);
    return true;
}

static void dycl_forget_large(struct dycl_blocks *b)
{
    while (b->own != 0)
        dycl_free_own(b, b->large[__builtin_ctz(b->own)]);
    b->noted = 0;
}

bool dycl_take_large(struct dycl_host *h, const void *start)
{
    struct dycl_blocks *b = &h->blocks;
    int number = dycl_large_number(b, start, true);
    if (number >= 0) {
        b->own &= ~((uint32_t)1 << number);
        b->large[number] = NULL;
        return true;
    }
    number = dycl_large_number(b, start, false);
    if (number >= 0)
        b->wanted |= (uint32_t)1 << number;
    return false;
}

#endif
