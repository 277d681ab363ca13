/* Times of a run, where someone asks for them: when each launch began and ended.

   A run that nobody times pays a load and a branch that is never taken, for itself and
   for each launch. A decision pays nothing: a launch notes how many were made before. */

#ifndef DYCL_TIMES_H
#define DYCL_TIMES_H

#pragma GCC visibility push(hidden)

/* A launch, by its number in "launches" of host.json; or DYCL_WHOLE_RUN. The times are
   ticks of the clock that dycl_clock reads. */
struct dycl_event {
    uint64_t begin, end;
    uint32_t place;
    uint32_t decisions; /* how many the run had made before */
};

#define DYCL_WHOLE_RUN UINT32_MAX

enum { DYCL_NO_CLOCK = 0, DYCL_MONOTONIC = 1, DYCL_TICKS = 2 };

struct dycl_times {
    int clock;
    struct dycl_event *events;
    int64_t count, room, dropped;
};

/* CLOCK_MONOTONIC in nanoseconds; or the processor's counter, which takes a third of
   the time to read. Never 0. */
uint64_t dycl_read_clock(int clock);

/* Note that a launch has ended. */
void dycl_launched(struct dycl_times *times, uint64_t begin, uint32_t place,
                   int64_t decisions);

/* Run, and note what happens; what `run` gives. */
struct dycl_host;
int dycl_run_timed(struct dycl_host *h, int (*run)(struct dycl_host *));

/* The names begin with `_`, as no variable of a host does. */
#define LAUNCH(place, call)                                                            \
    do {                                                                               \
        uint64_t _begin = 0;                                                           \
        if (__builtin_expect(h->times != NULL, 0))                                     \
            _begin = dycl_read_clock(h->times->clock);                                 \
        call;                                                                          \
        if (__builtin_expect(_begin != 0, 0))                                          \
            dycl_launched(h->times, _begin, place, path - h->net.path);                    \
    } while (0)

#pragma GCC visibility pop

#endif
