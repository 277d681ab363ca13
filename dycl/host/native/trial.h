/* Whether threads make runs faster is tried out: some runs with them, some without.

   What a thread reads may lie in another one's cache, and how long it takes from there
   depends on the machine and on its other guests: networks, above all small ones, may
   lose by it. Runs may take different ways, so they are compared by time for a unit of
   shared work. */

#ifndef DYCL_TRIAL_H
#define DYCL_TRIAL_H

#include "support.h"

#include <stdatomic.h>

#define DYCL_TRIES 4 /* runs with threads, and as many without */
#define DYCL_ROUNDS 1024 /* runs until they are compared anew, at most */
#define DYCL_GAIN 0.97

static struct {
    _Atomic bool together; /* whether threads are used now */
    _Atomic bool counts;
    _Atomic int64_t work; /* of a run that is measured */
    /* Of the run that has the flag. */
    atomic_flag measuring;
    int64_t run, rounds;
    double best[2]; /* least time for a unit of work: without threads, with them */
} dycl_trial = {.measuring = ATOMIC_FLAG_INIT, .together = true, .rounds = 64};

DYCL_LOCAL int64_t dycl_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* Note a task; whether threads are to share it. */
DYCL_LOCAL bool dycl_tries(int64_t work)
{
    if (dycl_trial.counts)
        dycl_trial.work += work;
    return dycl_trial.together;
}

/* Whether a run is to be measured. */
static bool dycl_begin_trial(void)
{
    if (dycl_trial.run >= dycl_trial.rounds) {
        dycl_trial.run = 0;
        if (dycl_trial.rounds < DYCL_ROUNDS)
            dycl_trial.rounds *= 2;
    }
    if (dycl_trial.run == 0)
        dycl_trial.best[0] = dycl_trial.best[1] = INFINITY;
    bool tried = dycl_trial.run < 2 * DYCL_TRIES;
    if (tried) {
        dycl_trial.together = dycl_trial.run < DYCL_TRIES;
        dycl_trial.work = 0;
        dycl_trial.counts = true;
    } else {
        dycl_trial.run++;
    }
    return tried;
}

static void dycl_end_trial(int64_t time)
{
    int64_t work = dycl_trial.work;
    dycl_trial.counts = false;
    if (work > 0) {
        double *best = &dycl_trial.best[dycl_trial.together];
        *best = fmin(*best, (double)time / work);
    }
    dycl_trial.run++;
    if (dycl_trial.run == 2 * DYCL_TRIES)
        dycl_trial.together = !(dycl_trial.best[1] > DYCL_GAIN * dycl_trial.best[0]);
}

/* Run; one run at a time is measured. */
static int dycl_try(struct dycl_host *h, int (*run)(struct dycl_host *))
{
    if (atomic_flag_test_and_set(&dycl_trial.measuring))
        return run(h);
    if (!dycl_begin_trial()) {
        atomic_flag_clear(&dycl_trial.measuring);
        return run(h);
    }
    int64_t start = dycl_now();
    int how = run(h);
    dycl_end_trial(dycl_now() - start);
    atomic_flag_clear(&dycl_trial.measuring);
    return how;
}

#endif
