"""The rewritten model as ONNX, and what runs that."""

import torch

from bench.peers.best import best
from bench.peers.keep import kept
from bench.peers.lines import traces
from bench.rewrites import rewritten
from bench.subjects import Subject, recipes

FILE = "rewritten.onnx"


def export(subject: Subject, folder):
    """Write the rewritten model, `torch.cond` as `If`, `while_loop` as `Loop`."""
    kept(folder / FILE, lambda: _export(subject, folder / FILE))


def _export(subject, file):
    model = rewritten(recipes()[subject.name].rewrite, subject.model)
    with torch.no_grad():
        program = torch.onnx.export(
            model, subject.inputs[0], dynamo=True, optimize=True, verbose=False
        )
    program.save(file)


def runtime(subject: Subject, threads: int, folder):
    """ONNX Runtime's CPU provider, all optimisations; see `onnx_branches`."""
    ways = {
        "weights in the branches": lambda: _session(_inside(folder), threads),
        "as exported": lambda: _session(folder / FILE, threads),
    }
    return _whole(subject, ways)


def openvino(subject: Subject, threads: int, folder):
    """OpenVINO's CPU plugin for latency, in f32: bf16 is its default on some."""
    ways = {
        "as exported": lambda: _request(folder / FILE, threads),
        "weights in the branches": lambda: _request(_inside(folder), threads),
    }
    return _whole(subject, ways)


def _whole(subject, ways):
    """The rewritten model, in the fastest of some ways."""
    model = rewritten(recipes()[subject.name].rewrite, subject.model)

    def finished(make):
        run = make()
        return lambda *inputs: model.finish(*run(*inputs))

    return best(
        {name: lambda make=make: finished(make) for name, make in ways.items()}, subject
    )


def _inside(folder):
    """The export with its weights in the branches."""
    file = folder / f"inside-{FILE}"

    def make():
        from bench.peers.onnx_branches import rewrite

        rewrite(folder / FILE, file)

    return kept(file, make)


def runtime_traces(subject: Subject, threads: int, folder):
    """ONNX Runtime, each path a network of its own, known before it runs."""
    return _traces(subject, threads, folder, _session)


def openvino_traces(subject: Subject, threads: int, folder):
    """OpenVINO, likewise."""
    return _traces(subject, threads, folder, _request)


def _session(file, threads):
    """Tensors to tensors, by ONNX Runtime."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_ALL
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(
        str(file), options, providers=["CPUExecutionProvider"]
    )
    names = [given.name for given in session.get_inputs()]

    def run(*inputs):
        given = {n: t.numpy() for n, t in zip(names, inputs, strict=True)}
        return [torch.from_numpy(each) for each in session.run(None, given)]

    return run


def _request(file, threads):
    """Tensors to tensors, by OpenVINO."""
    import openvino

    compiled = openvino.Core().compile_model(
        str(file),
        "CPU",
        {
            "PERFORMANCE_HINT": "LATENCY",
            "INFERENCE_NUM_THREADS": threads,
            "INFERENCE_PRECISION_HINT": "f32",
            "NUM_STREAMS": 1,
        },
    )
    request = compiled.create_infer_request()
    count = len(compiled.outputs)

    def run(*inputs):
        found = request.infer([t.numpy() for t in inputs], share_inputs=True)
        return [torch.from_numpy(found[i]) for i in range(count)]

    return run


def _traces(subject, threads, folder, opened):
    """A straight line for each input of the subject."""
    return traces(
        subject,
        folder,
        lambda path, line: opened(line_file(path, line, folder), threads),
    )


def line_file(path, line, folder):
    """The ONNX of a straight line; inputs are `in_0` ..., results `out_0` ..."""
    file = folder / f"trace_{path}.onnx"
    return kept(file, lambda: _write_line(line, file))


def _write_line(line, file):
    program = torch.onnx.export(
        line.program,
        dynamo=True,
        optimize=True,
        verbose=False,
        input_names=[f"in_{at}" for at in range(len(line.inputs))],
        output_names=[f"out_{at}" for at in range(line.count)],
    )
    program.save(file)


def main(argv):
    """`python -m bench.peers.onnx SUBJECT FOLDER`: the export alone."""
    from pathlib import Path

    from bench.subjects import load

    subject, folder = map(Path, argv)
    with torch.no_grad():
        export(load(subject), folder)


if __name__ == "__main__":
    import sys

    main(sys.argv[1:])
