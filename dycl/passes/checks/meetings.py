"""Where paths meet: what sides of an `if` and iterations of a loop forward.

Each must be of one type; a name that one path leaves without a value has none behind.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from xdsl.ir import Block, Operation, SSAValue

from dycl.analysis.tensors.abstract import (
    VALUE,
    Unknown,
    kind_of,
    leaves,
    name,
    type_of,
)
from dycl.analysis.tensors.local_calls import CallMismatch
from dycl.analysis.tensors.shapes import Mismatch
from dycl.diag import SourceLoc
from dycl.ir import (
    IfOp,
    LocalCallOp,
    LocalFunctionOp,
    LocalReturnOp,
    UnsupportedOp,
    WhileOp,
)
from dycl.ir.constant_values import constant_value
from dycl.ir.walking import walk
from dycl.passes.checks.findings import Findings, location_of

PHASE = "run `dycl-expand-modules` first; it is in the phase `type`"


@dataclass
class Meetings:
    """Reports what cannot be one value, and which names may have none."""

    found: Findings

    def of_while(self, op: WhileOp, visit: Callable[[Block], None]) -> None:
        """A loop; `visit` looks at the ops of one of its blocks."""
        mismatches = self.found.inference.mismatches.get(op, {})
        before, body = op.before.block, op.body.block
        for i, value in enumerate(op.initial):
            name = op.results[i].name_hint or before.args[i].name_hint or "a value"
            if value in self.found.unbound:
                self.found.unbound[before.args[i]] = (name, SourceLoc.of(op))
            if value in self.found.refused or i in mismatches:
                self.found.refused.update((before.args[i], body.args[i], op.results[i]))
            if i in mismatches:
                self._mismatch(op, name, mismatches[i])
        visit(before)
        if constant_value(op.condition.condition) is True:
            given: list[list[SSAValue]] = []
        else:
            given = [list(op.condition.values)]
        for _ in range(2):
            for i, value in enumerate(op.condition.values):
                if value in self.found.unbound:
                    self.found.unbound[body.args[i]] = self.found.unbound[value]
            visit(body)
            if not self._unbound_by_iteration(op):
                break
            visit(before)
        given += [list(end.forwarded) for end in op.breaks]
        carried = zip(*(end.forwarded for end in op.back_edges), strict=True)
        for i, values in enumerate(carried):
            if any(v in self.found.refused for v in values):
                self.found.refused.add(op.results[i])
        for i, result in enumerate(op.results):
            self._leaves_loop(op, result, [values[i] for values in given])

    def _unbound_by_iteration(self, op: WhileOp) -> bool:
        """Whether names that the loop starts with have no value after an iteration."""
        unbound = [
            (argument, self.found.unbound[value])
            for back_edge in op.back_edges
            for argument, value in zip(
                op.before.block.args, back_edge.forwarded, strict=True
            )
            if value in self.found.unbound and argument not in self.found.unbound
        ]
        self.found.unbound.update(unbound)
        return bool(unbound)

    def _leaves_loop(
        self, op: WhileOp, result: SSAValue, given: list[SSAValue]
    ) -> None:
        for value in given:
            if value in self.found.unbound:
                self.found.unbound[result] = self.found.unbound[value]
        if any(v in self.found.refused for v in given):
            self.found.refused.add(result)
        elif result.type == VALUE and result.uses and result not in self.found.refused:
            self.found.refused.add(result)
            self._join(op, "way out of this loop", given)

    def _mismatch(self, op: WhileOp, variable: str, found: Mismatch) -> None:
        first, then = name(found.first), name(found.then)
        if found.given is None:
            what = f"this loop gives `{variable}` new values, but one is {first}"
            hint = "a loop can carry tensors and numbers: start with one"
            self.found.report(op, "DY304", what, hint)
            return
        what = f"`{variable}` starts as {first}, but an iteration makes it {then}"
        hint = "let every iteration give the shape, dtype and kind that it starts with"
        if first == then == "a tuple":
            what = f"`{variable}` is a tuple, and an iteration gives it other items"
            hint = f"a list may grow: `{variable} = []`, and `{variable}.append(...)`"
            then = "the other one"
        if kind_of(found.first) == "int" and kind_of(found.then) == "float":
            hint = f"start with a float: `{variable} = 0.0` instead of `{variable} = 0`"
        location = location_of(found.given)
        notes = [] if location is None else [f"{then} comes from {location}"]
        self.found.report(op, "DY304", what, hint, *notes)

    def of_local_function(
        self, op: LocalFunctionOp, visit: Callable[[Block], None]
    ) -> None:
        """A local function; `visit` looks at the ops of its block."""
        inference = self.found.inference
        calls = [o for o in walk(self.found.entry) if isinstance(o, LocalCallOp)]
        calls = [o for o in calls if o.function is op]
        mismatches = [(o, inference.call_mismatches.get(o)) for o in calls]
        for call, mismatch in mismatches:
            if mismatch is not None:
                self._unlike_calls(call, mismatch)
        gives = inference.call_mismatches.get(op)
        if gives is not None:
            what = "one path of this recursion gives "
            what += f"{name(gives.first)}, another {name(gives.then)}"
            hint = "let all of them give the same shape, dtype and kind of value"
            self.found.report(op, "DY302", what, hint)
        if inference.never_ends(op):
            what = "this recursion never ends: all its paths lead into it again"
            hint = "let a test of the data lead to a path that does not"
            inside = next((o for o in calls if op.is_ancestor(o)), op)
            self.found.report(inside, "DY203", what, hint)
        if gives or inference.never_ends(op) or any(m for _, m in mismatches):
            self.found.refused.update(op.params)
            self.found.refused.update(r for call in calls for r in call.results)
        visit(op.body.block)
        for end in op.returns:
            self._untyped_return(end, calls[0].results if calls else ())

    def _untyped_return(self, end: LocalReturnOp, given: Sequence[SSAValue]) -> None:
        """A path that gives something else than a tensor or number, unlike others."""
        for value, result in zip(end.values, given, strict=False):
            gives = self.found.inference.of(value)
            is_known = not any(isinstance(leaf, Unknown) for leaf in leaves(gives))
            if value.type == VALUE and result.type != VALUE and is_known:
                others = name(self.found.inference.of(result))
                what = (
                    f"one path of this recursion gives {name(gives)}, another {others}"
                )
                hint = "let all of them give the same shape, dtype and kind of value"
                self.found.report(end, "DY302", what, hint)

    def _unlike_calls(self, call: LocalCallOp, found: CallMismatch) -> None:
        first, then = name(found.first), name(found.then)
        what = f"another call of this recursion is given {first} for `{found.what}`, "
        what += f"this one {then}"
        hint = "give it the same shape, dtype and kind of value in each call"
        self.found.report(call, "DY304", what, hint)

    def of_if(self, op: IfOp) -> None:
        """The results of an `if` whose sides have been looked at."""
        for i, result in enumerate(op.results):
            given = [end.forwarded[i] for end in op.exits]
            for value in given:
                if value in self.found.unbound:
                    variable, location = self.found.unbound[value]
                    self.found.unbound[result] = (
                        variable,
                        location or SourceLoc.of(op),
                    )
            if any(v in self.found.refused for v in given):
                self.found.refused.add(result)
            elif result.type == VALUE and result.uses:
                self.found.refused.add(result)
                self._join(op, "side of this `if`", given)

    def _join(self, op: Operation, way: str, given: list[SSAValue]) -> None:
        outcomes = [self.found.inference.of(value) for value in given]
        if not outcomes or any(
            isinstance(leaf, Unknown) for v in outcomes for leaf in leaves(v)
        ):
            return
        texts = [name(value) for value in outcomes]
        if len(set(texts)) == 1:
            written = type_of(outcomes[0]) == VALUE
            what = f"one {way} gives {texts[0]}, which cannot be joined"
            if not written:
                what = f"one {way} gives {texts[0]}, but its type is not written"
            hint = "return or store its parts one by one" if written else PHASE
            self.found.report(op, "DY302", what, hint)
            return
        other = next(text for text in texts if text != texts[0])
        what = f"one {way} gives {texts[0]}, the other {other}"
        notes = [
            f"{text} comes from {location}"
            for text, value in zip(texts, given, strict=True)
            if (location := location_of(value)) is not None
        ]
        hint = "give all of them the same shape, dtype and kind of value"
        if isinstance(op, IfOp):
            hint = "give both sides the same shape, dtype and kind of value"
        if any(map(_is_given_up, walk(self.found.entry))):
            self.found.report_alone(op, "DY302", what, hint)
        else:
            self.found.report(op, "DY302", what, hint, *notes)


def _is_given_up(op: Operation) -> bool:
    """Whether a value was refused whose paths would need too many copies.

    No other value has got copies since then, which may be why its paths still meet.
    """
    return isinstance(op, UnsupportedOp) and op.code.data == "DY302"
