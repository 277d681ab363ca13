"""`dycl-split-sequences`: a list of tuples that a run fills is a list for each part.

Before                               After
------                               -----
%s = dycl.sequence()                 %s = dycl.sequence()
%r = dycl.while carry(%a = %s) {     %s_1 = dycl.sequence()
  dycl.condition %p, %a              %r, %r_1 = dycl.while carry(%a = %s, %c = %s_1) {
} do(%b) {                             dycl.condition %p, %a, %c
  %t = dycl.tuple(%x, %y)            } do(%b, %d) {
  %n = dycl.append %b, %t              %n = dycl.append %b, %x
  dycl.yield %n                        %m = dycl.append %d, %y
}                                      dycl.yield %n, %m
%i = dycl.subscript %r[%zero]        }
dycl.return %i                       %0 = dycl.subscript %r[%zero]
                                     %1 = dycl.subscript %r_1[%zero]
                                     %i = dycl.tuple(%0, %1)
                                     dycl.return %i

The items of a list on the host are of one type: a tensor, a number, a list of these. A
pair of keys and values is neither, but two lists of one length are as good as a list of
pairs. So are they for lists of lists, dicts and records, as long as nobody changes what
is read from the list. A loop over such a list counts. Where the list is returned, the
runtime puts the rows together again (`dycl.runtime.columns`).

Needs:  `dycl-carry-lists`: nobody changes a list any more. `dycl-infer-shapes`: indices
        are ints.
Leaves: no list of tuples of which all uses are understood.
Skips:  items of different structures, and other uses: a remark says so.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, SSAValue, Use
from xdsl.passes import ModulePass

from dycl.analysis.manager import environment_of
from dycl.diag import remark
from dycl.ir import (
    AppendOp,
    BinaryOp,
    CallOp,
    ConstantOp,
    ExtendOp,
    ListOp,
    RecordOp,
    SequenceOp,
    SubscriptOp,
    TakeOp,
    ToBoolOp,
    TupleOp,
)
from dycl.ir.dialect.syntax import VALUE
from dycl.ir.environment import Environment
from dycl.ir.functions import entry_function
from dycl.ir.interfaces import RegionBranchOp, RegionTerminator
from dycl.ir.records import ROWS, RecordType
from dycl.ir.rewriting import (
    LocatingRewriter,
    append_results,
    insert_constant,
    insert_value,
    replace,
)
from dycl.passes.aggregates.uses import is_returned
from dycl.passes.builtins.items import Site
from dycl.passes.lists.structures import Structure
from dycl.passes.lists.webs import (
    Web,
    is_copy,
    loops_over,
    turns,
    webs,
    what_keeps,
)
from dycl.passes.lower_ranges import count_items


@dataclass(frozen=True)
class SplitSequencesPass(ModulePass):
    """A list of tuples that a run fills is a list for each part."""

    name = "dycl-split-sequences"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Change the entry function; raises nothing."""
        entry = entry_function(op)
        if entry is None:
            return
        # One by one: a loop may go over what another one gives, which is replaced.
        while loops := loops_over(webs(entry)):
            loop, how = loops[0]
            count_items(loop, how, LocatingRewriter(loop))
        left: set[SSAValue] = set()
        while found := [w for w in webs(entry) if left.isdisjoint(w.values)]:
            (web, *_) = found
            unknown = what_keeps(web)
            if unknown is not None:
                remark(unknown, "a list was not split", "it has a use of another kind")
            elif web.is_asked:
                splitter = _Splitter(web, web.structure, environment_of(ctx, op))
                splitter.run(entry.body.block)
            left |= web.values.keys()


@dataclass
class _Splitter:
    """Writes the lists of the parts beside the lists of a web, in program order."""

    web: Web
    structure: Structure
    environment: Environment
    columns: dict[SSAValue, list[SSAValue]] = field(
        default_factory=dict[SSAValue, "list[SSAValue]"]
    )
    """The lists of the parts, for each list that has been met."""
    carried: dict[Operation | None, list[int]] = field(
        default_factory=dict[Operation | None, "list[int]"]
    )
    """The ops around the current place, and which of their values are these lists."""

    replaced: list[Operation] = field(default_factory=list[Operation])
    """What made the lists."""

    def run(self, body: Block) -> None:
        """Write them; then nobody reads the lists, and what forwards them is dead."""
        self.block(body)
        for op in self.replaced:
            replace(op, [insert_constant(op, None)])

    def block(self, block: Block) -> None:
        """All ops of a block, and those inside of them."""
        op = block.first_op
        while op is not None:
            following = op.next_op
            self.op(op)
            op = following

    def op(self, op: Operation) -> None:
        """What an op does with lists, for the lists of the parts."""
        if isinstance(op, RegionBranchOp):
            self.control(op)
            return
        target = op.target if isinstance(op, RegionTerminator) else None
        if isinstance(op, RegionTerminator) and target in self.carried:
            values = op.forwarded
            more = [self.of(values[i]) for i in self.carried[target]]
            op.forward([*values, *(v for columns in more for v in columns)])
            return
        if op.results and op.results[0] in self.web.values:
            new = self.made(op)
            self.replaced.append(op)
            for column in new:
                column.name_hint = op.results[0].name_hint
            self.columns[op.results[0]] = new
            return
        for index, operand in enumerate(op.operands):
            if operand in self.columns:
                self.use(Use(op, index), self.columns[operand])

    def of(self, value: SSAValue) -> list[SSAValue]:
        """The lists of the parts; a name without a value has none of them either."""
        return self.columns.get(value, [value] * self.size)

    def made(self, op: Operation) -> list[SSAValue]:
        """What a list is made as, part by part."""
        match op:
            case SequenceOp():
                rows = [self.parts(item, op) for item in op.items]
                columns = [[row[i] for row in rows] for i in range(self.size)]
                return [insert_value(op, SequenceOp(column)) for column in columns]
            case AppendOp():
                pairs = zip(self.of(op.sequence), self.parts(op.value, op), strict=True)
                return [insert_value(op, AppendOp(one, part)) for one, part in pairs]
            case ExtendOp():
                pairs = zip(self.of(op.sequence), self.of(op.other), strict=True)
                return [insert_value(op, ExtendOp(one, more)) for one, more in pairs]
            case TakeOp():
                columns = self.of(op.sequence)
                takes = [TakeOp(column, op.start, op.stop) for column in columns]
                return [insert_value(op, take) for take in takes]
            case CallOp() if is_copy(op):
                return self.of(op.positional[0])
            case _:
                return self.of(op.results[0])

    @property
    def size(self) -> int:
        """How many parts there are that vary."""
        return len(self.structure.varying)

    def parts(self, item: SSAValue, at: Operation) -> list[SSAValue]:
        return self.structure.parts(item, lambda op: insert_value(at, op))

    def use(self, use: Use, columns: Sequence[SSAValue]) -> None:
        """What is asked of a list is asked of the lists of the parts."""
        op = use.operation
        match op:
            case SubscriptOp():
                parts = [insert_value(op, SubscriptOp(c, op.index)) for c in columns]
                item = self.structure.make(parts, lambda new: insert_value(op, new))
                replace(op, [item])
            case CallOp() if turns(op) is not None:
                self.turn(op, columns)
            case ToBoolOp() | CallOp() if columns:
                op.operands[use.index] = columns[0]
            case _ if is_returned(use):
                op.operands[use.index] = _rows(op, self.structure, columns)
            case _:
                pass

    def turn(self, op: CallOp, columns: Sequence[SSAValue]) -> None:
        """`zip(*v)`, which is unpacked: a tuple of each part, if there are items."""
        site = Site(op, self.environment)
        length, parts = site.call("len", columns[0]), iter(columns)
        empty = site.compare("eq", length, site.constant(0))
        count = len(self.structure.keys)
        text = f"not enough values to unpack (expected {count}, got 0)"
        site.raise_if(empty, "builtins.ValueError", site.constant(text))
        rows: list[SSAValue] = []
        for fixed in self.structure.fixed or (None,) * count:
            if fixed is None:
                rows.append(site.call("tuple", next(parts)))
                continue
            one = site.add(ListOp([site.add(ConstantOp(fixed))]))
            rows.append(site.call("tuple", site.add(BinaryOp("mul", one, length))))
        site.done(site.add(TupleOp(rows)))

    def control(self, op: RegionBranchOp) -> None:
        """An op with regions forwards the lists of the parts as well."""
        numbers = [
            i
            for i in range(len(op.results))
            if op.results[i] in self.web.values
            or any(op.arguments(block)[i] in self.web.values for block in op.entered)
        ]
        count = len(numbers) * self.size
        names = [op.results[i].name_hint for i in numbers for _ in range(self.size)]
        initial = [self.of(op.forwarded[i]) for i in numbers if op.forwarded]
        if numbers:
            self.carried[op] = numbers
            olds = [op.arguments(block) for block in op.entered]
            news = op.append_arguments([VALUE] * count, names) if op.entered else []
            for old, new in zip(olds, news, strict=True):
                self.note([old[i] for i in numbers], new)
        for region in op.regions:
            self.block(region.block)
        if not numbers:
            return
        del self.carried[op]
        olds = list(op.results)
        more = [value for columns in initial for value in columns]
        new = append_results(op, [VALUE] * count, names, more)
        for old, result in zip(olds, new.results, strict=False):
            if old in self.web.values:
                self.web.values[result] = None
        self.note([new.results[i] for i in numbers], new.results[len(olds) :])

    def note(self, lists: Sequence[SSAValue], parts: Sequence[SSAValue]) -> None:
        """Say which of the new values belong to which list."""
        size = self.size
        for number, value in enumerate(lists):
            self.columns[value] = list(parts[number * size : (number + 1) * size])


def _rows(op: Operation, structure: Structure, columns: Sequence[SSAValue]) -> SSAValue:
    """The list that is returned, which the runtime makes of the lists of the parts."""
    first: list[object] = []
    if structure.kind == "dict":
        first = [structure.keys]
    elif structure.record is not None:
        kind = structure.record
        first = [kind.name, kind.kind, kind.fields]
    given = [insert_constant(op, value) for value in first]
    given += structure.all_parts(columns, lambda new: insert_value(op, new))
    fields = [f"_{i}" for i in range(len(given))]
    kind = RecordType(f"{structure.kind}s", ROWS, tuple(fields))
    parts = insert_value(op, TupleOp(given))
    return insert_value(op, RecordOp(parts, kind))
