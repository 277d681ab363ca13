"""The oracles of the tools: no false alarm, and no pass that goes unnoticed."""

from collections import deque
from dataclasses import dataclass
from pathlib import Path

import pytest
import torch
from safetensors.torch import save_file
from xdsl.dialects.builtin import IntegerAttr, i64

from dycl.driver.ir_dump import printed
from dycl.driver.models import lower
from dycl.ir import ConstantOp
from dycl.ir.walking import walk
from dycl.tools import opt, run
from dycl.tools.same import value_difference
from dycl.tools.same_answer import SameAnswer
from dycl.tools.usage import UsageError


class Experts(torch.nn.Module):
    """Passes add decisions here: an index of modules, a `range` of the data."""

    def __init__(self):
        super().__init__()
        self.experts = torch.nn.ModuleList(torch.nn.Linear(4, 4) for _ in range(3))

    def forward(self, x, n: int):
        y = self.experts[int(x.abs().argmax()) % 3](x)
        for i in range(n):
            y = y - 1 if y.sum() > i else y * 2
        return y


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("experts")
    torch.manual_seed(0)
    model = Experts().eval()
    save_file(model.state_dict(), folder / "w.safetensors")
    module = lower(model, (torch.ones(1, 4), 2), "source")
    (folder / "net.mlir").write_text(printed(module, locations=True), encoding="utf-8")
    return folder


@pytest.mark.parametrize("row", [[9, 1, 1, 1], [1, -9, 1, 1], [0, 0, 7, 0]])
def test_decisions_that_passes_add_are_no_difference(row, source, capsys) -> None:
    flags = ["--args", f"[[{row}], 3]", "--weights", str(source / "w.safetensors")]
    flags += ["--same-after", "default", "--tolerance", "1e-5"]
    assert run.run([str(source / "net.mlir"), *flags]) == 0
    out = capsys.readouterr().out
    assert out.endswith("same after default\n")
    assert out.count("decision: y.sum() > i") == 3


def test_every_pass_of_the_default_keeps_the_answer(source, capsys) -> None:
    assert opt.run(["-p", "default", "--same-answer", str(source / "net.mlir")]) == 0
    assert "host.func @forward" in capsys.readouterr().out


def test_the_program_of_the_host_runs(source, capsys) -> None:
    text = str(source / "net.mlir")
    assert opt.run(["-p", "default", text]) == 0
    (source / "host.mlir").write_text(capsys.readouterr().out, encoding="utf-8")
    flags = [
        "--args",
        "[[[9, 1, 1, 1]], 1]",
        "--weights",
        str(source / "w.safetensors"),
    ]
    values = []
    for file in (text, str(source / "host.mlir")):
        assert run.run([file, *flags]) == 0
        values.append(capsys.readouterr().out.splitlines()[0])
    assert values[0] == values[1]
    assert "launched" not in values[0]


def test_a_pass_that_changes_the_meaning_is_named() -> None:
    def double(x):
        y = x * 2
        if y.sum() > 4:
            return y
        return -y

    module = lower(double, (torch.ones(3),), "source")
    answers = SameAnswer(module, "", None, 1e-4)
    answers.check("nothing", module)
    bounds = [
        op
        for op in walk(module)
        if isinstance(op, ConstantOp) and op.value == IntegerAttr(4, i64)
    ]
    bounds[0].properties["value"] = IntegerAttr(400, i64)
    with pytest.raises(Exception, match="the-pass changed what the program computes"):
        answers.check("the-pass", module)


def test_a_decision_that_turns_is_a_difference() -> None:
    """Also where the value is the same."""

    def either(x):
        if x.sum() > 0:
            return x + 1
        return x + 1

    module = lower(either, (torch.ones(3),), "source")
    answers = SameAnswer(module, "[[1, 1, 1]]", None, 0.0)
    zero = next(
        op
        for op in walk(module)
        if isinstance(op, ConstantOp) and op.value == IntegerAttr(0, i64)
    )
    zero.properties["value"] = IntegerAttr(9, i64)
    with pytest.raises(Exception, match="there is no such decision at that point"):
        answers.check("the-pass", module)


def test_what_cannot_be_run_is_said() -> None:
    module = lower(lambda x: x, (torch.ones(3),), "source")
    with pytest.raises(UsageError, match="has a tensor of \\(2,\\)"):
        SameAnswer(module, "[[1, 2]]", None, 0.0)
    with pytest.raises(UsageError, match="not a safetensors file|there is no file"):
        SameAnswer(module, "[[1, 2, 3]]", Path("nowhere"), 0.0)


@dataclass(slots=True, frozen=True)
class Slotted:
    """It has no `__dict__`."""

    item: int


def test_dataclasses_with_slots_are_compared() -> None:
    assert value_difference(Slotted(1), Slotted(1)) is None
    assert "['item']: 1 became 2" in str(value_difference(Slotted(1), Slotted(2)))


def test_deques_of_tensors():
    one, other = torch.tensor([1.0, 2.0]), torch.tensor([1.0, 3.0])
    given = deque([one, one], maxlen=2)
    assert value_difference(given, deque([one, one], maxlen=2)) is None
    assert "[1]: " in str(value_difference(given, deque([one, other], maxlen=2)))
    assert "2 items" in str(value_difference(given, deque([one], maxlen=2)))
    assert "maxlen" in str(value_difference(given, deque([one, one], maxlen=3)))
