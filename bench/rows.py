"""`python -m bench.rows [PART OF A NAME]`: work that is no contraction, against eager.

Each function is compiled to one kernel and called in turns with torch's own, on one
thread; microseconds of the fastest call and of the median one, and eager's time as a
multiple of ours.
"""

import sys
import time

import torch
import torch.nn.functional as F
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.fx.experimental.proxy_tensor import make_fx
from torch_mlir import ir
from torch_mlir.dialects import torch as torch_dialect
from torch_mlir.extras.fx_importer import FxImporter

from bench.machine import one_thread, show_facts
from bench.table import text
from dycl.kernels.cpu import CpuBackend

ROUNDS = 60
CHUNK = 1e-3
"""Seconds of calls between two looks at the clock."""


def cases():
    """Name -> function and inputs."""
    n = torch.randn
    row, image = (n(128, 512),), (n(1, 64, 56, 56),)
    return {
        "softmax 128x512": (lambda x: F.softmax(x, -1), row),
        "softmax 8x64x64": (lambda x: F.softmax(x, -1), (n(8, 64, 64),)),
        "softmax 128x1000": (lambda x: F.softmax(x, -1), (n(128, 1000),)),
        "softmax 1x10": (lambda x: F.softmax(x, -1), (n(1, 10),)),
        "softmax dim 1, 8x64x256": (lambda x: F.softmax(x, 1), (n(8, 64, 256),)),
        "log_softmax 128x512": (lambda x: F.log_softmax(x, -1), row),
        "log_softmax 128x100": (lambda x: F.log_softmax(x, -1), (n(128, 100),)),
        "softmax 128x100": (lambda x: F.softmax(x, -1), (n(128, 100),)),
        "layer_norm 128x512": (
            lambda x, w, b: F.layer_norm(x, (512,), w, b),
            (*row, n(512), n(512)),
        ),
        "layer_norm 1x512": (
            lambda x, w, b: F.layer_norm(x, (512,), w, b),
            (n(1, 512), n(512), n(512)),
        ),
        "rms_norm 128x512": (lambda x, w: F.rms_norm(x, (512,), w), (*row, n(512))),
        "group_norm 1x64x56x56": (
            lambda x, w, b: F.group_norm(x, 8, w, b),
            (*image, n(64), n(64)),
        ),
        "group_norm 1x32x14x14": (
            lambda x, w, b: F.group_norm(x, 8, w, b),
            (n(1, 32, 14, 14), n(32), n(32)),
        ),
        "variance of rows 128x512": (lambda x: x.var(-1), row),
        "erf 128x2048": (torch.erf, (n(128, 2048),)),
        "mean of rows 128x512": (lambda x: x.mean(-1), row),
        "max of rows 128x512": (lambda x: x.amax(-1), row),
        "sum over rows 128x512": (lambda x: x.sum(0), row),
        "norm of rows 128x512": (lambda x: x.norm(dim=-1), row),
        "argmax 128x512": (lambda x: x.argmax(-1), row),
        "argmax 1x10": (lambda x: x.argmax(-1), (n(1, 10),)),
        "confidence 1x10": (lambda x: F.softmax(x, -1).max() > 0.9, (n(1, 10),)),
        "entropy 1x100": (
            lambda x: -(F.softmax(x, -1) * F.log_softmax(x, -1)).sum(),
            (n(1, 100),),
        ),
        "gelu 128x2048": (lambda x: F.gelu(x), (n(128, 2048),)),
        "gelu tanh 128x2048": (
            lambda x: F.gelu(x, approximate="tanh"),
            (n(128, 2048),),
        ),
        "silu 128x2048": (lambda x: F.silu(x), (n(128, 2048),)),
        "exp 128x2048": (torch.exp, (n(128, 2048),)),
        "log 128x2048": (lambda x: torch.log(x), (torch.rand(128, 2048),)),
        "tanh 1x512": (torch.tanh, (n(1, 512),)),
        "gates of a LSTM 1x512": (
            lambda a, b, c, d: torch.sigmoid(a) * torch.tanh(b) + torch.sigmoid(c) * d,
            tuple(n(1, 512) for _ in range(4)),
        ),
        "add, relu 64x56x56": (lambda x, y: torch.relu(x + y), image * 2),
        "max_pool 3x3 s2, 64x112x112": (
            lambda x: F.max_pool2d(x, 3, 2, 1),
            (n(1, 64, 112, 112),),
        ),
        "max_pool 2x2, 64x32x32": (lambda x: F.max_pool2d(x, 2), (n(1, 64, 32, 32),)),
        "avg_pool 2x2, 64x32x32": (lambda x: F.avg_pool2d(x, 2), (n(1, 64, 32, 32),)),
        "avg_pool 3x3 s1, 64x28x28": (
            lambda x: F.avg_pool2d(x, 3, 1, 1),
            (n(1, 64, 28, 28),),
        ),
        "global average 512x7x7": (
            lambda x: F.adaptive_avg_pool2d(x, 1),
            (n(1, 512, 7, 7),),
        ),
        "global average 64x56x56": (lambda x: F.adaptive_avg_pool2d(x, 1), image),
        "adaptive 512x7x7 to 2": (
            lambda x: F.adaptive_avg_pool2d(x, 2),
            (n(1, 512, 7, 7),),
        ),
        "embedding 1x20 of 9000x512": (
            # Traced functions may have no arguments with defaults.
            lambda i, w: F.embedding(i, w),
            (torch.randint(0, 9000, (1, 20)), n(9000, 512)),
        ),
        **{
            f"attention 1x12x{n}x64": (
                lambda q, k, v: F.scaled_dot_product_attention(q, k, v),
                tuple(torch.randn(1, 12, n, 64) for _ in range(3)),
            )
            for n in (16, 64, 197, 512)
        },
        "causal attention 1x12x197x64": (
            lambda q, k, v: F.scaled_dot_product_attention(q, k, v, is_causal=True),
            tuple(n(1, 12, 197, 64) for _ in range(3)),
        ),
    }


def torch_text(function, tensors):
    """The torch-dialect text of a function, as a kernel @kernel."""
    mode = FakeTensorMode()
    with torch.no_grad(), mode:
        fakes = [mode.from_tensor(tensor) for tensor in tensors]
        graph = make_fx(function, pre_dispatch=True)(*fakes)
    context = ir.Context()
    torch_dialect.register_dialect(context)
    importer = FxImporter(context=context)
    importer.import_stateless_graph(graph.graph, func_name="kernel")
    return importer.module.operation.get_asm()


def race(functions):
    """Name -> (fastest, median) seconds of a call, the functions in turns."""
    calls = {}
    for name, function in functions.items():
        function()
        start = time.perf_counter()
        function()
        calls[name] = max(1, int(CHUNK / max(time.perf_counter() - start, 1e-7)))
    found = {name: [] for name in functions}
    for _ in range(ROUNDS):
        for name, function in functions.items():
            start = time.perf_counter()
            for _ in range(calls[name]):
                function()
            found[name].append((time.perf_counter() - start) / calls[name])
    return {name: (min(t), sorted(t)[len(t) // 2]) for name, t in found.items()}


def measure(name, function, tensors):
    """One row of the table."""
    kernel = CpuBackend().compile(torch_text(function, tensors))["kernel"]
    with torch.no_grad():
        wanted = function(*tensors)
        out = torch.empty_like(wanted).contiguous()
        bound = kernel.bind(*(t.data_ptr() for t in (*tensors, out)))
        bound()
        torch.testing.assert_close(out, wanted, rtol=1e-4, atol=1e-5)
        times = race({"ours": bound, "eager": lambda: function(*tensors)})
    (ours, our_median), (eager, median) = times["ours"], times["eager"]
    return {
        "work": name,
        "ours us": f"{ours * 1e6:.2f} {our_median * 1e6:.2f}",
        "eager us": f"{eager * 1e6:.2f} {median * 1e6:.2f}",
        "x": f"{eager / ours:.2f}",
    }


def main():
    """Measure what the command line names, or all."""
    wanted = sys.argv[1] if len(sys.argv) > 1 else ""
    show_facts()
    torch.manual_seed(0)
    with one_thread():
        rows = [measure(k, *v) for k, v in cases().items() if wanted in k]
    print(text(rows))


if __name__ == "__main__":
    main()
