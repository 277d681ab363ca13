"""The graphs of a network, whole or of its segments, where a library runs them."""

from typing import TYPE_CHECKING, Any

from xdsl.dialects.builtin import ModuleOp, StringAttr

from dycl.backends import left_out
from dycl.diag import CompileError, Remark, collect_remarks, pass_on, remark
from dycl.driver.compilation import Compilation
from dycl.driver.ir_dump import printed
from dycl.ir.claims import kernels_of
from dycl.ir.cloning import clone
from dycl.ir.functions import BACKEND, OURS
from dycl.ir.host.memories import COPY, GPU
from dycl.pipelines import Pipeline

if TYPE_CHECKING:
    from dycl.kernels import KernelLibrary

ON_HOST = "not on the device"
"""What remarks say of an op that keeps its host from being one graph."""
NO_GRAPH = (ON_HOST, "no graph of its own")
"""... and of all that is run by the host then."""


def use_graphs(module: ModuleOp, library: "KernelLibrary", run: Compilation) -> None:
    """Give a library that runs graphs the host as one, or its segments.

    Segments are marked in the module, from which the host is printed. A loop that has
    to stop after some iterations is left to the host. CompileError (DY507): the network
    is not one graph, and has to be.
    """
    use: Any = getattr(library, "use_graphs", None)
    if use is None:
        _say_who_is_not_on_it(module, library)
        if run.options.whole_graph:
            raise _refusal(None)
        return
    from dycl.host import print_returns

    with run.stage("graph") as stage:
        with collect_remarks() as remarks:
            _run("segments", module, run)
            tree = clone(module)
            _run("graph", tree, run)
        pass_on(remarks)
        returns = print_returns(tree)
        in_the_way = [one for one in remarks if one.what == ON_HOST]
        stage.detail = _told(len(returns), in_the_way)
    if run.options.whole_graph and (in_the_way or not returns):
        raise _refusal(in_the_way[0] if in_the_way else None)
    if returns:
        text = printed(tree, texts=run.texts)
        use(tree, returns, text, run.options.whole_graph)


def _run(phase: str, module: ModuleOp, run: Compilation) -> None:
    limited = run.options.max_iterations is not None
    pipeline = Pipeline.parse(phase).expanded(left_out(run.options))
    for name in ("dycl-mark-segments", "dycl-form-graph"):
        pipeline = pipeline.with_option(name, "limited", limited)
    run.phase("host", pipeline, module, shown=False)


def _say_who_is_not_on_it(module: ModuleOp, library: "KernelLibrary") -> None:
    """Where a GPU computes a part, say of the other kernels that they are in the way of
    one graph."""
    if hasattr(library, "gpu_members"):
        for kernel in kernels_of(module):
            backend = kernel.attributes.get(BACKEND, StringAttr(OURS))
            if isinstance(backend, StringAttr) and backend.data not in (GPU, COPY):
                remark(kernel, ON_HOST, f"a kernel is computed by {backend.data}")


def _told(graphs: int, in_the_way: list[Remark]) -> str:
    if not in_the_way:
        return "all decisions" if graphs else "none"
    why = f"{in_the_way[0].at or 'the host'}: {in_the_way[0].why}"
    if not graphs:
        return f"none: {why}"
    return f"{graphs} segment{'s' * (graphs != 1)}; the rest is run by the host: {why}"


def _refusal(reason: Remark | None) -> CompileError:
    if reason is None:
        return CompileError(
            "DY507",
            "the network is no CUDA graph: its backend or its passes make none",
            hint="backend='cuda', or no `whole_graph`",
        )
    return CompileError(
        "DY507",
        f"the network is not one CUDA graph: {reason.why}",
        reason.at,
        hint="without `whole_graph` this runs on the host, and the rest as graphs",
    )
