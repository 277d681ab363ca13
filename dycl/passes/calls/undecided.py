"""Recursion of which nothing but the data can tell where it ends.

Before                            After
------                            -----
%y = dycl.call %deep(%x)          %b = dycl.unary not %x
dycl.return %y                    %c = dycl.call %deep(%b)
func.func @deep(%a) {                    {dycl.recursion = ["!dycl.value"]}
  %b = dycl.unary not %a          dycl.return %c
  %c = dycl.call %deep(%b)
  dycl.return %c
}

A recursion that a constant ends (a depth, a shape, how many items a list has) tests it:
where its body has been inlined, the test was folded. If in several bodies, one inside
the other, all that the function compares and calls is still there, then no further one
will be another.
"""

from xdsl.dialects.builtin import CallSiteLoc
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Operation

from dycl.ir import (
    CallOp,
    CompareOp,
    ConstantOp,
    ForOp,
    IfOp,
    InvokeOp,
    ToBoolOp,
    UnaryOp,
    WhileOp,
)
from dycl.ir.constant_values import constant_name
from dycl.ir.walking import walk
from dycl.passes.calls.recursion import RECURSION

_BODIES = 3
"""Bodies in which everything has to be left."""
Loop = tuple[Attribute, Attribute | None]
"""Where a loop is, and what makes that which it goes over."""
_MAY_FOLD = (CallOp, CompareOp, IfOp, InvokeOp, ToBoolOp, UnaryOp)


class Undecided:
    """What is left of the bodies of functions, in a function that has them inlined."""

    def __init__(self, entry: FuncOp):
        """The program as it is when it is asked the first time."""
        self._entry = entry
        self._left: set[Attribute] | None = None
        self._calls: set[Attribute] = set()
        """Where calls are that wait, in their own functions."""
        self._loops: set[Attribute] = set()
        """Where loops are of which the data decides how often they run."""
        self._tests: dict[FuncOp, tuple[list[Attribute], list[Loop]]] = {}

    def is_endless(self, call: Operation, function: FuncOp) -> bool:
        """Whether the bodies of `function` around a call of it leave all to the data.

        False, also, where it calls itself through another function, or has loops that
        go over items: of how many is known, or will be. Loops of a generator over a
        call of itself are its yields.
        """
        around = self._bodies(call, function)
        if len(around) <= _BODIES:
            return False
        self.look()
        assert self._left is not None
        tests, loops = self.tests(function)
        asked = [test for test in tests if test not in self._calls]
        bodies = around[-_BODIES:]
        return all(
            CallSiteLoc(test, body) in self._left for body in bodies for test in asked
        ) and all(
            CallSiteLoc(loop, body) in self._loops
            for body in bodies
            for loop, source in loops
            if source not in self._calls
        )

    def look(self) -> None:
        """See which ops are left; later ones are of no interest."""
        if self._left is not None:
            return
        self._left = set()
        for op in walk(self._entry):
            if isinstance(op, ConstantOp):
                continue
            self._left.add(op.location)
            if isinstance(op, WhileOp):
                self._loops.add(op.location)
            if RECURSION in op.attributes and isinstance(op.location, CallSiteLoc):
                self._calls.add(op.location.callee)

    def _bodies(self, call: Operation, function: FuncOp) -> list[Attribute]:
        """The calls of a function that a call of it is inside of, the inner first.

        As locations; those only that stand in the function itself.
        """
        found: list[Attribute] = []
        inside = {op.location for op in walk(function.body)}
        place: Attribute = call.location
        while isinstance(place, CallSiteLoc) and place.callee in inside:
            place = place.caller
            found.append(place)
        return found

    def tests(self, function: FuncOp) -> tuple[list[Attribute], list[Loop]]:
        """Where a function has ops that constants would fold, and its loops."""
        if function not in self._tests:
            ops = list(walk(function.body))
            self._tests[function] = (
                [op.location for op in ops if _may_fold(op)],
                [_loop(op) for op in ops if isinstance(op, (ForOp, WhileOp))],
            )
        return self._tests[function]


def _loop(op: ForOp | WhileOp) -> Loop:
    made = op.iterable.owner if isinstance(op, ForOp) else None
    return op.location, made.location if isinstance(made, Operation) else None


def _may_fold(op: Operation) -> bool:
    if isinstance(op, ToBoolOp) and isinstance(op.operands[0].owner, CompareOp):
        return False  # a truth already, if that is one of numbers
    if isinstance(op, CallOp) and constant_name(op.callee):
        return False  # a library's: `len` decides nothing before it is compared
    return isinstance(op, _MAY_FOLD)
