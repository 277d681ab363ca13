"""The parser of programs from the cache reads what xDSL's reads."""

import math

import pytest
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.parser import Parser
from xdsl.utils.exceptions import ParseError

from dycl.driver.ir_dump import printed
from dycl.ir.parser import FastParser
from dycl.ir.walking import walk
from dycl.universe import everything

PLACES = (
    '"net.py":3:5',
    '"a (b).py":3:5',
    r'"a\22b)\5C":3:5',
    "unknown",
    'callsite("net.py":3:5 at "net.py":9:1)',
    'callsite(callsite("a.py":3:5 at "b.py":9:1) at "c.py":9:1)',
    'fused["net.py":3:5, callsite("net.py":4:5 at "net.py":9:1)]',
    '"name"("net.py":3:5)',
    '"name"',
)
TYPES = (
    "!torch.vtensor<[1,3],f32>",
    "!torch.vtensor<[],i1>",
    "!torch.list<int>",
    "!torch.list<vtensor<[?],f32>>",
    "!dycl.sequence<!torch.vtensor<[?,2],f32>>",
    "!dycl.value",
    "!torch.int",
    "i64",
    "tensor<2x3xf32>",
    "(!torch.vtensor<[1,3],f32>, !dycl.value) -> !torch.vtensor<[1,3],f32>",
)


def context() -> Context:
    found = Context(allow_unregistered=True)
    for name, load in everything().all_dialects.items():
        found.register_dialect(name, load)
    return found


def both(text: str) -> tuple[ModuleOp, ModuleOp]:
    return (
        Parser(context(), text).parse_module(),
        FastParser(context(), text).parse_module(),
    )


@pytest.mark.parametrize("between", ["", " ", "\n// a remark\n"])
def test_places_and_types(between: str) -> None:
    lines: list[str] = []
    for place in PLACES:
        for kind in TYPES:
            one = f'"test.op"() {{a = {kind}}} : () -> () {between}loc({place})'
            lines += [one, one]
    plain, fast = both("\n".join(lines))
    assert printed(fast, locations=True) == printed(plain, locations=True)
    assert fast.is_structurally_equivalent(plain)
    pairs = list(zip(walk(plain), walk(fast), strict=True))
    assert len(pairs) == 1 + 2 * len(PLACES) * len(TYPES)
    assert all(a.location == b.location for a, b in pairs)
    assert all(a.attributes == b.attributes for a, b in pairs)


def test_a_place_with_an_alias_is_that_of_its_module() -> None:
    text = '"test.op"() : () -> () loc(#a)\n#a = loc("net.py":{line}:1)\n'
    context_ = context()
    for line in (3, 4):
        given = text.replace("{line}", str(line))
        lines = given.splitlines()
        module = FastParser(context_, "\n".join(reversed(lines))).parse_module()
        assert f'"net.py":{line}:1' in printed(module, locations=True)


@pytest.mark.parametrize(
    "text",
    [
        '"test.op"() : () -> () loc("net.py":3)',
        '"test.op"() : () -> () loc("net.py":3:x)',
        '"test.op"() {a = !torch.vtensor<[1,x],f32>} : () -> ()',
    ],
)
def test_errors_are_the_same(text: str) -> None:
    said: list[str] = []
    for parser in (Parser, FastParser):
        with pytest.raises(ParseError) as caught:
            parser(context(), text).parse_module()
        said.append(str(caught.value))
    assert said[0] == said[1]


def test_reads_the_bits_of_floats() -> None:
    """MLIR writes infinities and NaN as bits, and so does a program in the cache."""
    text = """
%0 = torch.vtensor.literal(dense<0x7FC00000> : tensor<f32>) : !torch.vtensor<[],f32>
%1 = torch.vtensor.literal(dense<[0xFF800000, 1.5]> : tensor<2xf32>) \
: !torch.vtensor<[2],f32>
"""
    module = FastParser(context(), text).parse_module()
    nan, pair = (op.properties["value"].get_values() for op in module.ops)
    assert math.isnan(nan[0])
    assert list(pair) == [-math.inf, 1.5]
    again = FastParser(context(), printed(module)).parse_module()
    assert printed(again) == printed(module)
