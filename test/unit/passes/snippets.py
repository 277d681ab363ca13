"""Before / After in the head of a pass file, completed to programs that can be run.

`frame` puts a text into the entry function: `%zero`, `%none`, `%len` and the like are
what they say, any other name without a definition is an argument. `T` is the type of a
Python value. Types that a head leaves out are not compared, nor are locations, names,
the words of a test, and where a constant stands. Functions beside the entry function
are compared with those that After writes down; heads about tensors and buffers get
their types by `snippet_types`.
"""

import re
from functools import partial

import snippet_types
from snippet_ops import new_context
from xdsl.dialects.builtin import ArrayAttr, FunctionType, StringAttr
from xdsl.dialects.func import FuncOp
from xdsl.ir import SSAValue

from dycl.ir import ConstantOp, SequenceType
from dycl.ir.datatypes import Datatype, Field, NodeType, datatypes_attr
from dycl.ir.dtypes import element_type
from dycl.ir.functions import entry_function
from dycl.ir.input_sizes import SIZES, InputSize, sizes_attr
from dycl.ir.placing_parser import parse_text
from dycl.ir.rewriting import retype
from dycl.ir.torch import IntT, OptionalType, VTensorType
from dycl.ir.walking import walk
from dycl.passes import get_all_passes
from dycl.passes.repeat import RepeatPass

CONSTANTS = {
    "zero": "0 : i64",
    "one": "1 : i64",
    "two": "2 : i64",
    "three": "3 : i64",
    "half": "0.5 : f64",
    "none": "#dycl.none",
    "true": "true",
    "false": "false",
    "self": '@""',
    "conv": '@"conv"',
    "hooked": '@"hooked"',
    "gate": '@"gate"',
    "net": '@"net"',
    "seq": '@"seq"',
    "int0": "0 : i64",
    "int1": "1 : i64",
    "buffer": '#dycl.param<"mean", [3 : i64, 4 : i64], f32>',
    "registry": '@"registry"',
    "norm": '@"norm"',
    "wave": '@"wave"',
    "wave_real": '#dycl.param<"wave.real", [3 : i64], f32>',
    "wave_imag": '#dycl.param<"wave.imag", [3 : i64], f32>',
    "Out": '@"class m.Out"',
    "Level": '@"class m.Level"',
    "high": '@"m.Level.HIGH"',
    "cell": '@"made Cell"',
    "State": '@"class m.State"',
    "state": '@"made State"',
    "log": '#dycl.logger<"m">',
    "deep": "#dycl.function<@deep>",
    "gen": "#dycl.function<@gen>",
    "bias": '"bias"',
    "kinds": '#dycl.set<"set", ["a", "b"]>',
    "key": '"a"',
    "ADD": '@"m.Op.ADD"',
    "MUL": '@"m.Op.MUL"',
    "percent": '"%d"',
    "braces": '"{:d}"',
    "logits": '"logits"',
    "run": "#dycl.method<@run, @hooked>",
    "hook": "#dycl.function<@hook>",
    "size": "#dycl.function<@size>",
    "add_to": "#dycl.function<@dycl.prelude.tables.add>",
    "getter": "#dycl.function<@dycl.prelude.tables.getter>",
    "has": "#dycl.function<@dycl.prelude.tables.has>",
    "item_of": "#dycl.function<@dycl.prelude.tables.item>",
    "set_size": "#dycl.function<@set_size>",
    "Conv2d.forward": '#dycl.global<"torch.nn.modules.conv.Conv2d.forward">',
} | {
    name.rpartition(".")[2]: f'#dycl.global<"{name}">'
    for name in (
        *("builtins.any", "builtins.enumerate", "builtins.getattr", "builtins.int"),
        *(
            "builtins.hasattr",
            "builtins.id",
            "builtins.len",
            "builtins.list",
            "builtins.set",
        ),
        *("builtins.print", "builtins.range", "builtins.setattr", "builtins.sum"),
        *("builtins.tuple", "collections.OrderedDict", "contextlib.nullcontext"),
        *("functools.partial", "math.sqrt", "torch.arange", "torch.cat"),
        *("torch.int64", "torch.ones", "torch.relu", "torch.stack", "torch.tensor"),
        *(
            "builtins.iter",
            "builtins.next",
            "builtins.reversed",
            "inspect.signature",
            "torch.float32",
            "torch.where",
        ),
        *("torch.chunk", "torch.sigmoid", "builtins.isinstance", "m.Node"),
        "builtins.id",
        "torch.ops.mine.shrink",
        "torch.nn.modules.activation.Softmax",
    )
}
"""What a name stands for that a head uses and does not define."""

TYPES = {
    "x": "!torch.vtensor<[3,4],f32>",
    "v": "!torch.vtensor<[],f32>",
    "k": "!torch.int",
    "p": "!torch.bool",
    "w": "!torch.vtensor<[3,4],f32>",
    "batch": "!torch.vtensor<[?,4],f32>",
    "rows": "!dycl.sequence<!torch.vtensor<[3,4],f32>>",
    "node": '!dycl.node<"m.Node">',
    "tree": '!dycl.node<"builtins.tuple">',
    "op": '!dycl.node<"m.Op">',
    "rank": '!dycl.node<"m.Rank">',
}
"""The types of arguments of these names, where a head is about typed programs."""
_TYPED_NAMES = ("k", "rows", "node", "tree", "op", "rank")
"""Those that have their types in all heads."""

FOLDERS = {
    "dicts": "pair-dicts",
    "aggregates": "scalarize-aggregates",
    "builtins": "expand-builtins",
    "calls": "inline-calls",
    "graph": "form-graph",
    "joins": "specialize-joins",
    "lists": "carry-lists",
    "nodes": "match-nodes",
    "objects": "promote-objects",
    "selection": "select-elements",
    "state": "lift-state",
    "tries": "resolve-tries",
    "writes": "follow-writes",
    "expansion": "expand-modules",
}
"""Folder of parts -> the pass that they are parts of."""

PARTS = {
    "aggregates/known_items.py": "infer-shapes",
    "aggregates/torch_sizes.py": "infer-shapes",
    "aggregates/torch_tuples.py": "infer-shapes",
    "calls/items.py": "keep-recursion",
    "calls/none_results.py": "keep-recursion",
    "calls/mappings.py": "scalarize-records",
    "calls/records.py": "scalarize-records",
    "expansion/number_as_tensor.py": "expand-number-tensors",
}
"""Files that another pass uses than that of their folder."""

OPTIONS = {"nodes/carried.py": {"hand_on": True}}
"""Options of the pass that a file needs."""

ROUNDS = {"state/variants.py": 3}
"""How often a pass runs before it is done, as `dycl-repeat` has it."""

TYPED = {
    "word-tensors",
    "check-typed",
    "expand-modules",
    "expand-number-tensors",
    "follow-writes",
    "infer-shapes",
    "lift-state",
    "peel-loops",
    "resolve-tries",
    "return-inputs",
    "specialize-joins",
}
"""Passes that need types."""

OBJECTS = """
dycl.object @"" "m.Net"
  {count = 0 : i64, h = #dycl.none, pair = #dycl.tuple<[1 : i64, 2 : i64]>,
   mean = #dycl.param<"mean", [3 : i64, 4 : i64], f32>, training = false}
"""

MADE = """
dycl.object @"class m.Cell" "builtins.type" {__mro__ = ["builtins.type"]}
dycl.object @"made Cell" "m.Cell"
  {__made__ = true, n = 0 : i64, size = #dycl.property<@size, @set_size>}
"""
"""An object that the network has made."""

MODEL = """
dycl.object @"conv" "torch.nn.modules.conv.Conv2d"
  {__leaf__ = "torch.nn.modules.conv.Conv2d", training = false}
dycl.object @"seq" "torch.nn.modules.container.Sequential"
  {__mro__ = ["torch.nn.modules.container.Sequential"], __items__ = [@conv, @gate]}
dycl.object @"net" "m.Net"
  {conv = @"conv", gate = @"gate", __iter__ = #dycl.function<@iter>}
dycl.object @"gate" "m.Gate"
  {bias = 1.0 : f64, size = #dycl.property<@size, @set_size>,
   forward = #dycl.function<@run>, __add__ = #dycl.function<@add>,
   __radd__ = #dycl.function<@radd>, __eq__ = #dycl.function<@eq>}
dycl.object @"hooked" "m.Gate"
  {__hooks__ = #dycl.dict<["before", [], "after", [[#dycl.function<@hook>, false]]]>,
   forward = #dycl.function<@run>}
dycl.object @"norm" "m.Norm"
  {__mro__ = ["m.Norm", "torch.nn.modules.module.Module"], mean = #dycl.none,
   _buffers = #dycl.dict<["mean", #dycl.none]>}
dycl.object @"registry" "m.Registry"
  {__mro__ = ["m.Registry", "builtins.dict"], __items__ = #dycl.dict<["a", 1 : i64]>}
dycl.object @"m.Level.HIGH" "m.Level" {name = "HIGH", value = 2 : i64}
dycl.object @"class m.Level" "enum.EnumType"
  {__mro__ = ["enum.EnumType", "builtins.type"], HIGH = @"m.Level.HIGH",
   __items__ = [@"m.Level.HIGH"]}
dycl.object @"class m.Out" "builtins.type"
  {__record__ = #dycl.dict<["kind", "namedtuple", "fields", ["loss", "logits"],
   "keyword_only", [], "defaults", #dycl.dict<["logits", 3 : i64]>,
   "factories", #dycl.dict<[]>, "members", #dycl.dict<[]>, "static", [],
   "classes", ["m.Out"]]>}
dycl.object @"wave" "dycl.prelude.complex_numbers.Complex"
  {real = #dycl.param<"wave.real", [3 : i64], f32>,
   imag = #dycl.param<"wave.imag", [3 : i64], f32>}
dycl.object @"class dycl.prelude.complex_numbers.Complex" "builtins.type" {}
dycl.object @"class m.State" "builtins.type"
  {__makes__ = "instance of m.State",
   __record__ = #dycl.dict<["kind", "dataclass", "fields", ["h"], "keyword_only", [],
   "defaults", #dycl.dict<[]>, "factories", #dycl.dict<[]>, "members", #dycl.dict<[]>,
   "static", [], "classes", ["m.State"], "order", ["h"],
   "object", "instance of m.State"]>}
dycl.object @"instance of m.State" "m.State" {}
"""
"""The model of heads about calls; no function is in the module that a head lacks."""

_OUT = '#dycl.record_type<@"class m.Out", "namedtuple", ["loss", "logits"]>'
_CELL = '#dycl.record_type<@"class m.Cell", "object", ["n"]>'
_ORDERED = '#dycl.record_type<@"class collections.OrderedDict", "call", ["items"]>'
_COMPLEX = (
    '#dycl.record_type<@"class dycl.prelude.complex_numbers.Complex", "dataclass", '
    '["real", "imag"]>'
)
_MAPPING = _OUT.replace("namedtuple", "mapping")

_NAME = re.compile(r"%[\w.]+")
_UNTYPED = re.compile(r"^ *%\w+ = torch\.aten[^:\n]*$", re.MULTILINE)
_OTHERS = re.compile(
    r"^(?:func|host)\.func [^\n]*(?:\{ \.\. \} *$|.*?^\})|^dycl\.object [^\n]*$",
    re.MULTILINE | re.DOTALL,
)


def pass_of(path):
    """The name, without `dycl-`, of the pass that a file is, or is a part of."""
    folder, _, file = path.rpartition("/")
    if path in PARTS:
        return PARTS[path]
    return FOLDERS[folder] if folder else file.removesuffix(".py").replace("_", "-")


def frame(texts, name):
    """The module of each text."""
    if snippet_types.is_completed(name):
        return [_completed(text, texts, name) for text in texts]
    return [_module(_spelled_out(text), name) for text in texts]


def _completed(text, texts, name):
    free = set().union(*map(_free, texts)) - snippet_types.CONSTANTS.keys()
    lines = [line.rstrip() for line in text.splitlines()]
    whole = snippet_types.complete("\n".join(lines), name, sorted(free))
    module = parse_text(new_context(), whole, "head.mlir")
    module.verify()
    return module


def _free(body):
    """The names that a text uses and defines nowhere: as results or block arguments."""
    body = _OTHERS.sub("", body)
    found = re.findall(r"^ *((?:%\w+(?:, )?)+) = ", body, re.MULTILINE)
    found += re.findall(r"dycl\.for (%\w+)", body)
    found += re.findall(r"\bdo ?\(([^)]*)\)", body)
    found += re.findall(r"dycl\.local_function \"\w+\"\((%\w+)", body)
    for carried in re.findall(r"carry\(([^)]*)\)", body):
        found += re.findall(r"(%\w+) =", carried)
    defined = {name for text in found for name in _NAME.findall(text)}
    return {name[1:] for name in _NAME.findall(body) if name not in defined}


def _spelled_out(text):
    text = _UNTYPED.sub(_typed_line, text)
    text = re.sub(r"\bT\b", "!dycl.value", text)
    text = text.replace("#Cell", _CELL)
    text = text.replace("#Ordered", _ORDERED)
    return (
        text.replace("#Out", _OUT)
        .replace("#Mapping", _MAPPING)
        .replace("#Complex", _COMPLEX)
    )


def _typed_line(match):
    operands = _NAME.findall(match[0].partition(" = ")[2])
    return f"{match[0]} : {', '.join('T' for _ in operands)} -> T"


def _module(body, name):
    arguments = sorted(_free(body) - CONSTANTS.keys())
    constants = _free(body) & CONSTANTS.keys()
    others = "\n".join(map(_with_types, _OTHERS.findall(body)))
    lines = [f"%{n} = dycl.constant {CONSTANTS[n]}" for n in sorted(constants)]
    given = ", ".join(f"%{n}: !dycl.value" for n in arguments)
    text = (
        f"{OBJECTS if constants & {'self', 'buffer'} else ''}"
        f"{MADE if 'cell' in constants else ''}"
        f"{MODEL if name == 'inline-calls' else ''}"
        f"{NODES if name == 'match-nodes' else ''}"
        f"func.func @forward({given}) attributes {{dycl.entry}} {{\n"
        + "\n".join([*lines, _OTHERS.sub("", body)])
        + f"\n}}\n{others}"
    )
    module = parse_text(new_context(), text, "head.mlir")
    entry = entry_function(module)
    for argument, given_name in zip(entry.body.block.args, arguments, strict=True):
        is_typed = name in TYPED or given_name in _TYPED_NAMES
        is_typed = is_typed or name == "specialize-sizes"
        if is_typed and given_name in TYPES:
            retype(argument, _type(TYPES[given_name]))
    types = [argument.type for argument in entry.body.block.args]
    entry.function_type = FunctionType.from_lists(types, [])
    entry.attributes["dycl.params"] = ArrayAttr(map(StringAttr, arguments))
    entry.attributes["dycl.unchanging"] = ArrayAttr([StringAttr("training")])
    if name == "match-nodes":
        entry.attributes["dycl.datatypes"] = datatypes_attr([NODE, TREE, ENUM, RANK])
    if name == "specialize-sizes":
        size = InputSize("n", 0, 40, (("batch", 0),), (3,))
        entry.attributes[SIZES] = sizes_attr([size])
    module.verify()
    return module


NODE = Datatype(
    "m.Node",
    ("m.Node", "m.Leaf"),
    (
        Field("left", NodeType(StringAttr("m.Node")), (0,)),
        Field("word", OptionalType(IntT), (0, 1)),
        Field("kids.keys()", SequenceType(IntT), (0,)),
        Field("kids.values()", SequenceType(NodeType(StringAttr("m.Node"))), (0,)),
    ),
)
"""What the nodes are that heads are about."""

_OF_TREE = NodeType(StringAttr("builtins.tuple"))
TREE = Datatype(
    "builtins.tuple",
    ("builtins.tuple", "builtins.dict", "torch.Tensor"),
    (
        Field("items()", SequenceType(_OF_TREE), (0,)),
        Field("['left']", _OF_TREE, (1,)),
        Field("tensor()", VTensorType.of([3, 4], element_type("float32")), (2,)),
    ),
)
"""What tuples are that heads are about."""

ENUM = Datatype("m.Op", ("m.Op.ADD", "m.Op.MUL"), ())
"""The enum whose members are in nodes that heads are about."""
RANK = Datatype("m.Rank", ("m.Rank.LOW", "m.Rank.HIGH"), ())
"""One whose members are numbers, from 1 on."""

_CLASSES = "".join(
    f'dycl.object @"class {name}" "builtins.type" {{size = #dycl.function<@node_size>, '
    "__getitem__ = #dycl.function<@node_item>, "
    f'__node__ = #dycl.dict<["properties", #dycl.dict<[]>, "classes", ["{name}"]]>}}\n'
    for name in NODE.constructors
)
_MEMBERS = "".join(
    f'dycl.object @"{name}" "m.Op" {{name = "{name[-3:]}"}}\n'
    for name in ENUM.constructors
)
_NUMBERS = "".join(
    f'dycl.object @"{name}" "m.Rank" {{__data__ = {number} : i64}}\n'
    for number, name in enumerate(RANK.constructors, 1)
)
NODES = _CLASSES + _MEMBERS + _NUMBERS
"""The classes of these nodes, which have a method, and the members of these enums."""


def _with_types(function):
    """A function whose parameters are written as names, or what else stands there."""
    head = re.match(r"func\.func @[\w.]+\(([^:()]*)\) \{", function)
    if head is None:
        return function
    names = _NAME.findall(head[1])
    written = ", ".join(f"{name}: !dycl.value" for name in names)
    params = ", ".join(f'"{name[1:]}"' for name in names)
    body = function[head.end() :]
    used = dict.fromkeys(name[1:] for name in _NAME.findall(body))
    lines = [f"%{n} = dycl.constant {CONSTANTS[n]}" for n in used if n in CONSTANTS]
    return (
        f"{head[0].partition('(')[0]}({written}) -> !dycl.value "
        f"attributes {{dycl.params = [{params}]}} {{\n" + "\n".join(lines) + body
    )


def _type(text):
    source = f"func.func @f(%x: {text}) attributes {{dycl.entry}} {{ dycl.return }}"
    return entry_function(parse_text(new_context(), source, "")).body.block.args[0].type


def run(module, name, rounds=1, wanted=None, options=None):
    """Let a pass rewrite a module, typed if it needs that.

    Functions that it asks the frontend for come from the module `wanted`.
    """
    context = new_context()
    context.provider = partial(_provide, wanted)
    names = ["infer-shapes"] * (name in TYPED) + [name] * rounds
    for one in names:
        if one == "repeat":
            rounds = ("propagate-constants", "simplify-control", "eliminate-dead-code")
            RepeatPass(tuple(f"dycl-{o}" for o in rounds)).apply(context, module)
        else:
            given = options if one == name and options else {}
            get_all_passes()[f"dycl-{one}"]()(**given).apply(context, module)


def _provide(wanted, module, symbol):
    for op in wanted.body.block.ops if wanted else ():
        if isinstance(op, FuncOp) and op.sym_name.data == symbol:
            module.body.block.add_op(op.clone())
            return True
    return False


def shape(module, after, name):
    """What is compared: ops, what they use and say; constants by their values.

    Of any pass but the one that does it, dead ops are left out, and of attributes those
    that After does not write down.
    """
    is_completed = snippet_types.is_completed(name)
    if name != "eliminate-dead-code" and "host." not in after:
        get_all_passes()["dycl-eliminate-dead-code"]()().apply(new_context(), module)
    unsaid = {"test", "error", "message"} | {"structure", "name", "dycl.awaits"} - set(
        re.findall(r"\w+", after)
    )
    entry = _first(module)
    found = [_shape_of(entry, unsaid, is_completed)]
    if "host.func" in after:
        found.append({k: str(v) for k, v in entry.attributes.items()})
    for op in module.body.block.ops:
        if "func.func" in after and op is not entry:
            said = {k: str(v) for k, v in {**op.properties, **op.attributes}.items()}
            found.append((op.name, said, _shape_of(op, unsaid, is_completed)))
    return found


def _first(module):
    return entry_function(module) or module.body.block.first_op


def _shape_of(function, unsaid, with_types):
    numbers: dict[SSAValue, object] = {}
    found = []
    for argument in function.regions[0].block.args:
        numbers[argument] = argument.name_hint
    for op in walk(function):
        for block in (b for region in op.regions for b in region.blocks):
            for argument in block.args:
                numbers.setdefault(argument, len(found) + argument.index / 100)
        if isinstance(op, ConstantOp):
            numbers[op.result] = str(op.value)
            continue
        if op.name.startswith("torch.constant."):
            numbers[op.results[0]] = str(op.properties.get("value"))
            continue
        if op.name == "torch.prim.ListConstruct":
            numbers[op.results[0]] = [numbers[v] for v in op.operands]
            continue
        if op is function:
            continue
        said = {**op.properties, **op.attributes}
        said = {k: str(v) for k, v in said.items() if k not in unsaid}
        if with_types:
            said["types"] = [str(result.type) for result in op.results]
        found.append(
            (op.name, [numbers[v] for v in op.operands], said, len(op.regions))
        )
        for result in op.results:
            numbers[result] = (len(found), result.index)
    return found
