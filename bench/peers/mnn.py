"""MNN: a straight line for each path, from ONNX, in f32."""

import subprocess
import sys

import numpy as np
import torch

from bench.peers.best import best
from bench.peers.keep import kept
from bench.peers.lines import traces
from bench.peers.onnx import line_file
from bench.subjects import Subject

CONVERT = "import sys, _tools; _tools.mnnconvert(sys.argv)"
"""Without the command line of MNN, which writes a log for its makers."""


def lines(subject: Subject, threads: int, folder):
    """By whichever of MNN's two interfaces is faster here."""

    def by(interface):
        def opened(path, line):
            text = line_file(path, line, folder)
            file = folder / f"trace_{path}.mnn"
            kept(file, lambda: _convert(text, file))
            names = [f"in_{at}" for at in range(len(line.inputs))]
            outs = [f"out_{at}" for at in range(line.count)]
            return interface(file, names, outs, threads)

        return lambda: traces(subject, folder, opened)

    return best({"Session": by(_session), "Module": by(_module)}, subject)


def _convert(text, file):
    command = [sys.executable, "-c", CONVERT, "-f", "ONNX", "--modelFile", str(text)]
    command += ["--MNNModel", str(file), "--bizCode", "bench"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode or not file.exists():
        raise RuntimeError((done.stdout + done.stderr)[-160:])


def _session(file, names, outs, threads):
    """Tensors to tensors, by an interpreter's session."""
    import MNN

    net = MNN.Interpreter(str(file))
    session = net.createSession(
        {"backend": "CPU", "precision": "high", "numThread": threads}
    )
    places = [net.getSessionInput(session, name) for name in names]
    found = [net.getSessionOutput(session, name) for name in outs]

    def run(*inputs):
        for place, tensor in zip(places, inputs, strict=True):
            array = tensor.numpy()
            given = MNN.Tensor(
                array.shape,
                _TYPES[str(array.dtype)](MNN),
                array,
                MNN.Tensor_DimensionType_Caffe,
            )
            place.copyFrom(given)
        net.runSession(session)
        return [_copied(MNN, each) for each in found]

    run.net = net
    return run


_TYPES = {
    "float32": lambda mnn: mnn.Halide_Type_Float,
    "int32": lambda mnn: mnn.Halide_Type_Int,
}


def _copied(mnn, tensor):
    kind = tensor.getDataType()
    shape = tensor.getShape()
    is_float = kind == mnn.Halide_Type_Float
    array = np.empty(shape, np.float32 if is_float else np.int32)
    host = mnn.Tensor(shape, kind, array, mnn.Tensor_DimensionType_Caffe)
    tensor.copyToHostTensor(host)
    return torch.from_numpy(np.array(host.getNumpyData()).reshape(shape))


def _module(file, names, outs, threads):
    """Tensors to tensors, by a module."""
    import MNN

    manager = MNN.nn.create_runtime_manager(
        ({"backend": "CPU", "precision": "high", "numThread": threads},)
    )
    net = MNN.nn.load_module_from_file(
        str(file), names, outs, runtime_manager=manager, shape_mutable=False
    )

    def run(*inputs):
        given = []
        for tensor in inputs:
            array = tensor.numpy()
            kind = MNN.numpy.float32 if tensor.is_floating_point() else MNN.numpy.int32
            place = MNN.expr.placeholder(list(array.shape), MNN.expr.NCHW, kind)
            place.write(np.ascontiguousarray(array))
            given.append(place)
        found = net.onForward(given)
        return [
            torch.from_numpy(np.array(MNN.expr.convert(each, MNN.expr.NCHW).read()))
            for each in found
        ]

    run.kept = net, manager
    return run
