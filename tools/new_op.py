"""Scaffold of an op: `python tools/new_op.py clamp x low high`, on numbers; on tensors
`python tools/new_op.py --tensor shrink x by --attr slope:float --attr dims:ints`.

Writes the op's file, its lines in the dialect, a lit test and a unit test on all hosts.
The tests pass as they stand and pin that the op gives its first operand; make
`test_gives` say what the op computes first. An operation of torch, or of
`torch.library`, needs no op: see `@dycl.lowering`. A function that Python has is a row
of `dycl/ir/number_functions.py`.
"""

import keyword
import re
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from xdsl.irdl import IRDLOperation

ROOT = Path(__file__).resolve().parent.parent

_OURS = ("self", "evaluate", "python_text", "spelling", "print_body", "parse_body")


def _text(name: str) -> str:
    """A template; braces in it are those of `str.format`."""
    folder = Path(__file__).resolve().parent / "new_op_texts"
    return (folder / f"{name}.txt").read_text(encoding="utf-8")


NUMBER_IMPORTS = """\
from collections.abc import Sequence
from typing import Any

from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, result_def

from dycl.ir.dialect.scalars import ScalarOp
from dycl.ir.dialect.syntax import VALUE"""

TENSOR_IMPORTS = """\
from typing import Any
{builtin}
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import {irdl}

from dycl.ir.dialect.syntax import VALUE
from dycl.ir.dialect.tensors import TensorOp{to_attr}"""

NUMBER_BODY = """
    def evaluate(self, *operands: Any) -> object:
        return operands[0]

    def python_text(self, operands: Sequence[str]) -> str:
        return operands[0]
"""

TENSOR_BODY = """
    def evaluate(self, *operands: Any) -> object:
{read}        return operands[0].clone()
"""

STEPS = """\
next:
  {op}: what it says in <>, {write};
      `traits = traits_def(Pure())` if it never raises
  {dialect}: one line of the grammar
  {lit}: what it says in <>
  {test}: what `test_gives` asserts{eager}
  {makes}; CHANGELOG.md
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
    eager: str = ""
    makes: str = "who makes the op, a pass or the frontend"


@dataclass(frozen=True)
class Sort:
    """A sort of attribute: how `--attr name:sort` is written at each place."""

    python: str
    attribute: str
    schema: str
    """In the declaration of the operator."""
    sample: str
    """In Python."""
    text: str
    """The same in the IR."""


SORTS = {
    "int": Sort("int", "IntegerAttr", "int", "2", "2 : i64"),
    "float": Sort("float", "FloatAttr", "float", "0.5", "5.000000e-01 : f64"),
    "str": Sort("str", "StringAttr", "str", '"mean"', '"mean"'),
    "ints": Sort(
        "list[int]", "ArrayAttr[IntegerAttr]", "int[]", "[0, 1]", "[0 : i64, 1 : i64]"
    ),
}


NUMBER = Kind(
    "ScalarOp",
    NUMBER_IMPORTS,
    NUMBER_BODY,
    "!torch.float",
    "test_number",
    "host",
    "`evaluate` and `python_text`, which must agree",
    "a `case` in dycl/host/native/scalars.py; until then C asks Python",
)
TENSOR = Kind(
    "TensorOp",
    TENSOR_IMPORTS,
    TENSOR_BODY,
    "!torch.vtensor<[2,3],f32>",
    "test_tensor",
    "texts",
    "and `evaluate`, by torch's operations",
    "its `kernel`, which gives MLIR for operands of these shapes",
    ", and what eager gives",
    "a model calls torch.ops.dycl.<verb>, which you register with torch.library",
)


def main(args: list[str], root: Path = ROOT) -> int:
    """Make the files of one op below `root`. The exit status: 2 on a wrong name."""
    kind = TENSOR if args[:1] == ["--tensor"] else NUMBER
    words = args[kind is TENSOR :] or [""]
    end = words.index("--attr") if "--attr" in words else len(words)
    name, *operands = words[:end] or [""]
    attributes = _attributes(words[end:]) if kind is TENSOR else None
    if kind is NUMBER and end == len(words):
        attributes = {}
    if attributes is None:
        why = "attributes of an op on tensors are written --attr name:sort, a sort of "
        why = f"{why}{', '.join(SORTS)}"
    else:
        why = _wrong(name, operands, list(attributes))
    if why is not None or attributes is None:
        print(why, file=sys.stderr)
        usage = "[--tensor] <verb> <operand>... [--attr <name>:<sort>]..."
        print(f"usage: python tools/new_op.py {usage}", file=sys.stderr)
        return 2
    cls = "".join(word.title() for word in name.split("_")) + "Op"
    folder = root / "dycl" / "ir" / "dialect"
    table = folder / "__init__.py"
    op = folder / f"{name}.py"
    test = root / "test" / "unit" / kind.folder / f"test_{name}.py"
    given = {"name": name, "cls": cls, **_texts(operands, attributes, kind)}
    given["imports"] = given["imports"].format(**given)
    lit = root / "test" / "lit" / "ir" / "dycl" / f"{name}.mlir"
    files = {
        op: (_text("op") + kind.body).format(**given),
        lit: _text("lit").format(**given),
        test: _text(kind.test).format(**given),
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
    texts = {key: getattr(kind, key) for key in ("write", "fast", "eager", "makes")}
    print(STEPS.format(**texts, **said))
    return 0


def _attributes(words: list[str]) -> dict[str, Sort] | None:
    """`--attr name:sort`, any number of times; None: something else."""
    found: dict[str, Sort] = {}
    for flag, word in zip(words[::2], words[1::2], strict=False):
        name, _, sort = word.partition(":")
        if flag != "--attr" or sort not in SORTS or name in found:
            return None
        found[name] = SORTS[sort]
    return found if len(words) == 2 * len(found) else None


def _wrong(name: str, operands: list[str], attributes: list[str]) -> str | None:
    """Why an op cannot be called so, or have these operands; None: it can."""
    if not re.fullmatch(r"[a-z]+(_[a-z]+)*", name) or keyword.iskeyword(name):
        return f"{name or 'nothing'} is no name of an op: leave the dycl. off"
    if not operands:
        return "an op that computes has operands"
    names = [*operands, *attributes]
    if len(set(names)) < len(names):
        return "two operands or attributes have one name"
    for one in names:
        is_word = re.fullmatch(r"[a-z][a-z0-9_]*", one) and not keyword.iskeyword(one)
        taken = ("name", "result", "result_type", *_OURS)
        if not is_word or one in taken or hasattr(IRDLOperation, one):
            return f"an operand cannot be called {one}"
    return None


def _texts(
    operands: list[str], attributes: dict[str, Sort], kind: Kind
) -> dict[str, str]:
    """The lists of operands in the templates, and what the kind of op says."""
    types = [kind.type] * len(operands)
    sorts = attributes.items()
    samples = [f", {sort.sample}" for sort in attributes.values()]
    braced = ", ".join(f"{one} = {sort.text}" for one, sort in sorts)
    braced = f" <{{{braced}}}>" if braced else ""
    uses = ", ".join(f"%{one}" for one in operands)
    fields = [f"    {one} = operand_def()" for one in operands]
    fields += [f"    {one} = prop_def({sort.attribute})" for one, sort in sorts]
    parameters = [f"        {one}: SSAValue," for one in operands]
    parameters += [f"        {one}: {sort.python}," for one, sort in sorts]
    schema = [f"Tensor {one}" for one in operands]
    schema += [f"{sort.schema} {one}" for one, sort in sorts]
    again = ", ".join(["y", *operands[1:]])
    return {
        "base": kind.base,
        "imports": kind.imports,
        "body": kind.body,
        "fields": "\n".join(fields),
        "parameters": "\n".join(parameters),
        "quoted": ", ".join(f'"{one}"' for one in operands),
        "values": ", ".join(f"%{one}: !dycl.value" for one in operands),
        "typed": ", ".join(f"%{one}: {kind.type}" for one in operands),
        "uses": uses + (braced if kind is TENSOR else ""),
        "signature": f"({', '.join(types)}) -> {kind.type}",
        "sample": ", ".join(str(n) for n in range(1, len(operands) + 1)),
        "made": _made(operands, list(attributes)),
        "schema": _listed(schema),
        "arguments": ", ".join([*operands, *attributes]),
        "first": operands[0],
        "names": ", ".join(operands),
        "given": ", ".join(operands) + "".join(samples),
        "given_again": again + "".join(samples),
        "attributes": _listed(f"{one} = {sort.text}" for one, sort in sorts),
        **_import_texts(attributes),
    }


def _listed(texts: Iterable[str]) -> str:
    """A list in Python, on lines of its own if there is anything."""
    rows = "".join(
        f"    '{text}',\n" if '"' in text else f'    "{text}",\n' for text in texts
    )
    return f"[\n{rows}]" if rows else "list[str]()"


def _made(operands: list[str], attributes: list[str]) -> str:
    """What the op's constructor passes on."""
    listed = f"operands=[{', '.join(operands)}], result_types=[result_type]"
    if not attributes:
        return listed
    entries = "".join(f'                "{a}": to_attr({a}),\n' for a in attributes)
    rows = listed.replace("], ", "],\n            ")
    return (
        f"\n            {rows},\n            properties={{\n{entries}            }},\n"
        "        "
    )


def _import_texts(attributes: dict[str, Sort]) -> dict[str, str]:
    """What the file of an op imports for its attributes, and how it reads them."""
    words = {w for a in attributes.values() for w in re.findall(r"\w+", a.attribute)}
    builtin = f"\nfrom xdsl.dialects.builtin import {', '.join(sorted(words))}"
    names = ["irdl_op_definition", "operand_def", "result_def"]
    if attributes:
        names.insert(2, "prop_def")
    read = [
        f'        # self.given("{one}") is a {sort.python}\n'
        for one, sort in attributes.items()
    ]
    return {
        "irdl": ", ".join(names),
        "builtin": builtin if attributes else "",
        "to_attr": "\nfrom dycl.ir.values import to_attr" if attributes else "",
        "read": "".join(read),
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
