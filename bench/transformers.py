"""`python -m bench.transformers [PART OF A NAME] [--rounds N]`: encoders and peers.

A ViT-B/16 and a text encoder (4 layers of BERT-base's size), batch 1, one thread, in
turns with a loop that does nothing but multiply and add: per cent are of its rate in
the same rounds. `bf16` rows multiply bf16 and sum up f32, ours with
`matmul_dtype="bf16"`, OpenVINO's with its own hint. Fastest call, and the median.
"""

import argparse
import io
import time
from importlib.util import find_spec
from statistics import median

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.flop_counter import FlopCounterMode

import dycl
from bench.ceilings import multiply_adds
from bench.machine import one_thread, show_facts
from bench.table import text
from dycl.runtime.targets import NATIVE, why_no_bf16

ROOF = 100
"""Calls of the loop that is timed as one: some 2 ms."""


class Layer(nn.Module):
    """Attention of 12 heads, and two linear layers, each behind its norm."""

    def __init__(self):
        super().__init__()
        self.norms = nn.ModuleList(nn.LayerNorm(768) for _ in range(2))
        self.qkv, self.out = nn.Linear(768, 2304), nn.Linear(768, 768)
        self.wide, self.back = nn.Linear(768, 3072), nn.Linear(3072, 768)

    def forward(self, x):
        """[1, n, 768] to the same."""
        heads = self.qkv(self.norms[0](x)).unflatten(2, (3, 12, 64))
        q, k, v = heads.permute(2, 0, 3, 1, 4).unbind(0)
        y = F.scaled_dot_product_attention(q, k, v)
        x = x + self.out(y.transpose(1, 2).flatten(2))
        return x + self.back(F.gelu(self.wide(self.norms[1](x))))


class Encoder(nn.Module):
    """Layers of a transformer over tokens of width 768."""

    def __init__(self, layers):
        super().__init__()
        self.layers = nn.Sequential(*(Layer() for _ in range(layers)))
        self.norm = nn.LayerNorm(768)

    def forward(self, x):
        """[1, n, 768] to the same."""
        return self.norm(self.layers(x))


class Vision(nn.Module):
    """ViT-B/16 for images of 224x224."""

    def __init__(self):
        super().__init__()
        self.patches = nn.Conv2d(3, 768, 16, 16)
        self.token = nn.Parameter(torch.randn(1, 1, 768))
        self.places = nn.Parameter(torch.randn(1, 197, 768) / 10)
        self.encoder = Encoder(12)
        self.head = nn.Linear(768, 1000)

    def forward(self, x):
        """[1, 3, 224, 224] to [1, 1000]."""
        x = self.patches(x).flatten(2).transpose(1, 2)
        x = torch.cat([self.token, x], 1) + self.places
        return self.head(self.encoder(x)[:, 0])


def cases():
    """Name -> model and input."""
    found = {"ViT-B/16": lambda: (Vision(), torch.randn(1, 3, 224, 224))}
    for n in (128, 16, 1):
        found[f"encoder, {n}"] = lambda n=n: (Encoder(4), torch.randn(1, n, 768))
    return found


def ours(model, x, **options):
    """A compiled network."""
    return dycl.compile(model, (x,), **options)


def openvino(model, x, precision):
    """OpenVINO's CPU plugin for latency."""
    import openvino

    compiled = openvino.Core().compile_model(
        openvino.convert_model(model, example_input=x),
        "CPU",
        {
            "PERFORMANCE_HINT": "LATENCY",
            "INFERENCE_NUM_THREADS": 1,
            "INFERENCE_PRECISION_HINT": precision,
            "NUM_STREAMS": 1,
        },
    )
    request = compiled.create_infer_request()

    def run(x):
        return torch.from_numpy(request.infer([x.numpy()], share_inputs=True)[0])

    return run


def runtime(model, x):
    """ONNX Runtime's CPU provider, all optimisations."""
    import onnxruntime

    file = io.BytesIO()
    torch.onnx.export(model, (x,), file, dynamo=False)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(
        file.getvalue(), options, providers=["CPUExecutionProvider"]
    )
    name = session.get_inputs()[0].name
    return lambda x: torch.from_numpy(session.run(None, {name: x.numpy()})[0])


def measure(name, model, x, rounds):
    """The rows of one model."""
    model.eval()
    runs = {
        "ours": ours(model, x),
        "OpenVINO": openvino(model, x, "f32"),
        "eager": model,
    }
    if find_spec("onnx"):
        runs["ONNX Runtime"] = runtime(model, x)
    if not why_no_bf16(NATIVE):
        runs["ours, bf16"] = ours(model, x, matmul_dtype="bf16")
        runs["OpenVINO, bf16"] = openvino(model, x, "bf16")
    with FlopCounterMode(display=False) as counter:
        wanted = model(x)
    roof = multiply_adds()

    def at_peak(_):
        for _ in range(ROOF):
            roof()

    errors = {k: float((run(x) - wanted).abs().max()) for k, run in runs.items()}
    times = {k: [] for k in ("roof", *runs)}
    for _ in range(rounds):
        for kind, run in {"roof": at_peak, **runs}.items():
            start = time.perf_counter()
            run(x)
            times[kind].append(time.perf_counter() - start)
    rate = ROOF * roof.amount / min(times["roof"])
    flops = counter.get_total_flops()
    best = {k: min(t) for k, t in times.items()}
    peer = min(best[k] for k in ("OpenVINO", "ONNX Runtime", "eager") if k in best)
    return [
        {
            "network": name,
            "by": kind,
            "ms": f"{best[kind] * 1e3:.2f} {median(times[kind]) * 1e3:.2f}",
            "% of f32 peak": f"{100 * flops / best[kind] / rate:.0f}",
            "x best f32 peer": f"{peer / best[kind]:.2f}",
            "error": f"{errors[kind]:.1e} of {float(wanted.abs().max()):.1f}",
        }
        for kind in runs
    ]


def main(argv=None):
    """Measure what the command line names, or all."""
    parser = argparse.ArgumentParser("python -m bench.transformers")
    parser.add_argument("wanted", nargs="?", default="", help="part of a name")
    parser.add_argument("--rounds", type=int, default=15)
    arguments = parser.parse_args(argv)
    show_facts()
    torch.manual_seed(0)
    with one_thread(), torch.no_grad():
        for name, make in cases().items():
            if arguments.wanted in name:
                rows = measure(name, *make(), arguments.rounds)
                print(text(rows), flush=True)


if __name__ == "__main__":
    main()
