"""The pool of threads: who is woken when, and that each task is done whole."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from dycl.host.native import headers

_PROGRAM = """
#define THREADS 3
#include "thread_pool.h"

#include <assert.h>

static void task(void *sum, int64_t part, int64_t parts)
{
    for (int64_t i = part * 600 / parts; i < (part + 1) * 600 / parts; i++)
        atomic_fetch_add((_Atomic int64_t *)sum, i);
}

/* Whether threads were asked to do some of as many tasks. */
static bool asks(int tasks, int64_t work, int pause)
{
    uint32_t turn = dycl_shared.turn;
    for (int i = 0; i < tasks; i++) {
        _Atomic int64_t sum = 0;
        dycl_pool(task, (void *)&sum, work);
        assert(sum == 600 * 599 / 2);
        usleep(pause);
    }
    return dycl_shared.turn != turn;
}

/* Whether two words lie where one cache has both, or neither. */
static bool share_a_line(const volatile void *one, const volatile void *other)
{
    return (uintptr_t)one / 64 == (uintptr_t)other / 64;
}

static void wait_until_they_sleep(void)
{
    for (int i = 0; dycl_shared.asleep != THREADS - 1; i++) {
        assert(i < 20000);
        usleep(1000);
    }
    usleep(5000);
}

int main(void)
{
    dycl_need_pool();
    if (dycl_pool == NULL)
        return 42;
    /* What a task writes is beside nothing that threads look at while they wait. */
    assert(!share_a_line(&dycl_shared.turn, &dycl_shared.task));
    assert(!share_a_line(&dycl_shared.turn, dycl_shared.taken));
    assert(!share_a_line(&dycl_shared.turn, &dycl_shared.busy));
    assert(!share_a_line(&dycl_shared.done, &dycl_shared.task));
    assert(!share_a_line(&dycl_shared.done, &dycl_shared.busy));
    wait_until_they_sleep();
    assert(!asks(50, 9000, 2000)); /* small tasks now and then */
    assert(asks(1, 10 * DYCL_WORTH, 0)); /* a large one */
    wait_until_they_sleep();
    assert(asks(4000, 9000, 0)); /* many small ones, one after the other */
    for (int i = 0; i < 200; i++)
        asks(20, DYCL_WORTH, i % 3 ? 0 : 300);

    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(sched_getcpu(), &one);
    sched_setaffinity(0, sizeof one, &one);
    assert(asks(2 * DYCL_OFTEN, 10 * DYCL_WORTH, 0)); /* the others have more */
    pthread_setaffinity_np(dycl_shared.first, sizeof one, &one);
    asks(DYCL_OFTEN, 10 * DYCL_WORTH, 0);
    assert(!asks(DYCL_OFTEN, 10 * DYCL_WORTH, 0));
    return 0;
}
"""
_FORKS = """
#define THREADS 3
#include "thread_pool.h"

#include <assert.h>
#include <sys/wait.h>

static void task(void *sum, int64_t part, int64_t parts)
{
    for (int64_t i = part * 600 / parts; i < (part + 1) * 600 / parts; i++)
        atomic_fetch_add((_Atomic int64_t *)sum, i);
}

static void ask(void)
{
    _Atomic int64_t sum = 0;
    dycl_pool(task, (void *)&sum, 10 * DYCL_WORTH);
    assert(sum == 600 * 599 / 2);
}

static _Atomic bool ends;

static void *asks(void *nothing)
{
    while (!ends)
        ask();
    return nothing;
}

static int run(struct dycl_host *h)
{
    (void)h;
    ask();
    return 0;
}

int main(void)
{
    dycl_need_pool();
    if (dycl_pool == NULL)
        return 42;
    pthread_t thread;
    assert(pthread_create(&thread, NULL, asks, NULL) == 0);
    for (int i = 0; i < 50; i++) {
        int status;
        pid_t child = fork();
        if (child == 0) {
            alarm(20);
            for (int j = 0; j < 100; j++)
                dycl_try(NULL, run, 1);
            dycl_probes.together = true;
            uint32_t turn = dycl_shared.turn;
            for (int j = 0; j < 100; j++)
                ask();
            bool is_shared = dycl_helpers > 0 && dycl_shared.turn != turn;
            _exit(is_shared ? 0 : 3);
        }
        assert(waitpid(child, &status, 0) == child && status == 0);
    }
    ends = true;
    pthread_join(thread, NULL);
    return 0;
}
"""
_TRIAL = """
#include <time.h>

static long long ticks; /* a clock that nothing else moves */

static int look(clockid_t clock, struct timespec *time)
{
    (void)clock;
    *time = (struct timespec){ticks / 1000000000, ticks % 1000000000};
    return 0;
}

#define clock_gettime look
#include "probe.h"

#include <assert.h>

static int64_t units, rate = 20000, size = 1;
static bool slow_together;
static double factor = 1.2;
static int together, alone;

static int run_once(struct dycl_host *h)
{
    (void)h;
    int64_t time = rate * units;
    if (dycl_tries(1000 * units)) {
        together++;
        ticks += slow_together ? factor * time : time / 2;
        if (together % 4 == 0)
            ticks += 4000000; /* a thread was held up; so was none alone */
    } else {
        alone++;
        ticks += time;
    }
    return 0;
}

/* Runs of three ways; as many at the end use threads. */
static int runs(int count, int pause)
{
    together = alone = 0;
    for (int i = 0; i < count; i++) {
        units = 1 + i % 3 * 40;
        assert(dycl_try(NULL, run_once, size) == 0);
        ticks += pause;
    }
    return together;
}

#define TRIES (4 * DYCL_PROBES)

int main(void)
{
    ticks = 1000 * 1000 * 1000;
    runs(1, 1000); /* after a pause, as far as anyone knows */
    slow_together = true;
    assert(runs(TRIES, 1000) == TRIES / 2);
    assert(runs(40, 1000) == 0);
    slow_together = false; /* after a pause it is another matter */
    runs(TRIES, 1000 * 1000);
    assert(runs(40, 1000 * 1000) == 40);
    assert(runs(1, 1000) == 1 && runs(1, 1000) == 0);
    runs(64, 1000); /* found out when they are compared anew */
    assert(runs(20, 1000) == 20);

    /* Calls of other sizes are another matter, and those of about that size are not. */
    slow_together = true;
    size = 8;
    assert(runs(TRIES, 1000) == TRIES / 2 && runs(20, 1000) == 0);
    slow_together = false;
    size = 128;
    runs(TRIES, 1000);
    assert(runs(20, 1000) == 20);
    size = 255;
    assert(runs(1, 1000) == 1);
    size = 9;
    assert(runs(1, 1000) == 0);
    size = 0; /* a call of no rows */
    assert(dycl_trials_of(size) == dycl_trials_of(1));
    size = 1;

    /* A way that takes little time for its work, and is seen with threads alone, is
       not compared with another one. */
    dycl_trials[0][0] = (struct dycl_probe){.rounds = 64};
    slow_together = true;
    for (int i = 0; i < TRIES; i++) {
        units = i < DYCL_PROBES ? 1000 : 1;
        rate = i < DYCL_PROBES ? 1000 : 20000;
        dycl_try(NULL, run_once, size);
    }
    assert(runs(1, 1000) == 0);

    /* Where a run decides how much work it is, no two have as much, but about. */
    dycl_trials[0][0] = (struct dycl_probe){.rounds = 64};
    rate = 1000;
    for (int i = 0; i < TRIES; i++) {
        units = 1030 + 7 * i;
        dycl_try(NULL, run_once, size);
    }
    together = 0;
    dycl_try(NULL, run_once, size);
    assert(together == 0);

    /* Where one kind is far behind, two runs of it are enough. */
    for (int slow = 0; slow < 2; slow++) {
        dycl_trials[0][0] = (struct dycl_probe){.rounds = 64};
        slow_together = slow;
        factor = 2;
        together = alone = 0;
        units = 100;
        rate = 20000000;
        for (int i = 0; i < 50; i++)
            dycl_try(NULL, run_once, size);
        assert(slow ? together == 4 && alone == 46 : alone == 2 && together == 48);
    }
    return 0;
}
"""

pytestmark = pytest.mark.skipif(
    shutil.which("cc") is None or len(os.sched_getaffinity(0)) < 2,
    reason="it takes a C compiler, and two processors",
)


def _built(folder: Path, source: str) -> Path:
    for name, text in {"main.c": source, **headers()}.items():
        (folder / name).write_text(text, encoding="utf-8")
    flags = ["-std=gnu11", "-O1", "-Wall", "-Werror", "-Wno-unused-function"]
    command = [
        "cc",
        "-D_GNU_SOURCE",
        *flags,
        "main.c",
        "-o",
        "main",
        "-lm",
        "-lpthread",
    ]
    subprocess.run(command, cwd=folder, check=True)
    return folder / "main"


def test_threads_are_woken_where_it_pays(tmp_path: Path) -> None:
    subprocess.run([_built(tmp_path, _PROGRAM)], check=True, timeout=100)


def test_runs_find_out_whether_threads_gain(tmp_path: Path) -> None:
    subprocess.run([_built(tmp_path, _TRIAL)], check=True, timeout=100)


def test_a_child_has_a_team_of_its_own(tmp_path: Path) -> None:
    subprocess.run([_built(tmp_path, _FORKS)], check=True, timeout=100)


def test_there_is_no_team_on_one_processor(tmp_path: Path) -> None:
    program = _built(tmp_path, _PROGRAM)
    one = min(os.sched_getaffinity(0))
    text = "import os, sys; os.sched_setaffinity(0, [int(sys.argv[1])]); "
    text += "os.execv(sys.argv[2], sys.argv[2:])"
    command = [sys.executable, "-c", text, str(one), str(program)]
    assert subprocess.run(command, check=False, timeout=100).returncode == 42
