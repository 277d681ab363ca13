"""The team of threads: who is woken when, and that each task is done whole."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from dycl.host.native import headers

_PROGRAM = """
#define THREADS 3
#include "team.h"

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
        dycl_team(task, (void *)&sum, work);
        assert(sum == 600 * 599 / 2);
        usleep(pause);
    }
    return dycl_shared.turn != turn;
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
    START_TEAM;
    if (dycl_team == NULL)
        return 42;
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
_TRIAL = """
#define THREADS 2
#include "team.h"

#include <assert.h>

static bool slow_together;
static int together, alone;

static void task(void *nothing, int64_t part, int64_t parts)
{
    (void)nothing;
    (void)part;
    if (parts == 1)
        alone++;
    else
        together++;
    int64_t longer = parts == 1 ? !slow_together : slow_together;
    for (int64_t end = dycl_now() + (longer ? 40000 : 4000); dycl_now() < end;)
        ;
}

static int dycl_forward(struct dycl_host *h)
{
    (void)h;
    dycl_team(task, NULL, DYCL_WORTH);
    return DYCL_STOPPED;
}

static void runs(int count)
{
    together = alone = 0;
    for (int i = 0; i < count; i++)
        assert(FORWARD(NULL) == DYCL_STOPPED);
}

int main(void)
{
    START_TEAM;
    if (dycl_team == NULL)
        return 42;
    slow_together = true;
    runs(2 * DYCL_TRIES);
    assert(together > 0 && alone > 0);
    runs(64 - 2 * DYCL_TRIES);
    assert(together == 0);
    slow_together = false; /* found out when they are compared anew */
    runs(2 * DYCL_TRIES);
    runs(64);
    assert(alone < 64);
    assert(together > 0);
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
    command = ["cc", *flags, "main.c", "-o", "main", "-lm", "-lpthread"]
    subprocess.run(command, cwd=folder, check=True)
    return folder / "main"


def test_threads_are_woken_where_it_pays(tmp_path: Path) -> None:
    subprocess.run([_built(tmp_path, _PROGRAM)], check=True, timeout=100)


def test_runs_find_out_whether_threads_gain(tmp_path: Path) -> None:
    subprocess.run([_built(tmp_path, _TRIAL)], check=True, timeout=100)


def test_there_is_no_team_on_one_processor(tmp_path: Path) -> None:
    program = _built(tmp_path, _PROGRAM)
    one = min(os.sched_getaffinity(0))
    text = "import os, sys; os.sched_setaffinity(0, [int(sys.argv[1])]); "
    text += "os.execv(sys.argv[2], sys.argv[2:])"
    command = [sys.executable, "-c", text, str(one), str(program)]
    assert subprocess.run(command, check=False, timeout=100).returncode == 42
