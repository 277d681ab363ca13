"""What a kernel takes and gives, and how it is called: the contract of all backends.

    void name(in0, in1, ..., out0*, out1*, ...)

One C parameter for each argument of the kernel, then one for each result. A tensor is
a bare pointer to its contiguous (row-major) elements; a bool tensor has one byte per
element, 0 or 1. A scalar argument is passed by value: `int` as int64_t, `float` as
double, `bool` as one byte. Every result is memory of the caller's, a scalar result
being a tensor of rank 0.

An argument or result with the attribute `dycl.blocked = array<i64: dim, size>` stands
in memory with that dimension cut into blocks, the index in a block innermost: its spec
has the shape of the memory.

A size that is written `?` is known at run time only. Behind the pointer of such an
input come its dynamic sizes, an int64_t each. For such a result the kernel makes the
memory: the pointer is to int64_t[1 + rank], where it puts the address of the elements
and the sizes. The caller frees it with `free`, unless it has set `dycl_allocate_by` and
`dycl_free_by`, pointers to functions that kernels then call instead of libc's.

A kernel that needs memory of its own during a call takes it as the last argument: a
workspace of so many bytes, which begins at a multiple of 64, overlaps nothing, and
holds nothing between calls. Only memory whose size a run decides is made by a kernel
itself.

    void name(in0, ..., out0*, ..., workspace*)

Inputs may overlap one another; an output overlaps no input and no other output.
A pointer needs the alignment of its element type, no more; 64 bytes are faster.
A kernel keeps no state: threads may run the same kernel on different outputs.

Weights are arguments like others. A kernel that wants them in another form says so by
its `Preparation`: a second function, to be run once for each set of weights. It takes
those inputs of the kernel that are listed in `weights`, and fills buffers of its own:

    void name_prepare(weight0, weight1, ..., buffer0*, buffer1*, ...)

The kernel then takes the inputs that are left (`inputs_left`), the buffers, and the
outputs: an input that the buffers replace is not passed at all. The buffers, too, are
memory of the caller's; each begins at a multiple of 64 bytes, and they are read only.
Buffers of two kernels with equal recipes may be one, so they are filled before any
kernel that reads them runs.

    void name(left0, left1, ..., buffer0, buffer1, ..., out0*, out1*, ...)
"""

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeVar, cast

from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, ModuleOp
from xdsl.dialects.func import FuncOp

from dycl.diag import SourceLoc
from dycl.ir.host.layouts import Blocks, given_blocks

ITEM_SIZES = {
    "float64": 8,
    "float32": 4,
    "float16": 2,
    "bfloat16": 2,
    "int64": 8,
    "int32": 4,
    "int16": 2,
    "int8": 1,
    "uint8": 1,
    "bool": 1,
}
"""dtype -> bytes per element, for every dtype that a kernel can take."""

_DTYPES = {
    "f64": "float64",
    "f32": "float32",
    "f16": "float16",
    "bf16": "bfloat16",
    "si64": "int64",
    "si32": "int32",
    "si16": "int16",
    "si8": "int8",
    "ui8": "uint8",
    "i1": "bool",
}
_TENSOR = re.compile(r"!torch\.vtensor<\[([0-9,?]*)\],(\w+)>")
_SCALARS: dict[str, Literal["int", "float", "bool"]] = {
    "!torch.int": "int",
    "!torch.float": "float",
    "!torch.bool": "bool",
}
_SCALAR_DTYPES = {"int": "int64", "float": "float64", "bool": "bool"}


@dataclass(frozen=True)
class TensorSpec:
    """A contiguous tensor; `dtype` as torch and NumPy name it. A size of -1 is open."""

    shape: tuple[int, ...]
    dtype: str

    @property
    def open_dims(self) -> tuple[int, ...]:
        """The dimensions whose size is known at run time only."""
        return tuple(i for i, size in enumerate(self.shape) if size < 0)

    @property
    def nbytes(self) -> int:
        """Size of the elements in bytes. The shape has to be static."""
        return math.prod(self.shape) * ITEM_SIZES[self.dtype]


@dataclass(frozen=True)
class ScalarSpec:
    """A scalar argument, passed by value."""

    kind: Literal["int", "float", "bool"]


@dataclass(frozen=True)
class KernelSpec:
    """One kernel: its C name, parameters in order, and where the user wrote it."""

    name: str
    inputs: tuple[TensorSpec | ScalarSpec, ...]
    outputs: tuple[TensorSpec, ...]
    location: SourceLoc | None = None


class Recipe(NamedTuple):
    """What a buffer is made of; equal ones, of the same weights, are equal buffers."""

    digest: str
    """Of what is computed."""
    weights: tuple[int, ...]
    """The weights of the preparation that it is computed of, by index, in order."""


@dataclass(frozen=True)
class PreparationSpec:
    """What a kernel wants made of its weights, and what it still takes besides."""

    weights: tuple[int, ...]
    """The inputs of the kernel that its preparation takes, by index, in order."""
    outputs: tuple[TensorSpec, ...]
    """The buffers that the preparation fills; none has a dynamic size."""
    inputs_left: tuple[int, ...]
    """The inputs that the kernel itself is still passed, by index, in order."""
    recipes: tuple[Recipe, ...]
    """What each buffer is made of: kernels share those that are alike."""


def preparation_name(kernel: str) -> str:
    """The C name of the function that prepares the weights of `kernel`."""
    return f"{kernel}_prepare"


def input_spec(torch_type: str) -> TensorSpec | ScalarSpec:
    """The spec of an argument of type `torch_type`, given as MLIR text.

    Raises ValueError for what cannot cross a kernel's border: a tensor without
    known rank and dtype, a list, None.
    """
    if (kind := _SCALARS.get(torch_type)) is not None:
        return ScalarSpec(kind)
    match = _TENSOR.fullmatch(torch_type)
    if match is None or match[2] not in _DTYPES:
        raise ValueError(f"{torch_type}: neither a tensor of known rank nor a scalar")
    sizes = [size for size in match[1].split(",") if size]
    shape = tuple(-1 if size == "?" else int(size) for size in sizes)
    return TensorSpec(shape, _DTYPES[match[2]])


def output_spec(torch_type: str) -> TensorSpec:
    """The spec of a result: as `input_spec`, a scalar being a tensor of rank 0."""
    spec = input_spec(torch_type)
    if isinstance(spec, ScalarSpec):
        return TensorSpec((), _SCALAR_DTYPES[spec.kind])
    return spec


def specs_of(module: ModuleOp) -> tuple[KernelSpec, ...]:
    """The specs of all kernels (functions with `dycl.kernel`) in `module`, in order.

    Raises ValueError if the type of an argument or result does not fit.
    """
    return tuple(_spec(func) for func in _kernels(module))


def _kernels(module: ModuleOp) -> Iterator[FuncOp]:
    for op in module.ops:
        if isinstance(op, FuncOp) and "dycl.kernel" in op.attributes:
            yield op


def _spec(func: FuncOp) -> KernelSpec:
    signature = func.function_type
    inputs = [input_spec(str(arg)) for arg in signature.inputs]
    outputs = [output_spec(str(res)) for res in signature.outputs]
    return KernelSpec(
        func.sym_name.data,
        tuple(map(in_memory, inputs, _blocks(func.arg_attrs, len(inputs)))),
        tuple(map(in_memory, outputs, _blocks(func.res_attrs, len(outputs)))),
        SourceLoc.of(func),
    )


Spec = TypeVar("Spec", bound=TensorSpec | ScalarSpec)


def in_memory(spec: Spec, blocks: Blocks | None) -> Spec:
    """The spec of an argument or result that may stand in blocks."""
    if blocks is None or not isinstance(spec, TensorSpec):
        return spec
    return cast(Spec, TensorSpec(blocks.cut(spec.shape), spec.dtype))


def _blocks(
    attributes: ArrayAttr[DictionaryAttr] | None, count: int
) -> list[Blocks | None]:
    if attributes is None:
        return [None] * count
    return list(map(given_blocks, attributes))
