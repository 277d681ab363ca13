"""TVM's Relax, untuned, from the rewritten model's ONNX."""

import numpy as np
import torch

from bench.peers.keep import kept
from bench.peers.onnx import FILE
from bench.rewrites import rewritten
from bench.subjects import Subject, recipes


def host_cpu():
    """LLVM's name of this processor."""
    import tvm  # noqa: F401 - it registers the function
    import tvm_ffi

    return tvm_ffi.get_global_func("tvm.codegen.llvm.GetHostCPUName")()


def relax(subject: Subject, _threads: int, folder):
    """The default pipeline for this CPU."""
    import onnx
    import tvm
    from tvm.relax.frontend.onnx import from_onnx

    code = folder / "tvm.so"

    def make():
        module = from_onnx(onnx.load(folder / FILE), keep_params_in_input=False)
        target = tvm.target.Target({"kind": "llvm", "mcpu": host_cpu()})
        tvm.compile(module, target=target).export_library(str(code))

    loaded = tvm.runtime.load_module(str(kept(code, make)))
    machine = tvm.relax.VirtualMachine(loaded, tvm.cpu())
    model = rewritten(recipes()[subject.name].rewrite, subject.model)

    def run(*inputs):
        given = [tvm.runtime.tensor(np.ascontiguousarray(t.numpy())) for t in inputs]
        found = machine["main"](*given)
        found = found if hasattr(found, "__len__") else [found]
        return model.finish(*(torch.from_numpy(f.numpy()) for f in found))

    return run
