"""Before / After in the head of a pass file, completed to programs that can be run.

A head whose Before ends in `dycl.return` is a program without its frame. `frame` puts
it into the entry function: `%zero`, `%none`, `%len` and the like are what they say, any
other name without a definition is an argument. `T` is the type of a Python value. Types
that a head leaves out are not compared, nor are locations, names, the words of a test,
and where a constant stands.
"""

import re

from xdsl.dialects.builtin import ArrayAttr, FunctionType, StringAttr
from xdsl.ir import SSAValue

from dycl.ir import ConstantOp
from dycl.ir.functions import entry_function
from dycl.ir.placing_parser import parse_text
from dycl.ir.rewriting import retype
from dycl.ir.walking import walk
from dycl.passes import get_all_passes
from dycl.passes.repeat import RepeatPass
from dycl.tools.same import new_context

CONSTANTS = {
    "zero": "0 : i64",
    "one": "1 : i64",
    "two": "2 : i64",
    "three": "3 : i64",
    "none": "#dycl.none",
    "true": "true",
    "false": "false",
    "self": '@""',
} | {
    name.rpartition(".")[2]: f'#dycl.global<"{name}">'
    for name in (
        *("builtins.any", "builtins.getattr", "builtins.len", "builtins.list"),
        *("builtins.print", "builtins.range", "builtins.setattr", "builtins.sum"),
        *("builtins.tuple", "collections.OrderedDict", "contextlib.nullcontext"),
        *("functools.partial", "math.sqrt", "torch.arange", "torch.cat"),
        *("torch.int64", "torch.ones", "torch.relu", "torch.stack", "torch.tensor"),
        "torch.where",
    )
}
"""What a name stands for that a head uses and does not define."""

TYPES = {
    "x": "!torch.vtensor<[3,4],f32>",
    "v": "!torch.vtensor<[],f32>",
    "k": "!torch.int",
    "p": "!torch.bool",
}
"""The types of arguments of these names, where a head is about typed programs."""

FOLDERS = {
    "aggregates": "scalarize-aggregates",
    "builtins": "expand-builtins",
    "calls": "inline-calls",
    "joins": "specialize-joins",
    "selection": "select-elements",
    "state": "lift-state",
    "writes": "follow-writes",
    "expansion": "expand-modules",
}
"""Folder of parts -> the pass that they are parts of."""

TYPED = {
    "expand-modules",
    "expand-number-tensors",
    "follow-writes",
    "infer-shapes",
    "peel-loops",
    "resolve-tries",
    "return-inputs",
    "specialize-joins",
}
"""Passes that need types."""

OBJECTS = 'dycl.object @"" "m.Net" {count = 0 : i64, training = false}\n'

_OUT = '#dycl.record_type<@"class m.Out", "namedtuple", ["loss", "logits"]>'

_NAME = re.compile(r"%\w+")
_OTHERS = re.compile(r"^func\.func .*?^}", re.MULTILINE | re.DOTALL)


def is_program(before):
    """Whether a Before is a whole program, and no sketch of one."""
    last = [line for line in _OTHERS.sub("", before).splitlines() if line.strip()]
    return last[-1].startswith("dycl.return") and ".." not in before


def pass_of(path):
    """The name, without `dycl-`, of the pass that a file is, or is a part of."""
    folder, _, file = path.rpartition("/")
    if path == "calls/records.py":
        return "scalarize-records"
    return FOLDERS[folder] if folder else file.removesuffix(".py").replace("_", "-")


def frame(texts, name):
    """The modules of some texts, with the same arguments for all."""
    bodies = [re.sub(r"\bT\b", "!dycl.value", t).replace("#Out", _OUT) for t in texts]
    free = set().union(*map(_free, bodies))
    arguments = sorted(free - CONSTANTS.keys())
    return [_module(body, arguments, free & CONSTANTS.keys(), name) for body in bodies]


def _free(body):
    """The names that a text uses and defines nowhere: as results or block arguments."""
    body = _OTHERS.sub("", body)
    found = re.findall(r"^ *((?:%\w+(?:, )?)+) = ", body, re.MULTILINE)
    found += re.findall(r"dycl\.for (%\w+)", body)
    found += re.findall(r"\bdo ?\(([^)]*)\)", body)
    for carried in re.findall(r"carry\(([^)]*)\)", body):
        found += re.findall(r"(%\w+) =", carried)
    defined = {name for text in found for name in _NAME.findall(text)}
    return {name[1:] for name in _NAME.findall(body) if name not in defined}


def _module(body, arguments, constants, name):
    others = "\n".join(_OTHERS.findall(body))
    lines = [f"%{n} = dycl.constant {CONSTANTS[n]}" for n in sorted(constants)]
    given = ", ".join(f"%{n}: !dycl.value" for n in arguments)
    text = (
        f"{OBJECTS if 'self' in constants else ''}"
        f"func.func @forward({given}) attributes {{dycl.entry}} {{\n"
        + "\n".join([*lines, _OTHERS.sub("", body)])
        + f"\n}}\n{others}"
    )
    module = parse_text(new_context(), text, "head.mlir")
    entry = entry_function(module)
    for argument, given_name in zip(entry.body.block.args, arguments, strict=True):
        is_typed = name in TYPED or (given_name == "k" and name != "lift-state")
        if is_typed and given_name in TYPES:
            retype(argument, _type(TYPES[given_name]))
    types = [argument.type for argument in entry.body.block.args]
    entry.function_type = FunctionType.from_lists(types, [])
    entry.attributes["dycl.params"] = ArrayAttr(map(StringAttr, arguments))
    module.verify()
    return module


def _type(text):
    source = f"func.func @f(%x: {text}) attributes {{dycl.entry}} {{ dycl.return }}"
    return entry_function(parse_text(new_context(), source, "")).body.block.args[0].type


def run(module, name):
    """Let a pass rewrite a module, typed if it needs that."""
    context = new_context()
    names = ["infer-shapes", name] if name in TYPED else [name]
    for one in names:
        if one == "repeat":
            rounds = ("propagate-constants", "simplify-control", "eliminate-dead-code")
            RepeatPass(tuple(f"dycl-{o}" for o in rounds)).apply(context, module)
        else:
            get_all_passes()[f"dycl-{one}"]()().apply(context, module)


def shape(module, after, name):
    """What is compared: ops, what they use and say; constants by their values.

    Of any pass but the one that does it, dead ops are left out, and of attributes those
    that After does not write down.
    """
    if name != "eliminate-dead-code":
        get_all_passes()["dycl-eliminate-dead-code"]()().apply(new_context(), module)
    unsaid = {"test", "error"} | {"structure"} - set(re.findall(r"\w+", after))
    numbers: dict[SSAValue, object] = {}
    found = []
    entry = entry_function(module)
    for argument in entry.body.block.args:
        numbers[argument] = argument.name_hint
    for op in walk(entry):
        for block in (b for region in op.regions for b in region.blocks):
            for argument in block.args:
                numbers.setdefault(argument, len(found) + argument.index / 100)
        if isinstance(op, ConstantOp):
            numbers[op.result] = str(op.value)
            continue
        if op is entry:
            continue
        said = {**op.properties, **op.attributes}
        said = {k: str(v) for k, v in said.items() if k not in unsaid}
        found.append(
            (op.name, [numbers[v] for v in op.operands], said, len(op.regions))
        )
        for result in op.results:
            numbers[result] = (len(found), result.index)
    return found
