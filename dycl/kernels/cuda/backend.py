"""The CUDA backend: kernels as Triton functions, and as PTX that the driver runs.

Compiling takes no GPU. A call takes one: `dycl.runtime.cuda`.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp

from dycl.diag import CodedError, CompileError
from dycl.ir.cloning import clone
from dycl.kernels import (
    KernelSpec,
    NoObjectCode,
    PlainLoops,
    Progress,
    ScalarSpec,
    TensorSpec,
)
from dycl.kernels.cuda.graph.describe import describe
from dycl.kernels.cuda.steps import numbers_of, open_sizes_of
from dycl.kernels.cuda.tile.program import Program, module_text
from dycl.kernels.specs import input_spec
from dycl.runtime.cuda import (
    CudaError,
    CudaKernels,
    FunctionCode,
    KernelCode,
    device,
    why_no_gpu,
)
from dycl.runtime.cuda.kernels import ARCHITECTURES, as_json
from dycl.runtime.cuda.tree import Tree, trees_as_json
from dycl.runtime.host_services import HostServices
from dycl.runtime.targets import NATIVE
from dycl.schedules.cuda_products import dot_plan
from dycl.schedules.cuda_tuning import OfTf32, Planner

_OPEN = "has sizes that a call decides, which copies between memories cannot have"


def _is_open(kernel: FuncOp) -> bool:
    signature = kernel.function_type
    tensors = map(input_spec, map(str, [*signature.inputs, *signature.outputs]))
    return any(isinstance(one, TensorSpec) and one.open_dims for one in tensors)


@dataclass(frozen=True)
class CudaBackend:
    """Kernels for NVIDIA's GPUs. `target`, the processor, says nothing about them."""

    OPTIONAL_STEPS: ClassVar[tuple[str, ...]] = ()
    CANDIDATE: ClassVar[bool] = True
    TUNES: ClassVar[bool] = True
    MATMUL_DTYPES: ClassVar[tuple[str, ...]] = ("f32", "tf32")

    target: str = NATIVE
    cache: bool = True
    threads: int = 1
    without: tuple[str, ...] = ()
    narrow: bool = False
    timeout: float = math.inf
    tuning: str | None = None
    """A file of `dycl tune`, which says how products are cut."""
    matmul_dtype: str = "f32"
    """From what products and convolutions of f32 are computed."""

    def compile(
        self,
        module_text: str,
        specs: Sequence[KernelSpec] = (),
        progress: Progress | None = None,
    ) -> "CudaLibrary":
        """All kernels of a module; see `KernelBackend.compile`. CompileError (DY508):
        the tuning file cannot be used."""
        from dycl.kernels.cuda.building import tiles_of
        from dycl.kernels.cuda.tuning import read_timings

        planner: Planner = dot_plan
        if self.tuning is not None:
            planner = read_timings(self.tuning)
        if self.matmul_dtype == "tf32":
            planner = OfTf32(planner)
        tiles = tiles_of(module_text, self.timeout, planner)
        library = CudaLibrary(
            tiles.specs, tiles.programs, dict(tiles.stages), self.cache
        )
        for count, spec in enumerate(library.specs, start=1):
            if progress is not None:
                progress(count, len(library.specs), spec.name, False)
        return library

    @property
    def key(self) -> str:
        """The GPU of this machine, which decides what kernels take."""
        try:
            return device().name
        except CudaError:
            return ""

    def why_not_here(self) -> str:
        """Why no GPU of this machine can run kernels, as a sentence, or ""."""
        return why_no_gpu()

    def refusals(self, kernels: Sequence[FuncOp]) -> list[str | None]:
        """Why kernels are left to other backends; None: there are templates."""
        found: list[str | None] = [
            _OPEN if _is_open(kernel) else None for kernel in kernels
        ]
        left = [n for n, why in enumerate(found) if why is None]
        texts = [str(ModuleOp([clone(kernels[n])])) for n in left]
        for n, error in zip(left, self.check_each(texts), strict=True):
            found[n] = error and error.what
        return found

    def check_each(self, module_texts: Sequence[str]) -> list[CodedError | None]:
        """Look for a template for each kernel; see `KernelBackend.check_each`."""
        from dycl.kernels.cuda.building import check_each

        return [*check_each(module_texts, self.timeout)]


class CudaLibrary:
    """The kernels of one module."""

    plain: Sequence[PlainLoops] = ()
    lends = True
    """Whether the network takes tensors that are on the GPU."""
    waits = True
    """Whether a network is made where the GPU is full: calls find room, or say so."""

    def __init__(
        self,
        specs: tuple[KernelSpec, ...],
        programs: tuple[Program, ...],
        stages: dict[str, str],
        use_cache: bool,
    ):
        """Take what was built."""
        self.specs = specs
        self.programs = programs
        self._before = stages
        self._use_cache = use_cache
        self._kernels = {spec.name: CudaKernel(spec) for spec in specs}
        self._trees: list[Tree] = []
        self._whole_graph = False

    def __getitem__(self, name: str) -> "CudaKernel":
        """The kernel called `name`. Raises KeyError if there is none."""
        return self._kernels[name]

    @property
    def symbols(self) -> Mapping[str, str]:
        """NoObjectCode."""
        raise NoObjectCode("cuda")

    def objects(self) -> Mapping[str, bytes]:
        """NoObjectCode."""
        raise NoObjectCode("cuda")

    def shared_object(self) -> bytes:
        """NoObjectCode."""
        raise NoObjectCode("cuda")

    def use_linked(self, code: bytes) -> None:
        """NoObjectCode."""
        raise NoObjectCode("cuda")

    @cached_property
    def on_device(self) -> CudaKernels:
        """The kernels as the runtime takes them, compiled to PTX when they are used."""
        return CudaKernels(self.codes, lambda: self._trees, self._whole_graph)

    def use_graphs(
        self,
        module: ModuleOp,
        returns: Sequence[tuple[str, tuple[int, ...]]],
        text: str,
        whole: bool,
    ) -> None:
        """Run the graph trees of a module, which are of the network or its segments.

        `returns`: what `dycl.host.print_returns` says of each; `text`: the module as
        IR; `whole`: whether the network has to be one graph.
        """
        self._whole_graph = whole
        self._trees = [
            Tree(**data, text=given, copied=copied)
            for data, (given, copied) in zip(describe(module), returns, strict=True)
        ]
        self._before["graph"] = text

    def why_not_here(self) -> str:
        """Why no GPU of this machine can run the kernels, as a sentence, or ""."""
        return why_no_gpu()

    def explain_absence(self) -> None:
        """Let calls of the kernels say why there is no GPU."""
        for kernel in self._kernels.values():
            kernel.why = self.why_not_here()

    def make_services(self, *given: Any) -> HostServices:
        """What a printed host is given: buffers on a GPU, if there is one."""
        if self.why_not_here():
            self.explain_absence()
            return HostServices(self, *given)
        return self.on_device.make_services(*given)

    def codes(self, architecture: int) -> list[KernelCode]:
        """All kernels as PTX for an architecture. CompileError (DY292, DY502)."""
        parts = iter(codes_of(self.programs, architecture, use_cache=self._use_cache))
        result: list[KernelCode] = []
        for program, spec in zip(self.programs, self.specs, strict=True):
            known = [b.bytes for b in program.temporaries] if program.is_static else []
            floats = [
                isinstance(value, ScalarSpec) and value.kind == "float"
                for value in spec.inputs
            ]
            location = "" if spec.location is None else str(spec.location)
            result.append(
                KernelCode(
                    program.name,
                    location,
                    (*floats, *(False for _ in program.results)),
                    tuple(size for size in known if isinstance(size, int)),
                    next(parts),
                    open_sizes_of(program),
                )
            )
        return result

    def device_members(self) -> Mapping[str, bytes]:
        """What an artifact gets in place of object code."""
        codes = {number: self.codes(number) for number in ARCHITECTURES}
        members = {"kernels.json": as_json(codes)}
        if self._trees:
            members["graph.json"] = trees_as_json(self._trees)
        return members

    def stages(self) -> Mapping[str, str]:
        """`torch`, `linalg`, `graph` if there are any, `tile`, and `ptx`, which is
        compiled when it is read."""
        texts = {**self._before, "tile": module_text(self.programs)}
        return _Stages(texts, self._ptx)

    def _ptx(self) -> str:
        parts: list[str] = []
        for architecture in ARCHITECTURES:
            for one in (f for code in self.codes(architecture) for f in code.functions):
                head = f"// {one.entry}, {one.warps} warps, {one.shared} bytes shared"
                parts.append(f"{head}\n{one.ptx}")
        return "\n".join(parts)


def codes_of(
    programs: Sequence[Program], architecture: int, *, use_cache: bool = True
) -> list[tuple[FunctionCode, ...]]:
    """The functions of each program as PTX. CompileError (DY292, DY502)."""
    from dycl.kernels.cuda.ptx import compiled

    functions = [f for program in programs for f in program.functions]
    made = iter(compiled(functions, architecture, use_cache=use_cache))
    result: list[tuple[FunctionCode, ...]] = []
    for program in programs:
        buffers = [*program.arguments, *program.results, *program.temporaries]
        names = {buffer.name: i for i, buffer in enumerate(buffers)}
        numbers = {n: len(names) + i for i, n in enumerate(numbers_of(program))}
        parts: list[FunctionCode] = []
        for function in program.functions:
            one = next(made)
            given = tuple(
                names[p.name] if p.size is None else numbers[p.size]
                for p in function.parameters
                if not p.table
            )
            blocks = function.blocks if isinstance(function.blocks, int) else 0
            parts.append(
                FunctionCode(
                    *(one.entry, one.text, one.warps, one.shared),
                    *(blocks, given),
                )
            )
        result.append(tuple(parts))
    return result


class _Stages(dict[str, str]):
    """Texts by stage, the last of which takes Triton."""

    def __init__(self, texts: Mapping[str, str], make_ptx: Any):
        super().__init__(texts, ptx="")
        self._make_ptx = make_ptx

    def __getitem__(self, stage: str) -> str:
        if stage == "ptx" and not super().__getitem__(stage):
            self[stage] = self._make_ptx()
        return super().__getitem__(stage)


class CudaKernel:
    """One kernel, where there is no GPU: it can be looked at only."""

    prepared = None
    workspace = 0

    def __init__(self, spec: KernelSpec):
        self.spec = spec
        self.why = "it can be called as a part of its network only"
        self.inputs_left = tuple(range(len(spec.inputs)))

    def __call__(self, *values: Any) -> list[Any]:
        """CompileError (DY505)."""
        raise CompileError(
            "DY505",
            f"kernel @{self.spec.name} is for a GPU: {self.why}",
            self.spec.location,
            hint="`net.save` writes the network for a machine with a GPU; with "
            "backend='cuda,cpu' it runs on either",
        )
