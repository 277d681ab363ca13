"""What each kernel of a compiled network takes on its own, and which a run launches."""

import time

from dycl.runtime import CompiledNet


class KernelClock:
    """A second instance of a compiled network whose launches are timed one by one."""

    def __init__(self, net):
        """`net` is what `dycl.compile` returns; it stays as it is."""
        self._library = net.library
        self._seconds = {}
        self._launches = []
        self._net = CompiledNet(net.host_source, self, net.weights)

    def run(self, arguments):
        """Run once: the path (decision and side) and the kernels launched, by name."""
        self(*arguments)
        path = tuple((d.name, d.taken) for d in self._net.path)
        return path, list(self._launches)

    def __call__(self, *arguments):
        """Run once."""
        self._launches.clear()
        return self._net(*arguments)

    def fastest(self, kernel):
        """The shortest launch of a kernel so far, in seconds."""
        return self._seconds[kernel]

    def __getitem__(self, name):
        """The kernel as the host sees it. KeyError: there is none."""
        return _Timed(self, name, self._library[name])

    def note(self, name, seconds):
        """One launch of a kernel."""
        self._launches.append(name)
        self._seconds[name] = min(seconds, self._seconds.get(name, seconds))


class _Timed:
    def __init__(self, clock, name, kernel):
        self.clock, self.name, self.kernel = clock, name, kernel

        self.prepared, self.inputs_left = kernel.prepared, kernel.inputs_left
        self.open_dims = kernel.open_dims

    def bind(self, *arguments):
        return _Bound(self, self.kernel.bind(*arguments))


class _Bound:
    def __init__(self, timed, bound):
        self.timed, self.bound = timed, bound
        self.store = bound.store

    def __call__(self):
        start = time.perf_counter()
        self.bound()
        self.timed.clock.note(self.timed.name, time.perf_counter() - start)
