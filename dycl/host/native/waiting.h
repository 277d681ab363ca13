/* How threads that share work wait for one another: they look for a while, as to be woken
   takes longer than most of what they wait for, and then sleep. */

#ifndef DYCL_WAITING_H
#define DYCL_WAITING_H

#include "support.h"

#include <limits.h>
#include <linux/futex.h>
#include <sched.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define DYCL_PAUSE 100000 /* ns without a run after which threads sleep */
#define DYCL_KEEPS 5000 /* ns in which one lets nobody else have its processor */

DYCL_LOCAL int64_t dycl_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

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

DYCL_LOCAL void dycl_sleep_until(_Atomic uint32_t *word, uint32_t seen,
                                 const struct timespec *within)
{
    syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, seen, within, NULL, 0);
}

DYCL_LOCAL void dycl_sleep(_Atomic uint32_t *word, uint32_t seen)
{
    dycl_sleep_until(word, seen, NULL);
}

DYCL_LOCAL void dycl_wake(_Atomic uint32_t *word)
{
    syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
}

/* Whether a word becomes another one within some nanoseconds. */
DYCL_LOCAL bool dycl_changes(_Atomic uint32_t *word, uint32_t seen, int64_t within)
{
    int64_t start = dycl_now(), now = start;
    do {
        for (int i = 0; i < 64; i++) {
            if (*word != seen)
                return true;
            dycl_pause();
        }
        if (now - start > DYCL_KEEPS)
            sched_yield();
        now = dycl_now();
    } while (now - start < within);
    return false;
}

#endif
