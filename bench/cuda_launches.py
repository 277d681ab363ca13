"""The launches of a call: kernels in order, and what each computes and touches.

What a kernel of fixed sizes does follows from its ops. One whose sizes a run decides is
looked at when it is launched: bytes are those of its arguments, FLOPs those of torch's
products, which the reference backend runs.
"""

from functools import partial

from bench.work import Counter
from dycl.report.graph import Work
from dycl.report.work import work_of_kernels
from dycl.runtime.buffers import Buffer
from dycl.tools.cli_show import parse_module


def launches_of(net, arguments):
    """Pairs of a kernel and its `Work`, in the order of a call's launches.

    `net`: compiled with `backend="reference"`. Raises what the call raises.
    """
    work = work_of_kernels(parse_module(net.stages["hcfg"], "hcfg"))
    watch = _Watch(work)
    before = net.network.observe(watch)
    try:
        net(*arguments)
    finally:
        net.network.observe(before)
    return watch.seen


class _Watch:
    """An observer of a network that notes launches; see `dycl.runtime.observers`."""

    def __init__(self, known):
        self.known, self.seen = known, []
        self._plain = None

    def call(self, function):
        """Do a call."""
        return function()

    def attach(self, instance, twin):
        """Run the host once more, with launches that are seen."""
        self._plain = instance.forward
        watched = twin(lambda load: lambda services: load(_Services(services, self)))
        watched.taken = instance.taken
        instance.forward = watched.forward

    def detach(self, instance):
        """Let it be as it was."""
        instance.forward = self._plain

    def rows(self, count, decisions, sides):
        """Rows were computed together."""

    def run(self, launch, name, arguments, *given):
        """Launch, and note it."""
        if name in self.known:
            launch(*given)
            self.seen.append((name, self.known[name]))
            return
        with Counter() as counter:
            launch(*given)
        left = iter(given)
        whole = [next(left) if one is ... else one for one in arguments]
        buffers = [one.array for one in whole if isinstance(one, Buffer)]
        touched = sum(array.nbytes for array in buffers)
        self.seen.append((name, Work(counter.flops, touched)))


class _Services:
    """What a printed host calls `rt`, with launches that are seen."""

    def __init__(self, services, watch):
        self._services, self._watch = services, watch

    def __getattr__(self, name):
        return getattr(self._services, name)

    def launch(self, name, inputs, outputs):
        """As `HostServices.launch`."""
        launch = self._services.launch(name, inputs, outputs)
        return partial(self._watch.run, launch, name, (*inputs, *outputs))
