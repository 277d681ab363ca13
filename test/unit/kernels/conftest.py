"""Kernels from Python functions by torch-mlir's own importer, and a way to run them."""

import ctypes
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from functools import cache, lru_cache, partial
from pathlib import Path
from typing import Any

import pytest
import torch
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.fx.experimental.proxy_tensor import make_fx
from torch_mlir import ir
from torch_mlir.dialects import torch as torch_dialect
from torch_mlir.extras.fx_importer import FxImporter

from dycl.kernels import Kernel, TensorSpec
from dycl.kernels.cpu import CpuBackend
from dycl.kernels.cpu.engine import CpuKernel
from dycl.kernels.cpu.lower import LLVM
from dycl.kernels.cpu.mlir import engine, parse, run_passes
from dycl.kernels.cpu.target import note_target
from dycl.runtime.targets import LEVELS, NATIVE, why_not_here

sys.path.insert(0, str(Path(__file__).parent))

from any_size import AnySize

Kind = tuple[torch.Size, tuple[int, ...], torch.dtype]


@cache
def _context() -> ir.Context:
    """The context of all imports: to make one takes longer than most of these."""
    context = ir.Context()
    context.enable_multithreading(False)
    torch_dialect.register_dialect(context)
    return context


def _torch_text(function: Callable[..., Any], *tensors: torch.Tensor) -> str:
    return _traced(function, tuple((x.shape, x.stride(), x.dtype) for x in tensors))


@lru_cache(maxsize=512)
def _traced(function: Callable[..., Any], kinds: tuple[Kind, ...]) -> str:
    """Many a text is asked for again: for another processor, or as text."""
    fake_mode = FakeTensorMode()
    with torch.no_grad(), fake_mode:
        fakes = [torch.empty_strided(s, t, dtype=d) for s, t, d in kinds]
        graph = make_fx(function, pre_dispatch=True)(*fakes)
    importer = FxImporter(context=_context())
    importer.import_stateless_graph(graph.graph, func_name="kernel")
    return importer.module.operation.get_asm()


def _call(kernel: Kernel, *arguments: Any) -> list[torch.Tensor]:
    outputs = [
        # 77 shows an output that was not written.
        torch.full(spec.shape, 77, dtype=torch.int64).to(getattr(torch, spec.dtype))
        for spec in kernel.spec.outputs
    ]
    given = [a.contiguous() if isinstance(a, torch.Tensor) else a for a in arguments]
    everything = [*given, *outputs]
    kernel.launch(
        *(a.data_ptr() if isinstance(a, torch.Tensor) else a for a in everything)
    )
    return outputs


def _agree(target: str, function: Callable[..., Any], *tensors: torch.Tensor) -> None:
    before = [tensor.clone() for tensor in tensors]
    expected = function(*tensors)
    if isinstance(expected, torch.Tensor):
        expected = (expected,)
    library = CpuBackend(target=target).compile(_torch_text(function, *tensors))
    got = _call(library["kernel"], *tensors)
    assert len(got) == len(expected)
    for result, wanted in zip(got, expected, strict=True):
        assert result.dtype == wanted.dtype
        torch.testing.assert_close(result, wanted, rtol=1e-4, atol=1e-5, equal_nan=True)
    for tensor, was in zip(tensors, before, strict=True):
        torch.testing.assert_close(tensor, was, rtol=0, atol=0, equal_nan=True)


def _run_memrefs(target: str, text: str, name: str, *tensors: torch.Tensor) -> None:
    """Compile functions of static memrefs, and call one of them."""
    module = parse(text)
    note_target(module, target)
    with module.context:
        for step, _ in LLVM:
            run_passes(module, step) if isinstance(step, str) else step(module)
        code = engine(module, 2)
    words = (ctypes.c_int64 * len(tensors))(*(t.data_ptr() for t in tensors))
    start = ctypes.addressof(words)
    addresses = (ctypes.c_void_p * len(tensors))(
        *(start + 8 * i for i in range(len(tensors)))
    )
    entry = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(code.raw_lookup(name))
    entry(ctypes.addressof(addresses))


@pytest.fixture(autouse=True)
def _libraries_are_those_of_python(request: pytest.FixtureRequest) -> Iterator[None]:
    """A linker reads libc and libm for longer than it links a kernel; here they are.

    What they lack still fails, where the kernel is loaded.
    """
    is_asked = request.node.get_closest_marker("links_libraries") is not None
    with pytest.MonkeyPatch.context() as patch:
        if not is_asked and hasattr(ctypes.CDLL(None), "expf"):
            patch.setattr("dycl.toolchain.link._LIBRARIES", ())
        yield


@pytest.fixture
def target() -> str:
    """The processor that kernels are compiled for: see the mark `each_target`."""
    return NATIVE


@pytest.fixture
def run_memrefs(target: str) -> Callable[..., None]:
    """Compile text on memrefs from the last stage on; call a function of it."""
    return partial(_run_memrefs, target)


@pytest.fixture
def torch_text() -> Callable[..., str]:
    """The torch-dialect text of a function of tensors, as a kernel @kernel."""
    return _torch_text


@pytest.fixture
def call() -> Callable[..., list[torch.Tensor]]:
    """Launch a kernel on tensors and scalars, and give its outputs."""
    return _call


@pytest.fixture
def alike_by_threads(target: str, children_go_on: None) -> Callable[..., None]:
    """Assert that one thread and two, which share nests, give the same bits."""

    def check(text: str, *given: torch.Tensor) -> None:
        one, two = (
            _call(CpuBackend(target=target, threads=n).compile(text)["kernel"], *given)
            for n in (1, 2)
        )
        torch.testing.assert_close(one, two, rtol=0, atol=0, equal_nan=True)

    return check


@pytest.fixture
def agree(target: str, children_go_on: None) -> Callable[..., None]:
    """Assert that a function compiled to a kernel equals eager; inputs are kept."""
    return partial(_agree, target)


def _weights_of(text: str, weights: Iterable[int]) -> str:
    """The text of a kernel with `dycl.weight` on these arguments."""
    for index in weights:
        argument = rf"(%arg{index}: !torch\.vtensor<\[[^>]*>)"
        text = re.sub(argument, r"\1 {dycl.weight}", text, count=1)
    return text


def _aligned(spec: TensorSpec) -> torch.Tensor:
    memory = torch.zeros(spec.nbytes + 64, dtype=torch.uint8)
    start = -memory.data_ptr() % 64
    kind = getattr(torch, spec.dtype)
    return memory[start : start + spec.nbytes].view(kind).reshape(spec.shape)


def _run_prepared(kernel: CpuKernel, tensors: list[torch.Tensor]) -> list[torch.Tensor]:
    buffers: list[torch.Tensor] = []
    if kernel.prepared is not None:
        buffers = [_aligned(spec) for spec in kernel.prepared.outputs]
        given = [tensors[i] for i in kernel.prepared.weights]
        kernel.prepared.kernel.launch(*(t.data_ptr() for t in [*given, *buffers]))
    outputs = [_aligned(spec) for spec in kernel.spec.outputs]
    left = [tensors[i].contiguous() for i in kernel.inputs_left]
    kernel.launch(*(t.data_ptr() for t in [*left, *buffers, *outputs]))
    return outputs


@pytest.fixture
def weights_of() -> Callable[..., str]:
    """Mark arguments of a kernel's text as weights."""
    return _weights_of


@pytest.fixture
def any_size(target: str) -> Callable[..., AnySize]:
    """Compile a function, weights last; its inputs have `ANY` for a run's size."""
    return partial(AnySize, (_torch_text, _weights_of), target=target)


@pytest.fixture
def run_prepared() -> Callable[..., list[torch.Tensor]]:
    """Prepare the weights of a kernel, run it once, and give its outputs."""
    return _run_prepared


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run what is marked `each_target` for every processor that this one can be."""
    if "target" in metafunc.fixturenames and metafunc.definition.get_closest_marker(
        "each_target"
    ):
        metafunc.parametrize("target", _targets())


def _targets() -> list[str]:
    return [name for name in LEVELS if not why_not_here(name)] or [NATIVE]


def pytest_collection_modifyitems(
    config: pytest.Config, items: list[pytest.Item]
) -> None:
    """Of a grid of parameters, each point runs for one processor, in turn.

    So each value of each parameter meets each processor. `ALL_TARGETS=1` runs all.
    """
    if "ALL_TARGETS" in os.environ:
        return
    left_out = [item for item in items if _is_left_to_another(item)]
    config.hook.pytest_deselected(items=left_out)
    items[:] = [item for item in items if not _is_left_to_another(item)]


def _is_left_to_another(item: Any) -> bool:
    """Whether a point of a grid is another processor's."""
    marks = list(item.iter_markers("parametrize"))
    if len(marks) < 2 or item.get_closest_marker("each_target") is None:
        return False
    given = item.callspec.params
    targets = _targets()
    turn = sum(_place(given, *mark.args) for mark in marks)
    return given.get("target", NATIVE) not in (NATIVE, targets[turn % len(targets)])


def _place(given: dict[str, Any], names: Any, values: Iterable[Any]) -> int:
    """Which of its values a parameter has, or parameters that vary together."""
    if isinstance(names, str):
        return next(i for i, value in enumerate(values) if value is given[names])
    points = [[id(one) for one in point] for point in values]
    return points.index([id(given[name]) for name in names])
