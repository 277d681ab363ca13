"""Random networks: a `Net` with methods, a called module, closures, and its forward."""

from random import Random

from .statements import Statements

PRELUDE = """\
import torch
import torch.nn.functional as F
from torch import nn


class Block(nn.Module):
    def __init__(self, scale):
        super().__init__()
        self.lin = nn.Linear(4, 4)
        self.scale = scale

    def forward(self, x):
        y = self.lin(x)
        if self.scale > 0.5:
            return torch.tanh(y) + x
        return y * self.scale


class Base(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(4, 4), nn.Linear(4, 4)
        self.gate, self.wide = nn.Linear(4, 1), nn.Linear(4, 8)
        self.tail = nn.Sequential(nn.Linear(4, 4), nn.ReLU())
        self.blocks = nn.ModuleList([Block(0.25), Block(0.75)])
        self.experts = nn.ModuleList(nn.Linear(4, 4) for _ in range(3))
        self.heads = nn.ModuleDict({"up": nn.Linear(4, 4), "down": nn.ReLU()})
        self.rate, self.limit, self.flag = 0.75, 2, True
        self.order = (2, 0, 1)
"""

DEPTH = 3
"""How deep statements nest."""

STATEMENTS = {
    "assign": 7,
    "tensor": 4,
    "update": 2,
    "swap": 1,
    "list": 4,
    "numbers": 1,
    "dict": 2,
    "unpack": 1,
    "inplace": 0.4,
    "view": 1,
    "define": 1,
    "print": 0.5,
    "check": 0.5,
    "invoke": 1,
    "if": 7,
    "guard": 2,
    "for": 4,
    "while": 2,
}
"""Statement -> its weight."""

COMPOUND = ("if", "guard", "for", "while")


def write_program(seed):
    """The source of program `seed`: a class `Net` whose `forward` takes x, [1, 4]."""
    rng = Random(seed)
    parts = [PRELUDE]
    calls = {}
    if rng.random() < 0.6:
        for number in range(rng.choice((1, 1, 2))):
            text, signature = _callee(rng, "forward", {})
            kind, kinds = signature
            parts.append(f"\n\nclass Part{number}(Base):\n{text}")
            gap = _arguments(kinds)
            calls.setdefault(kind, []).append((f"self.part{number}({gap})", kinds))
    made = "".join(f"        self.part{n} = Part{n}()\n" for n in range(len(parts) - 1))
    init = (
        f"    def __init__(self):\n        super().__init__()\n{made}\n" if made else ""
    )
    parts.append(f"\n\nclass Net(Base):\n{init}")
    if rng.random() < 0.5:
        text, (kind, kinds) = _callee(rng, "step", calls)
        parts.append(text + "\n")
        calls.setdefault(kind, []).append((f"self.step({_arguments(kinds)})", kinds))
    writer = _Writer(rng, calls, {"x": "T"}, budget=rng.randint(7, 16))
    writer.results = [
        rng.choice("TTTIIFFLLDPOUXBN") for _ in range(rng.choice((2, 3, 4)))
    ]
    writer.loose = rng.random() < 0.15
    parts.append(writer.function("def forward(self, x):"))
    return "".join(parts)


def _arguments(kinds):
    """Gaps for arguments; the last of several goes by its keyword."""
    if len(kinds) == 1:
        return "{}"
    return "{}, more={}"


def _callee(rng, name, calls):
    """A method: its text, and (kind of its result, kinds of its parameters)."""
    kinds = rng.choice(("T", "T", "L", "L", "TI", "LT", "TF", "TL", "LI", "D"))
    names = ["xs" if kinds[0] == "L" else "d" if kinds[0] == "D" else "x", "more"]
    names = names[: len(kinds)]
    result = rng.choice("TTTTLLIP")
    env = dict(zip(names, kinds, strict=True))
    writer = _Writer(rng, calls, env, budget=rng.randint(3, 8))
    writer.results = [result]
    text = writer.function(f"def {name}(self, {', '.join(names)}):")
    return text, (result, kinds)


class _Writer(Statements):
    """Writes functions: statements, with blocks of statements inside."""

    def function(self, header):
        """The text of the function."""
        self.line(header)
        self.indent += 1
        while self.budget > 0:
            self.statement()
        self.give_back()
        self.indent -= 1
        return "\n".join(self.lines) + "\n"

    def statement(self):
        self.budget -= 1
        weights = dict(STATEMENTS)
        if self.budget <= 0 or self.depth >= DEPTH:
            for kind in COMPOUND:
                weights[kind] = 0
        (kind,) = self.rng.choices(list(weights), list(weights.values()))
        getattr(self, f"write_{kind}")()

    def block(self, extra=None):
        """Indented statements; gives the names after them, and forgets these."""
        before, calls = dict(self.env), {k: list(v) for k, v in self.calls.items()}
        self.env.update(extra or {})
        self.indent += 1
        self.depth += 1
        for _ in range(self.pick(1, 1, 2, 2, 3)):
            self.statement()
        self.depth -= 1
        self.indent -= 1
        after, self.env, self.calls = self.env, before, calls
        return after

    # ---- control

    def write_define(self):
        """A function in the function, or an alias of a list."""
        lists = self.names("L")
        if lists and self.chance(0.5):
            name = self.new_name("L")
            self.line(f"{name} = {self.rng.choice(lists)}")
            self.env[name] = "L"
            return
        name, outer, results = self.new_name("C"), self.env, self.results
        loops, loose, self.loops, self.loose = self.loops, self.loose, 0, False
        frozen, self.frozen = self.frozen, self.frozen | set(self.env)
        self.line(f"def {name}(t):")
        self.env, self.results = {**outer, "t": "T"}, ["T"]
        self.indent += 1
        self.depth += 1
        self.statement()
        self.give_back()
        self.depth -= 1
        self.indent -= 1
        self.env, self.results = outer, results
        self.loops, self.loose, self.frozen = loops, loose, frozen
        self.env[name] = "C"

    def write_if(self):
        self.line(f"if {self.test()}:")
        ends = [self.branch()]
        if self.chance(0.2):
            self.line(f"elif {self.test()}:")
            ends.append(self.branch())
        if self.chance(0.6):
            self.line("else:")
            ends.append(self.branch())
        else:
            ends.append(dict(self.env))
        ends = [env for env in ends if env is not None]
        if not ends:
            return
        self.env = {
            name: kind
            for name, kind in ends[0].items()
            if all(env.get(name) == kind for env in ends)
        }

    def branch(self):
        """A side of an `if`: the names after it, or None if it leaves."""
        after = self.block()
        end = self.rng.random()
        if end > 0.2:
            return after
        outer, self.env = self.env, after
        self.indent += 1
        if self.loops and end > 0.05:
            self.line(self.pick("break", "continue"))
        else:
            self.give_back()
        self.indent -= 1
        self.env = outer
        return None

    def write_guard(self):
        self.line(f"if {self.test()}:")
        self.indent += 1
        choice = self.rng.random()
        if self.loops and choice < 0.6:
            self.line(self.pick("break", "continue"))
        elif choice < 0.9:
            self.give_back()
        else:
            self.line(f"raise ValueError({self.atom('I')})")
        self.indent -= 1

    def write_for(self):
        number, item = self.new_name("I"), self.new_name("T")
        options = [
            (f"{number} in range({self.pick(2, 3)})", {number: "I"}),
            (f"{number} in range({self.pick('3, 0, -1', '1, 4', '0, 5, 2')})",
             {number: "I"}),
            (f"{number} in range({self.atom('I')} % 4)", {number: "I"}),
            (f"{number} in {self.atom('N')}", {number: "I"}),
            ("m in self.blocks", {"m": "C"}),
            (f"{number}, m in enumerate(self.experts)", {number: "I", "m": "C"}),
            (f"k, {item} in {self.atom('D')}.items()", {item: "T"}),
        ]  # fmt: skip
        lists = self.names("L")
        if lists:
            name = self.rng.choice(lists)
            options += [
                (f"{item} in {name}", {item: "T"}),
                (f"{number} in range(len({name}))", {number: "I"}),
                (f"{number}, {item} in enumerate({name})", {number: "I", item: "T"}),
                (f"{item}, m in zip({name}, self.blocks)", {item: "T", "m": "C"}),
                (f"{item} in {self.pick(f'reversed({name})', f'{name}[1:]')}",
                 {item: "T"}),
            ] * 2  # fmt: skip
        header, extra = self.rng.choice(options)
        self.line(f"for {header}:")
        self.loop(extra)

    def loop(self, extra, frozen=()):
        """The body. Lists in the loop's header must not grow without end."""
        self.loops += 1
        before, self.frozen = self.frozen, self.frozen | set(frozen)
        self.block(extra)
        self.frozen = before
        self.loops -= 1

    def write_while(self):
        name = self.new_name("I")
        self.env[name] = "I"
        self.line(f"{name} = 0")
        limit = self.pick(2, 3, 4)
        if self.chance(0.3):
            self.line("while True:")
            self.indent += 1
            self.line(f"{name} += 1")
            self.line(f"if {name} > {limit} or {self.test(2)}:")
            self.line("    break")
        else:
            more = self.pick("", f" and {self.test(2)}", f" and {self.gate()}")
            self.line(f"while {name} < {limit}{more}:")
            self.indent += 1
            self.line(f"{name} += 1")
        self.indent -= 1
        self.loop({}, {name})

    def give_back(self):
        kinds = self.results
        if self.loose:
            kinds = [self.pick(*"TTIFLU") for _ in range(self.pick(1, 2))]
        values = [self.expression(kind, 1) for kind in kinds]
        self.line(f"return {', '.join(values)}")
