/* Runs of several handles, whose launches that are put off (batch.h) run together.

   One thread has them all, and each has a stack of its own. A run goes on until it reads
   what a launch is to give, or has ended. When all runs have come so far, all launches run,
   those of one kernel together whichever run put them off; then those that wait go on. So
   the nodes of several trees share what is read of the weights, also where each has one
   node at a level only, and each run decides what it decides alone (as the fibers of
   ACRoBat do, Fegade et al., MLSys 2024, section 5). */

#include "batch.h"
#include "heap.h"

struct dycl_together {
    dycl_net *const *nets;
    int64_t count;
    int64_t failed; /* which run has ended the others; -1: none */
};

/* Of runs that nest less deep than a thread's stack takes, which has as much. */
enum { DYCL_STACK_OF_RUN = 8 << 20 };

static struct dycl_host *dycl_host_of(const struct dycl_together *t, int64_t i)
{
    return (struct dycl_host *)t->nets[i];
}

bool dycl_need_tasks(struct dycl_host *h)
{
    if (h->together == NULL)
        return dycl_run_tasks(h);
    dycl_wait(h);
    return true;
}

/* Go on with the runs at the places in `waiting`, and leave there those that wait again;
   how many do, or what the first gives that has failed. */
static int dycl_go_on_with(struct dycl_together *t, int64_t *waiting, int64_t *count)
{
    int64_t left = 0;
    for (int64_t i = 0; i < *count; i++) {
        struct dycl_host *h = dycl_host_of(t, waiting[i]);
        int gives;
        dycl_enter(h);
        if (dycl_go_on(h, &gives)) {
            waiting[left++] = waiting[i];
        } else if (gives != DYCL_OK) {
            t->failed = waiting[i];
            return gives;
        }
    }
    *count = left;
    return DYCL_OK;
}

/* All runs, by one that has the threads of a pool if there are any. */
static int dycl_run_all(struct dycl_host *first)
{
    struct dycl_together *t = first->together;
    int64_t waiting[t->count], count = t->count;
    for (int64_t i = 0; i < count; i++)
        waiting[i] = i;
    for (;;) {
        const int how = dycl_go_on_with(t, waiting, &count);
        if (how != DYCL_OK || count == 0)
            return how;
        dycl_enter(first);
        if (!dycl_run_tasks(first)) {
            t->failed = 0;
            return DYCL_NO_MEMORY;
        }
    }
}

/* Make the runs ready, with one pool for all; false: no memory. */
static bool dycl_begin_together(struct dycl_together *t)
{
    const struct dycl_program *program = &dycl_program;
    const size_t stack = program->stack > 0 ? program->stack : DYCL_STACK_OF_RUN;
    struct dycl_host *first = dycl_host_of(t, 0);
    if (!dycl_need_pool_of(first))
        return false;
    dycl_forget_rows(first);
    for (int64_t i = 0; i < t->count; i++)
        if (!dycl_begin_run(dycl_host_of(t, i), program->forward, stack))
            return false;
    return true;
}

/* Run some handles that nobody else uses, with inputs that are there. It gives what the
   first of them gives that does not return, and which that is by `failed`: the others are
   then given up, and what they have left means nothing. Else all have returned, and what
   they give is there until one of them runs again. */
int dycl_run_together(dycl_net *const *nets, int64_t count, int64_t *failed)
{
    struct dycl_together t = {nets, count, -1};
    struct dycl_host *first = dycl_host_of(&t, 0), *before = dycl_enter(NULL);
    struct dycl_pool *own[count];
    *failed = 0;
    int how = DYCL_NO_MEMORY;
    if (dycl_begin_together(&t)) {
        for (int64_t i = 0; i < count; i++) {
            struct dycl_host *h = dycl_host_of(&t, i);
            own[i] = h->pool;
            h->pool = first->pool;
            h->together = &t;
        }
        how = dycl_program.run_with_pool == NULL
                  ? dycl_run_all(first)
                  : dycl_program.run_with_pool(first, dycl_run_all);
        for (int64_t i = 0; i < count; i++) {
            dycl_host_of(&t, i)->pool = own[i];
            dycl_host_of(&t, i)->together = NULL;
        }
        *failed = t.failed;
    }
    dycl_enter(before);
    return how;
}
