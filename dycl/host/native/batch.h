/* Launches that are put off, to run together: those of one kernel.

   A launch that is put off is a task. Its results have rows in a pool, whose addresses
   are known at once; a row says in front of itself which task fills it. Tasks run when
   a result is read, or a recursion has ended: of those that wait for no other, some of
   the kernel with the least work, so that the larger ones come together meanwhile. Those
   with the most work behind them run first, and no more at a time than an even share of
   what is left, so that few are alone at the end. Rows last until the next run. */

#ifndef DYCL_BATCH_H
#define DYCL_BATCH_H

#include "support.h"

#pragma GCC visibility push(hidden)

/* A kernel, and its versions for several rows; if it has one only, for one row, its
   tasks run one by one, on their own rows. */
struct dycl_batch {
    int64_t inputs, outputs; /* of each row */
    const int64_t *sizes; /* in bytes; of the inputs, then of the outputs */
    int64_t versions;
    const int64_t *rows; /* of each version, fewest first */
    size_t workspace; /* the most that one needs */
    /* Run a version; rows of an input or output stand one behind the other. */
    void (*run)(struct dycl_host *h, int64_t version, unsigned char *const *at,
                unsigned char *workspace);
    int64_t work; /* for one row, to compare kernels by */
    /* By input what a task is given there, or NULL for anything, that is of the batch
       `special` instead, which takes the other inputs; NULL: there is none. */
    const void *const *literals;
    int64_t special;
};

/* Tasks of one batch: a heap of those that wait for no other, the next one first. */
struct dycl_ready {
    int64_t *heap, count;
    int64_t left; /* of all that have not run */
};

/* What `pool` of a handle is. */
struct dycl_pool {
    unsigned char *rows;
    size_t used, size;
    int64_t *tasks;
    size_t task_words, task_room;
    int64_t count; /* of tasks that have not run */
    int64_t last;  /* the task that was put off last */
    int64_t most_work; /* of a task */
    int64_t round; /* tasks of rounds before have all run */
    struct dycl_ready *ready; /* by batch */
    int64_t *heaps;           /* of all batches */
    size_t heap_room;
};

/* Put a launch off; false: no memory. */
bool dycl_put_off(struct dycl_host *h, int64_t batch, const void *const *inputs,
                  void **outputs);

/* Run all tasks; false: no memory. */
bool dycl_run_tasks(struct dycl_host *h);

/* The same for a run that reads a result: among others, it waits until they need theirs,
   too. */
bool dycl_need_tasks(struct dycl_host *h);

/* Whether memory is that of a row. */
DYCL_LOCAL bool dycl_is_row(const struct dycl_host *h, const void *data)
{
    return h->pool != NULL &&
           (uintptr_t)data - (uintptr_t)h->pool->rows < h->pool->size;
}

/* Make the pool of a handle ready; false: no memory. */
bool dycl_need_pool_of(struct dycl_host *h);

/* A run begins: there are no rows, and no tasks, but for those of runs beside it. */
DYCL_LOCAL void dycl_forget_rows(struct dycl_host *h)
{
    if (h->pool != NULL && h->together == NULL)
        h->pool->used = h->pool->task_words = h->pool->count = 0;
}

void dycl_free_pool(struct dycl_host *h);

#define RUN_TASKS                                                                      \
    do {                                                                               \
        if (h->pool != NULL && h->pool->count > 0 && !dycl_need_tasks(h))              \
            NO_MEMORY;                                                                 \
    } while (0)

/* What `dycl_keep` gives; a row is kept anyway. */
#define KEEP(turn, first, second, source, size)                                        \
    (dycl_is_row(h, source) ? (const void *)(source)                                   \
                            : dycl_keep(turn, first, second, source, size))

#pragma GCC visibility pop

#endif
