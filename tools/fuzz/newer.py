"""Statements of the seeds from `FROM` on: what DyCL has learned to take since.

The programs of earlier seeds, which `docs/fuzz.md` counts, stay what they are.
"""

from .control import Control

FROM = 500_000
"""The first seed whose programs have these statements."""

STATEMENTS = {
    "reshape": 1.5,
    "found": 2,
    "chosen": 2.5,
    "lazily": 2,
    "kept": 0,
    "carried": 1.5,
    "rest": 1,
}
"""Statement -> its weight; `kept`, of modules with state, has another."""

NAMES = "('p', 'q', 'r')"


class Newer(Control):
    """Writes whole functions, with the statements above besides the others."""

    def weights(self):
        kept = 2 if self.state else 0
        return super().weights() | STATEMENTS | {"kept": kept}

    def write_reshape(self):
        """A tensor that no other name has is given another shape in place."""
        name = self.new_name("U")
        made = self.pick("* 0.5", "+ 1", f"- {self.atom('F')}")
        self.line(f"{name} = {self.atom('T')} {made}")
        change = self.pick(
            "squeeze_(0)", "unsqueeze_(-1)", "t_()", "transpose_(0, 1)", "squeeze_()"
        )
        self.line(f"{name}.{change}")
        if self.chance(0.3):
            self.line(f"{name}.{self.pick('mul_(2)', 'unsqueeze_(0)', 'relu_()')}")
        self.env[name] = "U"

    def write_found(self):
        """What the data finds: as many places or elements as there are, or none."""
        a, limit = self.atom("T"), self.pick("0.137", "-0.213", "0.611")
        kind = self.pick("places", "elements", "rows", "list")
        if kind == "places":
            name = self.new_name("N")
            self.line(f"{name} = torch.nonzero({a}[0] > {limit}).flatten().tolist()")
            self.env[name] = "N"
        elif kind == "elements":
            name = self.new_name("U")
            of = self.pick(f"{a}[{a} > {limit}]", f"{a}[:, {a}[0] > {limit}]")
            self.line(f"{name} = {of}{self.pick('', ' * 2', '.sum()', '.cumsum(-1)')}")
            self.env[name] = "U"
        elif kind == "rows":
            name, z = self.new_name("U"), self.atom("Z")
            self.line(f"{name} = {z}[{z}.sum(1) > {limit}]")
            self.env[name] = "U"
        else:
            name = self.new_name("L")
            ends = self.pick(f" or [{a}]", f" + [{a}]")
            kept = f"[t for t in {self.atom('L')} if t.sum() > {limit}]"
            self.line(f"{name} = {kept}{ends}")
            self.env[name] = "L"

    def write_chosen(self):
        """A text, a tuple, a function or None that the data chooses."""
        a, other = self.atom("T"), self.expression("T", 1)
        number = self.pick(
            f"int({a}[:, :3].argmax())", f"{a}[0, 1:].argmax().item()",
            f"{self.atom('I')} % 3", f"int(({a} > 0.137).sum()) % 3",
        )  # fmt: skip
        kind = self.pick("X", "P", "V", "O", "T", "F", "N")
        values = {
            "X": (f"{NAMES}[{number}]", f"{NAMES}[{number}] + 'z'"),
            "P": (f"(({a}, 1), ({other}, 2), ({a}, {self.atom('I')}))[{number}]",),
            "V": (f"(({a},), ({a}, {other}), ({other},))[{number}]",),
            "O": (f"({a}, None, {other})[{number}]",),
            "T": (
                f"dict(p={a}, q={other}, r={a} * 2)[{NAMES}[{number}]]",
                f"{{0: {a}, 1: {other}, 2: {a} - 1}}[{number}]",
            ),
            "F": (f"{{'p': 0.5, 'q': -1.25, 'r': 2.0}}[{NAMES}[{number}]]",),
            "N": (f"([1], [0, 2], [2, 1, 0])[{number}]",),
        }[kind]
        name = self.new_name(kind)
        self.line(f"{name} = {self.pick(*values)}")
        self.env[name] = kind

    def write_lazily(self):
        """Generators and iterators: kept, handed on, read in part."""
        a, several = self.atom("T"), self.atom("L")
        name = self.new_name("T")
        kind = self.pick("sum", "kept", "next", "first", "tuple", "zip", "dict")
        if kind == "sum":
            scale = self.pick("0.5", f"{self.atom('F')}")
            self.line(f"{name} = sum((m({a}) * {scale} for m in self.blocks), {a})")
        elif kind == "kept":
            made = self.new_name("G")
            self.line(f"{made} = (t * 0.5 for t in {several})")
            self.line(f"{name} = {a}")
            self.line(f"for t in {made}:")
            self.line(f"    {name} = {name} + t")
        elif kind == "next":
            made = self.new_name("G")
            self.line(f"{made} = iter({several})")
            self.line(f"{name} = next({made}){self.pick('', f' + next({made}, {a})')}")
        elif kind == "first":
            found = f"t for t in {several} if t.mean() > {self.pick('0.137', '-0.213')}"
            self.line(f"{name} = next(({found}), {a})")
        elif kind == "tuple":
            name = self.new_name("V")
            self.line(f"{name} = tuple(m({a}) for m in self.experts)")
        elif kind == "zip":
            pairs = f"zip({several}, (0.5, -0.75, 2))"
            self.line(f"{name} = sum((t * k for t, k in {pairs}), {a})")
        else:
            name = self.new_name("D")
            items = f"(k, {a} * i) for i, k in enumerate('ab')"
            self.line(f"{name} = dict({items})")
        self.env[name] = name[0].upper()

    def write_carried(self):
        """A loop carries pairs, a dict, a text or None that it makes anew."""
        count, a = self.new_name("I"), self.atom("T")
        kind = self.pick("pairs", "window", "text", "none", "dict")
        kinds = {"pairs": "P", "window": "V", "text": "X", "none": "O", "dict": "D"}
        name = self.new_name(kinds[kind])
        first, then = {
            "pairs": (f"({a}, 0)", f"({name}[0] * 0.5 + {a}, {name}[1] + 1)"),
            "window": (f"({a}, {a})", f"({name}[-1], {name}[0] * 0.5 + {a})"),
            "text": ("'p'", f"'q' if {name} == 'p' else 'r'"),
            "none": ("None", f"{a} if {name} is None else {name} * 0.5"),
            "dict": (f"{{'a': {a}}}", f"{{'a': {name}['a'] * 0.5 + {a}}}"),
        }[kind]
        self.line(f"{name}, {count} = {first}, 0")
        self.line(f"while {count} < {self.pick(2, 3)} and {self.gate()}:")
        self.line(f"    {name} = {then}")
        self.line(f"    {count} += 1")
        self.env |= {name: kinds[kind], count: "I"}

    def write_kept(self):
        """A text, a pair or a weight of the model is set: the next call finds it."""
        a = self.atom("T")
        self.line(
            self.pick(
                f"self.mode = 'q' if {self.gate()} else 'p'",
                f"self.mode = {NAMES}[int({a}[:, :3].argmax())]",
                f"self.pair = ({a}, self.pair[1] + 1)",
                f"self.pair = (self.pair[0] * 0.5 + {a}, {self.atom('I')} % 5)",
                f"self.last[:, 1:] = {a}[:, :3]",
                f"self.b.bias.data = self.b.bias.data * 0.5 + {a}[0] * 0.25",
            )
        )
        if self.chance(0.5):
            kind, text = self.pick(
                ("X", "self.mode + 'z'"), ("P", "self.pair"), ("T", f"self.b({a})")
            )
            name = self.new_name(kind)
            self.line(f"{name} = {text}")
            self.env[name] = kind

    def write_rest(self):
        """Sizes that are read off a tensor, and used."""
        z = self.pick(self.atom("Z"), self.atom("U"))
        name = self.new_name(self.pick("I", "U"))
        if name[0] == "i":
            text = self.pick(f"{z}.shape[-1]", f"{z}.numel()", f"len({self.atom('Z')})")
            text = f"{text}{self.pick('', ' % 3', ' // 2')}" if z else text
        else:
            text = self.pick(
                f"{z}.reshape(-1)", f"torch.zeros({z}.shape)", f"{z}.flatten()[:2]",
                f"torch.arange({z}.numel())", f"{z}.new_ones({z}.numel(), 2)",
            )  # fmt: skip
        self.line(f"{name} = {text}")
        self.env[name] = name[0].upper()
