"""Reads of objects become what was set; what a branch sets becomes its result.

Before                        After
------                        -----
dycl.if %p {                  %m = dycl.if %p -> (T) {
  dycl.setattr %cell "n", %x    dycl.yield %x
}                             } else {
%n = dycl.getattr %cell "n"     dycl.yield %zero
dycl.return %n                }
                              dycl.return %m

The walk goes along the program with what each attribute is. Behind a call that is not
inlined yet nothing is known; a later round knows more.
"""

from collections.abc import Iterable

from xdsl.dialects.builtin import ArrayAttr, StringAttr
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation, SSAValue

from dycl.ir import (
    CallOp,
    ConstantOp,
    ForOp,
    GetattrOp,
    IfOp,
    ReturnOp,
    SetattrOp,
    TryOp,
    UnboundOp,
    UnsupportedOp,
    WhileOp,
)
from dycl.ir.changes import ASKED, object_of
from dycl.ir.constant_values import MISSING, constant_name, constant_value
from dycl.ir.environment import Environment
from dycl.ir.interfaces import RegionBranchOp, RegionTerminator, is_inside
from dycl.ir.rewriting import (
    erase,
    insert_after,
    insert_before,
    insert_constant,
    insert_value,
    refuse,
    replace,
)
from dycl.ir.values import ObjectRef, to_attr
from dycl.ir.walking import walk
from dycl.passes.objects.cells import NOT_SET, Cells, is_bound, leads_to, of_class
from dycl.passes.objects.effects import Effects
from dycl.passes.objects.kept import kept_paths, objects_given
from dycl.passes.objects.private import private_objects
from dycl.passes.objects.returned import NotReturned, Returned, Waits
from dycl.passes.state.attributes import Key, Promotion, key_of


class Walk:
    """One walk through the entry function."""

    def __init__(self, entry: FuncOp, environment: Environment):
        self.entry = entry
        self.environment = environment
        self.made = environment.made
        self.effects = Effects(environment)
        self.kept = kept_paths(entry, environment)
        self.private = private_objects(entry, environment)
        self.waiting: set[str] = set()
        """Private objects of which not all is resolved."""
        self.is_whole = True
        """Whether everything else was resolved, but for `is_kept`."""
        self.is_kept = False
        """Whether the model is given an object, which waits to be a constant."""

    def run(self) -> None:
        """Rewrite what can be; `is_whole` says whether that was all."""
        self.block(self.entry.body.block, Cells(private=self.private))

    def block(self, block: Block, cells: Cells) -> None:
        """Walk a block; `cells` is kept up to date."""
        for op in list(block.ops):
            if op.parent is None:
                continue
            key = key_of(op)
            is_access = key is not None and self.effects.is_harmless(op)
            if key is not None and key[0] in self.made and is_access:
                self.access(op, key, cells)
            elif isinstance(op, CallOp) and self.asks(op):
                self.by_name(op, cells)
            elif isinstance(op, RegionBranchOp):
                self.control(op, cells)
            elif isinstance(op, ReturnOp):
                self.give_back(op, cells)
            else:
                self.pass_by(op, cells)

    # ---- one op

    def access(self, op: Operation, key: Key, cells: Cells) -> None:
        """An attribute is read or set."""
        if isinstance(op, SetattrOp) and isinstance(op.value.owner, UnboundOp):
            cells.values.pop(key, None)  # no path sets it, as it turned out
            erase(op)
            return
        if isinstance(op, SetattrOp) and self.was_asked(key):
            what = f"`{key[1]}` is set, and `__getattr__` has been asked for it"
            refuse(op, "DY206", what, "keep it in a local variable")
            return
        if isinstance(op, SetattrOp):
            cells.values[key] = op.value
            return
        cell = cells.of(key)
        if isinstance(cell, SSAValue):
            replace(op, [cell])
        elif cell is NOT_SET and (constant := of_class(key, self.environment)):
            replace(op, [insert_value(op, constant)])
        else:
            self.wait([key])

    def was_asked(self, key: Key) -> bool:
        """Whether a read of an attribute was taken for one that nothing sets."""
        noted = self.environment.op(key[0]).attributes.get(ASKED)
        return isinstance(noted, ArrayAttr) and StringAttr(key[1]) in noted.data

    def wait(self, keys: Iterable[Key]) -> None:
        """Not all that is done with these is resolved."""
        paths = {path for path, _ in keys}
        self.waiting |= paths & self.private
        self.is_whole = self.is_whole and paths <= self.private

    def asks(self, op: CallOp) -> bool:
        """Whether a call is `hasattr` or `getattr` of an object, by a known name."""
        if constant_name(op.callee) not in _BY_NAME or op.keyword_names:
            return False
        return len(op.arguments) > 1 and object_of(op.arguments[0]) in self.made

    def by_name(self, op: CallOp, cells: Cells) -> None:
        """`hasattr(v, "name")`, `getattr(v, "name", default)`."""
        path, name = object_of(op.arguments[0]), constant_value(op.arguments[1])
        cell = cells.of((path, name)) if path and isinstance(name, str) else None
        has = constant_name(op.callee) == "builtins.hasattr"
        is_known = is_bound(cell) if isinstance(cell, SSAValue) else cell is NOT_SET
        if cell is NOT_SET and "__getattr__" in self.environment.members(str(path)):
            is_known = False
        if not is_known:
            self.is_whole = False
        elif isinstance(cell, SSAValue):
            replace(op, [insert_constant(op, True) if has else cell])
        elif name in self.environment.members(str(path)):
            read = GetattrOp(op.arguments[0], str(name))
            replace(op, [insert_constant(op, True) if has else insert_value(op, read)])
        elif has:
            replace(op, [insert_constant(op, False)])
        elif len(op.arguments) == 3:
            replace(op, [op.arguments[2]])
        else:
            self.is_whole = False

    def pass_by(self, op: Operation, cells: Cells) -> None:
        """Any other op: it may set attributes of objects."""
        if not self.effects.is_harmless(op):
            cells.lose()
            self.is_whole = False
        elif self.effects.may_read(op):
            self.is_whole = False
        elif isinstance(op, SetattrOp) and not self.made.isdisjoint(objects_given(op)):
            self.is_kept = True

    def give_back(self, op: ReturnOp, cells: Cells) -> None:
        """Objects that are returned become records."""
        try:
            Returned(op, cells, self.environment).run()
        except Waits:
            self.is_whole = False
        except NotReturned as why:
            self.is_whole = False
            what = str(why)
            hint = "return what is in it"
            refusal = insert_value(op, UnsupportedOp("DY301", what, hint))
            op.operands = [refusal for _ in op.operands]

    # ---- control flow

    def control(self, op: RegionBranchOp, cells: Cells) -> None:
        """Go into the regions with what is known before, and on with what is behind."""
        if isinstance(op, IfOp) and (side := _known_side(op)) is not None:
            self.block(side, cells)
            return
        inner = list(walk(op))
        written = _written(inner, self.made)
        before, promoted = cells.copy(), None
        is_kept = any(path in self.kept for path, _ in written)
        is_closed = not is_kept and self.are_closed([op, *inner], written)
        if written and is_closed and not _leaves(op, inner):
            promoted = self.promote(op, written, cells)
        op, written = (op, written) if promoted is None else (promoted, [])
        is_tame = all(map(self.effects.is_harmless, inner))
        if isinstance(op, ForOp | WhileOp):
            before.lose_some(written)
            if not is_tame:
                before.lose()
        ends: list[Cells] = []
        for region in op.regions:
            here = before.copy()
            if isinstance(op, TryOp) and region is not op.body:
                here.lose_some(written)  # The body sets some before it raises.
            self.block(region.block, here)
            if op.end_of(region.block) is not None:
                ends.append(here)
        if isinstance(op, IfOp) and len(ends) == 1 and promoted is None:
            cells.become(ends[0], lambda value: not is_inside(value, op))
        else:
            cells.lose_some(written)
            if not is_tame:
                cells.lose()
        self.is_kept = self.is_kept or (is_kept and bool(written))
        self.is_whole = self.is_whole and is_tame
        self.wait(key for key in written if key[0] not in self.kept)

    def are_closed(self, ops: list[Operation], written: list[Key]) -> bool:
        """Whether all that ops do with objects whose attributes are set is in sight."""
        if all(path in self.private for path, _ in written):
            return not any(isinstance(op, TryOp) for op in ops)
        return all(map(self.is_closed, ops[1:]))

    def is_closed(self, op: Operation) -> bool:
        """Whether all that an op does with objects is in sight."""
        if isinstance(op, TryOp):
            return False
        if isinstance(op, ReturnOp):
            return not leads_to_any(op, self.made)
        if isinstance(op, CallOp) and self.asks(op):
            return False
        if self.effects.may_read(op):
            return False
        return self.effects.is_harmless(op)

    def promote(
        self, op: RegionBranchOp, keys: list[Key], cells: Cells
    ) -> RegionBranchOp | None:
        """What is set inside becomes results, which are set behind; the new op.

        None: what an attribute is before is not known.
        """
        now: dict[Key, SSAValue] = {}
        new_ops: list[Operation] = []
        for key in keys:
            cell = cells.of(key)
            if cell is None:
                return None
            if not isinstance(cell, SSAValue):
                default = of_class(key, self.environment) or UnboundOp(key[1])
                new_ops.append(default)
                cell = default.results[0]
            now[key] = cell
        insert_before(op, *new_ops)
        Promotion(keys, lambda end, now: None).control(op, now)
        new = now[keys[0]].owner
        assert isinstance(new, RegionBranchOp)
        last: Operation = new
        for path, name in keys:
            target = ConstantOp(to_attr(ObjectRef(path)))
            write = SetattrOp(target.result, name, now[path, name])
            insert_after(last, target, write)
            last = write
        cells.values.update(now)
        return new


def _leaves(op: RegionBranchOp, inner: list[Operation]) -> bool:
    """Whether something inside leads to an op around: with what is set inside."""
    ends = [inner_op for inner_op in inner if isinstance(inner_op, RegionTerminator)]
    targets = (end.target for end in ends)
    return any(t is not None and not op.is_ancestor(t) for t in targets)


def leads_to_any(op: Operation, made: frozenset[str]) -> bool:
    """Whether an op is given one of the objects, or something with one inside."""
    return any(leads_to(value, made) for value in op.operands)


def _written(ops: list[Operation], made: frozenset[str]) -> list[Key]:
    keys = (key_of(op) for op in ops if isinstance(op, SetattrOp))
    return list(dict.fromkeys(k for k in keys if k is not None and k[0] in made))


def _known_side(op: IfOp) -> Block | None:
    """The side of an `if` that is taken, where a constant decides it."""
    truth = constant_value(op.condition)
    if truth is MISSING:
        return None
    return (op.then_region if truth else op.else_region).block


_BY_NAME = ("builtins.hasattr", "builtins.getattr")
