"""With `verify`, a program is verified again when a pass has changed it."""

import pytest
import torch
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, UnknownLoc, i64
from xdsl.transforms.canonicalize import CanonicalizePass
from xdsl.utils.exceptions import VerifyException

import dycl
from dycl.diag import InternalError
from dycl.driver.compilation import Compilation, Silent, see_nothing
from dycl.ir.placing_parser import parse_text
from dycl.ir.walking import walk
from dycl.options import CompileOptions
from dycl.passes.inline_calls import InlineCallsPass
from dycl.tools.same import new_context

PROGRAM = """
func.func @forward() -> i64 {
  %one = dycl.constant 1 : i64 -> i64
  %two = dycl.constant 2 : i64 -> i64
  %y = dycl.binary add %one, %two : (i64, i64) -> i64
  dycl.return %y : (i64) -> ()
}
"""


def ops(module):
    return list(next(iter(module.ops)).body.block.ops)


def swap(module):
    one, two, *_ = ops(module)
    one.detach()
    two.parent.insert_op_after(one, two)


def note(module):
    ops(module)[0].attributes["n"] = IntegerAttr(1, i64)


def use_other(module):
    one, _, add, _ = ops(module)
    add.operands[1] = one.result


@pytest.fixture
def after(monkeypatch):
    """What checks a module behind a pass; and the modules that were verified."""
    run = Compilation(CompileOptions(verify=True), Silent(), see_nothing)
    verified = []
    verify = ModuleOp.verify

    def noted(module, *args, **kwargs):
        verified.append(module)
        verify(module, *args, **kwargs)

    monkeypatch.setattr(ModuleOp, "verify", noted)
    return lambda module: run._after(CanonicalizePass(), module, None), verified


@pytest.mark.parametrize("change", [swap, note, use_other])
def test_what_changes_is_verified(after, change):
    check, verified = after
    module = parse_text(new_context(), PROGRAM, "net.py")
    check(module)
    check(module)
    assert len(verified) == 1
    change(module)
    check(module)
    check(module)
    assert len(verified) == 2
    check(module.clone())
    assert len(verified) == 3


def test_what_is_broken_is_found(after):
    check, _ = after
    module = parse_text(new_context(), PROGRAM, "net.py")
    check(module)
    _, _, add, end = ops(module)
    add.detach()
    end.parent.insert_op_before(add, ops(module)[0])
    for _ in range(2):  # what failed is not taken for verified
        with pytest.raises(VerifyException, match="used before its definition"):
            check(module)


def test_a_lost_place_is_found(after):
    check, _ = after
    module = parse_text(new_context(), PROGRAM, "net.py")
    check(module)
    ops(module)[2].location = UnknownLoc()
    with pytest.raises(VerifyException, match="canonicalize lost the location"):
        check(module)


def largest(x):
    y = x * 2
    return y.exp() if y.sum() > 0 else y


def inlined(monkeypatch, verify, and_then=lambda module: None):
    """How often calls were inlined while `largest` was compiled; what each run left is
    given to `and_then`."""
    runs = []
    apply = InlineCallsPass.apply

    def noted(self, ctx, op):
        runs.append(op)
        apply(self, ctx, op)
        and_then(op)

    with monkeypatch.context() as patch:
        patch.setattr(InlineCallsPass, "apply", noted)
        dycl.compile(largest, (torch.ones(3),), cache=False, verify=verify)
    return len(runs)


def test_what_is_verified_is_normalised_once(monkeypatch):
    assert inlined(monkeypatch, verify=True) == inlined(monkeypatch, verify=False)


def test_what_is_normalised_once_is_verified(monkeypatch, tmp_path):
    def lose_location(module):
        for op in [o for o in walk(module) if o.name == "dycl.if"]:
            op.location = UnknownLoc()

    monkeypatch.chdir(tmp_path)
    with pytest.raises(InternalError, match="lost the location of 'dycl.if'"):
        inlined(monkeypatch, True, lose_location)
