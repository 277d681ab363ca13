"""`dycl-peel-loops` asks once about a loop, however often the pipeline comes back."""

from pathlib import Path

import pytest
from xdsl.parser import Parser

from dycl.diag import collect_remarks
from dycl.passes import peel_loops
from dycl.passes.peel_loops import PeelLoopsPass
from dycl.tools.same import new_context

pytest.importorskip("torch")

LIT = Path(__file__).parents[2] / "lit" / "passes" / "peel-loops"


def test_a_loop_that_is_skipped_is_not_asked_again(monkeypatch):
    name = "skips-a-type-that-keeps-changing.mlir"
    text = (LIT / name).read_text(encoding="utf-8")
    asked = []

    def infer(module):
        asked.append(module)
        return before(module)

    before = peel_loops.infer
    monkeypatch.setattr(peel_loops, "infer", infer)
    context = new_context()
    modules = [Parser(context, text).parse_module() for _ in range(2)]
    # The same loop at another place: one more op stands in front.
    wider = text.replace("%stack =", "%more = dycl.constant 1 : i64\n  %stack =")
    modules.append(Parser(context, wider).parse_module())
    # Of another type it may be another answer.
    other = text.replace("tensor<[4],f32>", "tensor<[8],f32>")
    counts = []
    for module in [*modules, Parser(context, other).parse_module()]:
        with collect_remarks() as remarks:
            PeelLoopsPass().apply(context, module)
        assert [remark.what for remark in remarks] == ["not peeled"]
        counts.append(len(asked))
    once = counts[0]
    assert once > 1
    assert counts == [once, once + 1, once + 2, 2 * once + 2]
