"""Backends with patterns and tables of their own divide the ops of a kernel."""

from dataclasses import dataclass, field

import pytest

from dycl.analysis.manager import PassContext
from dycl.diag import collect_remarks
from dycl.ir.claims import COMPOSITE, Pattern, kernels_of
from dycl.ir.functions import BACKEND
from dycl.ir.placing_parser import parse_text
from dycl.passes.annotate_backends import AnnotateBackendsPass
from dycl.tools import same


@dataclass
class Claimant:
    """A backend, as far as it is asked about ops."""

    table: str
    PATTERNS: tuple[Pattern, ...] = ()
    asked: list[str] = field(default_factory=list)

    def cannot_take(self, op):
        self.asked.append(op.name)
        name = op.name.removeprefix("torch.aten.")
        return None if name in self.table.split() else f"it has no {name}"


def pattern(name, ops, why_not=lambda ops: None):
    return Pattern(name, tuple(f"torch.aten.{op}" for op in ops.split()), why_not)


def annotated(ops, **claimants):
    """`backend` or `backend/composite` of each op, by its result, and the remarks."""
    lines, types = [], "!torch.vtensor<[2],f32>"
    for line in ops.splitlines():
        count = line.count("%") - 1
        lines.append(f"{line} : {', '.join([types] * count)} -> {types}")
    result = ops.splitlines()[-1].split()[0]
    text = (
        f"func.func @k(%x: {types}) -> {types} attributes {{dycl.kernel}} {{\n"
        + "\n".join(lines)
        + f"\nfunc.return {result} : {types}\n}}"
    )
    context = same.new_context()
    assert isinstance(context, PassContext)
    context.claims = claimants.__getitem__
    module = parse_text(context, text, "k.mlir")
    with collect_remarks() as remarks:
        AnnotateBackendsPass(tuple(claimants)).apply(context, module)
    found = []
    for op in kernels_of(module)[0].body.block.ops:
        if BACKEND in op.attributes:
            mark = op.attributes.get(COMPOSITE)
            more = "" if mark is None else f"/{mark.data}"
            name = op.results[0].name_hint
            found.append(f"{name}={op.attributes[BACKEND].data}{more}")
    return " ".join(found), [f"{r.what}: {r.why}" for r in remarks]


CHAIN = """\
%a = torch.aten.exp %x
%b = torch.aten.relu %a
%c = torch.aten.sinh %b
%d = torch.aten.relu %c"""


def test_the_first_backend_that_can_take_an_op_does() -> None:
    found, remarks = annotated(CHAIN, one=Claimant("relu"), two=Claimant("relu exp"))
    assert found == "a=two b=one c=cpu d=one"
    assert remarks == ["not for one: it has no sinh", "not for two: it has no sinh"]


def test_a_pattern_takes_ops_that_are_not_taken_alone() -> None:
    one = Claimant("", (pattern("exp_relu", "exp relu"),))
    found, remarks = annotated(CHAIN, one=one)
    assert found == "a=one/exp_relu:0 b=one/exp_relu:0 c=cpu d=cpu"
    assert remarks == ["not for one: it has no sinh", "not for one: it has no relu"]
    assert one.asked == ["torch.aten.sinh", "torch.aten.relu"]


def test_the_first_pattern_is_the_one_that_is_taken() -> None:
    long, short = pattern("long", "exp relu sinh relu"), pattern("short", "sinh relu")
    assert annotated(CHAIN, one=Claimant("", (long, short)))[0] == (
        "a=one/long:0 b=one/long:0 c=one/long:0 d=one/long:0"
    )
    assert annotated(CHAIN, one=Claimant("exp", (short, long)))[0] == (
        "a=one b=cpu c=one/short:0 d=one/short:0"
    )


TWICE = """\
%a = torch.aten.exp %x
%b = torch.aten.relu %a
%c = torch.aten.exp %b
%d = torch.aten.relu %c"""


def test_a_pattern_that_fits_twice_has_two_numbers() -> None:
    one = Claimant("", (pattern("p", "exp relu"),))
    assert annotated(TWICE, one=one)[0] == "a=one/p:0 b=one/p:0 c=one/p:1 d=one/p:1"


@pytest.mark.parametrize(
    "ops",
    [
        CHAIN + "\n%e = torch.aten.mul.Tensor %d, %a",  # %a has another user
        "%a = torch.aten.relu %x\n%b = torch.aten.exp %a",  # in another order
        "%b = torch.aten.relu %x",  # the first op is missing
    ],
)
def test_a_pattern_that_does_not_fit_takes_nothing(ops: str) -> None:
    one = Claimant("mul.Tensor", (pattern("p", "exp relu"),))
    assert "/" not in annotated(ops, one=one)[0]


def test_a_backend_may_refuse_what_its_pattern_fits() -> None:
    def why_not(ops):
        assert [op.name for op in ops] == ["torch.aten.exp", "torch.aten.relu"]
        return "it is Tuesday"

    one = Claimant("relu", (pattern("p", "exp relu", why_not),))
    assert annotated(CHAIN, one=one)[0] == "a=cpu b=one c=cpu d=one"
