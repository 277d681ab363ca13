/* Tasks, their rows, and how they run together: see batch.h. */

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <stdlib.h>
#include <sys/mman.h>

#include "batch.h"
#include "heap.h"

enum { DYCL_ROW_HEAD = 64 };

static size_t dycl_row_size(size_t size)
{
    return (size + 63) & ~(size_t)63;
}

/* Addresses for all rows, so that none moves; they take memory as they are used. */
static bool dycl_reserve_pool(struct dycl_host *h)
{
    const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    h->pool = calloc(1, sizeof *h->pool);
    if (h->pool == NULL)
        return false;
    for (size_t size = (size_t)1 << 38; size >= (size_t)1 << 24; size /= 2) {
        void *made = mmap(NULL, size, PROT_READ | PROT_WRITE, flags, -1, 0);
        if (made != MAP_FAILED) {
            h->pool->rows = made;
            h->pool->size = size;
            return true;
        }
    }
    return false;
}

void dycl_free_pool(struct dycl_host *h)
{
    if (h->pool == NULL)
        return;
    if (h->pool->rows != NULL)
        munmap(h->pool->rows, h->pool->size);
    free(h->pool->tasks);
    free(h->pool->first);
    free(h->pool);
}

static unsigned char *dycl_row(struct dycl_pool *pool, size_t size, int64_t depth)
{
    size_t whole = DYCL_ROW_HEAD + dycl_row_size(size);
    if (pool->size - pool->used < whole)
        return NULL;
    unsigned char *row = pool->rows + pool->used + DYCL_ROW_HEAD;
    memcpy(row - DYCL_ROW_HEAD, &depth, sizeof depth);
    pool->used += whole;
    return row;
}

static bool dycl_room_for_task(struct dycl_pool *pool, size_t words)
{
    if (pool->task_room - pool->task_words >= words)
        return true;
    size_t room = 2 * (pool->task_words + words) + 1024;
    int64_t *grown = realloc(pool->tasks, room * sizeof *grown);
    if (grown == NULL)
        return false;
    pool->tasks = grown;
    pool->task_room = room;
    return true;
}

/* The tasks of a depth and a batch; NULL: no memory. Deeper ones begin empty. */
static struct dycl_tasks *dycl_tasks_of(struct dycl_pool *pool, int64_t depth,
                                        int64_t batch)
{
    const size_t batches = dycl_program.batch_count;
    size_t needed = (size_t)(depth + 1) * batches;
    if (pool->first_room < needed) {
        struct dycl_tasks *grown = realloc(pool->first, 2 * needed * sizeof *grown);
        if (grown == NULL)
            return NULL;
        pool->first = grown;
        pool->first_room = 2 * needed;
    }
    for (; pool->deepest < depth; pool->deepest++) {
        struct dycl_tasks *next = pool->first + (pool->deepest + 1) * batches;
        memset(next, 0, batches * sizeof *next);
    }
    return pool->first + depth * batches + batch;
}

bool dycl_put_off(struct dycl_host *h, int64_t number, const void *const *inputs,
                  void **outputs)
{
    if (h->pool == NULL && !dycl_reserve_pool(h))
        return false;
    struct dycl_pool *pool = h->pool;
    const struct dycl_batch *batch = &dycl_program.batches[number];
    const size_t words = 1 + batch->inputs + batch->outputs;
    if (pool->count == 0) {
        pool->deepest = -1;
        pool->task_words = 0;
    }
    if (!dycl_room_for_task(pool, words))
        return false;
    int64_t *task = pool->tasks + pool->task_words, depth = 0;
    for (int64_t i = 0; i < batch->inputs; i++) {
        const void *input = inputs[i];
        int64_t before = -1;
        if (dycl_is_row(h, input)) {
            memcpy(&before, (const unsigned char *)input - DYCL_ROW_HEAD, sizeof before);
        } else if (dycl_is_lent(h, input)) {
            unsigned char *copy = dycl_row(pool, batch->sizes[i], -1);
            if (copy == NULL)
                return false;
            input = memcpy(copy, input, batch->sizes[i]);
        }
        depth = before + 1 > depth ? before + 1 : depth;
        task[1 + i] = (int64_t)(intptr_t)input;
    }
    for (int64_t i = 0; i < batch->outputs; i++) {
        outputs[i] = dycl_row(pool, batch->sizes[batch->inputs + i], depth);
        if (outputs[i] == NULL)
            return false;
        task[1 + batch->inputs + i] = (int64_t)(intptr_t)outputs[i];
    }
    struct dycl_tasks *same = dycl_tasks_of(pool, depth, number);
    if (same == NULL)
        return false;
    task[0] = same->task;
    same->task = (int64_t)pool->task_words;
    same->count++;
    pool->task_words += words;
    pool->count++;
    return true;
}

/* The version for the next rows of `left`: the largest that they fill, or the next one
   if they fill most of it. */
static int64_t dycl_version(const struct dycl_batch *batch, int64_t left)
{
    int64_t version = 0;
    while (version + 1 < batch->versions && batch->rows[version + 1] <= left)
        version++;
    if (version + 1 < batch->versions && batch->rows[version] < left) {
        int64_t more = batch->rows[version + 1];
        if (4 * (more - left) <= more)
            version++;
    }
    return version;
}

static bool dycl_run_batch(struct dycl_host *h, const struct dycl_batch *batch,
                           struct dycl_tasks tasks)
{
    struct dycl_pool *pool = h->pool;
    const size_t used = pool->used;
    const int64_t slots = batch->inputs + batch->outputs;
    const int64_t most = batch->rows[batch->versions - 1];
    unsigned char *at[slots], *workspace = dycl_row(pool, batch->workspace, 0);
    for (int64_t i = 0; i < slots; i++)
        if ((at[i] = dycl_row(pool, most * batch->sizes[i], 0)) == NULL)
            return false;
    if (workspace == NULL)
        return false;
    int64_t place = tasks.task;
    for (int64_t left = tasks.count; left > 0;) {
        const int64_t version = dycl_version(batch, left);
        const int64_t rows = batch->rows[version], own = rows < left ? rows : left;
        const int64_t first = place;
        for (int64_t row = 0; row < rows; row++) {
            /* What no task fills is the first one's: anything that can be reckoned with. */
            const int64_t *task = pool->tasks + (row < own ? place : first);
            for (int64_t i = 0; i < batch->inputs; i++)
                memcpy(at[i] + row * batch->sizes[i], (const void *)(intptr_t)task[1 + i],
                       batch->sizes[i]);
            if (row < own)
                place = task[0];
        }
        batch->run(h, version, at, workspace);
        int64_t next = first;
        for (int64_t row = 0; row < own; row++) {
            const int64_t *task = pool->tasks + next;
            for (int64_t i = batch->inputs; i < slots; i++)
                memcpy((void *)(intptr_t)task[1 + i], at[i] + row * batch->sizes[i],
                       batch->sizes[i]);
            next = task[0];
        }
        left -= own;
    }
    pool->used = used;
    return true;
}

bool dycl_run_tasks(struct dycl_host *h)
{
    struct dycl_pool *pool = h->pool;
    const int64_t batches = dycl_program.batch_count;
    for (int64_t depth = 0; depth <= pool->deepest; depth++)
        for (int64_t i = 0; i < batches; i++) {
            struct dycl_tasks tasks = pool->first[depth * batches + i];
            if (tasks.count > 0 && !dycl_run_batch(h, &dycl_program.batches[i], tasks))
                return false;
        }
    pool->count = 0;
    return true;
}
