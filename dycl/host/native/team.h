/* A team of threads for the kernels of this object, with nothing but libc.

   A kernel hands over a task of as many parts as there are threads. Parts are taken, not
   given out: whoever comes first does one, so a thread that sleeps, or has no processor,
   holds nobody up. Each part writes memory of its own, so results do not depend on who
   does what. One run at a time has the team; another one that meets it works alone. */

#ifndef DYCL_TEAM_H
#define DYCL_TEAM_H

#include "support.h"

#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <sys/syscall.h>

#define DYCL_SPINS 20000 /* looks for work before a thread sleeps: some 100 us */

typedef void dycl_task(void *arguments, int64_t part, int64_t parts);

static struct {
    _Atomic uint32_t turn; /* counts tasks */
    _Atomic uint32_t taken[THREADS]; /* of each part, the last turn it was taken in */
    _Atomic uint32_t done;
    _Atomic uint32_t asleep;
    _Atomic uint32_t control; /* how the caller's processor rounds */
    dycl_task *_Atomic task;
    void *_Atomic arguments;
    atomic_flag busy;
} dycl_shared = {.busy = ATOMIC_FLAG_INIT};

/* Where the kernels look for a team; theirs and this one are the same. */
__attribute__((weak)) void (*dycl_team)(dycl_task *, void *);

DYCL_LOCAL void dycl_pause(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
}

DYCL_LOCAL uint32_t dycl_rounding(void)
{
#if defined(__x86_64__)
    return __builtin_ia32_stmxcsr();
#else
    return 0;
#endif
}

DYCL_LOCAL void dycl_set_rounding(uint32_t control)
{
#if defined(__x86_64__)
    __builtin_ia32_ldmxcsr(control);
#else
    (void)control;
#endif
}

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
    }
}

static void *dycl_work(void *number)
{
    int own = (int)(intptr_t)number;
    uint32_t seen = 0;
    for (;;) {
        int spins = 0;
        uint32_t turn;
        while ((turn = dycl_shared.turn) == seen) {
            if (++spins < DYCL_SPINS) {
                dycl_pause();
                continue;
            }
            atomic_store(&dycl_shared.asleep, 1);
            syscall(SYS_futex, &dycl_shared.turn, FUTEX_WAIT_PRIVATE, seen, NULL, NULL, 0);
            spins = 0;
        }
        seen = turn;
        dycl_take_parts(turn, own);
    }
    return NULL;
}

static void dycl_share_task(dycl_task *task, void *arguments)
{
    if (atomic_flag_test_and_set(&dycl_shared.busy)) {
        task(arguments, 0, 1);
        return;
    }
    dycl_shared.task = task;
    dycl_shared.arguments = arguments;
    dycl_shared.control = dycl_rounding();
    dycl_shared.done = 0;
    uint32_t turn = dycl_shared.turn + 1;
    dycl_shared.turn = turn;
    if (dycl_shared.asleep && atomic_exchange(&dycl_shared.asleep, 0))
        syscall(SYS_futex, &dycl_shared.turn, FUTEX_WAKE_PRIVATE, THREADS, NULL, NULL, 0);
    dycl_take_parts(turn, 0);
    for (int spins = 0; dycl_shared.done != THREADS; spins++) {
        if (spins % 4096 == 4095)
            sched_yield();
        dycl_pause();
    }
    atomic_flag_clear(&dycl_shared.busy);
}

/* Start the threads, once, if there are processors for them. */
static void dycl_start_team(void)
{
    cpu_set_t processors;
    if (sched_getaffinity(0, sizeof processors, &processors) == 0 &&
        CPU_COUNT(&processors) < 2)
        return;
    int started = 0;
    for (intptr_t i = 1; i < THREADS; i++) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, dycl_work, (void *)i) != 0)
            break;
        pthread_detach(thread);
        started++;
    }
    if (started)
        dycl_team = dycl_share_task;
}

static pthread_once_t dycl_team_started = PTHREAD_ONCE_INIT;
#define START_TEAM pthread_once(&dycl_team_started, dycl_start_team)

#endif
