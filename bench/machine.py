"""The machine that a run was taken on, and how torch is set for it."""

import argparse
import os
import platform
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path

import torch

from dycl.runtime.targets import NATIVE, TARGETS, why_not_here


def facts():
    """What a reader needs to know beside the numbers, as strings."""
    load = os.getloadavg()[0]
    return {
        "CPU": f"{processor()}, {len(os.sched_getaffinity(0))} cores, "
        f"load {load:.1f} at the start",
        "Python": platform.python_version(),
        "torch": torch.__version__,
        "MLIR": f"torch-mlir {version('torch-mlir')}, xdsl {version('xdsl')}",
    }


def show_facts(**more):
    """Print them, and what else there is to say."""
    for name, value in {**facts(), **more}.items():
        print(f"{name:8} {value}")


def add_target(parser):
    """Let a command line have `--target`, one that can run here."""
    parser.add_argument("--target", type=_runs_here, choices=TARGETS, default=NATIVE)


def _runs_here(target):
    if target in TARGETS and (why := why_not_here(target)):
        raise argparse.ArgumentTypeError(why)
    return target


@contextmanager
def one_thread():
    """One thread for torch, as the compiled kernels have."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)


def processor():
    """Its name, with what tells those apart that a virtual machine calls the same."""
    info = Path("/proc/cpuinfo")
    said = {}
    if info.exists():
        for line in info.read_text(encoding="utf-8").splitlines():
            name, _, value = line.partition(":")
            said.setdefault(name.strip(), value.strip())
    if "model name" not in said:
        return platform.machine()
    kind = [f"{what} {said[key]}" for what, key in _KIND.items() if key in said]
    return " ".join([said["model name"], *([f"({', '.join(kind)})"] if kind else [])])


_KIND = {"family": "cpu family", "model": "model"}
