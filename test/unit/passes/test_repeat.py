"""`dycl-repeat`: the fixed point, whose remarks count, and who may watch."""

from dataclasses import dataclass
from typing import ClassVar

import pytest
from xdsl.context import Context
from xdsl.dialects import test as opaque
from xdsl.dialects.builtin import FloatAttr, ModuleOp, f64
from xdsl.passes import ModulePass

import dycl.passes.repeat
from dycl.analysis.manager import PassContext
from dycl.diag import PassFailed, collect_remarks, remark
from dycl.passes.repeat import RepeatPass


@dataclass(frozen=True)
class EraseLastPass(ModulePass):
    """Erases the last op, as long as there are several."""

    name = "research-erase-last"
    runs: ClassVar[list[int]] = []

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        ops = list(op.ops)
        self.runs.append(len(ops))
        remark(ops[0], "seen", f"among {len(ops)}")
        if len(ops) > 1:
            ops[-1].detach()
            ops[-1].erase()


@pytest.fixture(autouse=True)
def table(monkeypatch: pytest.MonkeyPatch) -> None:
    EraseLastPass.runs.clear()
    passes = {EraseLastPass.name: lambda: EraseLastPass}
    monkeypatch.setattr(dycl.passes.repeat, "get_all_passes", passes.copy)


def module(count: int) -> ModuleOp:
    # NaN is not equal to itself; a fixed point is one all the same.
    nan = FloatAttr(float("nan"), f64)
    return ModuleOp([opaque.TestOp(attributes={"x": nan}) for _ in range(count)])


def test_runs_until_a_round_changes_nothing() -> None:
    program = module(4)
    RepeatPass((EraseLastPass.name,)).apply(Context(), program)
    assert len(program.body.block.ops) == 1
    assert EraseLastPass.runs == [4, 3, 2, 1]


def test_only_the_last_rounds_remarks_are_passed_on() -> None:
    with collect_remarks() as remarks:
        RepeatPass((EraseLastPass.name,)).apply(Context(), module(3))
    assert [r.why for r in remarks] == ["among 1"]


def test_watcher_sees_every_inner_pass_with_its_round() -> None:
    seen: list[tuple[str, int, int]] = []

    def watch(done: ModulePass, program: ModuleOp, number: int) -> None:
        seen.append((done.name, len(program.body.block.ops), number))

    context = PassContext(watcher=watch)
    RepeatPass((EraseLastPass.name,)).apply(context, module(2))
    assert seen == [(EraseLastPass.name, 1, 1), (EraseLastPass.name, 1, 2)]


def test_limit_is_an_error() -> None:
    with pytest.raises(PassFailed, match="max-rounds=2") as error:
        RepeatPass((EraseLastPass.name,), max_rounds=2).apply(Context(), module(9))
    assert error.value.code == "DY291"


def test_unknown_pass_is_an_error() -> None:
    with pytest.raises(PassFailed, match="no pass 'xyzzy'"):
        RepeatPass(("xyzzy",)).load()


@dataclass(frozen=True)
class AddLastPass(ModulePass):
    """Adds an op behind the last one: what `EraseLastPass` undoes."""

    name = "research-add-last"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        op.body.block.add_op(opaque.TestOp())


def test_passes_that_undo_those_of_when_stable_end(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    passes = {p.name: lambda p=p: p for p in (EraseLastPass, AddLastPass)}
    monkeypatch.setattr(dycl.passes.repeat, "get_all_passes", passes.copy)
    repeat = RepeatPass((EraseLastPass.name,), when_stable=(AddLastPass.name,))
    with pytest.raises(PassFailed, match="undo what those in when-stable do"):
        repeat.apply(PassContext(), ModuleOp([opaque.TestOp()]))
    assert len(EraseLastPass.runs) < 10
