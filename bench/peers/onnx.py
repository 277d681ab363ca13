"""The rewritten model as ONNX, and what runs that."""

import torch

from bench.peers.keep import kept
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
    """ONNX Runtime's CPU provider, all optimisations."""
    run = _session(folder / FILE, threads)
    model = rewritten(recipes()[subject.name].rewrite, subject.model)
    return lambda *inputs: model.finish(*run(*inputs))


def openvino(subject: Subject, threads: int, folder):
    """OpenVINO's CPU plugin for latency, in f32: bf16 is its default on some."""
    run = _request(folder / FILE, threads)
    model = rewritten(recipes()[subject.name].rewrite, subject.model)
    return lambda *inputs: model.finish(*run(*inputs))


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
    """A straight line for each input of the subject, found again by the input."""
    runs = {}
    for path, inputs in enumerate(subject.inputs):
        file = folder / f"trace-{path}.onnx"
        kept(file, lambda inputs=inputs, file=file: _trace(subject, inputs, file))
        runs[id(inputs[0])] = opened(file, threads)
    return lambda *inputs: _like(subject.answers[0], runs[id(inputs[0])](*inputs))


def _trace(subject, inputs, file):
    """Write what one run does, its decisions gone."""
    with torch.no_grad():
        line = torch.jit.trace(subject.model, inputs, check_trace=False)
        torch.onnx.export(line, inputs, str(file), dynamo=False)


def _like(answer, tensors):
    """Tensors in the structure of eager's answer."""
    if isinstance(answer, tuple):
        return tuple(t.reshape(a.shape) for a, t in zip(answer, tensors, strict=True))
    return tensors[0]


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
