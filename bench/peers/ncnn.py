"""ncnn: a straight line for each path, by pnnx, in f32."""

import shutil
import subprocess
from pathlib import Path

import torch

from bench.peers.keep import kept
from bench.peers.lines import traces
from bench.peers.onnx import line_file
from bench.subjects import Subject


def lines(subject: Subject, threads: int, folder):
    """Winograd, packed layouts and blocked products as ncnn chooses them."""
    scratch = folder / "ncnn"
    scratch.mkdir(exist_ok=True)

    def opened(path, line):
        text = line_file(path, line, folder)
        file = scratch / f"trace_{path}.ncnn.param"
        kept(file, lambda: _convert(text, line, scratch))
        names = [f"in{at}" for at in range(len(line.inputs))]
        return _net(file, names, [f"out{at}" for at in range(line.count)], threads)

    return traces(subject, folder, opened)


def _convert(text, line, folder):
    # pnnx writes its files beside the one it reads.
    shutil.copy(text, folder)
    try:
        _pnnx(folder / text.name, line.inputs)
    except RuntimeError:
        # On some models its reader of ONNX crashes, and on others that of TorchScript.
        script = (folder / text.name).with_suffix(".pt")
        with torch.no_grad():
            torch.jit.trace(_known(line.program), line.inputs).save(str(script))
        _pnnx(script, line.inputs)


def _known(program):
    """The program as a module, by those names of ops that pnnx knows."""
    module = program.module()
    for node in module.graph.nodes:
        if node.target is torch.ops.aten._softmax.default:
            node.target, node.args = torch.ops.aten.softmax.int, node.args[:2]
    module.recompile()
    return module


def _pnnx(file, inputs):
    import pnnx

    tool = Path(pnnx.__file__).parent / "pnnx"
    shapes = ",".join(_shape(each) for each in inputs)
    command = [str(tool), file.name, f"inputshape={shapes}", "fp16=0"]
    done = subprocess.run(
        command, cwd=file.parent, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise RuntimeError(f"pnnx ends with {done.returncode}")


def _shape(tensor):
    kind = {torch.float32: "f32", torch.int64: "i64", torch.int32: "i32"}[tensor.dtype]
    return f"[{','.join(map(str, tensor.shape))}]{kind}"


def _net(file, names, outs, threads):
    """Tensors to tensors; the batch, which is 1, is no dimension of ncnn."""
    import ncnn

    net = ncnn.Net()
    net.opt.num_threads = threads
    net.opt.use_fp16_packed = net.opt.use_fp16_storage = False
    net.opt.use_fp16_arithmetic = net.opt.use_bf16_storage = False
    if net.load_param(str(file)) or net.load_model(str(file.with_suffix(".bin"))):
        raise RuntimeError(f"ncnn cannot read {file.name}")

    def run(*inputs):
        extractor = net.create_extractor()
        for name, tensor in zip(names, inputs, strict=True):
            extractor.input(name, ncnn.Mat(tensor.squeeze(0).numpy()))
        found = []
        for name in outs:
            failed, mat = extractor.extract(name)
            if failed:
                raise RuntimeError(f"ncnn gives no {name}: {failed}")
            found.append(torch.from_numpy(mat.numpy().copy()))
        return found

    return run
