"""Threads that share runs: each is done once, and a round ends with its last one."""

import subprocess

import pytest

from dycl.host.native import common, headers
from dycl.toolchain import find_compiler

CC = find_compiler()
pytestmark = pytest.mark.skipif(CC is None, reason="there is no C compiler")

_PROGRAM = """
#include "waiting.h"

struct dycl_each {
    dycl_net *net;
    int64_t how, failed, done;
};

#include "row_team.h"

#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { HELPERS = 3, RUNS = 40, ROUNDS = 1000 };

static _Atomic int64_t next;
static int64_t runs; /* of the round of now */
static int64_t results[RUNS];
static bool endless;

static void take(struct dycl_each *e)
{
    int64_t run;
    while ((run = atomic_fetch_add(&next, 1)) < runs) {
        results[run]++;
        e->done++;
        if (endless && e->net->poll != NULL)
            while (!e->net->poll(e->net))
                usleep(100);
    }
}

static void *help(void *number)
{
    struct dycl_helper *helper = number;
    struct dycl_each *e = &helper->team->each[helper->number];
    e->net->user = helper->team;
    e->net->poll = dycl_is_stopped;
    while (dycl_join_round(helper)) {
        take(e);
        dycl_leave_round(helper->team);
    }
    return NULL;
}

static int64_t asked;

static int ask(dycl_net *net)
{
    (void)net;
    return ++asked == 3;
}

int main(void)
{
    dycl_net nets[1 + HELPERS] = {0};
    struct dycl_each each[1 + HELPERS] = {0};
    struct dycl_team team = {.each = each, .threads = 1 + HELPERS};
    struct dycl_helper helpers[HELPERS];
    pthread_t threads[HELPERS];
    for (int i = 0; i <= HELPERS; i++)
        each[i].net = &nets[i];
    for (int i = 0; i < HELPERS; i++) {
        helpers[i] = (struct dycl_helper){.team = &team, .number = 1 + i};
        pthread_create(&threads[i], NULL, help, &helpers[i]);
    }
    int64_t all = 0;
    for (int k = 0; k < ROUNDS; k++) {
        runs = 1 + k % RUNS;
        all += runs;
        next = 0;
        memset(results, 0, sizeof results);
        dycl_open_round(&team);
        take(&each[0]);
        dycl_close_round(&team);
        for (int64_t i = 0; i < RUNS; i++)
            assert(results[i] == (i < runs));
        if (k % 500 == 0)
            usleep(2000); /* they sleep, and are woken */
    }
    int64_t done = 0;
    for (int i = 0; i <= HELPERS; i++)
        done += each[i].done;
    assert(done == all);

    /* A run has no end, in a thread that helps: the caller is asked, and stops it. */
    endless = true;
    runs = RUNS;
    next = 0;
    dycl_open_round(&team);
    while (next == 0)
        usleep(100);
    nets[0].poll = ask;
    dycl_close_round(&team);
    assert(asked == 3 && each[0].how == DYCL_STOPPED && each[0].failed < 0);

    team.ends = 1;
    team.turn++;
    dycl_wake(&team.turn);
    for (int i = 0; i < HELPERS; i++)
        pthread_join(threads[i], NULL);
    puts("done");
    return 0;
}
"""


@pytest.mark.parametrize("options", [[], ["-fsanitize=thread", "-g"]])
def test_runs_are_done_once_and_stop(tmp_path, options):
    for name, text in {**headers(), **common(), "main.c": _PROGRAM}.items():
        (tmp_path / name).write_text(text, "utf-8")
    command = [*CC.command, "-std=gnu11", "-O1", "-D_GNU_SOURCE", "-pthread", *options]
    built = subprocess.run(
        [*command, "main.c", "-o", "main"], cwd=tmp_path, capture_output=True, text=True
    )
    if options and built.returncode:
        pytest.skip("the compiler has no such sanitizer")
    assert built.returncode == 0, built.stderr
    said = subprocess.run([tmp_path / "main"], capture_output=True, text=True)
    if options and "unexpected memory mapping" in said.stderr:
        pytest.skip("the sanitizer does not run on this machine")
    assert (said.returncode, said.stdout) == (0, "done\n"), said.stderr
