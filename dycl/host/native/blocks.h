/* Memory that a run asks for, in regions that the handle keeps for the next run: a steady
   state allocates nothing.

   A block begins at a multiple of 64 bytes. Free ones that lie side by side become one,
   and lists by size say at once where there is room. Kernels have their memory here too,
   what they give and what they work in: they call what dycl_allocate_by and dycl_free_by
   point to.

   A large block that a caller made a tensor of has memory of its own in the next run,
   which the caller then takes instead of a copy. Which one it is its number says, among
   the first large blocks of a run; where it is another one in some run, that is a copy
   more, and the memory is given back. */

#ifndef DYCL_BLOCKS_H
#define DYCL_BLOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

struct dycl_host;
struct dycl_block;

enum { DYCL_BINS = 58, DYCL_BLOCK_HEAD = 16, DYCL_LARGE = 1 << 16, DYCL_NOTED = 16 };

struct dycl_blocks {
    struct dycl_region *regions; /* in the order of their addresses */
    size_t size;               /* bytes of all of them */
    uint64_t filled;           /* the lists that are not empty */
    struct dycl_block *free[DYCL_BINS];
    size_t made, limit; /* bytes of blocks since a sweep, and how many call for one */
    struct dycl_block **found;
    size_t room; /* of `found` */
    /* The first large blocks that kernels took in this run, how many, and by their
       numbers, as bits, which lie in memory of their own, and which should. */
    void *large[DYCL_NOTED];
    uint32_t noted, own, wanted;
};

/* A new block; zeros, if it leads to others. NULL: no memory. */
void *dycl_block(struct dycl_host *h, size_t size, bool leads);

/* The memory that a kernel has made, as a block; if it did not come from here, as that of
   a kernel that calls malloc, it is moved. NULL: no memory. */
void *dycl_adopt_block(struct dycl_host *h, void *made, size_t size);

/* Give back one block of this run. */
void dycl_forget_block(struct dycl_host *h, const void *start);

/* Give back all blocks, and keep their memory: as one region, of `least` bytes or more,
   so that a run like the last one, or one that is known to need so much, finds it. */
void dycl_forget_blocks(struct dycl_host *h, size_t least);

/* Give back all blocks to which none of `roots` leads. */
void dycl_sweep(struct dycl_host *h, const void *const *roots, size_t count);

/* Make a large block the caller's, who frees what lies DYCL_IN_FRONT bytes before it.
   False: it lies among others, and is to be copied; the next run's will not. */
bool dycl_take_large(struct dycl_host *h, const void *start);

/* Give the memory back. */
void dycl_free_blocks(struct dycl_host *h);

/* The handle that this thread runs now, whose memory its kernels take; what was before. */
struct dycl_host *dycl_enter(struct dycl_host *h);

#pragma GCC visibility pop

#endif
