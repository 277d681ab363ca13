"""`python -m bench.dynamic_networks [PART OF A NAME] [--rounds N]`: images of any size.

Whole networks are compiled once for every size, and once for each; both take turns with
peers that take any size too (eager; ONNX Runtime and OpenVINO, where installed), on one
thread. Milliseconds of processor time of the fastest call; a result that differs from
eager's ends the run.
"""

import argparse
import io
import math
import time
from importlib.util import find_spec

import torch
import torch.nn.functional as F
from torch import nn

import dycl
from bench.machine import one_thread, show_facts
from bench.table import text

LARGEST = 512
"""Rows and columns at most, and samples."""


class Residual(nn.Module):
    """Two 3x3 convolutions beside what they are added to."""

    def __init__(self, channels, filters, stride):
        super().__init__()
        self.first = _norm(nn.Conv2d(channels, filters, 3, stride, 1, bias=False))
        self.second = _norm(nn.Conv2d(filters, filters, 3, 1, 1, bias=False))
        self.aside = nn.Identity()
        if stride > 1 or channels != filters:
            self.aside = _norm(nn.Conv2d(channels, filters, 1, stride, bias=False))

    def forward(self, x):
        """Of [b, channels, h, w]: [b, filters, h / stride, w / stride]."""
        return F.relu(self.second(F.relu(self.first(x))) + self.aside(x))


class Inverted(nn.Module):
    """A depthwise convolution between two of single pixels."""

    def __init__(self, channels, filters, stride, wider):
        super().__init__()
        wide = channels * wider
        parts = [_norm(nn.Conv2d(channels, wide, 1, bias=False)), nn.ReLU6()]
        self.parts = nn.Sequential(
            *(parts if wider > 1 else []),
            _norm(nn.Conv2d(wide, wide, 3, stride, 1, groups=wide, bias=False)),
            nn.ReLU6(),
            _norm(nn.Conv2d(wide, filters, 1, bias=False)),
        )
        self.is_added = stride == 1 and channels == filters

    def forward(self, x):
        """As `Residual` does."""
        return x + self.parts(x) if self.is_added else self.parts(x)


class Classifier(nn.Module):
    """Blocks, and a linear layer of the means of their maps."""

    def __init__(self, blocks, channels):
        super().__init__()
        self.blocks, self.head = nn.Sequential(*blocks), nn.Linear(channels, 1000)

    def forward(self, x):
        """[b, 3, h, w] to [b, 1000]."""
        return self.head(self.blocks(x).mean((2, 3)))


class Routed(nn.Module):
    """Super-resolution: of patches those with detail go through convolutions."""

    def __init__(self):
        super().__init__()
        self.first, self.next = (
            nn.Conv2d(1, 64, 5, padding=2),
            nn.Conv2d(64, 32, 3, 1, 1),
        )
        self.last = nn.Conv2d(32, 4, 3, padding=1)

    def forward(self, x):
        """[b, 1, h, w] to [b, 1, 2 h, 2 w]."""
        (k,) = torch.where(x.std((1, 2, 3)) > 0.5)
        y = F.pixel_shuffle(x.expand(-1, 4, -1, -1), 2)
        rich = self.last(F.relu(self.next(F.relu(self.first(x[k])))))
        return y.index_add(0, k, F.pixel_shuffle(rich, 2))


def _norm(convolution):
    return nn.Sequential(convolution, nn.BatchNorm2d(convolution.out_channels))


def resnet():
    """Of ResNet-18's size."""
    blocks = [_norm(nn.Conv2d(3, 64, 7, 2, 3, bias=False)), nn.ReLU()]
    blocks.append(nn.MaxPool2d(3, 2, 1))
    channels = 64
    for filters in (64, 128, 256, 512):
        for stride in (1 if filters == 64 else 2, 1):
            blocks.append(Residual(channels, filters, stride))
            channels = filters
    return Classifier(blocks, channels)


def mobilenet():
    """Of MobileNetV2's size."""
    blocks = [_norm(nn.Conv2d(3, 32, 3, 2, 1, bias=False)), nn.ReLU6()]
    channels = 32
    for wider, filters, count, stride in (
        *((1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2)),
        *((6, 96, 3, 1), (6, 160, 3, 2), (6, 320, 1, 1)),
    ):
        for number in range(count):
            step = 1 if number else stride
            blocks.append(Inverted(channels, filters, step, wider))
            channels = filters
    blocks += [_norm(nn.Conv2d(channels, 1280, 1, bias=False)), nn.ReLU6()]
    return Classifier(blocks, 1280)


def cases():
    """Name -> model, which dimensions are of any size, shapes."""
    sides = [(1, 3, 96, 96), (1, 3, 161, 243), (1, 3, 320, 320)]
    batches = [(1, 3, 224, 224), (8, 3, 224, 224)]
    return {
        "ResNet-18, any image": (resnet, (2, 3), sides),
        "MobileNetV2, any image": (mobilenet, (2, 3), sides),
        "ResNet-18, any batch": (resnet, (0,), batches),
        "MobileNetV2, any batch": (mobilenet, (0,), batches),
        "routed super-resolution": (Routed, (0,), [(16, 1, 32, 32), (64, 1, 32, 32)]),
    }


def fitted(make):
    """A model whose norms have seen some images, so that its values stay of use."""
    torch.manual_seed(0)
    model = make()
    for _ in range(3):
        model(torch.randn(4, 1 if make is Routed else 3, 64, 64))
    return model.eval()


def onnx_of(model, shape, dims):
    """The model as an ONNX file that takes any size in these dimensions."""
    file = io.BytesIO()
    axes = {"x": {dim: f"n{dim}" for dim in dims}}
    example = (torch.randn(shape),)
    names = {"input_names": ["x"], "dynamic_axes": axes}
    torch.onnx.export(model, example, file, dynamo=False, **names)
    return file.getvalue()


def peers(model, shape, dims):
    """Name -> a call, of what takes any size; what is not installed is left out."""
    found = {"eager": model}
    if find_spec("onnx") and find_spec("onnxruntime"):
        import onnxruntime

        file = onnx_of(model, shape, dims)

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.log_severity_level = 3
        provider = ["CPUExecutionProvider"]
        session = onnxruntime.InferenceSession(file, options, providers=provider)
        found["ONNX Runtime"] = lambda x: session.run(None, {"x": x.numpy()})[0]
    if find_spec("openvino"):
        import openvino

        core, how = openvino.Core(), {"PERFORMANCE_HINT": "LATENCY"}
        how |= {"INFERENCE_NUM_THREADS": 1, "INFERENCE_PRECISION_HINT": "f32"}
        imported = openvino.convert_model(model, example_input=torch.randn(shape))
        sizes = [-1 if dim in dims else size for dim, size in enumerate(shape)]
        imported.reshape(openvino.PartialShape(sizes))
        compiled = core.compile_model(imported, "CPU", how)
        request = compiled.create_infer_request()
        found["OpenVINO"] = lambda x: request.infer([x.numpy()])[0]
    return found


def race(runs, x, rounds):
    """Name -> the seconds of the fastest call."""
    wanted = torch.as_tensor(runs["eager"](x))
    for run in runs.values():
        got = torch.as_tensor(run(x))
        torch.testing.assert_close(got, wanted, rtol=1e-3, atol=1e-3)
    best = dict.fromkeys(runs, math.inf)
    for _ in range(rounds):
        for name, run in runs.items():
            start = time.process_time()
            run(x)
            best[name] = min(best[name], time.process_time() - start)
    return best


def measure(name, make, dims, shapes, rounds):
    """One row for each shape."""
    model = fitted(make)
    sizes = {dim: dycl.Dim(f"n{dim}", min=1, max=LARGEST) for dim in dims}
    example = torch.randn(shapes[-1])
    any_size = dycl.compile(model, (example,), dynamic_shapes={"x": sizes})
    others = peers(model, shapes[-1], dims)
    for shape in shapes:
        x = torch.randn(shape) * torch.linspace(0.1, 2, shape[0])[:, None, None, None]
        fixed = dycl.compile(model, (x,))
        times = race({"any": any_size, "fixed": fixed, **others}, x, rounds)
        row = {"network": name, "shape": "x".join(map(str, shape))}
        row["any size, ms"] = f"{times['any'] * 1e3:.2f}"
        row["of a fixed compile"] = f"{times['any'] / times['fixed']:.2f}x"
        for peer in others:
            row[f"{peer} / any size"] = f"{times[peer] / times['any']:.2f}"
        yield row


def main(argv=None):
    """Measure what the command line names, or all."""
    parser = argparse.ArgumentParser("python -m bench.dynamic_networks")
    parser.add_argument("wanted", nargs="?", default="", help="part of a name")
    parser.add_argument("--rounds", type=int, default=10)
    arguments = parser.parse_args(argv)
    show_facts()
    with one_thread(), torch.no_grad():
        for name, (make, dims, shapes) in cases().items():
            if arguments.wanted in name:
                rows = measure(name, make, dims, shapes, arguments.rounds)
                print(text(list(rows)), flush=True)


if __name__ == "__main__":
    main()
