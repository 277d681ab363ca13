"""Scaffold of an op: `python tools/new_op.py clamp x low high`, on numbers; on tensors
`python tools/new_op.py --tensor shrink x by`.

Writes the op's file, its lines in the dialect, a lit test and a unit test on all hosts.
The tests pass as they stand and pin that the op gives its first operand; make
`test_gives` say what the op computes first. An operation of torch, or of
`torch.library`, needs no op: see `@dycl.lowering`. A function that Python has is a row
of `dycl/ir/number_functions.py`.
"""

import keyword
import re
import sys
from dataclasses import dataclass
from pathlib import Path

from xdsl.irdl import IRDLOperation

ROOT = Path(__file__).resolve().parent.parent

_OURS = ("self", "evaluate", "python_text", "spelling", "print_body", "parse_body")

HEAD = '''\
"""`dycl.{name}`: <what it computes, in one line>."""

{imports}


@irdl_op_definition
class {cls}({base}):
    """<The line again, which the reference prints, and what the op raises.>"""

    name = "dycl.{name}"
{fields}
    result = result_def()

    def __init__(
        self,
{parameters}
        result_type: Attribute = VALUE,
    ):
        super().__init__(operands=[{operands}], result_types=[result_type])
'''

NUMBER_IMPORTS = """\
from collections.abc import Sequence
from typing import Any

from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, result_def

from dycl.ir.dialect.scalars import ScalarOp
from dycl.ir.dialect.syntax import VALUE"""

TENSOR_IMPORTS = """\
from typing import Any

from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, result_def

from dycl.ir.dialect.syntax import VALUE
from dycl.ir.dialect.tensors import TensorOp"""

NUMBER_BODY = """
    def evaluate(self, *operands: Any) -> object:
        return operands[0]

    def python_text(self, operands: Sequence[str]) -> str:
        return operands[0]
"""

TENSOR_BODY = """
    def evaluate(self, *operands: Any) -> object:
        return operands[0].clone()
"""

LIT = """\
// RUN: dycl-opt %s | dycl-opt | filecheck %s

// <One sentence: what the op computes.>

// CHECK-LABEL: func.func @f
func.func @f({values}) -> !dycl.value {{
  // CHECK-NEXT: %r = dycl.{name} {uses}
  %r = dycl.{name} {uses}
  dycl.return %r
}}

// CHECK-LABEL: func.func @typed
func.func @typed({typed}) {{
  // CHECK-NEXT: %r = dycl.{name} {uses} : {signature}
  %r = dycl.{name} {uses} : {signature}
  dycl.return
}}
"""

TEST = '''\
"""`dycl.{name}`: the interpreter, host.py and host.c give and raise the same."""

import itertools
import math

import pytest

from dycl.ir.interpreter import Interpreter
from dycl.ir.placing_parser import parse_text
from dycl.tools.same import new_context

NUMBERS = {{
    "i64": [0, 1, -3, 2**53 + 1],
    "f64": [0.0, -0.0, 1.5, -math.inf, math.nan],
}}
OPERANDS = [{quoted}]


def program(kind: str) -> str:
    arguments = ", ".join(f"%{{one}} : {{kind}}" for one in OPERANDS)
    params = ", ".join(f'"{{one}}"' for one in OPERANDS)
    uses = ", ".join(f"%{{one}}" for one in OPERANDS)
    types = ", ".join([kind] * len(OPERANDS))
    return f"""
    host.func @forward({{arguments}}) params [{{params}}] {{{{
      %r = dycl.{name} {{uses}} : ({{types}}) -> {{kind}}
      dycl.return %r : ({{kind}}) -> ()
    }}}}
    """


def outcome(function, *values):
    """What a call gives, exactly, or the words of what it raises."""
    try:
        return repr(function(*values))
    except (ArithmeticError, ValueError) as error:
        return f"{{type(error).__name__}}: {{error}}"


@pytest.mark.parametrize("kind", NUMBERS)
def test_same_everywhere(loaded, loaded_native, kind):
    text = program(kind)
    interpreter = Interpreter(parse_text(new_context(), text, "net.py"), {{}})
    python, native = loaded(text), loaded_native(text)
    for values in itertools.product(NUMBERS[kind], repeat=len(OPERANDS)):
        wanted = outcome(lambda *given: interpreter.run(given).value, *values)
        assert outcome(python, *values) == wanted, values
        assert outcome(native, *values) == wanted, values


def test_gives(loaded):
    net = loaded(program("i64"))
    assert net({sample}) == 1
'''

TENSOR_TEST = '''\
"""`dycl.{name}`: the interpreter and both hosts give the same on both ways."""

import pytest
import torch

from dycl.driver.texts import compile_text
from dycl.ir.interpreter import Interpreter
from dycl.ir.placing_parser import parse_text
from dycl.tools.same import new_context

OPERANDS = [{quoted}]
TENSOR = "!torch.vtensor<[2,3],f32>"


def program() -> str:
    """It decides on what the op gives, then computes it again, or changes its sign."""
    arguments = ", ".join(f"%{{one}}: {{TENSOR}}" for one in OPERANDS)
    params = ", ".join(f'"{{one}}"' for one in OPERANDS)
    uses = ", ".join(f"%{{one}}" for one in OPERANDS)
    first = ", ".join([TENSOR] * len(OPERANDS))
    again = ", ".join(["%r", *[f"%{{one}}" for one in OPERANDS[1:]]])
    second = ", ".join(["!dycl.value", *[TENSOR] * (len(OPERANDS) - 1)])
    return f"""
    func.func @forward({{arguments}})
        attributes {{{{dycl.entry, dycl.params = [{{params}}]}}}} {{{{
      %r = dycl.{name} {{uses}} : ({{first}}) -> !dycl.value
      %sum = dycl.invoke %r "sum"()
      %zero = dycl.constant 0.0 : f64
      %above = dycl.compare gt %sum, %zero
      %is_above = dycl.to_bool %above
      %y = dycl.if %is_above -> (!dycl.value) {{{{
        %twice = dycl.{name} {{again}} : ({{second}}) -> !dycl.value
        dycl.yield %twice
      }}}} else {{{{
        %less = dycl.invoke %r "neg"()
        dycl.yield %less
      }}}}
      dycl.return %y
    }}}}
    """


@pytest.fixture(scope="module", params=["native", "python"])
def net(request):
    return compile_text(program(), {{}}, host=request.param)


def test_same_everywhere(net):
    interpreter = Interpreter(parse_text(new_context(), program(), "net.py"), {{}})
    generator = torch.Generator().manual_seed(0)
    taken = set()
    for shift in range(-4, 5):
        given = [torch.randn(2, 3, generator=generator) for _ in OPERANDS]
        given[0] += shift
        torch.testing.assert_close(net(*given), interpreter.run(given).value)
        taken |= {{decision.taken for decision in net.path}}
    assert taken == {{True, False}}


def test_gives(net):
    given = [torch.full((2, 3), float(n)) for n in range(1, len(OPERANDS) + 1)]
    torch.testing.assert_close(net(*given), torch.full((2, 3), 1.0))
'''

STEPS = """\
next:
  {op}: what it says in <>, {write};
      `traits = traits_def(Pure())` if it never raises
  {dialect}: one line of the grammar
  {lit}: what it says in <>
  {test}: what `test_gives` asserts
  who makes the op, a pass or the frontend; CHANGELOG.md
  if it must be fast: {fast}
docs/explanation/new-op.md says why each"""


@dataclass(frozen=True)
class Kind:
    """What ops on numbers, and ops on tensors, differ in."""

    base: str
    imports: str
    body: str
    type: str
    """Of the operands in the lit test."""
    test: str
    folder: str
    """Of the unit test."""
    write: str
    fast: str


NUMBER = Kind(
    "ScalarOp",
    NUMBER_IMPORTS,
    NUMBER_BODY,
    "!torch.float",
    TEST,
    "host",
    "`evaluate` and `python_text`, which must agree",
    "a `case` in dycl/host/native/scalars.py; until then C asks Python",
)
TENSOR = Kind(
    "TensorOp",
    TENSOR_IMPORTS,
    TENSOR_BODY,
    "!torch.vtensor<[2,3],f32>",
    TENSOR_TEST,
    "texts",
    "and `evaluate`, by torch's operations",
    "a step of the kernels that finds what it is made of (CONTRIBUTING.md)",
)


def main(args: list[str], root: Path = ROOT) -> int:
    """Make the files of one op below `root`. The exit status: 2 on a wrong name."""
    kind = TENSOR if args[:1] == ["--tensor"] else NUMBER
    name, *operands = args[kind is TENSOR :] or [""]
    if (why := _wrong(name, operands)) is not None:
        print(why, file=sys.stderr)
        usage = "usage: python tools/new_op.py [--tensor] <verb> <operand>..."
        print(usage, file=sys.stderr)
        return 2
    cls = "".join(word.title() for word in name.split("_")) + "Op"
    folder = root / "dycl" / "ir" / "dialect"
    table = folder / "__init__.py"
    op = folder / f"{name}.py"
    test = root / "test" / "unit" / kind.folder / f"test_{name}.py"
    given = {"name": name, "cls": cls, **_texts(operands, kind)}
    lit = root / "test" / "lit" / "ir" / "dycl" / f"{name}.mlir"
    files = {
        op: (HEAD + kind.body).format(**given),
        lit: LIT.format(**given),
        test: kind.test.format(**given),
    }
    text = table.read_text(encoding="utf-8")
    if f'    "{cls}",\n' in text:
        print(f"there is a {cls} already", file=sys.stderr)
        return 2
    if taken := [path for path in files if path.exists()]:
        print(f"{taken[0]} exists already", file=sys.stderr)
        return 2
    for path, content in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8")
        print(path.relative_to(root))
    table.write_text(add_op(text, name, cls), encoding="utf-8")
    print(f"{table.relative_to(root)} (three lines)")
    places = {"op": op, "dialect": table, "lit": lit, "test": test}
    said = {key: path.relative_to(root) for key, path in places.items()}
    print(STEPS.format(write=kind.write, fast=kind.fast, **said))
    return 0


def _wrong(name: str, operands: list[str]) -> str | None:
    """Why an op cannot be called so, or have these operands; None: it can."""
    if not re.fullmatch(r"[a-z]+(_[a-z]+)*", name) or keyword.iskeyword(name):
        return f"{name or 'nothing'} is no name of an op: leave the dycl. off"
    if not operands:
        return "an op that computes has operands"
    if len(set(operands)) < len(operands):
        return "two operands have one name"
    for one in operands:
        is_word = re.fullmatch(r"[a-z][a-z0-9_]*", one) and not keyword.iskeyword(one)
        taken = ("name", "result", "result_type", *_OURS)
        if not is_word or one in taken or hasattr(IRDLOperation, one):
            return f"an operand cannot be called {one}"
    return None


def _texts(operands: list[str], kind: Kind) -> dict[str, str]:
    """The lists of operands in the templates, and what the kind of op says."""
    types = [kind.type] * len(operands)
    return {
        "base": kind.base,
        "imports": kind.imports,
        "fields": "\n".join(f"    {one} = operand_def()" for one in operands),
        "parameters": "\n".join(f"        {one}: SSAValue," for one in operands),
        "operands": ", ".join(operands),
        "quoted": ", ".join(f'"{one}"' for one in operands),
        "values": ", ".join(f"%{one}: !dycl.value" for one in operands),
        "typed": ", ".join(f"%{one}: {kind.type}" for one in operands),
        "uses": ", ".join(f"%{one}" for one in operands),
        "signature": f"({', '.join(types)}) -> {kind.type}",
        "sample": ", ".join(str(n) for n in range(1, len(operands) + 1)),
    }


def add_op(text: str, name: str, cls: str) -> str:
    """The dialect's file with one more op: import, table and export, in order."""
    imports = re.findall(r"^from dycl\.ir\.dialect\.\w+ import ", text, re.MULTILINE)
    line = f"from dycl.ir.dialect.{name} import {cls}\n"
    text = _insert(text, line, imports)
    start = text.index("    [\n", text.index("Dialect(\n")) + len("    [\n")
    end = text.index("    ],\n", start)
    head, table, rest = text[:start], text[start:end], text[end:]
    table = _insert(table, f"        {cls},\n", table.splitlines(keepends=True))
    start = rest.index("__all__")
    names = re.findall(r'^    "\w+",\n', rest[start:], re.MULTILINE)
    exports = _insert(rest[start:], f'    "{cls}",\n', names)
    return head + table + rest[:start] + exports


def _insert(text: str, line: str, lines: list[str]) -> str:
    """The text with a line before the first of `lines` that comes after it."""
    after = next((one for one in lines if one > line), None)
    if after is None:
        raise ValueError(f"no place for {line!r}")
    return text.replace(after, line + after, 1)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
