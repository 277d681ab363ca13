"""`python -m bench.dynamic_networks [PART OF A NAME] [--rounds N]`: any size.

Whole networks are compiled once for every size, and once for each; both take turns with
peers that take any size too (eager; torch.compile with `dynamic=True`, ONNX Runtime and
OpenVINO, where they work), on one thread. Milliseconds of processor time of the fastest
call; a result that differs from eager's ends the run.
"""

import argparse
import io
import math
import time
from importlib.util import find_spec

import torch

import dycl
from bench.dynamic_models import cases
from bench.machine import one_thread, show_facts
from bench.table import text

LARGEST = 512
"""Rows and columns at most, samples, tokens and steps."""
SHORTEST = 0.02
"""Seconds of calls in one round: short ones are timed together."""


def onnx_of(model, example, dynamic):
    """The model as an ONNX file that takes any size in these dimensions."""
    file = io.BytesIO()
    names = [f"x{i}" for i in range(len(example))]
    axes = {
        name: {dim: f"{size}{dim}" for dim, size in dims.items()}
        for name, dims in zip(names, dynamic, strict=True)
    }
    torch.onnx.export(
        *(model, example, file),
        dynamo=False,
        input_names=names,
        dynamic_axes=axes,
        opset_version=18,
    )
    return file.getvalue()


def in_onnxruntime(model, example, dynamic):
    """One session for all sizes."""
    import onnxruntime

    file = onnx_of(model, example, dynamic)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 3
    provider = ["CPUExecutionProvider"]
    session = onnxruntime.InferenceSession(file, options, providers=provider)
    names = [each.name for each in session.get_inputs()]

    def run(*inputs):
        arrays = (each.numpy() for each in inputs)
        return session.run(None, dict(zip(names, arrays, strict=True)))

    return run


def in_openvino(model, example, dynamic):
    """One compiled model for all sizes; inputs and outputs are shared."""
    import openvino

    core, how = openvino.Core(), {"PERFORMANCE_HINT": "LATENCY"}
    how |= {"INFERENCE_NUM_THREADS": 1, "INFERENCE_PRECISION_HINT": "f32"}
    imported = openvino.convert_model(model, example_input=example)
    shapes = [
        openvino.PartialShape([-1 if i in dims else s for i, s in enumerate(x.shape)])
        for x, dims in zip(example, dynamic, strict=True)
    ]
    imported.reshape(dict(zip(imported.inputs, shapes, strict=True)))
    request = core.compile_model(imported, "CPU", how).create_infer_request()

    def run(*inputs):
        arrays = [each.numpy() for each in inputs]
        got = request.infer(arrays, share_inputs=True, share_outputs=True)
        return [got[i] for i in range(len(got))]

    return run


def in_inductor(model, _example, _dynamic):
    """torch.compile of dynamic sizes, weights frozen, kernels chosen by measuring."""
    import torch._inductor.config as inductor

    inductor.freezing = True
    return torch.compile(model, dynamic=True, mode="max-autotune-no-cudagraphs")


def peers(model, example, dynamic):
    """Name -> a call, of what takes any size; what is not installed is left out."""
    found, made = {"eager": model}, {"torch.compile": in_inductor}
    if find_spec("onnx") and find_spec("onnxruntime"):
        made["ONNX Runtime"] = in_onnxruntime
    if find_spec("openvino"):
        made["OpenVINO"] = in_openvino
    for name, make in made.items():
        try:
            found[name] = make(model, example, dynamic)
            _outputs(found[name](*example))
        except Exception as error:
            found.pop(name, None)
            print(f"{name}: none, {type(error).__name__}: {str(error)[:200]}")
    return found


def _outputs(results):
    several = isinstance(results, tuple | list)
    return [torch.as_tensor(each) for each in (results if several else [results])]


def race(runs, inputs, rounds):
    """Name -> the seconds of the fastest call."""
    wanted, counts = _outputs(runs["eager"](*inputs)), {}
    for name, run in runs.items():
        got = _outputs(run(*inputs))
        torch.testing.assert_close(got, wanted, rtol=1e-3, atol=1e-3)
        counts[name] = max(1, int(SHORTEST / _seconds(run, inputs, 1)))
    best = dict.fromkeys(runs, math.inf)
    for _ in range(rounds):
        for name, run in runs.items():
            best[name] = min(best[name], _seconds(run, inputs, counts[name]))
    return best


def _seconds(run, inputs, count):
    start = time.process_time()
    for _ in range(count):
        run(*inputs)
    return max(1e-7, (time.process_time() - start) / count)


def measure(name, case, rounds):
    """One row for each size."""
    torch.manual_seed(0)
    model, example = case.make().eval(), case.inputs(case.sizes[-1])
    names = {size for dims in case.dynamic for size in dims.values()}
    sizes = {size: dycl.Dim(size, min=1, max=LARGEST) for size in names}
    dynamic = tuple({i: sizes[n] for i, n in dims.items()} for dims in case.dynamic)
    any_size = dycl.compile(model, example, dynamic_shapes=dynamic)
    others = peers(model, example, case.dynamic)
    for size in case.sizes:
        inputs = case.inputs(size)
        fixed = dycl.compile(model, inputs)
        runs = {"any": any_size, "fixed": fixed, **others}
        times = race(runs, inputs, rounds)
        shown = "x".join(map(str, size)) if isinstance(size, tuple) else size
        row = {"network": name, "size": shown}
        row["any size, ms"] = f"{times['any'] * 1e3:.3f}"
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
        for name, case in cases().items():
            if arguments.wanted in name:
                rows = measure(name, case, arguments.rounds)
                print(text(list(rows)), flush=True)


if __name__ == "__main__":
    main()
