"""`cpu-select-topk`: a marked sort puts the elements of `topk` in front, as eager does.

Each row is copied, and a function selects in the copy: by a heap, or by parting it as
`std::nth_element` does (`topk.py`), so that equal elements come in eager's order;
for `kthvalue` as eager's own quick select does (`kthvalue.py`).

Before:
    tm_tensor.sort {dycl.topk = {k = 2, largest = true, sorted = true}} dimension(1)
        outs(%v, %i : memref<3x8xf32>, memref<3x8xi64>)

After:
    %rv = memref.alloc() : memref<8xf32> ...
    scf.for %row = %c0 to %c3 step %c1 {
      // %rv[%at] = %v[%row, %at], %ri[%at] = %at
      func.call @topk.0.topk(%rv, %ri)
      // %v[%row, %at] = %rv[%at], and %i, for the first two
    }

A mark without `k` finds it in the first place of each row of `%i`.

Needs:  linalg on memrefs, `cpu-keep-topk` done; to stand before buffers are freed.
Leaves: no `dycl.topk`; private functions at the end of the module.
Skips:  sorts without the mark.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from dycl.kernels.cpu import build
from dycl.kernels.cpu.mlir import ir, ops
from dycl.kernels.cpu.selection.kthvalue import add_kthvalue
from dycl.kernels.cpu.selection.order import Order, compared
from dycl.kernels.cpu.selection.topk import add_topk
from dycl.kernels.cpu.torch_fixes.keep_topk import TOPK


def select_topk(module: Any) -> None:
    """Write out every marked sort in `module`."""
    known: dict[_Key, str] = {}
    for op in ops(module.operation):
        if TOPK not in op.attributes:
            continue
        mark = op.attributes[TOPK]
        dim = int(op.attributes["dimension"].value)
        kind = op.operands[0].type
        order = Order(
            "topk", kind.shape[dim], kind.element_type, bool(mark["largest"].value)
        )
        is_sorted = bool(mark["sorted"].value) if "sorted" in mark else None
        k = int(mark["k"].value) if "k" in mark else None
        key = order, k, is_sorted
        if key not in known:
            known[key] = _add(module, key, f"topk.{len(known)}")
        with ir.InsertionPoint(op), op.location:
            _select(op, dim, k, known[key])
        op.erase()


_Key = tuple[Order, int | None, bool | None]


def _add(module: Any, key: _Key, name: str) -> str:
    """Add the functions; the name of the one that selects."""
    selected, k, is_sorted = key
    order = replace(selected, name=name)
    with ir.InsertionPoint(module.body), ir.Location.unknown():
        if is_sorted is None and k is not None:
            add_kthvalue(order, k)
            return f"{name}.select"
        add_topk(order, k, bool(is_sorted))
        return f"{name}.topk"


def _select(op: Any, dim: int, k: int | None, function: str) -> None:
    values, indices = op.operands
    shape = list(values.type.shape)
    is_open = values.type.is_dynamic_dim
    sizes = [build.size(values, d) if is_open(d) else n for d, n in enumerate(shape)]
    rows = [_row(sizes[dim], m.type.element_type) for m in (values, indices)]
    count = [sizes[dim]] if is_open(dim) else []

    def one_row(place: list[Any]) -> None:
        def at(index: Any) -> list[Any]:
            return [*place[:dim], index, *place[dim:]]

        def take(index: Any) -> None:
            number = build.op("arith.index_cast", [index], indices.type.element_type)
            value = build.load(values, at(index))
            for item, row in zip((value, number), rows, strict=True):
                build.store(item, row, [index])

        def give(index: Any) -> None:
            for row, whole in zip(rows, (values, indices), strict=True):
                build.store(build.load(row, [index]), whole, at(index))

        def select(k: Any) -> list[Any]:
            _each([sizes[dim]], lambda place: take(*place))
            is_given = [] if isinstance(k, int) else [k]
            build.call(function, [*map(build.bare, rows), *count, *is_given])
            _each([k], lambda place: give(*place))
            return []

        def some() -> list[Any]:
            first = build.load(indices, at(build.index(0)))
            asked = build.op("arith.index_cast", [first], ir.IndexType.get())
            build.choice(_is_some(asked), lambda: select(asked))
            return []

        if k is not None:
            select(k)
        else:  # a row of none says nothing
            build.choice(_is_some(build.size(values, dim)), some)

    _each([size for d, size in enumerate(sizes) if d != dim], one_row)


def _is_some(count: Any) -> Any:
    return compared("ugt", count, build.index(0))


def _each(
    sizes: list[Any], body: Callable[[list[Any]], None], place: tuple[Any, ...] = ()
) -> None:
    """Loops over all places in a shape of ints and indices, `body` inside."""
    if not sizes:
        body(list(place))
        return
    first, *rest = sizes

    def inner(index: Any, _: list[Any]) -> list[Any]:
        _each(rest, body, (*place, index))
        return []

    if isinstance(first, int):
        build.counted(range(first), [], inner)
    else:
        build.loop(build.index(0), first, build.index(1), [], inner)


def _row(size: Any, element: Any) -> Any:
    """Memory for a row of so many elements, an int or an index."""
    is_known = isinstance(size, int)
    given = [] if is_known else [size]
    sizes = ir.DenseI32ArrayAttr.get([len(given), 0])
    shape = [size if is_known else ir.ShapedType.get_dynamic_size()]
    kind = ir.MemRefType.get(shape, element)
    return build.op("memref.alloc", given, kind, {"operandSegmentSizes": sizes})
