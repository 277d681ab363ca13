/* What blocks.h declares. */

#include <stdlib.h>

#include "heap.h"
#include "large.h"

#ifdef __SANITIZE_ADDRESS__
void __asan_poison_memory_region(const volatile void *start, size_t size);
void __asan_unpoison_memory_region(const volatile void *start, size_t size);
#define DYCL_CLOSE(start, size) __asan_poison_memory_region(start, size)
#define DYCL_OPEN(start, size) __asan_unpoison_memory_region(start, size)
#else
#define DYCL_CLOSE(start, size) ((void)0)
#define DYCL_OPEN(start, size) ((void)0)
#endif

/* The words in front of a block; in one that is free, its neighbours in the list follow.
   Heads lie 16 bytes before a multiple of 64, and so does the end of a region. */
struct dycl_block {
    size_t before; /* bytes of the block that ends here, with its head; 0: none does */
    size_t size;   /* bytes with the head, a multiple of 64, and flags */
    struct dycl_block *next, *last;
};

enum { DYCL_USED = 1, DYCL_LEADS = 2, DYCL_REACHED = 4, DYCL_FLAGS = 63 };
enum { DYCL_REGION_HEAD = 64 };

/* A region: this, the blocks, and the head of a block of no bytes that is never free. */
struct dycl_region {
    struct dycl_region *next;
    size_t size;
};

static __thread struct dycl_host *dycl_running;

struct dycl_host *dycl_enter(struct dycl_host *h)
{
    struct dycl_host *before = dycl_running;
    dycl_running = h;
    return before;
}

static size_t dycl_bytes(const struct dycl_block *block)
{
    return block->size & ~(size_t)DYCL_FLAGS;
}

static struct dycl_block *dycl_behind(struct dycl_block *block)
{
    return (struct dycl_block *)((char *)block + dycl_bytes(block));
}

static struct dycl_block *dycl_head(const void *start)
{
    return (struct dycl_block *)((char *)start - DYCL_BLOCK_HEAD);
}

static struct dycl_block *dycl_first(struct dycl_region *region)
{
    return dycl_head((char *)region + 2 * DYCL_REGION_HEAD);
}

/* ---- lists of free blocks: number i has those of 64 << i bytes and more */

static int dycl_bin(size_t bytes)
{
    return 57 - __builtin_clzll(bytes);
}

static void dycl_link(struct dycl_blocks *b, struct dycl_block *block)
{
    int bin = dycl_bin(block->size);
    block->last = NULL;
    block->next = b->free[bin];
    if (block->next != NULL)
        block->next->last = block;
    b->free[bin] = block;
    b->filled |= (uint64_t)1 << bin;
    DYCL_CLOSE(block + 1, block->size - sizeof *block);
}

static void dycl_unlink(struct dycl_blocks *b, struct dycl_block *block)
{
    DYCL_OPEN(block, block->size + DYCL_BLOCK_HEAD);
    int bin = dycl_bin(block->size);
    if (block->next != NULL)
        block->next->last = block->last;
    if (block->last != NULL)
        block->last->next = block->next;
    else if ((b->free[bin] = block->next) == NULL)
        b->filled &= ~((uint64_t)1 << bin);
}

/* A free block of so many bytes or more; NULL: there is none. */
static struct dycl_block *dycl_fitting(struct dycl_blocks *b, size_t bytes)
{
    int bin = dycl_bin(bytes), tried = 0;
    for (struct dycl_block *at = b->free[bin]; at != NULL && tried < 16; at = at->next) {
        if (at->size >= bytes)
            return at;
        tried++;
    }
    uint64_t larger = b->filled & ~(uint64_t)0 << bin << 1;
    return larger == 0 ? NULL : b->free[__builtin_ctzll(larger)];
}

/* ---- regions */

/* One free block of all that is in a region. */
static void dycl_clear(struct dycl_blocks *b, struct dycl_region *region)
{
    struct dycl_block *all = dycl_first(region);
    DYCL_OPEN(region, region->size);
    all->before = 0;
    all->size = region->size - 2 * DYCL_REGION_HEAD;
    struct dycl_block *end = dycl_behind(all);
    end->before = all->size;
    end->size = DYCL_USED;
    dycl_link(b, all);
}

/* Another region, with room for a block of so many bytes. */
static bool dycl_grow(struct dycl_blocks *b, size_t bytes)
{
    size_t size = bytes + 2 * DYCL_REGION_HEAD;
    struct dycl_region *made = dycl_allocate(size), **at = &b->regions;
    if (made == NULL)
        return false;
    while (*at != NULL && *at < made)
        at = &(*at)->next;
    *made = (struct dycl_region){*at, size};
    *at = made;
    b->size += size;
    dycl_clear(b, made);
    return true;
}

static void dycl_free_regions(struct dycl_blocks *b)
{
    while (b->regions != NULL) {
        struct dycl_region *next = b->regions->next;
        DYCL_OPEN(b->regions, b->regions->size);
        free(b->regions);
        b->regions = next;
    }
    b->size = 0;
}

void dycl_forget_blocks(struct dycl_host *h, size_t least)
{
    struct dycl_blocks *b = &h->blocks;
    dycl_forget_large(b);
    memset(b->free, 0, sizeof b->free);
    b->filled = 0;
    b->made = 0;
    b->limit = 1 << 20;
    /* Blocks do not lie side by side: gaps take up to a half more, seldom used. */
    least += least > 0 ? least / 2 + 2 * DYCL_REGION_HEAD : 0;
    if (b->regions != NULL && b->regions->next == NULL && b->size >= least) {
        dycl_clear(b, b->regions);
        return;
    }
    const size_t size = b->size > least ? b->size : least;
    dycl_free_regions(b);
    /* Where there is no memory, the first block will say so. */
    if (size > 0)
        (void)dycl_grow(b, (size + DYCL_FLAGS) & ~(size_t)DYCL_FLAGS);
}

void dycl_free_blocks(struct dycl_host *h)
{
    dycl_forget_large(&h->blocks);
    dycl_free_regions(&h->blocks);
    free(h->blocks.found);
}

/* ---- blocks */

static void *dycl_take_block(struct dycl_blocks *b, size_t size, size_t flags)
{
    if (size > SIZE_MAX / 4)
        return NULL;
    const size_t bytes = (size + DYCL_BLOCK_HEAD + 63) & ~(size_t)63;
    struct dycl_block *found = dycl_fitting(b, bytes);
    if (found == NULL) {
        size_t room = b->size / 2 > bytes ? b->size / 2 & ~(size_t)63 : bytes;
        room = room < 1 << 16 ? 1 << 16 : room;
        if (!dycl_grow(b, room) && !dycl_grow(b, bytes))
            return NULL;
        found = dycl_fitting(b, bytes);
    }
    dycl_unlink(b, found);
    size_t left = found->size - bytes;
    found->size = bytes | DYCL_USED | flags;
    struct dycl_block *behind = dycl_behind(found);
    if (left > 0) {
        behind->before = bytes;
        behind->size = left;
        dycl_behind(behind)->before = left;
        dycl_link(b, behind);
    }
    DYCL_CLOSE((char *)found + DYCL_BLOCK_HEAD + size, bytes - DYCL_BLOCK_HEAD - size);
    return (char *)found + DYCL_BLOCK_HEAD;
}

static void dycl_give_back(struct dycl_blocks *b, struct dycl_block *block)
{
    struct dycl_block *behind = dycl_behind(block);
    /* Who wrote beside a block wrote here, as a rule. */
    if (!(block->size & DYCL_USED) || behind->before != dycl_bytes(block))
        abort();
    block->size = dycl_bytes(block);
    DYCL_OPEN(block, block->size);
    if (!(behind->size & DYCL_USED)) {
        dycl_unlink(b, behind);
        block->size += behind->size;
    }
    if (block->before > 0) {
        struct dycl_block *before = (struct dycl_block *)((char *)block - block->before);
        if (!(before->size & DYCL_USED)) {
            dycl_unlink(b, before);
            before->size += block->size;
            block = before;
        }
    }
    dycl_behind(block)->before = block->size;
    dycl_link(b, block);
}

void *dycl_block(struct dycl_host *h, size_t size, bool leads)
{
    void *start = dycl_take_block(&h->blocks, size, leads ? DYCL_LEADS : 0);
    if (start == NULL)
        return NULL;
    h->blocks.made += dycl_bytes(dycl_head(start));
    return leads ? memset(start, 0, size) : start;
}

/* Whether memory was taken here, and not where no run was in sight. */
static bool dycl_is_ours(const struct dycl_blocks *b, const void *start)
{
    for (const struct dycl_region *region = b->regions; region != NULL; region = region->next)
        if ((uintptr_t)start - (uintptr_t)region < region->size)
            return true;
    return false;
}

void *dycl_adopt_block(struct dycl_host *h, void *made, size_t size)
{
    if (h->blocks.own != 0 && dycl_large_number(&h->blocks, made, true) >= 0)
        return made;
    if (dycl_is_ours(&h->blocks, made)) {
        h->blocks.made += dycl_bytes(dycl_head(made));
        return made;
    }
    void *block = dycl_block(h, size, false);
    if (block != NULL && size > 0)
        memcpy(block, made, size);
    free(made);
    return block;
}

void dycl_forget_block(struct dycl_host *h, const void *start)
{
    if (dycl_free_own(&h->blocks, start))
        return;
    struct dycl_block *block = dycl_head(start);
    size_t size = dycl_bytes(block);
    h->blocks.made -= size < h->blocks.made ? size : h->blocks.made;
    dycl_give_back(&h->blocks, block);
}

/* ---- what kernels call */

static void *dycl_take_memory(size_t size)
{
    struct dycl_host *h = dycl_running;
    if (h == NULL)
        return malloc(size);
    struct dycl_blocks *b = &h->blocks;
    void *start = size < DYCL_LARGE ? NULL : dycl_take_own(b, size);
    if (start != NULL)
        return start;
    start = dycl_take_block(b, size, 0);
    if (size >= DYCL_LARGE && b->noted < DYCL_NOTED)
        b->large[b->noted++] = start;
    return start;
}

static void dycl_free_memory(void *start)
{
    struct dycl_host *h = dycl_running;
    if (h != NULL && dycl_free_own(&h->blocks, start))
        return;
    if (h != NULL && dycl_is_ours(&h->blocks, start))
        dycl_give_back(&h->blocks, dycl_head(start));
    else
        free(start);
}

/* What kernels call: in their objects the pointers are weak, and NULL. */
extern void *(*const dycl_allocate_by)(size_t size);
extern void (*const dycl_free_by)(void *start);
void *(*const dycl_allocate_by)(size_t size) = dycl_take_memory;
void (*const dycl_free_by)(void *start) = dycl_free_memory;

/* ---- sweeps */

/* All blocks in use, in the order of their addresses; false: no memory to note them. */
static bool dycl_find_blocks(struct dycl_blocks *b, size_t *count)
{
    *count = 0;
    for (struct dycl_region *region = b->regions; region != NULL; region = region->next)
        for (struct dycl_block *at = dycl_first(region); dycl_bytes(at) > 0;
             at = dycl_behind(at)) {
            if (!(at->size & DYCL_USED))
                continue;
            if (*count == b->room) {
                size_t room = 2 * b->room + 64;
                struct dycl_block **grown = realloc(b->found, room * sizeof *grown);
                if (grown == NULL)
                    return false;
                b->found = grown;
                b->room = room;
            }
            b->found[(*count)++] = at;
        }
    return true;
}

static int dycl_order_of_blocks(const void *a, const void *b)
{
    uintptr_t first = (uintptr_t)*(struct dycl_block *const *)a;
    uintptr_t second = (uintptr_t)*(struct dycl_block *const *)b;
    return (first > second) - (first < second);
}

static void dycl_reach(struct dycl_blocks *b, size_t count, const void *start)
{
    struct dycl_block *key = dycl_head(start);
    struct dycl_block **found = bsearch(&key, b->found, count, sizeof key,
                                        dycl_order_of_blocks);
    if (found == NULL || key->size & DYCL_REACHED)
        return;
    key->size |= DYCL_REACHED;
    const void *const *words = start;
    size_t many = (dycl_bytes(key) - DYCL_BLOCK_HEAD) / sizeof *words;
    DYCL_OPEN(start, many * sizeof *words);
    for (size_t i = 0; key->size & DYCL_LEADS && i < many; i++)
        dycl_reach(b, count, words[i]);
}

void dycl_sweep(struct dycl_host *h, const void *const *roots, size_t count)
{
    struct dycl_blocks *b = &h->blocks;
    size_t all, size = 0;
    if (dycl_find_blocks(b, &all)) {
        for (size_t i = 0; i < count; i++)
            dycl_reach(b, all, roots[i]);
        for (size_t i = 0; i < all; i++) {
            struct dycl_block *block = b->found[i];
            if (!(block->size & DYCL_REACHED)) {
                dycl_give_back(b, block);
                continue;
            }
            block->size &= ~(size_t)DYCL_REACHED;
            size += dycl_bytes(block);
        }
    }
    b->made = size;
    b->limit = 2 * size + (1 << 20);
}
