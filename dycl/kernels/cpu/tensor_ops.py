"""Making ops in place: the few that our own steps need, without a dialect's classes."""

from collections.abc import Callable, Sequence
from typing import Any

from dycl.kernels.cpu import build
from dycl.kernels.cpu.mlir import ir

Maps = Sequence[Any]
"""Affine maps as attributes, or as text: `(m, n) -> (n, m)`."""


def op(name: str, operands: Sequence[Any], result: Any, **attributes: Any) -> Any:
    """The result of a new op that has one."""
    return build.op(name, operands, result, attributes)


def empty(shape: Sequence[int], element: Any) -> Any:
    """A new `tensor.empty`."""
    return op("tensor.empty", [], ir.RankedTensorType.get(list(shape), element))


def fill(value: Any, into: Any) -> Any:
    """A new `linalg.fill` of a tensor with a scalar."""
    return _with_body(
        "linalg.fill",
        [value, into],
        into.type,
        [value.type, into.type.element_type],
        lambda scalar, _: scalar,
        operandSegmentSizes=ir.DenseI32ArrayAttr.get([1, 1]),
    )


def generic(
    inputs: Sequence[Any],
    into: Any,
    maps: Maps,
    iterators: str,
    body: Callable[..., Any],
    **attributes: Any,
) -> Any:
    """A new `linalg.generic` with one result.

    `iterators`: `p` or `r` for each loop. `body` gets a scalar for each operand, that
    of `into` last, and gives what is yielded.
    """
    kinds = {"p": "parallel", "r": "reduction"}
    iterator_types = [
        ir.Attribute.parse(f"#linalg.iterator_type<{kinds[i]}>") for i in iterators
    ]
    operands = [*inputs, into]
    return _with_body(
        "linalg.generic",
        operands,
        into.type,
        [_element(value.type) for value in operands],
        body,
        indexing_maps=ir.ArrayAttr.get([affine_map(m) for m in maps]),
        iterator_types=ir.ArrayAttr.get(iterator_types),
        operandSegmentSizes=ir.DenseI32ArrayAttr.get([len(inputs), 1]),
        **attributes,
    )


def affine_map(text: Any) -> Any:
    """An affine map from text; an attribute is left as it is."""
    if not isinstance(text, str):
        return text
    return ir.Attribute.parse(f"affine_map<{text}>")


def ints(values: Sequence[int]) -> Any:
    """An `array<i64: ...>`."""
    return ir.DenseI64ArrayAttr.get(list(values))


def collapse(value: Any, shape: Sequence[int], groups: Sequence[int]) -> Any:
    """Neighbouring dimensions as one; `groups`: how many go into each of `shape`."""
    kind = ir.RankedTensorType.get(list(shape), value.type.element_type)
    return op(
        "tensor.collapse_shape", [value], kind, reassociation=reassociation(groups)
    )


def expand(value: Any, shape: Sequence[int], groups: Sequence[int]) -> Any:
    """Dimensions taken apart; `groups`: how many of `shape` each becomes."""
    return op(
        "tensor.expand_shape",
        [value],
        ir.RankedTensorType.get(list(shape), value.type.element_type),
        reassociation=reassociation(groups),
        static_output_shape=ints(shape),
    )


def pad(source: Any, low: Sequence[int], high: Sequence[Any], value: Any) -> Any:
    """A new `tensor.pad` with `value`, by known numbers for each dimension; behind it
    by an index, where a run decides the number."""
    dynamic = ir.ShapedType.get_dynamic_size()
    counts = [after for after in high if not isinstance(after, int)]
    high = [after if isinstance(after, int) else dynamic for after in high]
    sides = zip(low, source.type.shape, high, strict=True)
    shape = [dynamic if min(side) < 0 else sum(side) for side in sides]
    new = ir.Operation.create(
        "tensor.pad",
        operands=[source, *counts],
        results=[ir.RankedTensorType.get(shape, source.type.element_type)],
        attributes={
            "static_low": ints(low),
            "static_high": ints(high),
            "operandSegmentSizes": ir.DenseI32ArrayAttr.get([1, 0, len(counts)]),
        },
        regions=1,
    )
    indices = [ir.IndexType.get()] * len(shape)
    here = ir.Location.current
    block = new.regions[0].blocks.append(*indices, arg_locs=[here] * len(indices))
    with ir.InsertionPoint(block):
        ir.Operation.create("tensor.yield", operands=[value])
    return new.results[0]


def extract_slice(
    source: Any, offsets: Sequence[int], sizes: Sequence[int], strides: Sequence[int]
) -> Any:
    """A new `tensor.extract_slice`, of known numbers."""
    return op(
        "tensor.extract_slice",
        [source],
        ir.RankedTensorType.get(list(sizes), source.type.element_type),
        static_offsets=ints(offsets),
        static_sizes=ints(sizes),
        static_strides=ints(strides),
        operandSegmentSizes=ir.DenseI32ArrayAttr.get([1, 0, 0, 0]),
    )


def insert_slice(
    source: Any, into: Any, offsets: Sequence[int], strides: Sequence[int]
) -> Any:
    """A new `tensor.insert_slice` of all of `source`, at known numbers."""
    return op(
        "tensor.insert_slice",
        [source, into],
        into.type,
        static_offsets=ints(offsets),
        static_sizes=ints(source.type.shape),
        static_strides=ints(strides),
        operandSegmentSizes=ir.DenseI32ArrayAttr.get([1, 1, 0, 0, 0]),
    )


def broadcast(source: Any, into: Any, dims: Sequence[int]) -> Any:
    """A new `linalg.broadcast`; `dims` of `into` are those that `source` lacks."""
    element = into.type.element_type
    return _with_body(
        "linalg.broadcast",
        [source, into],
        into.type,
        [element, element],
        lambda scalar, _: scalar,
        dimensions=ints(dims),
    )


def convolution(
    image: Any,
    weights: Any,
    init: Any,
    strides: Sequence[int],
    dilations: Sequence[int],
    **attributes: Any,
) -> Any:
    """A new convolution, N C H W by F C H W, or of a dimension more or less.

    In groups, N G C H W by G F C H W.
    """
    element = init.type.element_type
    is_grouped = init.type.rank > len(dilations) + 2
    name = "conv_2d_ngchw_gfchw" if is_grouped else _CONVOLUTIONS[len(dilations)]

    def body(x: Any, w: Any, total: Any) -> Any:
        return build.add(total, build.multiply(x, w))

    kind = f"vector<{len(dilations)}xi64>"
    steps = [
        ir.Attribute.parse(f"dense<{list(step)}> : {kind}")
        for step in (strides, dilations)
    ]
    return _with_body(
        f"linalg.{name}",
        [image, weights, init],
        init.type,
        [element] * 3,
        body,
        strides=steps[0],
        dilations=steps[1],
        operandSegmentSizes=ir.DenseI32ArrayAttr.get([2, 1]),
        **attributes,
    )


_CONVOLUTIONS = {1: "conv_1d_ncw_fcw", 2: "conv_2d_nchw_fchw", 3: "conv_3d_ncdhw_fcdhw"}


def reassociation(groups: Sequence[int]) -> Any:
    """How many neighbouring dimensions go into each one."""
    result: list[Any] = []
    start = 0
    for count in groups:
        dims = range(start, start + count)
        result.append(ir.ArrayAttr.get([build.i64(dim) for dim in dims]))
        start += count
    return ir.ArrayAttr.get(result)


def alloc_copy(value: Any) -> Any:
    """A copy of a tensor in memory of its own."""
    sizes = ir.DenseI32ArrayAttr.get([0, 1, 0])
    return op(
        "bufferization.alloc_tensor", [value], value.type, operandSegmentSizes=sizes
    )


def owner(value: Any) -> Any:
    """The op that makes a value; None for an argument of a block."""
    made_by = value.owner
    return None if isinstance(made_by, ir.Block) else made_by.operation


def is_zero(value: Any) -> bool:
    """Whether a number is the constant 0."""
    made_by = owner(value)
    if made_by is None or made_by.name != "arith.constant":
        return False
    return float(made_by.attributes["value"].value) == 0.0


def clone_body(source: Any) -> Callable[..., Any]:
    """The payload of a generic or of a sort, to be repeated elsewhere."""

    def body(*arguments: Any) -> Any:
        block = source.regions[0].blocks[0]
        known = list(zip(block.arguments, arguments, strict=True))

        def new(value: Any) -> Any:
            return next((copy for old, copy in known if old == value), value)

        for inner in block.operations:
            if inner.operation.name in ("linalg.yield", "tm_tensor.yield"):
                return new(inner.operation.operands[0])
            copy = inner.operation.clone()
            for index, operand in enumerate(inner.operation.operands):
                copy.operation.operands[index] = new(operand)
            known += zip(inner.operation.results, copy.operation.results, strict=True)
        raise AssertionError("a payload ends with a yield")

    return body


def is_parallel(operation: Any) -> bool:
    """Whether every loop of a `linalg.generic` is parallel, and it has one result."""
    return (
        operation.name == "linalg.generic"
        and len(operation.results) <= 1
        and int(operation.attributes["operandSegmentSizes"][1]) == 1
        and all("parallel" in str(i) for i in operation.attributes["iterator_types"])
    )


def is_static_f32(value_type: Any) -> bool:
    """Whether a tensor or memref has f32 elements and known sizes."""
    return (
        isinstance(value_type, ir.RankedTensorType | ir.MemRefType)
        and value_type.has_static_shape
        and isinstance(value_type.element_type, ir.F32Type)
    )


def _element(kind: Any) -> Any:
    return kind.element_type if isinstance(kind, ir.ShapedType) else kind


def _with_body(
    name: str,
    operands: Sequence[Any],
    result: Any,
    arguments: Sequence[Any],
    body: Callable[..., Any],
    **attributes: Any,
) -> Any:
    place = ir.Location.current
    new = ir.Operation.create(
        name,
        operands=list(operands),
        results=[result] if isinstance(result, ir.RankedTensorType) else [],
        attributes=attributes,
        regions=1,
    )
    block = new.regions[0].blocks.append(*arguments, arg_locs=[place] * len(arguments))
    with ir.InsertionPoint(block):
        ir.Operation.create("linalg.yield", operands=[body(*block.arguments)])
    return new.results[0] if new.results else new
