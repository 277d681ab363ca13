"""Random expressions of a wanted kind, from the names that surely have a value.

Tests compare with numbers that no sum of a few others hits, so that rounding cannot
turn a decision.
"""

from random import Random

KINDS = {
    "T": "tensor [1, 4]",
    "U": "tensor of any shape",
    "Z": "tensor [n, 4], n at least 1",
    "S": "tensor of no dimension",
    "I": "int",
    "F": "float",
    "B": "bool",
    "Y": "number of any type: int, float, bool, or S",
    "L": "list of T, at least one when made",
    "V": "tuple of T, at least one",
    "N": "list of ints",
    "E": "set of ints",
    "D": "dict from some of 'a', 'b', 'c' to T, always with 'a'",
    "P": "tuple of T and I",
    "R": "named tuple of a T and an I",
    "O": "T or None",
    "C": "what takes T and gives T",
    "X": "text",
    "J": "tensor [1, 4] of int64",
    "M": "tensor [1, 4] of bools",
    "W": "instance of a dataclass: a T, an I, a text",
}
"""Kind -> what a value of it is."""

THRESHOLDS = ("0.137", "-0.213", "0.611", "-0.729", "1.373", "0.033")

TESTED = {
    "O": ("{0} is None", "{0} is not None"),
    "L": ("len({0}) > 1", "{0}", "any(t.sum() > 0.137 for t in {0})"),
    "V": ("len({0}) > 1", "all(t.mean() > -0.213 for t in {0})"),
    "N": ("len({0}) > 1", "1 in {0}"),
    "E": ("len({0}) > 1", "1 in {0}"),
    "D": ("'b' in {0}", "'c' in {0}", "'b' not in {0}"),
    "X": ("{0} == 'p'", "{0} in ('p', 'q')", "'r' in {0}"),
    "B": ("{0}", "not {0}"),
    "Y": ("{0} > 0.137", "{0} < 1.373"),
    "R": ("{0}.n > 1", "{0}.t.sum() > 0.033"),
    "Z": ("{0}.shape[0] > 1", "len({0}) == 2"),
    "U": ("{0}.shape[-1:] > (2,)", "{0}.numel() == 4", "{0}.numel()"),
    "J": ("{0}.sum() > 1", "{0}[0, 0] == {0}[0, -1]", "({0} > 1).any()"),
    "M": ("{0}.any()", "{0}.all()", "{0}[0, 1]", "not {0}.sum() > 1"),
    "W": ("{0}.n > 1", "{0}.t.sum() > 0.033", "{0}.tag == 'p'"),
}
"""Kind of a name -> what an `if` may ask of it."""


class Expressions:
    """Writes expressions; `calls` are (text with one gap for each argument, kinds).

    `rare` is how often something stands here that DyCL is known to refuse.
    """

    def __init__(self, rng: Random, rare: float = 0.0):
        self.rng = rng
        self.rare = rare
        self.env: dict[str, str] = {}
        self.calls: dict[str, list[tuple[str, str]]] = {}

    def pick(self, *options):
        return self.rng.choice(options)

    def chance(self, probability):
        return self.rng.random() < probability

    def seldom(self, text, instead):
        """Text that DyCL refuses so far would hide what else is in a program."""
        return text if self.chance(self.rare) else instead

    def names(self, kind):
        return [name for name, k in self.env.items() if k == kind]

    def expression(self, kind, depth=0):
        """Text of an expression of this kind."""
        if depth > 1 or self.chance(0.3):
            return self.atom(kind)
        calls = self.calls.get(kind, [])
        if calls and self.chance(0.15):
            return self.call(*self.rng.choice(calls), depth + 1)
        if self.chance(0.06) and kind not in "LNDOE":
            test = self.test(depth + 1)
            first, second = (self.expression(kind, depth + 1) for _ in range(2))
            return f"({first} if {test} else {second})"
        more = kind in "TUIFB" and self.chance(0.2)
        return getattr(self, f"{'more' if more else 'forms'}_{kind}")(
            lambda k=kind: self.expression(k, depth + 1)
        )

    def call(self, text, kinds, depth):
        """A call with its gaps filled."""
        return text.format(*(self.expression(kind, depth) for kind in kinds))

    def atom(self, kind):
        """A name or a constant."""
        names = self.names(kind)
        if names and (kind not in "IF" or self.chance(0.7)):
            return names[-1] if self.chance(0.4) else self.rng.choice(names)
        match kind:
            case "T":
                return self.pick("torch.ones(1, 4)", "self.a.bias.view(1, 4)")
            case "S":
                return f"{self.atom('T')}.{self.pick('sum', 'mean', 'max')}()"
            case "U":
                return f"{self.atom('T')}[:, :{self.pick(1, 2, 3)}]"
            case "Z":
                return self.atom("T")
            case "I":
                return self.pick("0", "1", "2", "3", "-1", "self.limit")
            case "F":
                return self.pick("0.5", "-1.25", "1.0", "self.rate", "self.scale")
            case "B":
                return self.pick("True", "False", "self.flag", f"bool({self.gate()})")
            case "Y":
                return self.atom(self.pick("I", "F", "S"))
            case "L":
                items = [self.atom("T") for _ in range(self.pick(1, 2, 3))]
                return f"[{', '.join(items)}]"
            case "V":
                return f"({self.atom('T')}, {self.pick('', self.atom('T'))})"
            case "N":
                return self.pick("[3, 1]", "[0, 2, 1]", "[1]", "list(self.order)")
            case "E":
                return self.pick("{3, 1}", "set(self.order)")
            case "D":
                return f"{{'a': {self.atom('T')}, 'b': {self.atom('T')}}}"
            case "P":
                return f"({self.atom('T')}, {self.atom('I')})"
            case "R":
                return f"Pair({self.atom('T')}, {self.atom('I')})"
            case "O":
                return self.pick("None", self.atom("T"))
            case "J":
                tensor = self.atom("T")
                return self.pick(
                    f"({tensor} > 0.137).long()",
                    f"(({tensor} > -0.213).long() + ({tensor} > 0.611).long() * 2)",
                    "torch.arange(4).view(1, 4)",
                    "torch.tensor([[3, -2, 0, 1]])",
                )
            case "M":
                return f"({self.atom('T')} > {self.pick(*THRESHOLDS)})"
            case "W":
                return f"Box({self.atom('T')}, {self.atom('I')})"
            case "C":
                return self.pick(
                    "self.a", "self.b", "torch.tanh", "self.tail", "self.bound"
                )
            case _:
                return self.pick("'p'", "'q'", "f'{self.limit}r'")

    def gate(self):
        """A comparison that the data decides."""
        value = self.atom("S")
        if value in self.env or self.chance(0.6):
            return f"{value} {self.pick('>', '>', '<', '>=')} {self.pick(*THRESHOLDS)}"
        tensor = self.atom("T")
        value = self.pick(
            f"{tensor}.sum().item()",
            f"{tensor}[0, {self.pick(0, 1, 2, -1)}]",
            f"float({tensor}.min())",
            f"torch.sigmoid(self.gate({tensor}))",
        )
        return f"{value} {self.pick('>', '<')} {self.pick(*THRESHOLDS)}"

    def test(self, depth=0):
        """What an `if` asks."""
        if depth < 3 and self.chance(0.25):
            a, b = self.test(depth + 2), self.test(depth + 2)
            return self.pick(f"({a}) and ({b})", f"({a}) or ({b})", f"not ({a})")
        if self.chance(0.6):
            return self.gate()
        number, kind = self.expression("I", depth + 1), self.atom("I")
        options = [
            f"{number} {self.pick('<', '==', '!=', '>=')} {kind}",
            f"0 <= {number} < {self.pick(2, 3)}",
            f"{number} in self.order",
            f"{number} in (1, 3)",
            f"{self.pick(1, 'self.limit')} in {self.pick('[1, 3]', 'self.order')}",
            f"{self.atom('F')} > {self.pick(*THRESHOLDS)}",
            f"{self.atom('B')}",
            f"-0.513 < {self.atom('S')} < 0.871",
            f"bool(({self.atom('T')} > 0.137).{self.pick('any', 'all')}())",
            f"any([{self.gate()}, {self.atom('B')}])",
        ]
        for name, k in self.env.items():
            asked = TESTED.get(k, ())
            options += [self.pick(*asked).format(name)] * 2 if asked else []
        return self.rng.choice(options)

    def item_of(self, name):
        """An element of the list `name`; the index may come from the data."""
        numbers = self.names("I")
        if numbers and self.chance(0.4):
            number = self.rng.choice(numbers)
            return (
                f"{name}[{self.pick(number, f'{number} % len({name})', f'-{number}')}]"
            )
        return f"{name}[{self.pick(0, 0, -1, -1, 1)}]"

    def index(self, again):
        """Which of the three experts."""
        tensor = self.atom("T")
        return self.pick(
            "0", "-1", f"int({tensor}[:, :3].argmax())",
            f"{tensor}[0, 1:].argmax().item()", f"{again('I')} % 3",
            f"{tensor}[:, :3].argmin()",
        )  # fmt: skip

    def key(self):
        """Which of the two heads."""
        test = self.gate()
        return self.pick("'up'", f"('up' if {test} else 'down')")
