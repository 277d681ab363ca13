"""The `graph` dialect: a whole network as one CUDA graph, decisions included.

A function is a tree of nodes, which run one after the other on the device.

    function   graph.func @forward(v : T, ...) params ["x", ...] {..}
    kernel     graph.launch @kernel ins(v, ... : T, ...) outs(v, ... : T, ...)
    copy       graph.copy v to v : memref<..>
    scalars    graph.scalars {..}                one thread that computes numbers
    if         graph.if c {..} else {..}         c : !graph.condition
    switch     graph.switch c case {..} ..       the body of that number
    while      graph.while c {..}                as long as it is true, asked anew
    condition  c = graph.condition               what a node asks; a kernel sets it
    end        graph.return v, ... {structures}  of the function

Memory is what the `host` dialect makes: `host.param`, `host.alloc`, `host.view`, and
constant tensors. All of it is made once, before the first run, so an address never
changes; a number that outlives the thread that computes it is a `memref` of one element
(a *slot*), and a kernel that takes a number reads it there.

Where arguments have sizes that a call decides, there is a graph for each set of them.
What these sizes decide is known then: `dycl.dim`, and the ops of `dycl` on such
numbers, stand with the memory. A kernel takes the number, threads read it in a slot:

    v = graph.known v : T -> memref<T>        a slot that holds it

With `when v` a kernel, a copy or scalars are left out where the slot is false, with
`unless v` where it is true. That is cheaper than an `if` around a few of them.

Inside `graph.scalars` stand `host.read`, the ops of `dycl` on numbers, and:

    graph.write v to v : T -> memref<..>      fill a slot
    graph.set c, v                            what a condition is from now on
    graph.record n, v when v                  decision number n, for the path
    graph.stop v                              if true: the run is of no use, end it
    graph.exit n when v                       return number n is the one

A run that stops has met what the device cannot do (an exception, a number that leaves
64 bits). Its conditions are false from then on, and the host runs the network again.
"""

from xdsl.ir import Dialect

from dycl.ir.graph.function import FuncOp, ReturnOp
from dycl.ir.graph.known import KnownOp
from dycl.ir.graph.nodes import (
    ConditionOp,
    ConditionType,
    CopyOp,
    EndOp,
    IfOp,
    LaunchOp,
    NodeOp,
    ScalarsOp,
    WhileOp,
)
from dycl.ir.graph.scalars import ExitOp, RecordOp, SetOp, StopOp, WriteOp
from dycl.ir.graph.switch import SwitchOp

Graph = Dialect(
    "graph",
    [
        ConditionOp,
        CopyOp,
        EndOp,
        ExitOp,
        FuncOp,
        IfOp,
        KnownOp,
        LaunchOp,
        RecordOp,
        ReturnOp,
        ScalarsOp,
        SetOp,
        StopOp,
        SwitchOp,
        WhileOp,
        WriteOp,
    ],
    [ConditionType],
)

__all__ = [
    "ConditionOp",
    "ConditionType",
    "CopyOp",
    "EndOp",
    "ExitOp",
    "FuncOp",
    "Graph",
    "IfOp",
    "KnownOp",
    "LaunchOp",
    "NodeOp",
    "RecordOp",
    "ReturnOp",
    "ScalarsOp",
    "SetOp",
    "StopOp",
    "SwitchOp",
    "WhileOp",
    "WriteOp",
]
