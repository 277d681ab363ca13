/* A pool of threads for the kernels of this object, with nothing but libc.

   A kernel hands over a task of as many parts as there are threads. Parts are taken, not
   given out: whoever comes first does one, so a thread that sleeps, or has no processor,
   holds nobody up. Each part writes memory of its own, so results do not depend on who
   does what. One run at a time has the pool; another one that meets it works alone.

   Threads look for work for a while, and then sleep. They are woken where the work of
   late would have paid for it: a small network that is run now and then wakes nobody.
   Where other programs keep the machine busy, two threads may have one processor between
   them, and who looks would keep it from who works: so one soon lets others go first.

   A forked child has none of the threads, and flags of runs that do not go on in it. It
   starts a pool of its own: the word that says whose the pool is, the system wipes in a
   child. */

#ifndef DYCL_TEAM_H
#define DYCL_TEAM_H

#include "quota.h"
#include "probe.h"
#include "waiting.h"

#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <unistd.h>

#ifndef MADV_WIPEONFORK
#define MADV_WIPEONFORK 18
#endif

#define DYCL_LOOKS DYCL_PAUSE /* ns in which a thread looks for work before it sleeps */
#define DYCL_WAITS 50000 /* ns in which a run looks for the end of a part */
#define DYCL_WORTH 100000 /* work for which threads are woken: some 30 us */
#define DYCL_OFTEN 256 /* after so many tasks processors are counted again */

typedef void dycl_task(void *arguments, int64_t part, int64_t parts);

#define DYCL_LINE __attribute__((aligned(64))) /* what one cache has at a time */

static struct {
    /* Threads that wait look at it all the time: what is written beside it would wait
       for the line to come back from them. */
    DYCL_LINE _Atomic uint32_t turn; /* counts tasks */
    /* What is read of a task, written before `turn`. */
    DYCL_LINE dycl_task *_Atomic task;
    void *_Atomic arguments;
    _Atomic uint32_t control; /* how the caller's processor rounds */
    _Atomic uint32_t asleep; /* how many are */
    /* What all write. */
    DYCL_LINE _Atomic uint32_t taken[THREADS]; /* of each part, its last turn */
    _Atomic uint32_t done;
    _Atomic uint32_t waiting; /* for `done`, asleep */
    DYCL_LINE atomic_flag busy;
    /* Of the run that has the pool. */
    pthread_t first; /* a thread that helps */
    bool crowded; /* all have but one processor */
    uint32_t tasks;
    int64_t alone, until; /* work done while the others slept, and when that was */
} dycl_shared = {.busy = ATOMIC_FLAG_INIT};

/* The process whose pool it is; DYCL_STARTS: another one makes it its own. */
static _Atomic int64_t *dycl_owner;
static bool dycl_wipes; /* whether that is 0 in a child; else it is compared */
static int dycl_helpers; /* threads that help */
static int dycl_start_threads(void);
enum { DYCL_STARTS = -1 };

/* Where the kernels look for a pool; theirs and this one are the same. */
__attribute__((weak)) void (*dycl_pool)(dycl_task *, void *, int64_t work);

/* Do parts of a task that nobody has taken, beginning with one's own. */
static void dycl_take_parts(uint32_t turn, int own)
{
    dycl_task *task = dycl_shared.task;
    void *arguments = dycl_shared.arguments;
    uint32_t control = dycl_shared.control;
    for (int i = 0; i < THREADS; i++) {
        int part = (own + i) % THREADS;
        uint32_t before = turn - 1;
        /* Only while this task is not done; so what was read above belongs to it. */
        if (!atomic_compare_exchange_strong(&dycl_shared.taken[part], &before, turn))
            continue;
        if (own != 0)
            dycl_set_rounding(control & ~(uint32_t)63);
        task(arguments, part, THREADS);
        atomic_fetch_add(&dycl_shared.done, 1);
        if (own != 0 && dycl_shared.waiting)
            dycl_wake(&dycl_shared.done);
    }
}

static void *dycl_work(void *number)
{
    int own = (int)(intptr_t)number;
    uint32_t seen = 0;
    for (;;) {
        while (!dycl_changes(&dycl_shared.turn, seen, DYCL_LOOKS)) {
            atomic_fetch_add(&dycl_shared.asleep, 1);
            dycl_sleep(&dycl_shared.turn, seen);
            atomic_fetch_sub(&dycl_shared.asleep, 1);
        }
        seen = dycl_shared.turn;
        dycl_take_parts(seen, own);
    }
    return NULL;
}

/* Whether this thread and the first of the others have one processor between them. */
static bool dycl_is_crowded(void)
{
    cpu_set_t mine, theirs;
    if (sched_getaffinity(0, sizeof mine, &mine) != 0 ||
        pthread_getaffinity_np(dycl_shared.first, sizeof theirs, &theirs) != 0)
        return false;
    CPU_OR(&mine, &mine, &theirs);
    return CPU_COUNT(&mine) < 2;
}

/* Whether it is worth to wake the others for a task. It is if they had been of use for
   some time: they look for work as long as it may have been away. */
static bool dycl_pays(int64_t work)
{
    if (dycl_now() - dycl_shared.until > DYCL_LOOKS)
        dycl_shared.alone = 0;
    dycl_shared.alone += work;
    return dycl_shared.alone >= DYCL_WORTH;
}

/* Whether there are threads in this process; in a child, that starts them. */
static bool dycl_has_pool(void)
{
    int64_t owner = *dycl_owner;
    if (owner == DYCL_STARTS)
        return false;
    if (dycl_wipes ? owner != 0 : owner == getpid())
        return dycl_helpers > 0;
    if (!atomic_compare_exchange_strong(dycl_owner, &owner, DYCL_STARTS))
        return false;
    for (int i = 0; i < THREADS; i++)
        dycl_shared.taken[i] = 0;
    dycl_shared.turn = dycl_shared.done = dycl_shared.asleep = dycl_shared.waiting = 0;
    dycl_shared.tasks = 0;
    atomic_flag_clear(&dycl_shared.busy);
    atomic_flag_clear(&dycl_probes.running);
    dycl_helpers = dycl_start_threads();
    *dycl_owner = getpid();
    return dycl_helpers > 0;
}

static void dycl_share_task(dycl_task *task, void *arguments, int64_t work)
{
    if (!dycl_has_pool() || !dycl_tries(work) ||
        atomic_flag_test_and_set(&dycl_shared.busy)) {
        task(arguments, 0, 1);
        return;
    }
    if (dycl_shared.tasks++ % DYCL_OFTEN == 0)
        dycl_shared.crowded = dycl_is_crowded();
    bool sleep = dycl_shared.asleep > 0;
    if (dycl_shared.crowded || (sleep && !dycl_pays(work))) {
        task(arguments, 0, 1);
        dycl_shared.until = dycl_now();
        atomic_flag_clear(&dycl_shared.busy);
        return;
    }
    /* In any order, but before `turn`. */
    atomic_store_explicit(&dycl_shared.task, task, memory_order_relaxed);
    atomic_store_explicit(&dycl_shared.arguments, arguments, memory_order_relaxed);
    atomic_store_explicit(&dycl_shared.control, dycl_rounding(), memory_order_relaxed);
    atomic_store_explicit(&dycl_shared.done, 0, memory_order_relaxed);
    uint32_t turn = dycl_shared.turn + 1;
    dycl_shared.turn = turn;
    if (sleep) {
        dycl_shared.alone = 0;
        dycl_wake(&dycl_shared.turn);
    }
    dycl_take_parts(turn, 0);
    for (uint32_t done; (done = dycl_shared.done) != THREADS;) {
        if (dycl_changes(&dycl_shared.done, done, DYCL_WAITS))
            continue;
        /* Whoever has the part waits for a processor, perhaps for this one. */
        dycl_shared.waiting = 1;
        dycl_sleep(&dycl_shared.done, done);
        dycl_shared.waiting = 0;
    }
    atomic_flag_clear(&dycl_shared.busy);
}

/* As many threads as there are processors for; gives how many there are. */
static int dycl_start_threads(void)
{
    cpu_set_t processors;
    if (sched_getaffinity(0, sizeof processors, &processors) == 0 &&
        CPU_COUNT(&processors) < 2)
        return 0;
    int64_t quota = dycl_quota("");
    int started = 0;
    for (intptr_t i = 1; i < THREADS && i < quota; i++) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, dycl_work, (void *)i) != 0)
            break;
        if (started++ == 0)
            dycl_shared.first = thread;
        pthread_detach(thread);
    }
    return started;
}

static void dycl_start_pool(void)
{
    void *page = mmap(NULL, sizeof *dycl_owner, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED)
        return;
    dycl_owner = page;
    *dycl_owner = getpid();
    dycl_wipes = madvise(page, sizeof *dycl_owner, MADV_WIPEONFORK) == 0;
    dycl_helpers = dycl_start_threads();
    if (dycl_helpers > 0)
        dycl_pool = dycl_share_task;
    else
        munmap(page, sizeof *dycl_owner);
}

static pthread_once_t dycl_pool_started = PTHREAD_ONCE_INIT;

/* What dycl_program has: to start the pool, and to run with it. */
static void dycl_need_pool(void)
{
    pthread_once(&dycl_pool_started, dycl_start_pool);
}

/* The product of the sizes that a call decides, once of each name; 1: there are none. */
static uint64_t dycl_size_of_call(const struct dycl_host *h)
{
    uint64_t size = 1;
    for (int64_t i = 0; i < dycl_program.open_count; i++) {
        const struct dycl_open *open = &dycl_program.open[i];
        if (open->input == open->first_input && open->dimension == open->first_dimension)
            size *= h->net.inputs[open->input].sized->sizes[open->dimension];
    }
    return size;
}

static int dycl_run_with_pool(struct dycl_host *h, int (*run)(struct dycl_host *))
{
    return dycl_pool == NULL ? run(h) : dycl_try(h, run, dycl_size_of_call(h));
}

#endif
