"""`dycl-select-elements`: what the data chooses from gets a branch for each element.

Before                            After
------                            -----
%experts = dycl.list(%a, %b)      %0 = dycl.position %k in 2 : i64 else ".."
%m = dycl.subscript %experts[%k]  %y = dycl.switch %0 -> (T) case 0 {
%y = dycl.call %m(%x)               %y_1 = dycl.call %a(%x)
dycl.return %y                      dycl.yield %y_1
                                  } default {
                                    %y_2 = dycl.call %b(%x)
                                    dycl.yield %y_2
                                  }
                                  dycl.return %y

The elements of a ModuleList, ModuleDict, list, tuple or dict, the attributes that
`getattr(self, f"block{k}")` may mean, and the two functions or modules that an earlier
`if` chose from. Elements that are tensors or numbers of one type become one value;
with others, each op that uses the element goes into the arms. Texts and None that are
returned or kept are forwarded by a switch, and `dycl-specialize-joins` goes on.

Needs:  `dycl-infer-shapes`, so that the key is known to be a number.
Leaves: an index or key is looked up where it stands, and raises there; only the arm
        that is taken is run.
Skips:  a list that something may change; modules and functions that are put into
        tuples, returned or carried by loops, or tensors of several types.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass

from dycl.analysis.folding import constants
from dycl.analysis.folding.evaluation import fold
from dycl.analysis.manager import analyses_of, environment_of
from dycl.diag import remark
from dycl.ir import (
    BinaryOp,
    CallOp,
    CompareOp,
    ConstantOp,
    DictOp,
    ForOp,
    GetattrOp,
    IfOp,
    InvokeOp,
    ListOp,
    SelectOp,
    SubscriptOp,
    SwitchOp,
    ToBoolOp,
    TupleOp,
    UnaryOp,
    UnpackOp,
)
from dycl.ir.dialect.syntax import VALUE
from dycl.ir.environment import Environment
from dycl.ir.functions import entry_function
from dycl.ir.known_conditions import conditions_at
from dycl.ir.rewriting import erase, insert_value, replace
from dycl.ir.torch import IntT, VTensorType
from dycl.ir.values import FunctionRef, GlobalRef, MethodRef, ObjectRef, to_attr
from dycl.ir.walking import walk
from dycl.passes.selection.arms import Root, Selection, arm, as_switch, as_test
from dycl.passes.selection.choices import (
    choice_of,
    membership_of,
    pattern_of,
    settled,
)
from dycl.passes.selection.elements import (
    Constant,
    Element,
    can_be_made,
    is_joinable,
    is_plain,
)

_MOVED = (
    BinaryOp,
    CallOp,
    CompareOp,
    ForOp,
    GetattrOp,
    InvokeOp,
    SubscriptOp,
    ToBoolOp,
    UnaryOp,
    UnpackOp,
)
"""Ops that go into the arms with the element that they use."""

_TWO = "it takes elements of two choices"
_WHOLE = "this stores or passes on the element, which no single value represents"

_CALLED = (FunctionRef, GlobalRef, MethodRef, ObjectRef)


@dataclass(frozen=True)
class SelectElementsPass(ModulePass):
    """What the data chooses from gets a branch for each element."""

    name = "dycl-select-elements"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        entry = entry_function(op)
        if entry is None:
            return
        known_values = partial(analyses_of(ctx).get, constants.known_values, op)
        selector = _Selector(environment_of(ctx, op), known_values)
        for item in list(walk(entry)):
            if item.parent is not None:
                selector.visit(item)
        selector.clean()


@dataclass
class _Selector:
    environment: Environment
    known_values: Callable[[], constants.Facts]
    found: dict[SSAValue, Selection] = field(default_factory=dict[SSAValue, Selection])
    done: list[tuple[Operation, Root]] = field(
        default_factory=list[tuple[Operation, Root]]
    )
    """Ops whose results are selections, in order."""

    joined: dict[SSAValue, Selection] = field(default_factory=dict[SSAValue, Selection])
    """Values that are any of the elements of these."""

    _facts: constants.Facts | None = None

    def facts(self) -> constants.Facts:
        """What is known of values; first asked for before anything is changed."""
        if self._facts is None:
            self._facts = self.known_values()
        return self._facts

    def visit(self, op: Operation) -> None:
        if isinstance(op, CompareOp) and self._membership(op):
            return
        if not any(o in self.found for o in op.operands):
            if (element := settled(op, self.environment)) is not None:
                self.facts()
                known = isinstance(element, Constant)
                one = ConstantOp(to_attr(element.value)) if known else [element]
                replace(op, one)
                return
            choice = choice_of(op, self.environment)
            if choice is not None:
                root = Root(op, choice)
                self._note(op, [Selection(root, choice.elements)])
            elif isinstance(op, (CallOp, InvokeOp, ForOp)):
                self._by_predicate(op)
            return
        given = {o: self.found[o] for o in op.operands if o in self.found}
        roots = {selection.root for selection in given.values()}
        (root, *others) = roots
        if not (others or _is_kept(op)) and (folded := self._folded(op, root)):
            self._note(op, folded)
            return
        if isinstance(op, (CallOp, InvokeOp)) and self._will_be_inlined(op):
            # Then it shows what becomes of the element.
            remark(op, "element not selected", "what is called is not inlined yet")
            return
        for operand, selection in given.items():
            is_kept = not isinstance(op, _MOVED) or _is_appended(op, operand)
            passes_on = is_kept and is_plain(selection.elements)
            if passes_on or is_joinable(selection.elements):
                self._join(op, operand, selection)
        left = {o: s for o, s in given.items() if o in op.operands}
        if len({s.root for s in left.values()}) == 1 and isinstance(op, _MOVED):
            (root, *_) = (s.root for s in left.values())
            rows = {o: s.elements for o, s in left.items()}
            self._move(op, root, rows)
        elif left:
            both = len({s.root for s in left.values()}) > 1
            remark(op, "element not selected", _TWO if both else _WHOLE)

    def _note(self, op: Operation, selections: Sequence[Selection]) -> None:
        self.facts()
        self.found.update(zip(op.results, selections, strict=True))
        self.done.append((op, selections[0].root))

    def clean(self) -> None:
        """What nobody uses any more goes; an index is looked up all the same."""
        for op, root in reversed(self.done):
            if any(result.uses for result in op.results):
                continue
            if root.op is op:
                root.number()
            operands = list(op.operands)
            erase(op)
            for operand in operands:
                _drop_text(operand)

    # ---- one op

    def _membership(self, op: CompareOp) -> bool:
        choice = membership_of(op, self.environment)
        if choice is None:
            return False
        self.facts()
        number = Root(op, choice).number()
        count = insert_value(op, ConstantOp(to_attr(len(choice.elements)), IntT))
        kind = "lt" if op.kind_name == "in" else "ge"
        test = insert_value(op, CompareOp(kind, number, count, op.result.type))
        key = op.lhs
        replace(op, [test])
        _drop_text(key)
        return True

    def _will_be_inlined(self, op: CallOp | InvokeOp) -> bool:
        """Whether this may call the user's own code, which takes the element as it is.

        What is called in a loop that is not unrolled yet is not known.
        """
        callee = op.operands[0]
        if callee in self.found or isinstance(callee.type, VTensorType):
            return False
        fact = self.facts().of.get(callee)
        if not isinstance(fact, constants.Known):
            return True
        if isinstance(fact.value, ObjectRef):
            return not self.environment.is_leaf(fact.value.path)
        return isinstance(fact.value, (FunctionRef, MethodRef))

    def _folded(self, op: Operation, root: Root) -> list[Selection] | None:
        """The results for each element, if they are known."""
        if op.regions or not op.results:
            return None
        rows: list[list[object]] = []
        for number in range(len(root.choice.elements)):
            operands = [self._constant(o, number) for o in op.operands]
            row = fold(op, operands, self.environment)
            if row is None or not all(map(can_be_made, row)):
                return None
            rows.append(row)
        return [
            Selection(root, tuple(Constant(v) for v in column))
            for column in zip(*rows, strict=True)
        ]

    def _constant(self, value: SSAValue, number: int) -> object:
        selection = self.found.get(value)
        element = value if selection is None else selection.elements[number]
        if isinstance(element, Constant):
            return element.value
        fact = self.facts().of.get(element)
        return fact.value if isinstance(fact, constants.Known) else constants.UNKNOWN

    def _join(self, op: Operation, operand: SSAValue, selection: Selection) -> None:
        """Let an op use the one value that is any of the elements it may be there."""
        possible = self._possible(op, selection)
        if (joined := selection.values.get(possible)) is None:
            definer = operand.owner
            assert isinstance(definer, Operation)
            some = selection.among(possible)
            joined = as_test(some, definer) or as_switch(some, definer)
            joined.name_hint = operand.name_hint
            selection.values[possible] = joined
            if all(possible):
                self.joined[joined] = selection
        for index, value in enumerate(op.operands):
            if value is operand:
                op.operands[index] = joined

    def _possible(self, op: Operation, selection: Selection) -> tuple[bool, ...]:
        """Which elements there may be where an op stands: in `else` of `m is None`,
        those that are not None."""
        possible = [True] * len(selection.elements)
        for condition, is_true in conditions_at(op) if self.joined else ():
            test = self.joined.get(condition)
            if test is None or test.root is not selection.root:
                continue
            for number, flag in enumerate(test.elements):
                is_so = isinstance(flag, Constant) and flag.value is is_true
                possible[number] &= is_so
        return tuple(possible) if any(possible) else (True,) * len(possible)

    def _move(
        self, op: Operation, root: Root, rows: dict[SSAValue, tuple[Element, ...]]
    ) -> None:
        """Put an op into the arms, in each with its own element."""
        count = len(root.choice.elements)
        arms = [arm(op, {o: row[n] for o, row in rows.items()}) for n in range(count)]
        types = list(op.result_types)
        new = SwitchOp(root.number(), types, arms, root.attributes)
        replace(op, new)

    def _by_predicate(self, op: CallOp | InvokeOp | ForOp) -> None:
        """A call of one of two functions is a decision between two calls."""
        operand = op.operands[0]
        if isinstance(operand.owner, ConstantOp) or operand.type != VALUE:
            return  # a constant is one value, and what has a type is no function
        fact = self.facts().of.get(operand)
        if not isinstance(fact, constants.Choice):
            return
        sides = (fact.if_true, fact.if_false)
        if not all(isinstance(side, _CALLED) for side in sides):
            return
        then, els = (arm(op, {operand: Constant(side)}) for side in sides)
        new = IfOp(fact.predicate, list(op.result_types), then, els)
        owner = operand.owner
        if isinstance(owner, (IfOp, SelectOp)) and owner.condition is fact.predicate:
            new.attributes |= {
                name: text for name, text in owner.attributes.items() if name == "test"
            }
        replace(op, new)


def _is_kept(op: Operation) -> bool:
    """Whether an op makes something that stays one thing, with joined parts.

    A list or dict may be changed, and a tuple is more than an index.
    """
    if isinstance(op, TupleOp):
        return not all(isinstance(use.operation, _MOVED) for use in op.result.uses)
    return isinstance(op, (DictOp, ListOp))


def _is_appended(op: Operation, value: SSAValue) -> bool:
    """Whether a list holds the value from here on: the list stays one list then."""
    is_append = isinstance(op, InvokeOp) and op.method.data == "append"
    return is_append and value is not op.operands[0]


def _drop_text(value: SSAValue) -> None:
    """The text that a number went into to make a key, if that was its only use."""
    owner = value.owner
    if not value.uses and isinstance(owner, Operation) and pattern_of(value):
        operands = list(owner.operands)
        erase(owner)
        for operand in operands:
            _drop_text(operand)
