"""The `host` dialect: the program around the kernels, from which Python and C print.

The whole grammar on one page. `v` is a value, `T` its type.

    function  host.func @forward(v : T, ...) params ["x", ...] {..}
    buffers   host.param "path" : memref<..>           a weight, by state-dict name
              host.alloc : memref<..>                  the output of one launch
                {offset = 64 : i64}                    its place in the arena
              host.view v : memref<..> -> memref<..>   the same memory, another shape
              host.keep v : memref<..> -> memref<..>   a copy that outlasts an iteration
              host.launch @kernel ins(v, ... : T, ...) outs(v, ... : T, ...)
              host.cast v : memref<..> -> memref<..>   the same, its sizes less known
              host.read v : memref<1xi1> -> i1         the only element
    scalars   dycl.constant A -> T | dycl.dim v 1 : (memref<..>) -> i64
              dycl.checked v, v "message" : (T, i1) -> T
              dycl.unary | binary | compare | truth | position | builtin | select
              dycl.format "text with {}"(v, key = v) : (T, T) -> !host.str
    effects   dycl.effect "builtins.print"(v, ..., key = v) : (T, ...) -> ()
    lists     dycl.sequence | append | extend | length | get | concat | tolist
    control   host.if v -> (T, ...) {..} else {..} {name = "block3", test = "p > 0.5"}
              host.while carry(v : T = v : T, ...) {..} do(v, ...) {..} {name, test}
              host.scope "label" -> (T, ...) {..}
    ends      host.yield v, ... : T, ... | host.break v, ... : T, ...
              host.continue v, ... : T, ... | host.condition v, v, ... : T, ...
              host.leave "label" v, ... : T, ...
              host.return v, ... : T, ... {structure = S} | host.unreachable
              dycl.raise "module.Error" as "builtins.Exception"(v, ...) : (T, ...) -> ()

Types are `memref<..>` (contiguous; bool is `i1`, one byte, as in NumPy), `i64`, `f64`,
`i1`, `!host.str`, `!host.none`, `!dycl.sequence<T>`. `S` is an attribute of
`dycl.ir.values` with a `#dycl.leaf` for each operand. A module has one `host.func`;
the kernels that it launches stand beside it as `func.func` with the attribute
`dycl.kernel`.
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
from dycl.ir.host.control import IfOp, LeaveOp, ScopeOp, UnreachableOp, YieldOp
from dycl.ir.host.function import FuncOp, ReturnOp
from dycl.ir.host.loops import BreakOp, ConditionOp, ContinueOp, WhileOp
from dycl.ir.host.types import NoneType, StrType

Host = Dialect(
    "host",
    [
        AllocOp,
        BreakOp,
        CastOp,
        ConditionOp,
        ContinueOp,
        FuncOp,
        IfOp,
        KeepOp,
        LaunchOp,
        LeaveOp,
        ParamOp,
        ReadOp,
        ReturnOp,
        ScopeOp,
        UnreachableOp,
        ViewOp,
        WhileOp,
        YieldOp,
    ],
    [NoneType, StrType],
)

__all__ = [
    "AllocOp",
    "BreakOp",
    "CastOp",
    "ConditionOp",
    "ContinueOp",
    "FuncOp",
    "Host",
    "IfOp",
    "KeepOp",
    "LaunchOp",
    "LeaveOp",
    "NoneType",
    "ParamOp",
    "ReadOp",
    "ReturnOp",
    "ScopeOp",
    "StrType",
    "UnreachableOp",
    "ViewOp",
    "WhileOp",
    "YieldOp",
]
