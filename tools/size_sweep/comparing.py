"""A function, compiled once for a dynamic size `n`, and eager at each size."""

import dycl
from dycl.tools.same import value_difference

MOST = 40
"""The largest `n` of a compiled function."""
SIZES = (7, 8, 0, 1, 2, 3, 16, MOST)


def of_size(shape, n):
    """A tensor of a shape, with `n` as its dynamic size."""
    import torch

    return torch.randn([n if size == "n" else size for size in shape])


def outcome(run, x):
    """What a call gives, and what it raises."""
    import torch

    try:
        with torch.no_grad():
            return run(x), None
    except Exception as error:
        return None, error


def compiled(function, shape):
    """The network for one tensor of this shape. Raises CompileErrors."""
    named = {d: dycl.Dim("n", max=MOST) for d, n in enumerate(shape) if n == "n"}
    return dycl.compile(function, (of_size(shape, 8),), dynamic_shapes=(named,))


def same_at_every_size(function, shape, sizes=SIZES):
    """AssertionError: what both hosts give, or raise, is not what eager does."""
    import torch

    torch.manual_seed(0)
    net = compiled(function, shape)
    assert net.host == "native", net.why_python
    nets = (net, net.with_python_host())
    for x in [of_size(shape, n) for n in sizes]:
        wanted, raised = outcome(function, x.clone())
        for run in nets:
            found, ours = outcome(run, x)
            assert (ours is None) == (raised is None), (x.shape, raised, ours)
            if raised is None:
                assert value_difference(wanted, found, 1e-4, "it") is None, x.shape
            elif not isinstance(ours, dycl.runtime.InputError):
                assert isinstance(raised, type(ours))
