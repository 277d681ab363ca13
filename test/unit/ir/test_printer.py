"""The fast printer prints what xDSL's does, character by character."""

from io import StringIO

import pytest
from xdsl.context import Context
from xdsl.dialects import test
from xdsl.dialects.builtin import (
    CallSiteLoc,
    FileLineColLoc,
    IntAttr,
    ModuleOp,
    StringAttr,
    UnitAttr,
)
from xdsl.parser import Parser
from xdsl.printer import Printer

from dycl.ir.parser import FastParser
from dycl.ir.printer import FastPrinter
from dycl.universe import everything

PROGRAM = r"""
func.func @f(%x: !torch.vtensor<[1,?],f32>, %y: !dycl.value) -> i64 {
  %a = dycl.constant "plain" -> !torch.str
  %b = dycl.constant "a \"quote\", a \\, a \0A, \E2\82\AC" -> !torch.str
  %c = dycl.constant [1 : i64, #dycl.tuple<[2 : i64, 0.5]>]
  %d = torch.aten.relu %x : !torch.vtensor<[1,?],f32> -> !torch.vtensor<[1,?],f32>
  %e = arith.constant 3 : i64
  func.return %e : i64
}
"""


@pytest.mark.parametrize("places", [False, True])
def test_same_text(places: bool) -> None:
    context = Context()
    for name, load in everything().all_dialects.items():
        context.register_dialect(name, load)
    module = Parser(context, PROGRAM, "<test>").parse_module()
    call = FileLineColLoc(StringAttr("net.py"), IntAttr(7), IntAttr(1))
    for op in module.walk():  # one location, alone and inside of another
        op.location = CallSiteLoc(op.location, call) if op.results else call
    texts: list[str] = []
    for printer in (Printer, FastPrinter):
        out = StringIO()
        printer(out, print_debuginfo=places).print_op(module)
        texts.append(out.getvalue())
    assert texts[0] == texts[1]
    assert r"\0A" in texts[1]


@pytest.mark.parametrize(
    "text", ["größe", "名前", 'a "ä"', "ä\n\\", "\u2028ψ", "plain", ""]
)
def test_letters_beyond_ascii_are_read_again(text: str) -> None:
    op = test.TestOp(attributes={"text": StringAttr(text), text or "none": UnitAttr()})
    out = StringIO()
    FastPrinter(out).print_op(ModuleOp([op]))
    context = Context()
    for name, load in everything().all_dialects.items():
        context.register_dialect(name, load)
    module = FastParser(context, out.getvalue()).parse_module()
    (found,) = module.body.ops
    assert found.attributes == op.attributes
    if text == "größe":  # a name: any parser reads it
        assert (
            Parser(context, out.getvalue())
            .parse_module()
            .is_structurally_equivalent(module)
        )
