"""The machine that a run was taken on, and how torch is set for it."""

import os
import platform
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path

import torch


def facts():
    """What a reader needs to know beside the numbers, as strings."""
    load = os.getloadavg()[0]
    return {
        "CPU": f"{_processor()}, {len(os.sched_getaffinity(0))} cores, "
        f"load {load:.1f} at the start",
        "Python": platform.python_version(),
        "torch": torch.__version__,
        "MLIR": f"torch-mlir {version('torch-mlir')}, xdsl {version('xdsl')}",
    }


@contextmanager
def one_thread():
    """One thread for torch, as the compiled kernels have."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)


def _processor():
    info = Path("/proc/cpuinfo")
    if info.exists():
        for line in info.read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.machine()
