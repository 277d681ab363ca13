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
        kept(file, lambda: _convert(text, line.inputs, scratch))
        names = [f"in{at}" for at in range(len(line.inputs))]
        return _net(file, names, [f"out{at}" for at in range(line.count)], threads)

    return traces(subject, folder, opened)


def _convert(text, inputs, folder):
    import pnnx

    tool = Path(pnnx.__file__).parent / "pnnx"
    shapes = ",".join(_shape(each) for each in inputs)
    # It writes its files beside the one it reads.
    shutil.copy(text, folder)
    command = [str(tool), text.name, f"inputshape={shapes}", "fp16=0"]
    done = subprocess.run(
        command, cwd=folder, capture_output=True, text=True, check=False
    )
    if done.returncode:
        said = (done.stdout + done.stderr).strip().splitlines()
        raise RuntimeError(f"pnnx: {said[-1]}")


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
