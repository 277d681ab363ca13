/* Whether threads make runs faster is tried out: some runs with them, some without.

   What a thread reads may lie in another one's cache, and how long it takes from there
   depends on the machine and on its other guests: networks, above all small ones, may
   lose by it. Runs may take different ways, so like is compared with like: those that
   share about as much work. And runs that follow on one another are a matter of their own:
   after a pause the other threads sleep, and have to be woken. So are calls of a size of
   their own, where the call decides sizes: many rows may gain what few lose. */

#ifndef DYCL_TRIAL_H
#define DYCL_TRIAL_H

#include "waiting.h"

#define DYCL_PROBES 4 /* runs with threads, as many without, and both again */
#define DYCL_FIRST 64 /* runs until they are compared anew, and at most */
#define DYCL_ROUNDS 1024
#define DYCL_GAIN 0.97
#define DYCL_CLEAR 1.25 /* so much slower, and two runs are enough */
#define DYCL_WAYS 8 /* as many as are told apart */
#define DYCL_SIZES 16 /* powers of two of sizes; beyond that they share a trial */

/* Runs that share as much work: how long each took, in order; without threads, with. */
struct dycl_way {
    int64_t work, count[2], times[2][2 * DYCL_PROBES];
};

/* All zero before its first run. */
struct dycl_probe {
    bool alone; /* whether threads are left out */
    int64_t run, rounds, way_count; /* `rounds`: until the next trial; 0: DYCL_FIRST */
    struct dycl_way ways[DYCL_WAYS];
};

static struct {
    _Atomic bool together; /* in the run of now */
    _Atomic bool counts;
    _Atomic int64_t work; /* of a run that is measured */
    atomic_flag running;
    /* Of the run that has the flag. */
    int64_t ended;
} dycl_probes = {.running = ATOMIC_FLAG_INIT, .together = true};

/* Of runs at once, and of those after a pause. */
static struct dycl_probe dycl_trials[DYCL_SIZES][2];

/* Note a task; whether threads are to share it. */
DYCL_LOCAL bool dycl_tries(int64_t work)
{
    if (dycl_probes.counts)
        dycl_probes.work += work;
    return dycl_probes.together;
}

/* Whether a run is one of those that are compared. */
static bool dycl_begin_probe(struct dycl_probe *probe)
{
    if (probe->rounds == 0)
        probe->rounds = DYCL_FIRST;
    if (probe->run >= probe->rounds) {
        probe->run = 0;
        if (probe->rounds < DYCL_ROUNDS)
            probe->rounds *= 2;
    }
    if (probe->run == 0)
        probe->way_count = 0;
    bool tried = probe->run < 4 * DYCL_PROBES;
    dycl_probes.together = tried ? probe->run / DYCL_PROBES % 2 == 0 : !probe->alone;
    dycl_probes.work = 0;
    dycl_probes.counts = tried;
    return tried;
}

/* Work in steps of an eighth: where a run decides sizes, no two share quite as much. */
static int64_t dycl_about(int64_t work)
{
    int bits = 60 - __builtin_clzll(work | 8);
    return work >> bits << bits;
}

static void dycl_note_time(struct dycl_probe *probe, int64_t work, int64_t time)
{
    int64_t i = 0;
    work = dycl_about(work);
    while (i < probe->way_count && probe->ways[i].work != work)
        i++;
    if (i == DYCL_WAYS)
        return;
    struct dycl_way *way = &probe->ways[i];
    if (i == probe->way_count) {
        *way = (struct dycl_way){.work = work};
        probe->way_count++;
    }
    int how = dycl_probes.together;
    int64_t place = way->count[how]++;
    for (; place > 0 && way->times[how][place - 1] > time; place--)
        way->times[how][place] = way->times[how][place - 1];
    way->times[how][place] = time;
}

/* Compare by medians: what is rarely fast, or rarely slow, says nothing. */
static void dycl_compare(struct dycl_probe *probe)
{
    double total[2] = {0, 0};
    for (int64_t i = 0; i < probe->way_count; i++) {
        const struct dycl_way *way = &probe->ways[i];
        for (int how = 0; how < 2 && way->count[0] && way->count[1]; how++)
            total[how] += way->times[how][(way->count[how] - 1) / 2];
    }
    if (total[0] > 0)
        probe->alone = total[1] > DYCL_GAIN * total[0];
}

/* Whether the fastest run of one kind is far behind the other's median, for all ways. */
static bool dycl_is_behind(const struct dycl_probe *probe, int how)
{
    int64_t compared = 0;
    for (int64_t i = 0; i < probe->way_count; i++) {
        const struct dycl_way *way = &probe->ways[i];
        if (way->count[0] < 2 || way->count[1] < 2)
            continue;
        int64_t median = way->times[!how][(way->count[!how] - 1) / 2];
        if (way->times[how][0] <= DYCL_CLEAR * median)
            return false;
        compared++;
    }
    return compared > 0;
}

/* Whether no more has to be tried. Long runs of the slower kind are dear. */
static bool dycl_has_tried(const struct dycl_probe *probe)
{
    return probe->run == 4 * DYCL_PROBES ||
           (probe->run < 4 * DYCL_PROBES &&
            (dycl_is_behind(probe, 0) || dycl_is_behind(probe, 1)));
}

/* What is tried out for runs of a size: one trial for those of as many bits. */
static struct dycl_probe *dycl_trials_of(uint64_t size)
{
    return dycl_trials[(63 - __builtin_clzll(size | 1)) % DYCL_SIZES];
}

/* Run; one run at a time is measured. `size`: of what the call decides. */
static int dycl_try(struct dycl_host *h, int (*run)(struct dycl_host *), uint64_t size)
{
    if (atomic_flag_test_and_set(&dycl_probes.running))
        return run(h);
    int64_t start = dycl_now();
    bool pause = start - dycl_probes.ended > DYCL_PAUSE;
    struct dycl_probe *probe = dycl_trials_of(size) + pause;
    bool tried = dycl_begin_probe(probe);
    int how = run(h);
    dycl_probes.ended = dycl_now();
    dycl_probes.counts = false;
    if (tried && dycl_probes.work > 0)
        dycl_note_time(probe, dycl_probes.work, dycl_probes.ended - start);
    probe->run++;
    if (tried && dycl_has_tried(probe)) {
        dycl_compare(probe);
        probe->run = 4 * DYCL_PROBES;
    }
    atomic_flag_clear(&dycl_probes.running);
    return how;
}

#endif
