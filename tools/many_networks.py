"""Many different networks in one process, each loaded, called and dropped.

    python -m tools.many_networks --nets 10000

Memory and mappings have to be as flat at the end as they were soon after the beginning;
the exit status is 1 if they are not. The networks are copies of one artifact, whose
code differs by bytes at its end: to a process, and to `dycl.load`, each is another one.
"""

import argparse
import json
import sys
import tempfile
import zipfile
from pathlib import Path
from typing import NamedTuple

import numpy as np

import dycl
from dycl.runtime.manifest import HOST, MANIFEST
from dycl.runtime.seal import sealed, unsealed
from tools.mutants.archives import write
from tools.mutants.edits import hash_anew
from tools.mutants.subjects import make_native, make_python


class Usage(NamedTuple):
    """What a process has of the system's."""

    mappings: int
    kilobytes: int
    files: int


def usage():
    """Of this process, now."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    mappings = len(Path("/proc/self/maps").read_text().splitlines())
    return Usage(mappings, pages * 4, len([*Path("/proc/self/fd").iterdir()]))


def variants(path):
    """A function from a number to the bytes of an artifact with other code."""
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    [target] = json.loads(members[MANIFEST])["targets"]
    name, tables = f"{target['name']}/model.so", f"{target['name']}/host.json"
    about = members[HOST], members.get(tables, b""), target["kernels"]
    code, _ = unsealed(memoryview(members[name]), *about)

    def variant(number):
        other = bytes(code) + number.to_bytes(8, "little")
        changed = members | {name: sealed(other, *about)}
        hash_anew(changed)
        return write(changed)

    return variant


def soak(path, arguments, count, each=None):
    """Load, call and drop so many variants; what is used after a tenth, and at the end.

    `each` is called with a network and its results.
    """
    variant, early = variants(path), None
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "net.dycl"
        for number in range(count):
            file.write_bytes(variant(number))
            net = dycl.load(file)
            results = [net(*given) for given in arguments]
            file.unlink()
            if each is not None:
                each(net, results)
            del net, results
            if number == count // 10:
                early = usage()
    return early, usage()


def is_flat(early, late, count):
    """Whether no network has left anything: less than a page each, and no mapping."""
    grown = late.kilobytes - early.kilobytes
    return (
        late.mappings <= early.mappings + 8
        and late.files <= early.files + 2
        and grown < max(4096, count // 2)
    )


def main():
    """Run; the exit status."""
    parser = argparse.ArgumentParser("python -m tools.many_networks")
    parser.add_argument("--nets", type=int, default=1000, metavar="N")
    count = parser.parse_args().nets
    failed = False
    for words, (early, late), flat in measured(count):
        failed |= not flat
        print(f"{count} {words}\n  {early}\n  {late}", flush=True)
    return 1 if failed else 0


def measured(count):
    """Words, what was used early and late, and whether it is flat, for each host."""
    hosts = {"networks in C": make_native, "networks in Python": make_python}
    for words, make in hosts.items() if count else ():
        with tempfile.TemporaryDirectory() as folder:
            path = make(Path(folder))
            found = soak(path, calls_of(path), count)
        yield words, found, is_flat(*found, count)


def calls_of(path):
    """Arguments of two calls: arrays, and torch's tensors."""
    import torch

    from tools.mutants.subjects import arguments_of

    first = arguments_of(dycl.load(path))[0]
    return first, tuple(_with_tensors(value, torch) for value in first)


def _with_tensors(value, torch):
    if isinstance(value, np.ndarray):
        return torch.from_numpy(value)
    if isinstance(value, dict):
        return {key: _with_tensors(item, torch) for key, item in value.items()}
    if isinstance(value, tuple):
        return tuple(_with_tensors(item, torch) for item in value)
    return value


if __name__ == "__main__":
    sys.exit(main())
