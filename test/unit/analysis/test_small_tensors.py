"""Small tensors of zeros say what fake tensors say, and import no compiler."""

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from xdsl.dialects.builtin import IntegerType, ModuleOp, Signedness, f32, i1

from dycl.analysis.tensors import single_runs, small_tensors
from dycl.analysis.tensors.abstract import Tensor
from dycl.analysis.tensors.outcomes import Outcome
from dycl.analysis.tensors.single_runs import SAMPLES
from dycl.analysis.tensors.small_tensors import MOST_ELEMENTS, SmallTensors
from dycl.analysis.tracing import trace
from dycl.ir import CallOp, ConstantOp, InvokeOp
from dycl.ir.environment import Environment
from dycl.ir.values import GlobalRef, to_attr


def image(*shape: int) -> Tensor:
    """A tensor of floats."""
    return Tensor.contiguous(shape, f32)


X, V, W = image(2, 3, 8, 8), image(3), image(4, 3, 3, 3)
ACROSS = Tensor((2, 3, 8, 8), f32, (192, 1, 24, 3))
INTS = Tensor.contiguous((3,), IntegerType(64, Signedness.SIGNED))
MASK = Tensor.contiguous((2, 3, 8, 8), i1)
F = "torch.nn.functional."

HEADS = Tensor((1, 4, 5, 8), f32, (480, 8, 96, 1))
"""By tokens in memory; the stride of the size 1 means nothing."""
QKV = Tensor((3, 1, 4, 5, 8), f32, (32, 480, 8, 96, 1))

ALIKE: list[tuple[str, list[object]]] = [
    (".unbind", [QKV, 0]),
    (".select", [QKV, 0, 1]),
    ("torch.transpose", [HEADS, 1, 2]),
    (".permute", [QKV, 1, 0, 2, 3, 4]),
    (".split", [HEADS, 2, 1]),
    (".squeeze", [QKV, 1]),
    (f"{F}scaled_dot_product_attention", [HEADS, HEADS, HEADS]),
    (f"{F}scaled_dot_product_attention", [image(2, 4, 5, 8)] * 3),
    (f"{F}scaled_dot_product_attention", [image(1, 4, 3, 8), HEADS, HEADS]),
    (f"{F}linear", [image(16, 768), image(1024, 768)]),
    (f"{F}conv2d", [X, W, None, 1, 1]),
    (f"{F}conv2d", [ACROSS, W, image(4), 2]),
    (f"{F}conv2d", [image(1, 32, 32, 32), image(32, 32, 3, 3), None, 1, 1]),
    (f"{F}conv2d", [X, image(3, 1, 3, 3), None, 1, 1, 1, 3]),
    (f"{F}batch_norm", [X, V, V, V, V]),
    (f"{F}linear", [image(2, 4), image(5, 4), image(5)]),
    (f"{F}layer_norm", [X, [8]]),
    (f"{F}max_pool2d", [X, 2]),
    (f"{F}adaptive_avg_pool2d", [X, 4]),
    (f"{F}adaptive_max_pool2d", [X, 4]),
    (f"{F}softmax", [X, -1]),
    (f"{F}relu", [ACROSS]),
    (f"{F}gelu", [X]),
    ("torch.add", [X, image(1, 3, 1, 1)]),
    ("torch.add", [ACROSS, X]),
    ("torch.add", [Tensor((1, 3, 8, 8), f32, (1, 0, 0, 0)), X]),
    ("torch.mul", [X, 2.5]),
    ("torch.div", [X, 2]),
    ("torch.mean", [X, [2, 3]]),
    ("torch.max", [X, 1]),
    ("torch.argmax", [X, 1]),
    ("torch.flatten", [X, 1]),
    ("torch.transpose", [X, 1, 2]),
    ("torch.cat", [[X, X], 1]),
    ("torch.stack", [[X, ACROSS]]),
    ("torch.chunk", [X, 3, 1]),
    ("torch.matmul", [image(2, 3, 4), image(4, 5)]),
    ("torch.where", [MASK, X, 0.0]),
    ("torch.gt", [X, 0.5]),
    ("torch.zeros_like", [ACROSS]),
    ("torch.zeros", [[2, 3]]),
    ("torch.tensor", [0]),
    ("torch.relu_", [X]),
    (".add_", [X, 1]),
    (".mul_", [ACROSS, X]),
    (".contiguous", [ACROSS]),
    (".float", [MASK]),
    (".expand", [image(1, 3), 4, 3]),
    (".size", [X, 1]),
    ("builtins.zip", [[X, V], ["a", 7]]),
    ("builtins.zip", [X, [0.5, None]]),
    ("builtins.enumerate", [[X, ACROSS]]),
    ("builtins.enumerate", [V, 1]),
    ("builtins.list", [(X, 2)]),
    ("builtins.tuple", [[X, ACROSS, 2]]),
]
"""Functions and methods that small tensors answer for."""

OTHERS: list[tuple[str, list[object]]] = [
    ("torch.nonzero", [X]),
    ("torch.rand_like", [X]),
    (f"{F}dropout", [X, 0.5, True]),
    ("torch.tensor_split", [image(9), INTS]),
    ("torch.equal", [X, X]),
    (".item", [image()]),
    (".tolist", [V]),
    (".numpy", [X]),
    ("torch.zeros", [[MOST_ELEMENTS, 2]]),
    (f"{F}relu", [image(MOST_ELEMENTS + 1)]),
    ("torch.matmul", [image(1 << 10, 1 << 10), image(1 << 10, 1 << 10)]),
    ("torch.matmul", [image(1 << 15, 1), image(1, 1 << 15)]),
    ("torch.add", [image(1 << 15, 1), image(1, 1 << 15)]),
    (f"{F}conv2d", [image(1, 64, 64, 64), image(64, 64, 3, 3)]),
    (f"{F}conv2d", [X, W, None, 1, 1 << 12]),
    (f"{F}adaptive_avg_pool2d", [X, 1 << 12]),
    ("torch.max", [image(2, 0), 1]),
    ("torch.reshape", [X, [7, 7]]),
    ("torch.add", [Tensor((1, 3, 4), f32, (4, 4, 1)), 1]),
    (".reshape", [Tensor((1, 2), f32, (4, 1)), 1, 2]),
]
"""What depends on elements or on luck, what is large or empty, what is
wrong, and what torch has two opinions on."""


def call(
    name: str, arguments: Sequence[object]
) -> tuple[CallOp | InvokeOp, list[object]]:
    """The op for a function, or a method if the name begins with a dot."""
    values = [ConstantOp(to_attr(None)).result for _ in arguments]
    if name.startswith("."):
        return InvokeOp(values[0], name[1:], values[1:]), [*arguments]
    callee = GlobalRef(name)
    op = CallOp(ConstantOp(to_attr(callee)).result, values)
    return op, [callee, *arguments]


def small_outcome(name: str, arguments: list[object]) -> Outcome | None:
    """What small tensors say."""
    op, operands = call(name, arguments)
    environment = Environment(ModuleOp([]))
    return single_runs.run_small(op, operands, environment, SAMPLES[0])


@pytest.mark.parametrize(("name", "arguments"), ALIKE, ids=lambda v: str(v)[:30])
def test_small_tensors_say_what_fake_tensors_say(
    name: str, arguments: list[object], monkeypatch: pytest.MonkeyPatch
) -> None:
    op, operands = call(name, arguments)
    environment = Environment(ModuleOp([]))
    found = small_outcome(name, arguments)
    traced = trace._trace_or_why(op, operands, environment)
    monkeypatch.setattr(SmallTensors, "of", lambda *_: None)
    # And it need not be known from the start what is written as other ops.
    monkeypatch.setattr(trace, "repairs", lambda _: {})
    assert found == single_runs.run(op, operands, environment, SAMPLES[0])
    assert traced == trace._trace_or_why(op, operands, environment)


@pytest.mark.parametrize(("name", "arguments"), OTHERS, ids=lambda v: str(v)[:30])
def test_other_ops_are_left_to_fake_tensors(name: str, arguments: list[object]) -> None:
    assert small_outcome(name, arguments) is None


def test_what_tells_elements_is_left_to_fake_tensors() -> None:
    op, _ = call(".tolist", [V])
    assert not small_tensors.tells_no_elements(op, [0.0, 0.0, 0.0])
    op, _ = call(".size", [V])
    assert small_tensors.tells_no_elements(op, [3])
    op, _ = call("builtins.float", [image()])
    assert not small_tensors.tells_no_elements(op, [0.0])


NET = """
import sys
import torch
import dycl
from dycl.driver.models import lower

class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = torch.nn.Conv2d(3, 4, 3)
        self.norm = torch.nn.BatchNorm2d(4)
        self.last = torch.nn.Linear(4, 2)
        self.more = torch.nn.ModuleList([torch.nn.Conv2d(4, 4, 1) for _ in range(2)])
        self.parts, self.wide = torch.nn.Linear(6, 12), torch.nn.Linear(4, 1 << 19)

    def forward(self, x):
        x = torch.relu(self.norm(self.conv(x)))
        if x.mean() > 0.5:
            x += 1
        for at, (each, given) in enumerate(zip(self.more, [x, x + 1])):
            x = x + each(given) * at
        tokens = self.parts(x.mean(1)).unflatten(2, (3, 2, 2))
        q, k, v = tokens.permute(2, 0, 3, 1, 4).unbind(0)
        y = torch.nn.functional.scaled_dot_product_attention(q, k, v)
        y = self.wide(y.transpose(1, 2).flatten(2).mean(1)).mean()
        return self.last(x.mean((2, 3)) + y).softmax(-1)

options = dycl.CompileOptions(cache=False)
lower(Net().eval(), (torch.randn(1, 3, 8, 8),), "host", options)
print([name for name in ("torch._dynamo", "sympy") if name in sys.modules])
"""


def test_a_small_network_imports_none_of_the_compilers_of_torch(tmp_path: Path) -> None:
    file = tmp_path / "net.py"
    file.write_text(NET)
    done = subprocess.run(
        [sys.executable, str(file)], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"


def test_threads_are_as_they_were() -> None:
    import torch

    before = torch.get_num_threads()
    assert small_outcome("torch.relu", [X]) is not None
    assert small_outcome("torch.nonzero", [X]) is None
    assert torch.get_num_threads() == before
