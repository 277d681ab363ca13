"""The rewritten model as ONNX, and what runs that."""

import torch

from bench.rewrites import rewritten
from bench.subjects import Subject, recipes

FILE = "rewritten.onnx"


def export(subject: Subject, folder):
    """Write the rewritten model, `torch.cond` as `If`, `while_loop` as `Loop`."""
    model = rewritten(recipes()[subject.name].rewrite, subject.model)
    with torch.no_grad():
        program = torch.onnx.export(
            model, subject.inputs[0], dynamo=True, optimize=True, verbose=False
        )
    program.save(folder / FILE)


def runtime(subject: Subject, threads: int, folder):
    """ONNX Runtime's CPU provider, all optimisations."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_ALL
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(
        str(folder / FILE), options, providers=["CPUExecutionProvider"]
    )
    names = [given.name for given in session.get_inputs()]
    model = rewritten(recipes()[subject.name].rewrite, subject.model)

    def run(*inputs):
        given = {n: t.numpy() for n, t in zip(names, inputs, strict=True)}
        return model.finish(*map(torch.from_numpy, session.run(None, given)))

    return run


def openvino(subject: Subject, threads: int, folder):
    """OpenVINO's CPU plugin for latency, in f32: bf16 is its default on some."""
    import openvino

    compiled = openvino.Core().compile_model(
        str(folder / FILE),
        "CPU",
        {
            "PERFORMANCE_HINT": "LATENCY",
            "INFERENCE_NUM_THREADS": threads,
            "INFERENCE_PRECISION_HINT": "f32",
            "NUM_STREAMS": 1,
        },
    )
    request = compiled.create_infer_request()
    model = rewritten(recipes()[subject.name].rewrite, subject.model)
    count = len(compiled.outputs)

    def run(*inputs):
        found = request.infer([t.numpy() for t in inputs], share_inputs=True)
        return model.finish(*(torch.from_numpy(found[i]) for i in range(count)))

    return run


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
