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

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dycl.checking import CheckError, CheckResult, check
    from dycl.diag import CompileError, CompileErrors
    from dycl.driver.dynamic_shapes import Dim
    from dycl.driver.explanation import Explanation, explain
    from dycl.driver.models import compile
    from dycl.driver.texts import compile_text
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
    "check",
    "compile",
    "compile_text",
    "explain",
    "kernel",
    "load",
    "lowering",
    "profile",
]


def __getattr__(name: str) -> Any:
    """Import what is asked for."""
    if name == "compile":
        from dycl.driver.models import compile

        return compile
    if name in ("lowering", "kernel", "NumberSpec", "TensorSpec"):
        from dycl import lowerings

        return getattr(lowerings, name)
    if name == "compile_text":
        from dycl.driver.texts import compile_text

        return compile_text
    if name in ("check", "CheckError", "CheckResult"):
        from dycl import checking

        return getattr(checking, name)
    if name in ("explain", "Explanation"):
        from dycl.driver import explanation

        return getattr(explanation, name)
    if name in ("CompileError", "CompileErrors"):
        from dycl import diag

        return getattr(diag, name)
    if name == "Dim":
        from dycl.driver.dynamic_shapes import Dim

        return Dim
    if name in ("load", "profile", "Profile"):
        from dycl import runtime

        return getattr(runtime, name)
    if name == "CompileOptions":
        from dycl.options import CompileOptions

        return CompileOptions
    raise AttributeError(f"module 'dycl' has no attribute '{name}'")
