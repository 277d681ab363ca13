"""Quotas of processors' time, on fake trees of files: the readers in Python and C."""

import ctypes
import os
import sys

import pytest

from dycl.host.native import headers
from dycl.runtime.loading import load_from_memory
from dycl.runtime.machine import processors, quota
from dycl.toolchain import find_compiler, shared_object

NONE = "none"
SECOND = "0::/a/b.service\n"
FIRST = "9:name=systemd:/x\n4:memory:/x\n2:cpu,cpuacct:/docker/1\n1:cpuset:/x\n"
TREES = {
    "no files": ({}, NONE),
    "no limit": ({"cpu.max": "max 100000"}, NONE),
    "two processors": ({"a/b.service/cpu.max": "200000 100000"}, 2),
    "of a half one": ({"a/b.service/cpu.max": "50000 100000\n"}, 1),
    "of three halves one": ({"a/b.service/cpu.max": "150000 100000"}, 1),
    "the group around it": (
        {"a/b.service/cpu.max": "800000 100000", "a/cpu.max": "300000 100000"},
        3,
    ),
    "the container's own": ({"cpu.max": "400000 100000"}, 4),
    "another group": ({"c/cpu.max": "100000 100000"}, NONE),
    "damaged": ({"cpu.max": "many of them"}, NONE),
    "short": ({"cpu.max": "100000"}, NONE),
    "no period": ({"cpu.max": "100000 0"}, NONE),
}
OF_FIRST = {
    "first: none": ({"cpu/cpu.cfs_quota_us": "-1", "cpu/cpu.cfs_period_us": "9"}, NONE),
    "first: five": (
        {
            "cpu/docker/1/cpu.cfs_quota_us": "500000\n",
            "cpu/docker/1/cpu.cfs_period_us": "100000\n",
        },
        5,
    ),
    "first: the container's own": (
        {"cpu/cpu.cfs_quota_us": "250000", "cpu/cpu.cfs_period_us": "100000"},
        2,
    ),
    "first: no period": ({"cpu/cpu.cfs_quota_us": "250000"}, NONE),
    "first: not its own": ({"cpuset/cpu.cfs_quota_us": "1000"}, NONE),
}


@pytest.fixture(scope="module")
def in_c():
    text = """
    #include <stdint.h>
    #include "quota.h"
    int64_t f(const char *root) { return dycl_quota(root); }
    """
    if find_compiler() is None:
        pytest.skip("there is no C compiler")
    code = shared_object({}, {"a.c": text, **headers()}, source="a.c")
    found = load_from_memory(code, "quota").f
    found.argtypes, found.restype = [ctypes.c_char_p], ctypes.c_int64
    return found


@pytest.mark.parametrize("name", [*TREES, *OF_FIRST])
def test_quotas(name, in_c, tmp_path):
    files, wanted = (TREES | OF_FIRST)[name]
    groups = SECOND if name in TREES else FIRST
    for path, text in files.items():
        file = tmp_path / "sys/fs/cgroup" / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    (tmp_path / "proc/self").mkdir(parents=True)
    (tmp_path / "proc/self/cgroup").write_text(groups)
    wanted = sys.maxsize if wanted == NONE else wanted
    assert quota(tmp_path) == wanted
    assert in_c(os.fsencode(tmp_path)) == wanted
    assert processors(tmp_path) == min(wanted, len(os.sched_getaffinity(0)))


@pytest.mark.parametrize("groups", [None, "", "\n\n", "1:cpu", ":::", "x" * 9000])
def test_groups_that_cannot_be_told(groups, in_c, tmp_path):
    if groups is not None:
        (tmp_path / "proc/self").mkdir(parents=True)
        (tmp_path / "proc/self/cgroup").write_text(groups)
    assert quota(tmp_path) == sys.maxsize
    assert in_c(os.fsencode(tmp_path)) == sys.maxsize


def test_here_both_find_the_same(in_c):
    assert in_c(b"") == quota()
