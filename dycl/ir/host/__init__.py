"""The `host` dialect: the program around the kernels, from which Python and C print.

Only what is about memory has ops here. `v` is a value, `T` its type.

    function  host.func @forward(v : T, ...) params ["x", ...] {..}
    buffers   host.param "path" : memref<..>           a weight, by state-dict name
              host.alloc : memref<..>                  the output of one launch
                {offset = 64 : i64}                    its place in the arena
              host.view v : memref<..> -> memref<..>   the same memory, another shape
              host.cast v : memref<..> -> memref<..>   the same, its sizes less known
              host.keep v : memref<..> -> memref<..>   a copy that outlasts an iteration
              host.read v : memref<1xi1> -> i1         the only element
              host.launch @kernel ins(v, ... : T, ...) outs(v, ... : T, ...)

Everything else are ops of `dycl` with types of the host: those with the trait
`RunsOnHost`. They end in their types:

    scalars   constant, unary, binary, compare, truth, builtin, select, position,
              checked, dim: `dycl.compare gt v, v : (f64, f64) -> i1`
    lists     sequence, append, extend, take, length, get, concat, tolist
    effects   effect, format, raise
    control   if, scope, while: `dycl.if v : i1 -> (T, ...) {..} else {..}`
    ends      yield, condition, break, continue, leave, unreachable, and
              `dycl.return v, ... {structure = S} : (T, ...) -> ()`

Types are `memref<..>` (contiguous; bool is `i1`, one byte, as in NumPy), `i64`, `f64`,
`i1`, `!host.str`, `!host.none`, `!dycl.sequence<T>`; `dycl.ir.host.rules` says which
fit. `S` is an attribute of `dycl.ir.values` with a `#dycl.leaf` for each operand;
without it one operand stands for itself and several for a tuple. A module has one
`host.func`; the kernels that it launches stand beside it as `func.func` with the
attribute `dycl.kernel`.
"""

from xdsl.ir import Dialect

from dycl.ir.host.buffers import (
    AllocOp,
    CastOp,
    KeepOp,
    LaunchOp,
    ParamOp,
    ReadOp,
    ViewOp,
)
from dycl.ir.host.function import FuncOp
from dycl.ir.host.types import NoneType, StrType

Host = Dialect(
    "host",
    [
        AllocOp,
        CastOp,
        FuncOp,
        KeepOp,
        LaunchOp,
        ParamOp,
        ReadOp,
        ViewOp,
    ],
    [NoneType, StrType],
)

__all__ = [
    "AllocOp",
    "CastOp",
    "FuncOp",
    "Host",
    "KeepOp",
    "LaunchOp",
    "NoneType",
    "ParamOp",
    "ReadOp",
    "StrType",
    "ViewOp",
]
