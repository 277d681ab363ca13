"""The ops of a block, one after the other, for the rows that are there.

one row                              many rows
-------                              ---------
%y = torch.aten.relu %x              %y = torch.aten.relu %xb
%c = dycl.item %y                    %c = torch.aten.squeeze.dim %yb, %one
dycl.if %c {                         (two parts of the rows)
"""

from collections.abc import Sequence
from functools import partial

from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.traits import Pure

from dycl.ir import (
    BreakOp,
    CheckedOp,
    ContinueOp,
    EffectOp,
    IfOp,
    ItemOp,
    LeaveOp,
    LocalFunctionOp,
    RaiseOp,
    ReturnOp,
    ScopeOp,
    UnboundOp,
    UnreachableOp,
    WhileOp,
    YieldOp,
)
from dycl.ir.cloning import clone
from dycl.ir.dialect.effects import CHECKS
from dycl.ir.interfaces import RegionTerminator
from dycl.ir.torch import BoolT, ListType
from dycl.ir.walking import ops_in
from dycl.passes.rows.batches import CannotRegroup, batched, dtype_in
from dycl.passes.rows.dimension_rules import parts
from dycl.passes.rows.operands import Operands
from dycl.passes.rows.program import Program
from dycl.passes.rows.results import Results
from dycl.passes.rows.row_sets import RowSet
from dycl.passes.rows.scalar_rules import SCALARS
from dycl.passes.rows.tensor_rules import rule_of

_UNPACK = "torch.prim.ListUnpack"


class Blocks(Program):
    """Everything but control flow, which `control` adds."""

    results: Results

    def block(self, ops: Sequence[Operation], rows: RowSet) -> RowSet | None:
        """Emit ops for some rows; those that reach the end, None if none can."""
        at: RowSet | None = rows
        for op in ops:
            if at is None:
                return None
            with self.standing_for(op):
                at = self._op(op, at)
        return at

    def _op(self, op: Operation, rows: RowSet) -> RowSet | None:
        match op:
            case IfOp() | ScopeOp() | WhileOp():
                return self.control(op, rows)
            case UnreachableOp():
                return None
            case ReturnOp():
                self.results.come(self, op, rows)
                return None
            case RaiseOp():
                self._raise(op, rows)
                return None
            case BreakOp() | ContinueOp() | LeaveOp():
                self.jump(op, rows)
                return None
            case RegionTerminator():
                return rows
            case _:
                self._straight(op, rows)
                return rows

    def control(self, op: IfOp | ScopeOp | WhileOp, rows: RowSet) -> RowSet | None:
        """Emit an op with regions."""
        raise NotImplementedError

    def jump(self, op: BreakOp | ContinueOp | LeaveOp, rows: RowSet) -> None:
        """Emit a jump of some rows."""
        raise NotImplementedError

    def _raise(self, op: RaiseOp, rows: RowSet) -> None:
        """One row that comes here ends the run: what each row raises alone is found
        out then. CannotRegroup: what it raises differs from row to row."""
        if any(value in self.varying for value in op.values):
            raise CannotRegroup(op, "what it raises differs from row to row")
        some = self.emit.compare("gt", rows.count, self.emit.number(0))
        fails, goes_on = Block(), Block()
        with self.inside(fails):
            self._put_same(op)
        with self.inside(goes_on):
            self.emit.put(YieldOp())
        self.emit.put(IfOp(some, [], Region(fails), Region(goes_on)))

    def _put_same(self, op: Operation) -> None:
        """Put an op without results whose operands are the same for all rows."""
        self.emit.put(clone(op, {value: self.same(value) for value in op.operands}))

    # ---- straight-line code

    def _straight(self, op: Operation, rows: RowSet) -> None:
        if isinstance(op, LocalFunctionOp):
            why = "a function that calls itself is not computed for many rows"
            raise CannotRegroup(op, why)
        if op.regions:
            raise CannotRegroup(op, f"`{op.name}` is not computed for many rows")
        if isinstance(op, EffectOp):
            self._effect(op, rows)
        elif isinstance(op, UnboundOp):
            self._unbound(op, rows)
        elif not any(operand in self.varying for operand in op.operands):
            self._once(op, rows)
        elif op.results and isinstance(op.results[0].type, ListType):
            pass  # Whoever takes the list looks at its items.
        elif op.results and op.results[0] not in self.varying:
            self._new(op, rows)
        else:
            made = self._varying(op, rows)
            for old, new in zip(op.results, made, strict=True):
                wanted = batched(old.type)
                if new.type != wanted:
                    raise CannotRegroup(
                        op, f"`{op.name}` has another type for many rows"
                    )
                self.remember(rows.values, old, new)

    def _unbound(self, op: UnboundOp, rows: RowSet) -> None:
        """No row reads it; zeros stand there where others meet it that have a value."""
        if (zero := self.emit.zero(op.result.type)) is None:
            return self._once(op, rows)
        return self.remember(self.uniform, op.result, zero)

    def _once(self, op: Operation, rows: RowSet) -> None:
        """What is the same for all rows is computed once."""
        if rows.may_be_empty and not op.has_trait(Pure):
            raise CannotRegroup(op, "it may raise where no row is left")
        made = clone(op, {value: self.same(value) for value in op.operands})
        self.emit.put(made)
        for old, new in zip(op.results, made.results, strict=True):
            self.remember(self.uniform, old, new)

    def _new(self, op: Operation, rows: RowSet) -> None:
        """A new tensor, of which a batch says the dtype only."""
        first = self.batch(rows, op.operands[0])
        if first is None:
            raise CannotRegroup(op, "a size differs from row to row")
        operands = [first, *map(self.same, op.operands[1:])]
        made = self.emit.op(op.name, operands, list(op.result_types))
        self.remember(self.uniform, op.results[0], made.results[0])

    def _varying(self, op: Operation, rows: RowSet) -> Sequence[SSAValue]:
        given = self._operands(op, rows)
        if isinstance(op, ItemOp):
            tensor = self.emit.seen_as(given.batch(op.operand), ())
            return [self._converted(tensor, op.result.type)]
        if op.name == _UNPACK:
            source = op.operands[0].owner
            if not isinstance(source, Operation):
                raise given.cannot("a list of tensors differs from row to row")
            return parts(given, self._operands(source, rows))
        if isinstance(op, CheckedOp):
            every = self._every(given.batch(op.condition))
            checked = CheckedOp(given.batch(op.value), every, op.message.data)
            return [self.emit.value(checked)]
        if (scalar := SCALARS.get(type(op))) is not None:
            return scalar(given, lambda value: self.as_batch(rows, value))
        if (found := rule_of(op)) is None:
            raise given.cannot(f"`{op.name}` is not computed for many rows")
        return found(given)

    def _operands(self, op: Operation, rows: RowSet) -> Operands:
        find = partial(self.batch, rows)
        return Operands(op, self.emit, find, self.same, self.varying)

    def _converted(self, tensor: SSAValue, kind: Attribute) -> SSAValue:
        """A batch of elements as numbers of the host's kind."""
        wanted = batched(kind)
        assert wanted is not None
        if tensor.type == wanted:
            return tensor
        return self.emit.as_dtype(tensor, dtype_in(wanted))

    def _effect(self, op: EffectOp, rows: RowSet) -> None:
        """A test that raises where a row fails it."""
        if op.function_name not in CHECKS.values():
            raise CannotRegroup(op, "it has an effect, which each row would have")
        flag, *others = op.positional
        test = self.batch(rows, flag)
        if test is None and rows.may_be_empty:

            def check() -> list[SSAValue]:
                self._put_same(op)
                return []

            self.if_any(rows.count, check, [], "a row")
            return None
        if test is None:
            return self._once(op, rows)
        operands = [self._every(test), *map(self.same, others)]
        self.emit.put(EffectOp(op.function_name, operands, {}))
        return None

    def _every(self, test: SSAValue) -> SSAValue:
        """Whether a bool of each row is true for all."""
        dtype = dtype_in(test.type)
        whole = self.emit.aten("all", [test], type(test.type).of((), dtype))  # pyright: ignore
        return self.emit.item(whole, BoolT)


def straight(op: Operation) -> list[Operation]:
    """The ops of the only block of a region, by the op that owns it."""
    return list(ops_in(op.regions[0].block))
