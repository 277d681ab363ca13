"""Types in the heads of passes over tensors and buffers, which the texts leave out.

A head writes `%y = torch.aten.relu %x`. `complete` adds ` : T -> T`, line by line: an
operand has the type of its definition, and what a line defines has the type that
`NAMES` gives to the name, or T. T is a tensor, and a buffer in a `host.func`. Kernels
are written `func.func @k(%a, %b {dycl.weight}) {`, with `attributes {toy}` where they
ask for a backend; an op that is marked for one and has a region has `{toy, 0}`. The
body of a kernel that does not matter is `{ .. }`: `BODIES` has it.
"""

import re

T = "!torch.vtensor<[3,4],f32>"
IMAGE = "!torch.vtensor<[1,16,4,4],f32>"
KERNELS = "!torch.vtensor<[16,16,1,1],f32>"

BLOCKED = (
    "memref<1x16x4x4xf32, affine_map<(d0, d1, d2, d3) -> "
    "(d0, (d1 floordiv 16), d2, d3, (d1 mod 16))>>"
)
"""What `B` stands for."""

ON_GPU = 'memref<3x4xf32, "cuda">'
"""What `C` stands for."""

STANDS_FOR = {"B": BLOCKED, "C": ON_GPU}

LEVEL = {
    "annotate-backends": "typed",
    "assign-layouts": "host",
    "batch-launches": "typed",
    "check-hcfg": "typed",
    "check-host": "typed",
    "check-shapes": "typed",
    "embed-literals": "typed",
    "outline-products": "typed",
    "split-products": "typed",
    "fold-batch-norm": "typed",
    "form-graph": "host",
    "form-switches": "graph",
    "guard-nodes": "graph",
    "hoist-computation-free": "typed",
    "lower-host": "typed",
    "mark-segments": "host",
    "mark-weights": "typed",
    "merge-backend-regions": "typed",
    "outline-branches": "typed",
    "partition-backends": "typed",
    "place-copies": "host",
    "place-kernels": "typed",
    "plan-memory": "host",
    "share-kernels": "typed",
    "widen-vectors": "typed",
}
"""Passes whose heads are completed, with the level that they start from."""

_VECTOR = dict.fromkeys(
    ("b", "gamma", "beta", "mean", "var", "v", "r", "s", "d", "e", "c"),
    "!torch.vtensor<[4],f32>",
)

NAMES = {
    "": {
        "p": "!torch.bool",
        "m": "!torch.bool",
        "s": "!torch.vtensor<[],i1>",
        "f": "!torch.vtensor<[1,3,4],f32>",
        "none": "!torch.none",
        "int0": "!torch.int",
        "int1": "!torch.int",
        "int4": "!torch.int",
        "int8": "!torch.int",
        "zeros": "!torch.list<int>",
        "ones": "!torch.list<int>",
        "shape": "!torch.list<int>",
        "eps": "!torch.float",
        "no": "!torch.bool",
    },
    "assign-layouts": {
        "w": KERNELS,
        **dict.fromkeys(("x", "y", "z"), IMAGE),
    },
    "batch-launches": {
        **dict.fromkeys(("n", "a", "a1", "y"), "!torch.vtensor<[4],f32>"),
        **dict.fromkeys(("w", "t"), "!torch.vtensor<[4,4],f32>"),
        **dict.fromkeys(("a_rows", "r"), "!torch.vtensor<[2,4],f32>"),
    },
    "outline-products": {
        **dict.fromkeys(("a", "b", "y", "p", "t", "s"), "!torch.vtensor<[4],f32>"),
        "w": "!torch.vtensor<[4,4],f32>",
    },
    "split-products": {
        **dict.fromkeys(("l", "r", "n", "y", "a", "b"), "!torch.vtensor<[4],f32>"),
        "x": "!torch.vtensor<[8],f32>",
        "h": "!torch.list<vtensor<[4],f32>>",
        "w": "!torch.vtensor<[4,8],f32>",
        **dict.fromkeys(("u", "v"), "!torch.vtensor<[4,4],f32>"),
    },
    "check-shapes": {"w": "!torch.vtensor<[4,2],f32>"},
    "widen-vectors": {
        **_VECTOR,
        "v": "!torch.vtensor<[8],f32>",
        "r": "!torch.vtensor<[1,8],f32>",
        "s": "!torch.vtensor<[1,4],f32>",
        "w": "!torch.vtensor<[4,8],f32>",
    },
    "guard-nodes": {
        **dict.fromkeys(("p", "q"), "!torch.vtensor<[],i1>"),
        "v": "!torch.bool",
    },
    "form-switches": {
        **dict.fromkeys(("p", "q"), "!torch.vtensor<[],i1>"),
        **dict.fromkeys(("v", "w", "n"), "!torch.bool"),
        **dict.fromkeys(("i", "j", "zero", "one", "two"), "!torch.int"),
    },
    "form-graph": dict.fromkeys(("q", "a", "b", "both", "slot"), "!torch.bool"),
    "fold-batch-norm": {
        **_VECTOR,
        "x": "!torch.vtensor<[3,8],f32>",
        "w": "!torch.vtensor<[4,8],f32>",
        "u": "!torch.vtensor<[4,8],f32>",
        "f": "!torch.vtensor<[4,1],f32>",
    },
}
"""Types of what is not a T, by pass and name."""

CONSTANTS = {
    "none": "torch.constant.none",
    "no": "torch.constant.bool false",
    "eps": "torch.constant.float 1.000000e-05",
    "int0": "torch.constant.int 0",
    "int1": "torch.constant.int 1",
    "int4": "torch.constant.int 4",
    "int8": "torch.constant.int 8",
    "zeros": "torch.prim.ListConstruct %int0, %int0",
    "ones": "torch.prim.ListConstruct %int1, %int1",
    "shape": "torch.prim.ListConstruct %int4, %int1",
}
"""What a name stands for that a function uses and does not define."""

BODIES = {
    "batch-launches": (
        "{first}1 = torch.aten.linear {first}, {last}, %none\nfunc.return {first}1"
    ),
    "": "%made = torch.aten.mul.Tensor {first}, {last}\nfunc.return %made",
    "assign-layouts": (
        "%z = torch.aten.conv2d {first}, {last}, %none, %ones, %zeros, %ones, %int1\n"
        "func.return %z"
    ),
}
"""What `{ .. }` stands for, by pass."""

_HEAD = re.compile(
    r"^(func|host|graph)\.func (@[\w.]+)\((.*?)\)(?: -> \((.*)\))?(.*)\{"
)
_NAME = re.compile(r"%\w+")
_TIMES = re.compile(r"\{(\d), (\d)\}")
_BACKEND = re.compile(r"\{(\w+)(?:, (\d))?\}")


def is_completed(name):
    """Whether the heads of a pass leave types out that its ops need."""
    return name in LEVEL


def complete(text, name, free):
    """A module for a text, in which `free` are arguments of the entry function.

    `{}` where a text has no function that it is in: one of the level that it is at.
    """
    text = re.sub(r", *\n +", ", ", text)
    bare, functions = _split(text)
    if bare.strip():
        functions.insert(0, [_frame(bare, name, free), *bare.splitlines(), "}"])
    whole = "\n".join(_function(lines, name) for lines in functions)
    if name.endswith(("-backends", "-backend-regions")):
        whole = _BACKEND.sub(_backend, whole)
    whole = whole.replace("#cuda", '{dycl.memory = "cuda"}')
    return whole.replace("#blocked", "{dycl.blocked = array<i64: 1, 16>}")


def _backend(match):
    """`{cpu, 0}` is the mark of a backend, and of a region."""
    name, region = match.groups()
    number = "" if region is None else f", dycl.region = {region} : i64"
    return f'{{dycl.backend = "{name}"{number}}}'


def _split(text):
    """The lines in no function, and the lines of each function."""
    bare, functions = [], []
    inside = False
    for line in text.splitlines():
        if _HEAD.match(line):
            functions.append([])
            inside = True
        (functions[-1] if inside else bare).append(line)
        if line.startswith("}") or line.rstrip().endswith("{ .. }"):
            inside = False
    return "\n".join(bare), functions


def _frame(body, name, free):
    if "func.return" in body:
        weights = {"w", "b", "gamma", "beta", "mean", "var"}
        written = [f"%{n} {{dycl.weight}}" if n in weights else f"%{n}" for n in free]
        return f"func.func @k({', '.join(written)}) {{"
    written = ", ".join(f"%{n}" for n in free)
    if LEVEL[name] == "host" or "host." in body:
        return f"host.func @forward({written}) {{"
    return f"func.func @forward({written}) attributes {{dycl.entry}} {{"


def _function(lines, name):
    """A function with its types, and the constants that it names."""
    level, symbol, arguments, results, rest = _HEAD.match(lines[0]).groups()
    types = _Types(name, "typed" if level == "func" else level)
    written = [types.argument(each) for each in arguments.split(", ") if each]
    names = _NAME.findall(arguments)
    if lines[0].rstrip().endswith("{ .. }"):
        text = BODIES.get(name, BODIES[""]).format(first=names[0], last=names[-1])
        lines = [lines[0], *text.splitlines(), "}"]
        rest = rest.removesuffix("{ .. ")
    if level != "func":
        params = ", ".join(f'"{n[1:]}"' for n in names)
        head = f"{level}.func {symbol}({', '.join(written)}) params [{params}] {rest}{{"
    elif "dycl.entry" in rest:
        head = f"func.func {symbol}({', '.join(written)}) {rest}{{"
    else:
        given = next(line for line in lines if line.strip().startswith("func.return"))
        made = [types.of(n) for n in _NAME.findall(given)]
        says = f" {results.removeprefix('T ')}" if results else ""
        backend, times = _BACKEND.search(rest), _TIMES.search(rest)
        own = f', dycl.backend = "{backend[1]}"' if backend and not times else ""
        if times:
            cpu, toy = times.groups()
            own = f", dycl.times = {{cpu = {cpu}.0 : f64, toy = {toy}.0 : f64}}"
        head = (
            f"func.func {symbol}({', '.join(written)}) -> ({', '.join(made)}{says}) "
            f"attributes {{dycl.kernel{own}}} {{"
        )
    body = [types.line(line) for line in lines[1:]]
    missing = _missing(lines, names)
    return "\n".join([head, *map(types.line, missing), *body])


def _missing(lines, names):
    """The constants that a function uses and does not define, each after its own."""
    used = dict.fromkeys(n[1:] for line in lines[1:] for n in _NAME.findall(line))
    used |= dict.fromkeys(
        n[1:] for u in used if u in CONSTANTS for n in _NAME.findall(CONSTANTS[u])
    )
    defined = {n[1:] for n in names}
    wanted = [n for n in CONSTANTS if n in used and n not in defined]
    return [f"%{n} = {CONSTANTS[n]}" for n in wanted]


class _Types:
    """The types of the names of a function."""

    def __init__(self, name, level):
        self._names = NAMES[""] | NAMES.get(name, {})
        self._is_host = level != "typed"
        self._in_slots = level == "graph"
        self._said = {}

    def of(self, name):
        """The type of `%name`."""
        if name in self._said:
            return self._said[name]
        tensor = self._names.get(name[1:], T)
        return _buffer(tensor) if self._is_host else tensor

    def argument(self, text):
        """`%a {dycl.weight}` -> `%a: T {dycl.weight}`."""
        name, _, attributes = text.partition(" ")
        if self._in_slots and self.of(name) == "i1":
            self._said[name] = "memref<i1>"
        return f"{name}: {self.of(name)} {attributes}".rstrip()

    def line(self, line):
        """A line with the types of its operands and results."""
        left, _, right = line.partition(" = ")
        if not re.match(r" *(%\w+(, )?)+$", left):
            left, right = "", line
        results = _NAME.findall(left)
        op = right.strip().partition(" ")[0]
        operands = _NAME.findall(right)
        ins, outs = (", ".join(map(self.of, names)) for names in (operands, results))
        if buffer := STANDS_FOR.get(right.rstrip().rpartition(" : ")[2]):
            self._said[results[0]] = buffer
            return f"{left} = {right.rstrip()[:-1]}{buffer}"
        ended = line.rstrip()
        if op == "dycl.if":
            ended = re.sub(r"(%\w+)", lambda m: f"{m[0]} : {self.of(m[0])}", right)
            ended = ended.replace("(T)", f"({outs})")
            return f"{left} = {ended}" if left else ended
        if op == "dycl.scope":
            return ended.replace(" {", f" -> ({outs}) {{")
        if op in ("torch.vtensor.literal",) or op.startswith("torch.vtensor.literal("):
            tensor = outs.replace("!torch.vtensor<[", "").replace("],f32>", "")
            shape = tensor.replace(",", "x") + "xf32"
            return f"{left} = {right.strip()[:-1]} : tensor<{shape}>) : {outs}"
        if op.startswith(("torch.constant", "dycl.constant")):
            return ended
        if op == "dycl.local_function":
            return re.sub(r"(%\w+)", lambda m: f"{m[0]} : {self.of(m[0])}", ended)
        if op == "torch.prim.ListConstruct":
            return f"{ended} : ({ins}) -> {outs}"
        if op.startswith("torch."):
            return f"{ended} : {ins} -> {outs}"
        if op == "func.return":
            return f"{ended} : {ins}"
        if op == "graph.write":
            value, slot = operands
            self._said[slot] = "memref<i1>"
            return f"{ended} : {self.of(value)} -> {self.of(slot)}"
        if op == "graph.copy":
            return f"{ended} : {self.of(operands[0])}"
        if op == "graph.return":
            return ended.replace(" as ", f" : {ins} as ")
        if op in ("host.launch", "graph.launch"):
            return re.sub(
                r"(ins|outs)\((.*?)\)",
                lambda m: f"{m[1]}({m[2]} : {self._all(m[2])})",
                ended,
            )
        if op == "host.read":
            return f"{ended} : {ins} -> {outs}"
        if op == "host.alloc" and self._in_slots and outs == "i1":
            self._said[results[0]] = outs = "memref<i1>"
        if op in ("host.alloc", "host.param", "dycl.param"):
            return f"{ended} : {outs}"
        if op.startswith("dycl.") and (operands or results):
            made = f"({outs})" if len(results) != 1 else outs
            return f"{ended} : ({ins}) -> {made}"
        return ended

    def _all(self, text):
        return ", ".join(map(self.of, _NAME.findall(text)))


def _buffer(tensor):
    """The type that the host has for a value of the typed level."""
    if tensor in ("!torch.bool", "!torch.int"):
        return "i1" if tensor == "!torch.bool" else "i64"
    shape, dtype = re.match(r"!torch.vtensor<\[(.*)\],(\w+)>", tensor).groups()
    return f"memref<{'x'.join([*shape.split(','), dtype]) if shape else dtype}>"
