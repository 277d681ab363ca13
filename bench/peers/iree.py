"""IREE for this CPU, from the rewritten model's ONNX."""

import subprocess
import sys

import torch

from bench.peers.keep import kept
from bench.peers.onnx import FILE
from bench.rewrites import rewritten
from bench.subjects import Subject, recipes


def llvm_cpu(subject: Subject, threads: int, folder):
    """Compiled for the host, optimised; one thread or a pool."""
    import iree.compiler
    import iree.runtime

    text, code = folder / "iree.mlir", folder / "iree.vmfb"

    def make():
        tool = [sys.executable, "-m", "iree.compiler.tools.import_onnx"]
        command = [*tool, str(folder / FILE), "-o", str(text)]
        subprocess.run(command, check=True, capture_output=True)
        iree.compiler.compile_file(
            str(text),
            output_file=str(code),
            input_type="onnx",
            target_backends=["llvm-cpu"],
            extra_args=["--iree-llvmcpu-target-cpu=host", "--iree-opt-level=O3"],
        )

    kept(code, make)
    device = "local-sync" if threads == 1 else "local-task"
    config = iree.runtime.Config(device)
    module = iree.runtime.load_vm_module(
        iree.runtime.VmModule.mmap(config.vm_instance, str(code)), config
    )
    entry = module.main_graph
    model = rewritten(recipes()[subject.name].rewrite, subject.model)

    def run(*inputs):
        found = entry(*(t.numpy() for t in inputs))
        found = found if isinstance(found, (list, tuple)) else [found]
        return model.finish(*(torch.from_numpy(f.to_host().copy()) for f in found))

    return run
