"""Where writing to a tensor would be seen elsewhere.

In the IR tensors are values: an op that writes to its operand may become one that
gives a new tensor only if the old one, and whatever shares its memory, is not used
afterwards. `visible_writes` finds the ops of which that is not so.

Memory is shared in families, found without regard to order: a view and its base, the
result of an `if` and what its branches yield, what a loop carries. Each write gives the
family a new age; using a value that is older, but not than the memory (`ages`), is
using changed memory. What a branch writes is forgotten in the other branch, and where
both end, holds after it. A loop is walked twice, so that the second iteration sees what
the first has written, on whichever path.
Linear in the number of ops, leaves and writes, for a given depth of loops.
"""

from collections import Counter
from dataclasses import dataclass, field
from typing import cast

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation, SSAValue

from dycl.analysis.manager import AnalysisManager
from dycl.analysis.memory.ages import Write, Writes, written
from dycl.analysis.memory.families import Families
from dycl.analysis.memory.leaves import operand_leaves, result_leaves
from dycl.analysis.memory.matched_places import matched
from dycl.analysis.memory.memoised import Memoised
from dycl.analysis.memory.overlap import (
    are_apart,
    is_apart,
    is_expanded,
    overlaps_itself,
)
from dycl.analysis.tensors.abstract import Sequence as ListOf
from dycl.analysis.tensors.abstract import Tensor, leaves
from dycl.analysis.tensors.plain_values import BUILD, TAKE_APART
from dycl.analysis.tensors.shapes import Inference
from dycl.analysis.tensors.structures import Known, Leaf, Structures, structures_of
from dycl.ir import (
    IfOp,
    InvokeOp,
    ReturnOp,
    SelectOp,
    SwitchOp,
    UpdateSubscriptOp,
    WhileOp,
)
from dycl.ir.functions import entry_function
from dycl.ir.interfaces import RegionBranchOp
from dycl.ir.state import State, state_of
from dycl.ir.values import LeafRef, ParamRef
from dycl.ir.walking import walk

AN_INPUT = "an input of the network"
NOT_FOLLOWED = f"{AN_INPUT}, in a way that DyCL does not follow"
"""What `visible_writes` says where the caller would see it: at all, or where what is
returned for the input is not what was written."""
MEMOISED_TENSOR = "what a function under `functools.cache` gives to other calls, too"
_OF_THE_MODEL = "a parameter or buffer of the model"
OVERLAPS = "read by the same operator, through another view"
REPEATED = "a view in which several elements share memory"
USED_AFTERWARDS = "used afterwards"
"""What `visible_writes` says where a later op reads what was there before."""
_SAME_EVERYWHERE = ("fill_", "zero_")
"""Writes that make all elements equal."""


def visible_writes(analyses: AnalysisManager, module: ModuleOp) -> dict[Operation, str]:
    """The writing ops whose effect is seen elsewhere -> where, in a few words.

    Of the entry function; to be asked for by a manager.
    """
    entry = entry_function(module)
    structures = analyses.ask(structures_of, module)
    inference = structures.inference
    if entry is None or not entry.body.blocks:
        return {}
    if not any(outcome.written for outcome in inference.outcomes.values()):
        return {}
    families = Families(inference, structures)
    families.collect(entry.body.block)
    arguments = entry.body.block.args
    state = state_of(entry)
    inputs = len(arguments) if state is None else state.inputs
    held = {} if state is None else _keep(entry, state, families)
    walk = _Walk(inference, structures, families)
    returned = () if state is None else [leaf.index for leaf in state.written]
    walk.born = {leaf: 0 for one in arguments for leaf in structures.leaves(one)}
    for place, argument in enumerate(arguments[:inputs]):
        if place in returned:
            walk.returned.add(argument)
        else:
            walk.outside[families.find(argument)] = AN_INPUT
    for leaf in families.known:
        walk.outside[families.find(leaf)] = _OF_THE_MODEL
    walk.memoised = Memoised(entry)
    for leaf in walk.memoised.leaves(entry, structures):
        walk.outside.setdefault(families.find(leaf), MEMOISED_TENSOR)
    for argument, where in held.items():
        walk.outside[families.find(argument)] = where
    walk.block(entry.body.block)
    return walk.found


def _keep(entry: FuncOp, state: State, families: "Families") -> dict[SSAValue, str]:
    """What a call leaves is what the next call is given: unite the two.

    Gives the arguments that may be a tensor which the model holds elsewhere too.
    """
    arguments = entry.body.block.args
    held: dict[SSAValue, str] = {}
    given: list[list[SSAValue]] = []
    kinds: list[tuple[object, ...]] = []
    environment = families.inference.environment
    initial = [leaf for one in state.variables for leaf in leaves(one.initial)]
    count = Counter(leaf.path for leaf in initial if isinstance(leaf, ParamRef))
    for variable in state.variables:
        kinds.append(variable.given)
        if variable.writes:
            given.append([])  # the next call may be given other memory
            continue
        places: list[SSAValue] = [
            arguments[leaf.index]
            for structure in variable.given
            for leaf in leaves(structure)
            if isinstance(leaf, LeafRef)
        ]
        given.append(places)
        for start in leaves(variable.initial):
            if not isinstance(start, ParamRef):
                continue
            if count[start.path] > 1 or environment.is_shared(start.path):
                held |= dict.fromkeys(places, "also held by another attribute")
    for end in walk(entry):
        if not isinstance(end, ReturnOp) or len(end.values) != 1:
            continue
        whole = families.structures.of(end.values[0])
        left = whole[-1] if isinstance(whole, tuple) and whole else None
        if not isinstance(left, tuple):
            continue
        for value, places, kind in zip(
            cast("tuple[object, ...]", left), given, kinds, strict=True
        ):
            # Of one kind of state, each tensor is given at its own place.
            pairs = matched(value, kind[0]) if places and len(kind) == 1 else None
            for leaf in cast("list[Leaf]", list(leaves(value))):
                if isinstance(leaf, Known):
                    if isinstance(leaf.value, ParamRef):
                        held |= dict.fromkeys(places, "also held by another attribute")
                elif pairs is None:
                    for place in places:
                        families.unite(leaf, place)
            for leaf, place in pairs or ():
                if not isinstance(leaf, Known):
                    families.unite(leaf, arguments[place.index])
    return held


@dataclass
class _Walk:
    inference: Inference
    structures: Structures
    families: Families
    found: dict[Operation, str] = field(default_factory=dict[Operation, str])
    outside: dict[Leaf, str] = field(default_factory=dict[Leaf, str])
    returned: set[Leaf] = field(default_factory=set[Leaf])
    """The inputs that the caller gets back after the call."""
    memoised: Memoised | None = None
    born: dict[Leaf, int] = field(default_factory=dict[Leaf, int])
    state: dict[Leaf, Writes] = field(default_factory=dict[Leaf, Writes])
    """What was written to each family on the path that is walked."""
    time: int = 0
    # The states that the branch being walked has replaced, to be put back.
    undo: list[dict[Leaf, Writes]] = field(default_factory=list[dict[Leaf, Writes]])

    def block(self, block: Block) -> None:
        for op in block.ops:
            self._use(op)
            if isinstance(op, (IfOp, SwitchOp)):
                self._branches(op)
            elif isinstance(op, WhileOp):
                self._loop(op)
            else:
                for region in op.regions:
                    self.block(region.block)
            self._write(op)
            self.time += 1
            for leaf in result_leaves(op, self.structures):
                if not isinstance(leaf, Known):
                    self.born.setdefault(leaf, self.time)

    def _use(self, op: Operation) -> None:
        if isinstance(op, (*BUILD, *TAKE_APART)) and not self._reads(op):
            return  # naming a tensor is not reading it
        for leaf in operand_leaves(op, self.structures):
            if isinstance(leaf, Known):
                continue
            born = self.born.get(leaf, 0)
            for write in self.state.get(self.families.find(leaf), ()):
                if write.changes(born):
                    is_given_back = isinstance(op, ReturnOp) and leaf in self.returned
                    why = NOT_FOLLOWED if is_given_back else USED_AFTERWARDS
                    self.found.setdefault(write.op, why)

    def _reads(self, op: Operation) -> bool:
        """Whether an op takes elements of a tensor, or an item out of a run's list."""
        if not isinstance(op, TAKE_APART) or op not in self.inference.outcomes:
            return False
        return isinstance(self.inference.of(op.operands[0]), (Tensor, ListOf))

    def _write(self, op: Operation) -> None:
        outcome = self.inference.outcomes.get(op)
        if outcome is None:
            return
        if -1 in outcome.written:
            self.found.setdefault(op, _OF_THE_MODEL)
        operands = operand_leaves(op, self.structures)
        for number in sorted(outcome.written - {-1}):
            leaf = operands[number]
            if isinstance(leaf, Known):
                if isinstance(leaf.value, ParamRef):
                    self.found.setdefault(op, _OF_THE_MODEL)
                continue
            root = self.families.find(leaf)
            if isinstance(op, UpdateSubscriptOp):
                if self._stores_itself(op, root):
                    why = "stored into itself, where the two overlap"
                    self.found.setdefault(op, why)
            elif self._reads_a_part(op, operands, number, root):
                self.found.setdefault(op, OVERLAPS)
            where = self.outside.get(root)
            own = where == MEMOISED_TENSOR and self.memoised and self.memoised.holds(op)
            if where is not None and not own:
                self.found.setdefault(op, where)
            if self._is_repeated(op, number):
                self.found.setdefault(op, REPEATED)
            self._note(root, self._made_at(leaf), op)

    def _made_at(self, leaf: Leaf) -> int:
        """When the memory of a tensor was made: nothing older shares it. 0: unknown."""
        while isinstance(leaf, SSAValue) and isinstance(leaf.owner, Operation):
            op = leaf.owner
            outcome = self.inference.outcomes.get(op)
            if outcome is None or isinstance(op, (*BUILD, RegionBranchOp, SelectOp)):
                return 0
            place = result_leaves(op, self.structures).index(leaf)
            bases = [operand for result, operand in outcome.aliases if result == place]
            if not bases:
                return self.born.get(leaf, 0)
            operands = operand_leaves(op, self.structures)
            if len(bases) > 1 or bases[0] >= len(operands):
                return 0
            leaf = operands[bases[0]]
        return 0

    def _is_repeated(self, op: Operation, number: int) -> bool:
        """Whether a write to one element of the n-th leaf changes others, too."""
        if isinstance(op, InvokeOp) and op.method.data in _SAME_EVERYWHERE:
            return False
        given = [leaf for v in op.operands for leaf in leaves(self.inference.of(v))]
        if overlaps_itself(given[number]):
            return True
        target = operand_leaves(op, self.structures)[number]
        return isinstance(target, SSAValue) and is_expanded(target, given[number])

    def _reads_a_part(
        self, op: Operation, given: list[Leaf], number: int, root: Leaf
    ) -> bool:
        """Whether an op reads what may be another view of the tensor that it writes."""
        target = given[number]
        others = [
            leaf
            for leaf in given
            if not isinstance(leaf, Known)
            and leaf != target
            and self.families.find(leaf) == root
        ]
        return not all(
            isinstance(leaf, SSAValue)
            and isinstance(target, SSAValue)
            and are_apart(leaf, target, self.inference)
            for leaf in others
        )

    def _stores_itself(self, op: UpdateSubscriptOp, root: Leaf) -> bool:
        """Whether what is stored may be memory that the store changes, too."""
        leaves = self.structures.leaves(op.value)
        if not any(
            not isinstance(leaf, Known) and self.families.find(leaf) == root
            for leaf in leaves
        ):
            return False
        return not is_apart(op, self.inference)

    def _loop(self, op: WhileOp) -> None:
        """Two iterations; what any path writes is written in each of them."""
        outside = set(self.born)
        for _ in range(2):
            for leaf in set(self.born) - outside:
                del self.born[leaf]
            for block in (op.before.block, op.body.block):
                for argument in block.args:
                    for leaf in self.structures.leaves(argument):
                        self.born.setdefault(leaf, self.time)
                self.block(block)
            for inner in walk(op):
                for leaf in self._written_leaves(inner):
                    self._note(self.families.find(leaf), self._made_at(leaf), inner)

    def _written_leaves(self, op: Operation) -> list[Leaf]:
        outcome = self.inference.outcomes.get(op)
        if outcome is None:
            return []
        operands = operand_leaves(op, self.structures)
        found = [operands[number] for number in sorted(outcome.written - {-1})]
        return [leaf for leaf in found if not isinstance(leaf, Known)]

    def _note(self, root: Leaf, since: int, op: Operation) -> None:
        """A family is written to now: what is as old as `since`, and older than now."""
        self.time += 1
        before = self.state.get(root, ())
        if self.undo:
            self.undo[-1].setdefault(root, before)
        self.state[root] = written(before, Write(since, self.time, op))

    def _branches(self, op: IfOp | SwitchOp) -> None:
        after, start = dict[Leaf, list[Write]](), self.time
        for region in op.regions:
            self.undo.append({})
            self.block(region.block)
            before = self.undo.pop()
            if op.end_of(region.block) is not None:
                for root in before:
                    new = [w for w in self.state[root] if w.age > start]
                    after.setdefault(root, []).extend(new)
            self.state |= before
        for root, writes in after.items():
            self._note(root, min(w.since for w in writes), writes[0].op)
