"""Loads of several processes: each does one thing again and again, for some seconds.

What is compiled is compiled in processes of its own, with a cache of its own. A load
says how often it was done; `Wrong` says what was not as it should be.
"""

import multiprocessing
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import dycl
from tools.soak.loads import Wrong, bits

_COMPILE = """
import hashlib, sys
import torch
import dycl
from tools.soak import networks
torch.manual_seed(3)
inputs = networks.inputs()
print("begins", flush=True)
net = dycl.compile(networks.Exits().eval(), inputs[:1])
net.save(sys.argv[1])
with open(sys.argv[1], "rb") as file:
    print(hashlib.sha256(file.read()).hexdigest())
"""

_FULL = """
import os, resource, sys
import torch
import dycl
torch.manual_seed(3)
large = torch.nn.Linear(1024, 1024).eval()
net = dycl.compile(large, (torch.ones(1, 1024),))
wanted = net(torch.ones(1, 1024))
resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20))
try:
    net.save(sys.argv[1])
except OSError as error:
    assert sys.argv[1] in str(error), error
else:
    sys.exit("a disk with 1 MB took a file of 8")
assert os.listdir(os.path.dirname(sys.argv[1])) == [], "something was left"
assert torch.equal(net(torch.ones(1, 1024)), wanted)
"""


def spawned(net, inputs, seconds, read):
    """Processes that begin anew, load the network, and call it."""
    return _pools("spawn", net, inputs, seconds, read)


def forked(net, inputs, seconds, read):
    """Forks of a process with the network, while a thread of it calls it."""
    ended = threading.Event()

    def calls():
        while not ended.is_set():
            net(inputs[0])

    worker = threading.Thread(target=calls)
    worker.start()
    try:
        return _pools("fork", net, inputs, seconds, read)
    finally:
        ended.set()
        worker.join()


_inherited = None


def _pools(way, net, inputs, seconds, read):
    global _inherited
    wanted = [bits(net(x)) for x in inputs]
    context, end, count = multiprocessing.get_context(way), _end(seconds), 0
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "net.dycl"
        net.save(path)
        _inherited = net
        while not count or time.monotonic() < end:
            given = [(None if way == "fork" else str(path), inputs)] * 4
            with context.Pool(2) as pool:
                for found in pool.map_async(_called, given).get(timeout=300):
                    if found != wanted:
                        raise Wrong(f"a {way}ed process, round {count}")
                    count += 1
            read()
    return count


def _called(given):
    path, inputs = given
    net = _inherited if path is None else dycl.load(path)
    return [bits(net(x)) for x in inputs]


def full_disks(net, inputs, seconds, read):
    """A network that cannot be written: an OSError, no file, and it runs on."""
    return _rounds(seconds, read, lambda at: _done(_child(_FULL, at, "net.dycl")))


def read_only_homes(net, inputs, seconds, read):
    """Compiling where nothing can be kept."""

    def once(at):
        home = {"HOME": "/proc/none", "XDG_CACHE_HOME": "/proc/none/cache"}
        _done(_child(_COMPILE, at, "net.dycl", cache=None, **home))

    return _rounds(seconds, read, once)


def compiled_at_once(net, inputs, seconds, read):
    """Two processes compile one network at once, with one cache: the same bytes."""

    def once(at):
        children = [_child(_COMPILE, at, f"{i}.dycl") for i in range(2)]
        digests = {_done(child) for child in children}
        if len(digests) != 1:
            raise Wrong("two files differ")

    return _rounds(seconds, read, once)


def interrupted_compiles(net, inputs, seconds, read):
    """Ctrl-C at any moment of compiling: it ends, and the next time it compiles."""
    chance = random.Random(5)

    def once(at):
        child = _child(_COMPILE, at, "net.dycl")
        assert child.stdout is not None
        child.stdout.readline()  # It begins.
        time.sleep(chance.uniform(0.0, 2.5))
        os.kill(child.pid, signal.SIGINT)
        _, said = child.communicate(timeout=120)
        # At its very end Python has no handler any more, and says nothing.
        is_over = child.returncode == -signal.SIGINT and not said
        if child.returncode and not is_over and "KeyboardInterrupt" not in said:
            ended = f"an interrupted process ends with {child.returncode}"
            raise Wrong(f"{ended}, and says: {said[-500:]}")
        left = sorted(path.name for path in (at / "out").iterdir())
        if left not in ([], ["net.dycl"]):
            raise Wrong(f"an interrupted process leaves {', '.join(left)}")
        _done(_child(_COMPILE, at, "net.dycl"))

    return _rounds(seconds, read, once)


def _rounds(seconds, read, once):
    """Do something in a new folder, at least once, for some seconds; how often."""
    end, count = _end(seconds), 0
    while not count or time.monotonic() < end:
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "out").mkdir()
            once(Path(folder))
        count += 1
        read()
    return count


def _end(seconds):
    return time.monotonic() + seconds


def _child(code, at, name, cache="cache", **environment):
    """A process with a cache of its own, that writes a file into `at`/out."""
    known = {k: v for k, v in os.environ.items() if k != "DYCL_CACHE_DIR"}
    if cache is not None:
        known["DYCL_CACHE_DIR"] = str(at / cache)
    command = [sys.executable, "-c", code, str(at / "out" / name)]
    return subprocess.Popen(
        command,
        env={**known, **environment},
        cwd=Path(__file__).resolve().parents[2],
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


def _done(child):
    """The last line of a process that ends well."""
    out, said = child.communicate(timeout=300)
    if child.returncode:
        raise Wrong(f"a process ends with {child.returncode}: {said[-500:]}")
    return out.rpartition("\n")[0].rpartition("\n")[2]
