"""What is raced: each peer is a function from a subject to something callable.

    prepare(subject, threads, folder) -> run(*inputs), which gives eager's structure

A peer runs in a process of its own (`bench.worker`); `folder` is a scratch directory
that those of one subject share, for what two of them need (an ONNX export).
"""

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Peer:
    """One contestant."""

    name: str
    module: str
    """The module of `bench.peers` that has `function`."""
    function: str
    package: str = "torch"
    """The distribution it comes with; where it is not installed it does not run."""
    by_hand: bool = False
    """Whether it needs the model rewritten."""
    after: str = ""
    """What has to be made first: "onnx", the export of the rewritten model."""
    straight: bool = False
    """Whether it runs one path that it was told beforehand, and so decides nothing."""

    modules: tuple[str, ...] = ()
    """What else has to be importable."""
    caveat: str = ""
    """What holds it back and is no fault of the engine; "": nothing known."""

    def prepare(self, *arguments: Any) -> Callable[..., Any]:
        """Import it and let it compile."""
        module = importlib.import_module(f"bench.peers.{self.module}")
        return getattr(module, self.function)(*arguments)


def _line(
    engine: str, module: str, function: str, package: str = "torch", caveat: str = ""
) -> Peer:
    """An engine that is given each path as a network of its own."""
    name = f"{engine}, {TRACE}"
    modules = () if package == "torch" else ("onnx", "onnxscript", package)
    return Peer(
        name,
        module,
        function,
        package,
        straight=True,
        modules=modules,
        caveat=caveat,
    )


TRACE = "trace per path"

NO_AVX512 = "its wheel has no AVX-512 code"
"""`objdump -d` on the library of MNN 3.6.1 from PyPI finds no register zmm."""

DIRECT = "DyCL, no Winograd"

OURS = ("DyCL", DIRECT, "DyCL, Python host")
"""Ours: these run in the environment of this repository."""

PEERS = {
    peer.name: peer
    for peer in (
        Peer("DyCL", "ours", "native", "dycl"),
        Peer(DIRECT, "ours", "direct", "dycl"),
        Peer("DyCL, Python host", "ours", "python", "dycl"),
        Peer("eager", "in_torch", "eager"),
        Peer("eager, folded", "in_torch", "eager_folded"),
        Peer("TorchScript", "in_torch", "script"),
        Peer("torch.compile", "in_torch", "compiled"),
        Peer("torch.compile, frozen, tuned", "in_torch", "tuned"),
        Peer("AOTInductor", "in_torch", "aot", by_hand=True),
        Peer("ONNX Runtime", "onnx", "runtime", "onnxruntime", True, "onnx"),
        Peer("OpenVINO", "onnx", "openvino", "openvino", True, "onnx"),
        Peer("JAX", "jax", "whole", "jax", True),
        Peer("IREE", "iree", "llvm_cpu", "iree-base-compiler", True, "onnx"),
        Peer("TVM", "tvm", "relax", "apache-tvm", True, "onnx"),
        _line("TorchScript", "in_torch", "script_lines"),
        _line("AOTInductor", "in_torch", "aot_lines"),
        _line("ONNX Runtime", "onnx", "runtime_traces", "onnxruntime"),
        _line("OpenVINO", "onnx", "openvino_traces", "openvino"),
        _line("MNN", "mnn", "lines", "MNN", NO_AVX512),
        _line("ncnn", "ncnn", "lines", "ncnn"),
        _line("ExecuTorch", "executorch", "lines", "executorch"),
        _line("JAX", "jax", "lines", "jax"),
    )
}
"""Name -> peer, in the order of the tables."""
