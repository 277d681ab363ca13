/* What times.h declares, and what dycl.runtime.profiling calls. */

#include <stdlib.h>
#include <time.h>

#include "support.h"

/* 24 bytes each: a run of more launches is counted, and its times are incomplete. */
#define MOST_EVENTS ((int64_t)1 << 22)

uint64_t dycl_read_clock(int clock)
{
#if defined(__x86_64__)
    if (clock == DYCL_TICKS)
        return __builtin_ia32_rdtsc();
#else
    (void)clock;
#endif
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Room for one event more; NULL: there is none. */
static struct dycl_event *dycl_next_event(struct dycl_times *times)
{
    if (times->count == times->room) {
        int64_t room = times->room == 0 ? 256 : 2 * times->room;
        struct dycl_event *more =
            room > MOST_EVENTS ? NULL : realloc(times->events, room * sizeof *more);
        if (more == NULL) {
            times->dropped++;
            return NULL;
        }
        times->events = more;
        times->room = room;
    }
    return &times->events[times->count++];
}

void dycl_launched(struct dycl_times *times, uint64_t begin, uint32_t place,
                   int64_t decisions)
{
    const uint64_t end = dycl_read_clock(times->clock);
    struct dycl_event *event = dycl_next_event(times);
    if (event != NULL)
        *event = (struct dycl_event){begin, end, place, (uint32_t)decisions};
}

int dycl_run_timed(struct dycl_host *h, int (*run)(struct dycl_host *))
{
    struct dycl_times *times = &h->own_times;
    times->clock = __atomic_load_n(&h->wanted_clock, __ATOMIC_RELAXED);
    times->count = times->dropped = 0;
    if (times->clock == DYCL_NO_CLOCK || dycl_next_event(times) == NULL)
        return run(h);
    h->times = times;
    const uint64_t begin = dycl_read_clock(times->clock);
    const int how = run(h);
    const uint64_t end = dycl_read_clock(times->clock);
    h->times = NULL;
    /* The first: when memory is short, launches are dropped and not the run. */
    times->events[0] = (struct dycl_event){begin, end, DYCL_WHOLE_RUN, 0};
    return how;
}

#pragma GCC visibility push(default)

/* Time runs of a handle that begin from now on by a clock; or, by DYCL_NO_CLOCK, no
   more. Any thread may ask for it. */
void dycl_time(dycl_net *net, int clock)
{
    struct dycl_host *h = (struct dycl_host *)net;
    __atomic_store_n(&h->wanted_clock, clock, __ATOMIC_RELAXED);
}

/* The events of the last run, the run itself first, and how many; they last until the
   next run, and are given once. `dropped`: for how many there was no memory. */
int64_t dycl_take_events(dycl_net *net, const struct dycl_event **events,
                         int64_t *dropped)
{
    struct dycl_times *times = &((struct dycl_host *)net)->own_times;
    const int64_t count = times->count;
    *events = times->events;
    *dropped = times->dropped;
    times->count = times->dropped = 0;
    return count;
}

/* A clock, and CLOCK_MONOTONIC at the same time: of a few tries the shortest. */
void dycl_clock(int clock, uint64_t *ticks, uint64_t *nanoseconds)
{
    uint64_t least = UINT64_MAX;
    for (int i = 0; i < 16; i++) {
        const uint64_t before = dycl_read_clock(clock);
        const uint64_t now = dycl_read_clock(DYCL_MONOTONIC);
        const uint64_t took = dycl_read_clock(clock) - before;
        if (took < least) {
            least = took;
            *ticks = before + took / 2;
            *nanoseconds = now;
        }
    }
}

/* The ticks that `count` readings of a clock take. */
uint64_t dycl_clock_cost(int clock, int count)
{
    const uint64_t begin = dycl_read_clock(clock);
    uint64_t end = begin;
    for (int i = 0; i < count; i++)
        end = dycl_read_clock(clock);
    return end - begin;
}

#pragma GCC visibility pop
