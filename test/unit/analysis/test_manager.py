"""Facts are kept while a module stays as it is, and go with any change of it."""

from collections.abc import Callable

import pytest
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.ir import Operation

from dycl.analysis.manager import AnalysisManager, PassContext, analyses_of, same, state
from dycl.ir import CompareOp, IfOp
from dycl.ir.changes import assume
from dycl.ir.parser import FastParser
from dycl.ir.torch import IntT
from dycl.ir.walking import walk
from dycl.passes.propagate_constants import PropagateConstantsPass
from dycl.tools.same import new_context

PROGRAM = """
func.func @forward(%x: !dycl.value, %y: !dycl.value) attributes {dycl.entry} {
  %p = dycl.compare eq %x, %y
  %r = dycl.if %p -> (!dycl.value) {
    %a = dycl.binary add %x, %y
    dycl.yield %a
  } else {
    dycl.yield %y
  }
  %c = dycl.constant 1 : i64
  %d = dycl.constant 2 : i64
  dycl.return %r
}
"""


def program() -> ModuleOp:
    return FastParser(new_context(), PROGRAM).parse_module()


def first(module: ModuleOp, name: str) -> Operation:
    return next(op for op in walk(module) if op.name == name)


def swap_operands(module: ModuleOp) -> None:
    op = first(module, "dycl.compare")
    op.operands[0], op.operands[1] = op.operands[1], op.operands[0]


def change_property(module: ModuleOp) -> None:
    op = first(module, "dycl.compare")
    assert isinstance(op, CompareOp)
    op.properties["kind"] = StringAttr("ne")


def change_attribute(module: ModuleOp) -> None:
    first(module, "dycl.if").attributes["test"] = StringAttr("p")


def change_type(module: ModuleOp) -> None:
    first(module, "dycl.compare").results[0]._type = IntT


def change_type_of_argument(module: ModuleOp) -> None:
    entry = first(module, "func.func")
    entry.regions[0].block.args[0]._type = IntT


def erase(module: ModuleOp) -> None:
    op = first(module, "dycl.constant")
    op.detach()
    op.erase()


def reorder(module: ModuleOp) -> None:
    op = first(module, "dycl.constant")
    behind, block = op.next_op, op.parent
    assert behind is not None
    assert block is not None
    op.detach()
    block.insert_op_after(op, behind)


def move_out_of_a_block(module: ModuleOp) -> None:
    """The order of ops in the text stays; only where a block ends is another place."""
    branch = first(module, "dycl.if")
    assert isinstance(branch, IfOp)
    behind = branch.next_op
    assert behind is not None
    behind.detach()
    branch.else_region.block.add_op(behind)


CHANGES = [
    swap_operands,
    change_property,
    change_attribute,
    change_type,
    change_type_of_argument,
    erase,
    reorder,
    move_out_of_a_block,
]


class Count:
    """An analysis that knows how often it was made."""

    def __init__(self) -> None:
        self.made = 0

    def __call__(self, module: ModuleOp) -> int:
        self.made += 1
        return self.made


def test_a_fact_is_made_once_while_nothing_changes() -> None:
    module, analyses, count = program(), AnalysisManager(), Count()
    assert [analyses.get(count, module) for _ in range(3)] == [1, 1, 1]


@pytest.mark.parametrize("change", CHANGES)
def test_a_change_that_nobody_announces_is_seen(
    change: Callable[[ModuleOp], None],
) -> None:
    module, analyses, count = program(), AnalysisManager(), Count()
    analyses.get(count, module)
    change(module)
    assert analyses.get(count, module) == 2


def test_what_an_analysis_asks_for_is_a_fact_like_others() -> None:
    module, analyses, count = program(), AnalysisManager(), Count()
    asked: list[int] = []

    def twice(analyses: AnalysisManager, module: ModuleOp) -> int:
        asked.append(analyses.get(count, module))
        return 2 * asked[-1]

    assert [analyses.ask(twice, module) for _ in range(2)] == [2, 2]
    assert analyses.get(count, module) == 1
    assume(module, ["steps"])  # what is taken for granted is a part of the module
    assert analyses.ask(twice, module) == 4
    assert asked == [1, 2]


def test_a_copy_is_another_module() -> None:
    module, analyses, count = program(), AnalysisManager(), Count()
    analyses.get(count, module)
    assert analyses.get(count, module.clone()) == 2


def test_names_are_no_part_of_a_state() -> None:
    module = program()
    before = state(module)
    first(module, "dycl.compare").results[0].name_hint = "q"
    assert same(state(module), before)


def test_another_context_has_no_memory() -> None:
    module, count = program(), Count()
    for context in (Context(), PassContext()):
        analyses_of(context).get(count, module)
        analyses_of(context).get(count, module)
    assert count.made == 3


def test_a_pass_that_is_done_may_skip_one_run() -> None:
    module, analyses, item = program(), AnalysisManager(), PropagateConstantsPass()
    assert not analyses.was_done(item, module)
    analyses.note_done(item, module)
    assert [analyses.was_done(item, module) for _ in range(2)] == [True, False]


def test_a_pass_is_not_done_with_what_has_changed() -> None:
    module, analyses, item = program(), AnalysisManager(), PropagateConstantsPass()
    analyses.note_done(item, module)
    swap_operands(module)
    assert not analyses.was_done(item, module)
