"""DyCL: a compiler for dynamic neural networks.

    import dycl
    net = dycl.compile(model, (x,))     # a plain `if` on a tensor stays whole
    y = net(x)
    net.path                            # the decisions of this call
    net = dycl.compile_text(Path("net.mlir"), "w.safetensors")   # IR of any level
    print(dycl.explain(model, (x,)))    # every decision, loop and refusal, by line
    print(dycl.check(net, model, (x,)))  # values, path and each kernel against eager
    net.save("net.dycl")
    net = dycl.load("net.dycl")         # needs NumPy only
    with dycl.profile(net) as p:        # counts and times of all calls in the block
        net(x)
    print(p)

`import dycl` costs nothing: the compiler, and torch, are imported by the first call.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dycl.checking import CheckError, CheckResult, check
    from dycl.diag import CompileError, CompileErrors
    from dycl.driver.dynamic_shapes import Dim
    from dycl.driver.explanation import Explanation, explain
    from dycl.driver.models import compile
    from dycl.driver.texts import compile_text
    from dycl.driver.trees import Tree
    from dycl.lowerings import NumberSpec, TensorSpec, kernel, lowering
    from dycl.options import CompileOptions
    from dycl.runtime import Profile, load, profile

__all__ = [
    "CheckError",
    "CheckResult",
    "CompileError",
    "CompileErrors",
    "CompileOptions",
    "Dim",
    "Explanation",
    "NumberSpec",
    "Profile",
    "TensorSpec",
    "Tree",
    "check",
    "compile",
    "compile_text",
    "explain",
    "kernel",
    "load",
    "lowering",
    "profile",
]


_HOMES = {
    "CheckError": "dycl.checking",
    "CheckResult": "dycl.checking",
    "CompileError": "dycl.diag",
    "CompileErrors": "dycl.diag",
    "CompileOptions": "dycl.options",
    "Dim": "dycl.driver.dynamic_shapes",
    "Explanation": "dycl.driver.explanation",
    "NumberSpec": "dycl.lowerings",
    "Profile": "dycl.runtime",
    "TensorSpec": "dycl.lowerings",
    "Tree": "dycl.driver.trees",
    "check": "dycl.checking",
    "compile": "dycl.driver.models",
    "compile_text": "dycl.driver.texts",
    "explain": "dycl.driver.explanation",
    "kernel": "dycl.lowerings",
    "load": "dycl.runtime",
    "lowering": "dycl.lowerings",
    "profile": "dycl.runtime",
}
"""Where each name is; all but `dycl.runtime` is the compiler's."""


def __getattr__(name: str) -> Any:
    """Import what is asked for. ImportError: it needs the compiler, which is absent."""
    import importlib
    from importlib.util import find_spec

    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'dycl' has no attribute '{name}'")
    if home == "dycl.runtime":
        return getattr(importlib.import_module(home), name)
    if find_spec("xdsl") is None:
        raise ImportError(
            f"dycl.{name} needs the compiler, which is not installed: "
            "pip install 'dycl[compile]'",
            name="xdsl",
        )
    from dycl.driver.process import rare_collections

    with rare_collections():  # What a module makes when it is imported, stays.
        return getattr(importlib.import_module(home), name)
