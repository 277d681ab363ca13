"""`cpu-generate-attention`: attention becomes loops over blocks of queries and keys.

What takes its place is a call: attentions that are alike share one function. The loops
are described in `attention_loops.py`, their sizes are in `dycl/schedules/attention.py`.

Before:
    linalg.generic {dycl.nest = "attention"} ins(%q, %k, %v, %m) outs(%o)

After:
    func.call @attention.0(%q, %k, %v, %m, %o)

    func.func private @attention.0(...) {
      scf.for ... {                        // sixteen queries
        scf.for ... iter_args(%largest, %total) {      // a block of keys
          vector.fma ...; math.exp ...; vector.fma ...

Needs:  linalg on memrefs.
Leaves: no `dycl.attention`; calls, and private functions at the end of the module.
Skips:  nothing: operands that are not dense are copied.
"""

from typing import Any

from dycl.kernels.cpu import build
from dycl.kernels.cpu.attention.attention_loops import Attention, Rule
from dycl.kernels.cpu.attention.attention_places import Shape
from dycl.kernels.cpu.attention.dynamic_attention import DynamicAttention
from dycl.kernels.cpu.attention.fuse_attention import ATTENTION, RULE
from dycl.kernels.cpu.mlir import ir, ops
from dycl.kernels.cpu.target import registers_of
from dycl.schedules import attention as schedules

_SOME = 128
"""Queries or keys that schedules go by where a run decides how many there are."""


def generate_attention(module: Any) -> None:
    """Call a function in the place of each marked op."""
    known: dict[object, str] = {}
    products = registers_of(module).products
    for op in ops(module.operation):
        if RULE not in op.attributes:
            continue
        shape, rule = _shape(op), _rule(op)
        queries, keys = (n if n > 0 else _SOME for n in (shape.queries, shape.keys))
        sizes = schedules.Sizes(queries, keys, shape.width, shape.values)
        schedule = schedules.schedule(sizes, products, rule.is_causal)
        key = (shape, rule, schedule)
        is_dynamic = -1 in (shape.queries, shape.keys)
        if key not in known:
            known[key] = f"{ATTENTION}.{len(known)}"
            attention = (DynamicAttention if is_dynamic else Attention)(*key)
            kinds = list(attention.arguments.values())
            attention.written().add(module, known[key], kinds)
        callee = ir.FlatSymbolRefAttr.get(known[key])
        with ir.InsertionPoint(op), op.location:
            *inputs, out = op.operands
            operands = [*map(build.dense, inputs), out]
            into = build.dense(out, is_read=False)
            operands[-1] = into
            if is_dynamic:
                counts = (shape.queries, shape.keys)
                given = [build.size(operands[i], 2) for i in (0, 1) if counts[i] < 0]
                operands = [*given, *map(build.bare, operands)]
            ir.Operation.create(
                "func.call", operands=operands, attributes={"callee": callee}
            )
            if into != out:
                ir.Operation.create("memref.copy", operands=[into, out])
        op.erase()


def _shape(op: Any) -> Shape:
    kinds = [tuple(max(int(n), -1) for n in v.type.shape) for v in op.operands]
    (n, h, queries, width), (_, _, keys, _), (*_, values) = kinds[:3]
    mask = None
    if len(kinds) == 5:
        a, b, c, d = kinds[3]
        mask = (a, b, c, d)
    return Shape(n, h, queries, keys, width, values, mask)


def _rule(op: Any) -> Rule:
    attribute = op.attributes[RULE]
    return Rule(
        float(attribute["scale"].value),
        bool(attribute["fills"].value),
        bool(attribute["is_causal"].value),
        bool(attribute["empty_is_zero"].value),
    )
