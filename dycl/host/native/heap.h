/* Lists, and tensors whose size a run decides: memory that is made while a host runs.

   What was made is never changed, so whoever wants may share it; but a list's room is
   shared by those made from it, and filled further. All of it lasts until the next run,
   but for tensors that are dropped where they were read last, and what a long loop gives
   back before an iteration: `SWEEP` names all that leads to memory which is of use still.

   The functions are in heap.c, but for what is to be inlined. */

#ifndef DYCL_HEAP_H
#define DYCL_HEAP_H

#include "support.h"

#pragma GCC visibility push(hidden)

#define SWEEP(...)                                                                     \
    do {                                                                               \
        if (h->blocks.made > h->blocks.limit) {                                                      \
            const void *const roots[] = {__VA_ARGS__};                                 \
            dycl_sweep(h, roots, sizeof roots / sizeof *roots);                        \
        }                                                                              \
    } while (0)

/* ---- tensors whose size a run decides */

enum {
    DYCL_BOOL,
    DYCL_UINT8,
    DYCL_INT8,
    DYCL_INT16,
    DYCL_INT32,
    DYCL_INT64,
    DYCL_FLOAT16,
    DYCL_BFLOAT16,
    DYCL_FLOAT32,
    DYCL_FLOAT64
};

/* A tensor of no name yet, for code that nobody runs. */
static const int64_t dycl_nothing[17];
#define NOTHING ((dycl_tensor *)dycl_nothing)

DYCL_LOCAL int64_t dycl_product(const int64_t *sizes, int64_t count)
{
    int64_t product = 1;
    for (int64_t i = 0; i < count; i++)
        product *= sizes[i];
    return product;
}

dycl_tensor *dycl_sized(struct dycl_host *h, int64_t rank, const void *data,
                        const int64_t *sizes);

/* For what a kernel is about to make. */
dycl_tensor *dycl_promise(struct dycl_host *h, int64_t rank);

/* A kernel has made it. False: no memory. */
bool dycl_adopt(struct dycl_host *h, dycl_tensor *made, int64_t rank, size_t item);

/* Nobody reads what a kernel has made, or a part of it, any more. */
void dycl_drop(struct dycl_host *h, const dycl_tensor *tensor);

/* Whether a launch may write to this memory later on. */
DYCL_LOCAL bool dycl_is_lent(const struct dycl_host *h, const void *data)
{
    return (uintptr_t)data - (uintptr_t)h->arena < h->arena_size ||
           (uintptr_t)data - (uintptr_t)h->frames < h->frames_size;
}

/* Elements that stay what they are; NULL: no memory. */
const void *dycl_own(struct dycl_host *h, const void *data, size_t size);

const dycl_tensor *dycl_own_sized(struct dycl_host *h, const dycl_tensor *x, int64_t rank,
                                  size_t item);

/* ---- how much memory a call takes: dycl_needed of a host */

#define TAKES(size)                                                                    \
    do {                                                                               \
        live += dycl_block_size(size);                                                 \
        most = live > most ? live : most;                                              \
    } while (0)
#define GIVES(size) (live -= dycl_block_size(size))

/* Of a size below zero, which the run refuses, as of no bytes. */
DYCL_LOCAL size_t dycl_block_size(int64_t size)
{
    return ((size > 0 ? (size_t)size : 0) + DYCL_BLOCK_HEAD + 63) & ~(size_t)63;
}

/* Rounded down; b is not zero. */
DYCL_LOCAL int64_t dycl_quotient(int64_t a, int64_t b)
{
    return b == 0 ? 0 : a / b - (a % b != 0 && (a < 0) != (b < 0));
}

DYCL_LOCAL int64_t dycl_rest(int64_t a, int64_t b)
{
    return b == 0 ? 0 : a % b;
}

DYCL_LOCAL int64_t dycl_larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

DYCL_LOCAL int64_t dycl_smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* ---- lists */

/* What lists that were made from one another have in common. */
struct dycl_shared {
    int64_t count, room;
    dycl_value *values;
};

struct dycl_grown {
    dycl_list list;
    struct dycl_shared *shared;
};

/* A list with more items at its end; `leads`: they are tensors or lists. */
const dycl_list *dycl_longer(struct dycl_host *h, const dycl_list *list,
                             const dycl_value *more, int64_t count, bool leads);

/* The items from `start` to `stop`, which are bounds of a slice of Python's. */
const dycl_list *dycl_take(struct dycl_host *h, const dycl_list *list, int64_t start,
                           int64_t stop, bool leads);

static const struct dycl_grown dycl_empty;
#define EMPTY (&dycl_empty.list)

/* An item, counted from the end below 0; NULL: there is none. */
DYCL_LOCAL const dycl_value *dycl_get(const dycl_list *list, int64_t index)
{
    int64_t place = index < 0 ? index + list->length : index;
    return place < 0 || place >= list->length ? NULL : list->items + place;
}

/* ---- tensors of lists, and lists of tensors */

/* All tensors of a list as one. Each is of `known` sizes or, where that is NULL, brings
   its own. 1: no memory; 2: there are none; 3: they do not fit. */
int dycl_concat(struct dycl_host *h, const dycl_list *list, const int64_t *known,
                int64_t rank, int64_t dim, bool stack, size_t item,
                const dycl_tensor **made);

/* The numbers of a list as a tensor. 1: no memory; 2: one does not fit. */
int dycl_of_numbers(struct dycl_host *h, const dycl_list *list, bool real, int dtype,
                    size_t item, const dycl_tensor **made);

/* The numbers of a tensor as a list, of lists for each row; NULL: no memory. */
const dycl_list *dycl_to_list(struct dycl_host *h, const void *data, const int64_t *sizes,
                              int64_t rank, int dtype, int64_t *next);

#pragma GCC visibility pop

#endif
