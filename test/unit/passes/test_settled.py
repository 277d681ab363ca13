"""A pass with nothing to do touches nothing, so facts hold for the next pass."""

import pytest
from xdsl.dialects.builtin import ModuleOp

from dycl.analysis.manager import PassContext, same, state
from dycl.ir.parser import FastParser
from dycl.passes import get_all_passes
from dycl.passes.repeat import RepeatPass
from dycl.pipelines import NORMALISE_ROUND, Pipeline
from dycl.tools.same import new_context

PROGRAM = """
func.func @forward(%x: !torch.vtensor<[4,6],f32>) attributes {dycl.entry} {
  %shape = dycl.constant #dycl.tuple<[2 : i64, 12 : i64]>
  %n = dycl.constant 3 : i64
  %m = dycl.constant 8 : i64
  %zeros = dycl.constant #dycl.global<"torch.zeros">
  %a = dycl.invoke %x "reshape"(%shape)
    : (!torch.vtensor<[4,6],f32>, !dycl.value) -> !dycl.value
  %b = dycl.invoke %a "view"(%n, %m)
  %z = dycl.call %zeros(%n, %m)
  %s = dycl.invoke %b "sum"()
  %p = dycl.compare gt %s, %n
  %t = dycl.to_bool %p
  %r = dycl.if %t -> (!dycl.value) {
    %c = dycl.binary add %b, %z
    dycl.yield %c
  } else {
    dycl.yield %b
  }
  dycl.return %r
}
"""
ROUND = sorted({entry.what for entry in NORMALISE_ROUND})


@pytest.fixture(scope="module")
def settled() -> ModuleOp:
    module = FastParser(new_context(), PROGRAM).parse_module()
    passes = Pipeline.parse("normalise").expanded().load(get_all_passes())
    next(p for p in passes if isinstance(p, RepeatPass)).apply(PassContext(), module)
    return module


@pytest.mark.parametrize("name", ROUND)
def test_leaves_a_settled_program_as_it_is(name: str, settled: ModuleOp) -> None:
    before = state(settled)
    get_all_passes()[name]()().apply(PassContext(), settled)
    assert same(before, state(settled))
