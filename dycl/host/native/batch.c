/* Tasks, their rows, and how they run together: see batch.h. */

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <stdlib.h>
#include <sys/mman.h>

#include "batch.h"
#include "heap.h"

/* In front of a row: the task that fills it, and its round. */
enum { DYCL_ROW_HEAD = 64 };

/* Words of a task: the one before it, for how many rows it waits, the first of its
   edges, its batch, its work and that of the longest chain of tasks that wait for it;
   then the addresses of its inputs and outputs; then for each input the edge of the row
   that it waits for: the next one, and this task. An edge is named by its place, 0 is
   none. */
enum { DYCL_BEFORE, DYCL_WAITS, DYCL_EDGES, DYCL_BATCH, DYCL_RANK, DYCL_TASK_HEAD };

/* To compute so many rows takes about as long as to read weights from a cache that all
   cores share: fewer are no faster. */
enum { DYCL_FEW_ROWS = 4 };

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
    h->pool->ready = calloc(dycl_program.batch_count, sizeof *h->pool->ready);
    if (h->pool->ready == NULL)
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

bool dycl_need_pool_of(struct dycl_host *h)
{
    return (h->pool != NULL || dycl_reserve_pool(h)) && h->pool->size > 0;
}

void dycl_free_pool(struct dycl_host *h)
{
    if (h->pool == NULL)
        return;
    if (h->pool->rows != NULL)
        munmap(h->pool->rows, h->pool->size);
    free(h->pool->tasks);
    free(h->pool->ready);
    free(h->pool->heaps);
    free(h->pool);
}

static unsigned char *dycl_row(struct dycl_pool *pool, size_t size, int64_t task)
{
    size_t whole = DYCL_ROW_HEAD + dycl_row_size(size);
    if (pool->size - pool->used < whole)
        return NULL;
    unsigned char *row = pool->rows + pool->used + DYCL_ROW_HEAD;
    const int64_t head[2] = {task, pool->round};
    memcpy(row - DYCL_ROW_HEAD, head, sizeof head);
    pool->used += whole;
    return row;
}

static bool dycl_room_for_task(struct dycl_pool *pool, size_t words)
{
    if (pool->task_words + words <= pool->task_room)
        return true;
    size_t room = 2 * (pool->task_words + words) + 1024;
    int64_t *grown = realloc(pool->tasks, room * sizeof *grown);
    if (grown == NULL)
        return false;
    pool->tasks = grown;
    pool->task_room = room;
    return true;
}

/* The task that is going to fill a row; 0: it is filled. */
static int64_t dycl_filled_by(const struct dycl_pool *pool, const unsigned char *row)
{
    int64_t head[2];
    memcpy(head, row - DYCL_ROW_HEAD, sizeof head);
    return head[1] == pool->round ? head[0] : 0;
}

/* Whether a task runs before another: more work waits for it, or it was put off first. */
static bool dycl_is_before(const int64_t *tasks, int64_t one, int64_t other)
{
    const int64_t more = tasks[one + DYCL_RANK] - tasks[other + DYCL_RANK];
    return more != 0 ? more > 0 : one < other;
}

static void dycl_make_ready(struct dycl_pool *pool, int64_t place)
{
    const int64_t *const tasks = pool->tasks;
    struct dycl_ready *ready = &pool->ready[tasks[place + DYCL_BATCH]];
    int64_t *const heap = ready->heap;
    int64_t at = ready->count++;
    for (; at > 0 && dycl_is_before(tasks, place, heap[(at - 1) / 2]); at = (at - 1) / 2)
        heap[at] = heap[(at - 1) / 2];
    heap[at] = place;
}

/* The next of the tasks that are ready, which is not any more. */
static int64_t dycl_take_ready(const int64_t *tasks, struct dycl_ready *ready)
{
    int64_t *const heap = ready->heap;
    const int64_t first = heap[0], moved = heap[--ready->count];
    int64_t at = 0;
    for (int64_t below = 1; below < ready->count; below = 2 * at + 1) {
        if (below + 1 < ready->count &&
            dycl_is_before(tasks, heap[below + 1], heap[below]))
            below++;
        if (dycl_is_before(tasks, moved, heap[below]))
            break;
        heap[at] = heap[below];
        at = below;
    }
    heap[at] = moved;
    return first;
}

/* All tasks are put off: rank them, and find which are ready; false: no memory. */
static bool dycl_rank_tasks(struct dycl_pool *pool)
{
    if ((size_t)pool->count > pool->heap_room) {
        const size_t room = 2 * pool->count + 64;
        int64_t *grown = realloc(pool->heaps, room * sizeof *grown);
        if (grown == NULL)
            return false;
        pool->heaps = grown;
        pool->heap_room = room;
    }
    int64_t *heap = pool->heaps, *const tasks = pool->tasks;
    pool->most_work = 0;
    for (int64_t i = 0; i < dycl_program.batch_count; i++) {
        pool->ready[i].heap = heap;
        pool->ready[i].count = 0;
        heap += pool->ready[i].left;
        if (pool->ready[i].left > 0 && dycl_program.batches[i].work > pool->most_work)
            pool->most_work = dycl_program.batches[i].work;
    }
    /* What waits for a task was put off behind it. */
    for (int64_t place = pool->last; place != 0; place = tasks[place + DYCL_BEFORE]) {
        int64_t rank = 0;
        for (int64_t edge = tasks[place + DYCL_EDGES]; edge != 0; edge = tasks[edge])
            if (tasks[tasks[edge + 1] + DYCL_RANK] > rank)
                rank = tasks[tasks[edge + 1] + DYCL_RANK];
        tasks[place + DYCL_RANK] =
            rank + dycl_program.batches[tasks[place + DYCL_BATCH]].work;
        if (tasks[place + DYCL_WAITS] == 0)
            dycl_make_ready(pool, place);
    }
    return true;
}

/* A task has run: those that wait for it alone are ready. */
static void dycl_end_task(struct dycl_pool *pool, int64_t place)
{
    int64_t *const tasks = pool->tasks;
    pool->count--;
    pool->ready[tasks[place + DYCL_BATCH]].left--;
    for (int64_t edge = tasks[place + DYCL_EDGES]; edge != 0; edge = tasks[edge])
        if (--tasks[tasks[edge + 1] + DYCL_WAITS] == 0)
            dycl_make_ready(pool, tasks[edge + 1]);
}

/* Give a task an input; false: no memory. */
static bool dycl_give_task(struct dycl_host *h, int64_t place, int64_t *word,
                           int64_t *edge, const void *input, size_t size)
{
    struct dycl_pool *pool = h->pool;
    if (dycl_is_row(h, input)) {
        const int64_t before = dycl_filled_by(pool, input);
        if (before != 0) {
            edge[0] = pool->tasks[before + DYCL_EDGES];
            edge[1] = place;
            pool->tasks[before + DYCL_EDGES] = edge - pool->tasks;
            pool->tasks[place + DYCL_WAITS]++;
        }
    } else if (dycl_is_lent(h, input)) {
        unsigned char *copy = dycl_row(pool, size, 0);
        if (copy == NULL)
            return false;
        input = memcpy(copy, input, size);
    }
    *word = (int64_t)(intptr_t)input;
    return true;
}

/* Whether a task is given all the literals that a batch has a special one for. */
static bool dycl_is_special(const struct dycl_batch *batch, const void *const *inputs)
{
    if (batch->literals == NULL)
        return false;
    for (int64_t i = 0; i < batch->inputs; i++)
        if (batch->literals[i] != NULL && batch->literals[i] != inputs[i])
            return false;
    return true;
}

bool dycl_put_off(struct dycl_host *h, int64_t number, const void *const *inputs,
                  void **outputs)
{
    if (!dycl_need_pool_of(h))
        return false;
    struct dycl_pool *pool = h->pool;
    const struct dycl_batch *general = &dycl_program.batches[number], *batch = general;
    if (dycl_is_special(general, inputs))
        batch = &dycl_program.batches[general->special];
    const int64_t slots = batch->inputs + batch->outputs;
    const size_t words = DYCL_TASK_HEAD + slots + 2 * batch->inputs;
    if (pool->count == 0) {
        pool->task_words = 1; // no task and no edge is at 0
        pool->last = 0;
        pool->round++;
        memset(pool->ready, 0, dycl_program.batch_count * sizeof *pool->ready);
    }
    if (!dycl_room_for_task(pool, words))
        return false;
    const int64_t place = pool->task_words;
    int64_t *task = pool->tasks + place, *word = task + DYCL_TASK_HEAD;
    int64_t *edge = word + slots;
    task[DYCL_WAITS] = task[DYCL_EDGES] = 0;
    task[DYCL_BEFORE] = pool->last;
    task[DYCL_BATCH] = batch - dycl_program.batches;
    for (int64_t i = 0; i < general->inputs; i++) {
        if (batch != general && general->literals[i] != NULL)
            continue;
        if (!dycl_give_task(h, place, word++, edge, inputs[i], general->sizes[i]))
            return false;
        edge += 2;
    }
    for (int64_t i = 0; i < batch->outputs; i++) {
        outputs[i] = dycl_row(pool, batch->sizes[batch->inputs + i], place);
        if (outputs[i] == NULL)
            return false;
        *word++ = (int64_t)(intptr_t)outputs[i];
    }
    pool->task_words += words;
    pool->count++;
    pool->last = place;
    pool->ready[task[DYCL_BATCH]].left++;
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

/* How many tasks of a batch are worth running at once: an even share of what is left,
   of all batches with as much work, over the levels of those behind the first one. */
static int64_t dycl_share(const struct dycl_pool *pool, const struct dycl_ready *ready)
{
    const struct dycl_batch *const batches = dycl_program.batches;
    const int64_t first = ready->heap[0], rank = pool->tasks[first + DYCL_RANK];
    const int64_t levels = rank > pool->most_work ? rank / pool->most_work : 1;
    if (ready->count == ready->left || pool->most_work == 0)
        return ready->count;
    int64_t left = 0;
    for (int64_t i = 0; i < dycl_program.batch_count; i++)
        if (batches[i].work == batches[pool->tasks[first + DYCL_BATCH]].work)
            left += pool->ready[i].left;
    const int64_t share = (left + levels - 1) / levels;
    return share < DYCL_FEW_ROWS ? DYCL_FEW_ROWS : share;
}

/* Which batch runs next: the one with the least work of those with a share of tasks that
   are ready, so that the larger ones come together; of several, and if there is none, the
   one whose first task has the most work behind it. */
static int64_t dycl_next_batch(const struct dycl_pool *pool)
{
    const struct dycl_batch *batches = dycl_program.batches;
    int64_t least = -1, longest = -1, least_rank = 0, most = 0;
    for (int64_t i = 0; i < dycl_program.batch_count; i++) {
        const struct dycl_ready *ready = &pool->ready[i];
        if (ready->count == 0)
            continue;
        const bool is_alone = batches[i].rows[batches[i].versions - 1] == 1;
        const int64_t rank = pool->tasks[ready->heap[0] + DYCL_RANK];
        if ((is_alone || ready->count >= dycl_share(pool, ready)) &&
            (least < 0 || batches[i].work < batches[least].work ||
             (batches[i].work == batches[least].work && rank > least_rank))) {
            least = i;
            least_rank = rank;
        }
        if (longest < 0 || rank > most) {
            longest = i;
            most = rank;
        }
    }
    return least < 0 ? longest : least;
}

/* Run one task on its own rows. */
static void dycl_run_one(struct dycl_host *h, const struct dycl_batch *batch,
                         int64_t place, unsigned char *workspace)
{
    const int64_t slots = batch->inputs + batch->outputs;
    unsigned char *at[slots];
    for (int64_t i = 0; i < slots; i++)
        at[i] = (void *)(intptr_t)h->pool->tasks[place + DYCL_TASK_HEAD + i];
    batch->run(h, 0, at, workspace);
}

/* Run so many tasks by a version for as many rows or more; false: no memory. */
static bool dycl_run_rows(struct dycl_host *h, const struct dycl_batch *batch,
                          const int64_t *places, int64_t own, int64_t version,
                          unsigned char *workspace)
{
    struct dycl_pool *pool = h->pool;
    const int64_t slots = batch->inputs + batch->outputs, rows = batch->rows[version];
    unsigned char *at[slots];
    for (int64_t i = 0; i < slots; i++)
        if ((at[i] = dycl_row(pool, rows * batch->sizes[i], 0)) == NULL)
            return false;
    for (int64_t row = 0; row < rows; row++) {
        /* What no task fills is the first one's: anything that can be reckoned with. */
        const int64_t *task = pool->tasks + places[row < own ? row : 0] + DYCL_TASK_HEAD;
        for (int64_t i = 0; i < batch->inputs; i++)
            memcpy(at[i] + row * batch->sizes[i], (const void *)(intptr_t)task[i],
                   batch->sizes[i]);
    }
    batch->run(h, version, at, workspace);
    for (int64_t row = 0; row < own; row++) {
        const int64_t *task = pool->tasks + places[row] + DYCL_TASK_HEAD;
        for (int64_t i = batch->inputs; i < slots; i++)
            memcpy((void *)(intptr_t)task[i], at[i] + row * batch->sizes[i],
                   batch->sizes[i]);
    }
    return true;
}

/* Run some of the tasks of a batch that are ready; false: no memory. */
static bool dycl_run_some(struct dycl_host *h, const struct dycl_batch *batch,
                          struct dycl_ready *ready)
{
    struct dycl_pool *pool = h->pool;
    const size_t used = pool->used;
    const int64_t share = dycl_share(pool, ready);
    const int64_t most = share < ready->count ? share : ready->count;
    const int64_t version = dycl_version(batch, most), rows = batch->rows[version];
    const int64_t own = rows < ready->count ? rows : ready->count;
    int64_t places[own];
    for (int64_t row = 0; row < own; row++)
        places[row] = dycl_take_ready(pool->tasks, ready);
    unsigned char *workspace = dycl_row(pool, batch->workspace, 0);
    if (workspace == NULL)
        return false;
    if (batch->rows[batch->versions - 1] == 1)
        dycl_run_one(h, batch, places[0], workspace);
    else if (!dycl_run_rows(h, batch, places, own, version, workspace))
        return false;
    for (int64_t row = 0; row < own; row++)
        dycl_end_task(pool, places[row]);
    pool->used = used;
    return true;
}

bool dycl_run_tasks(struct dycl_host *h)
{
    struct dycl_pool *pool = h->pool;
    if (!dycl_rank_tasks(pool))
        return false;
    while (pool->count > 0) {
        const int64_t next = dycl_next_batch(pool);
        if (!dycl_run_some(h, &dycl_program.batches[next], &pool->ready[next]))
            return false;
    }
    return true;
}
