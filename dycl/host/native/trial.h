/* Whether threads make runs faster is tried out: some runs with them, some without.

   What a thread reads may lie in another one's cache, and how long it takes from there
   depends on the machine and on its other guests: networks, above all small ones, may
   lose by it. Runs may take different ways, so like is compared with like: those that
   share as much work. And runs that follow on one another are a matter of their own:
   after a pause the other threads sleep, and have to be woken. */

#ifndef DYCL_TRIAL_H
#define DYCL_TRIAL_H

#include "support.h"

#include <stdatomic.h>

#define DYCL_TRIES 4 /* runs with threads, as many without, and both again */
#define DYCL_ROUNDS 1024 /* runs until they are compared anew, at most */
#define DYCL_GAIN 0.97
#define DYCL_WAYS 8 /* as many as are told apart */
#define DYCL_PAUSE 100000 /* ns without a run after which threads sleep */

/* Runs that share as much work: how long each took, in order; without threads, with. */
struct dycl_way {
    int64_t work, count[2], times[2][2 * DYCL_TRIES];
};

struct dycl_trial {
    bool together; /* whether threads are used */
    int64_t run, rounds, way_count;
    struct dycl_way ways[DYCL_WAYS];
};

static struct {
    _Atomic bool together; /* in the run of now */
    _Atomic bool counts;
    _Atomic int64_t work; /* of a run that is measured */
    atomic_flag running;
    /* Of the run that has the flag. */
    int64_t ended;
    struct dycl_trial at_once, after_pause;
} dycl_trials = {
    .running = ATOMIC_FLAG_INIT,
    .together = true,
    .at_once = {.together = true, .rounds = 64},
    .after_pause = {.together = true, .rounds = 64},
};

DYCL_LOCAL int64_t dycl_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* Note a task; whether threads are to share it. */
DYCL_LOCAL bool dycl_tries(int64_t work)
{
    if (dycl_trials.counts)
        dycl_trials.work += work;
    return dycl_trials.together;
}

/* Whether a run is one of those that are compared. */
static bool dycl_begin_trial(struct dycl_trial *trial)
{
    if (trial->run >= trial->rounds) {
        trial->run = 0;
        if (trial->rounds < DYCL_ROUNDS)
            trial->rounds *= 2;
    }
    if (trial->run == 0)
        trial->way_count = 0;
    bool tried = trial->run < 4 * DYCL_TRIES;
    dycl_trials.together = tried ? trial->run / DYCL_TRIES % 2 == 0 : trial->together;
    dycl_trials.work = 0;
    dycl_trials.counts = tried;
    return tried;
}

static void dycl_note_time(struct dycl_trial *trial, int64_t work, int64_t time)
{
    int64_t i = 0;
    while (i < trial->way_count && trial->ways[i].work != work)
        i++;
    if (i == DYCL_WAYS)
        return;
    struct dycl_way *way = &trial->ways[i];
    if (i == trial->way_count) {
        *way = (struct dycl_way){.work = work};
        trial->way_count++;
    }
    int how = dycl_trials.together;
    int64_t place = way->count[how]++;
    for (; place > 0 && way->times[how][place - 1] > time; place--)
        way->times[how][place] = way->times[how][place - 1];
    way->times[how][place] = time;
}

/* Compare by medians: what is rarely fast, or rarely slow, says nothing. */
static void dycl_compare(struct dycl_trial *trial)
{
    double total[2] = {0, 0};
    for (int64_t i = 0; i < trial->way_count; i++) {
        const struct dycl_way *way = &trial->ways[i];
        for (int how = 0; how < 2 && way->count[0] && way->count[1]; how++)
            total[how] += way->times[how][(way->count[how] - 1) / 2];
    }
    if (total[0] > 0)
        trial->together = total[1] <= DYCL_GAIN * total[0];
}

/* Run; one run at a time is measured. */
static int dycl_try(struct dycl_host *h, int (*run)(struct dycl_host *))
{
    if (atomic_flag_test_and_set(&dycl_trials.running))
        return run(h);
    int64_t start = dycl_now();
    struct dycl_trial *trial = start - dycl_trials.ended > DYCL_PAUSE
                                   ? &dycl_trials.after_pause
                                   : &dycl_trials.at_once;
    bool tried = dycl_begin_trial(trial);
    int how = run(h);
    dycl_trials.ended = dycl_now();
    dycl_trials.counts = false;
    if (tried && dycl_trials.work > 0)
        dycl_note_time(trial, dycl_trials.work, dycl_trials.ended - start);
    if (++trial->run == 4 * DYCL_TRIES)
        dycl_compare(trial);
    atomic_flag_clear(&dycl_trials.running);
    return how;
}

#endif
