"""Random expressions of a wanted kind, from the names that surely have a value.

Tests compare with numbers that no sum of a few others hits, so that rounding cannot
turn a decision.
"""

from random import Random

KINDS = {
    "T": "tensor [1, 4]",
    "U": "tensor of any shape",
    "S": "tensor of no dimension",
    "I": "int",
    "F": "float",
    "B": "bool",
    "L": "list of T, at least one when made",
    "N": "list of ints",
    "D": "dict from some of 'a', 'b', 'c' to T, always with 'a'",
    "P": "tuple of T and I",
    "O": "T or None",
    "C": "what takes T and gives T",
    "X": "text",
}
"""Kind -> what a value of it is."""

THRESHOLDS = ("0.137", "-0.213", "0.611", "-0.729", "1.373", "0.033")


SELDOM = 0.05
"""How often something stands that DyCL is known to refuse."""


class Expressions:
    """Writes expressions; `calls` are (text with one gap for each argument, kinds)."""

    def __init__(self, rng: Random):
        self.rng = rng
        self.env: dict[str, str] = {}
        self.calls: dict[str, list[tuple[str, str]]] = {}

    def pick(self, *options):
        return self.rng.choice(options)

    def chance(self, probability):
        return self.rng.random() < probability

    def seldom(self, text, instead):
        """Text that DyCL refuses so far would hide what else is in a program."""
        return text if self.chance(SELDOM) else instead

    def names(self, kind):
        return [name for name, k in self.env.items() if k == kind]

    def expression(self, kind, depth=0):
        """Text of an expression of this kind."""
        if depth > 1 or self.chance(0.3):
            return self.atom(kind)
        calls = self.calls.get(kind, [])
        if calls and self.chance(0.15):
            return self.call(*self.rng.choice(calls), depth + 1)
        if self.chance(0.06) and kind not in "LNDO":
            test = self.test(depth + 1)
            first, second = (self.expression(kind, depth + 1) for _ in range(2))
            return f"({first} if {test} else {second})"
        return getattr(self, f"forms_{kind}")(
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
            case "I":
                return self.pick("0", "1", "2", "3", "-1", "self.limit")
            case "F":
                return self.pick("0.5", "-1.25", "1.0", "self.rate")
            case "B":
                return self.pick("True", "False", "self.flag", self.gate())
            case "L":
                items = [self.atom("T") for _ in range(self.pick(1, 2, 3))]
                return f"[{', '.join(items)}]"
            case "N":
                return self.pick("[3, 1]", "[0, 2, 1]", "[1]", "list(self.order)")
            case "D":
                return f"{{'a': {self.atom('T')}, 'b': {self.atom('T')}}}"
            case "P":
                return f"({self.atom('T')}, {self.atom('I')})"
            case "O":
                return self.pick("None", self.atom("T"))
            case "C":
                return self.pick("self.a", "self.b", "torch.tanh", "self.tail")
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
            self.seldom(f"{number} in self.order", f"{number} != 2"),
            f"{self.pick(1, 'self.limit')} in {self.pick('[1, 3]', 'self.order')}",
            f"{self.atom('F')} > {self.pick(*THRESHOLDS)}",
            f"{self.atom('B')}",
            f"-0.513 < {self.atom('S')} < 0.871",
            f"bool(({self.atom('T')} > 0.137).{self.pick('any', 'all')}())",
        ]
        for name, k in self.env.items():
            match k:
                case "O":
                    options += [f"{name} is {self.pick('', 'not ')}None"] * 3
                case "L":
                    options += [f"len({name}) > {self.pick(1, 2)}", name]
                    options += [
                        self.seldom(f"any(t.sum() > 0.137 for t in {name})", name)
                    ]
                case "N":
                    options += [self.seldom(f"{kind} in {name}", f"len({name}) > 1")]
                case "D":
                    options += [f"{self.pick('b', 'c')!r} in {name}"] * 2
                case "X":
                    options += [f"{name} == 'p'"]
                case "B":
                    options += [name, f"not {name}"]
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

    def forms_T(self, again):
        a = self.atom("T")
        options = [
            lambda: f"self.{self.pick('a', 'b', 'tail')}({again()})",
            lambda: f"torch.{self.pick('relu', 'tanh', 'sigmoid')}({again()})",
            lambda: f"({again()} {self.pick('+', '-')} {again()})",
            lambda: f"({again()} * {self.pick(0.5, -0.75, 'self.rate')})",
            lambda: f"({a} {self.pick('+', '-', '*')} {again(self.pick('F', 'S'))})",
            lambda: f"({a} * 0.5 + {again('I')})",
            lambda: f"torch.cat([{a}[:, 1:], {again()}[:, :1]], 1)",
            lambda: f"torch.where({a} > 0.137, {again()}, {a})",
            lambda: f"self.experts[{self.index(again)}]({a})",
            lambda: f"self.heads[{self.key()}]({a})",
            lambda: f"{a}.clamp(-1, 1)",
            lambda: f"{again('C')}({a})",
            lambda: f"{a}.view(2, 2).sum(0).repeat(2).view(1, -1)",
        ]
        for name, k in self.env.items():
            match k:
                case "L":
                    options += [lambda n=name: self.item_of(n)] * 3
                    options += [
                        lambda n=name: f"sum({n})",
                        lambda n=name: f"torch.stack({n}).mean(0)",
                        lambda n=name: (
                            f"torch.cat({n}, 1)[:, {self.pick(':4', '-4:')}]"
                        ),
                    ]
                case "P":
                    options += [lambda n=name: f"{n}[0]"]
                case "D":
                    options += [
                        lambda n=name: f"{n}['a']",
                        lambda n=name: f"{n}.get('{self.pick('b', 'c')}', {a})",
                        lambda n=name: f"sum({n}.values())",
                    ]
                case "O":
                    options += [lambda n=name: f"({a} if {n} is None else {n})"] * 2
        return self.rng.choice(options)()

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

    def forms_S(self, again):
        return self.pick(
            f"{again('T')}.{self.pick('sum', 'mean', 'max', 'min')}()",
            f"{again('T')}[0, {self.pick(0, 1, -1)}]",
            f"({again()} * 0.5)",
            f"({again()} {self.pick('+', '-')} {again('S')})",
            f"{again('U')}.mean()",
        )

    def forms_U(self, again):
        test = self.gate()
        return self.pick(
            f"({again('T')} if {test} else {self.atom('T')}[:, :2])",
            f"torch.cat([{again('T')}, {self.atom('U')}], 1)",
            f"({again()} * 0.5)",
            f"torch.tanh({again()})",
            f"self.wide({again('T')})",
        )

    def forms_I(self, again):
        options = [
            lambda: f"({again()} {self.pick('+', '-')} {again()})",
            lambda: f"({again()} * {self.pick(2, -1, 3)})",
            lambda: f"({again()} {self.pick('%', '//')} {self.pick(2, 3, -2)})",
            lambda: f"int({again('S')} * 2.017)",
            lambda: f"{self.pick('min', 'max')}({again()}, {again()})",
            lambda: f"int({self.gate()})",
            lambda: f"abs({again()})",
            lambda: f"int({again('T')}.argmax())",
            lambda: f"{self.atom('T')}.shape[{self.pick(0, 1, -1)}]",
            lambda: f"(({again('T')} > 0.137).sum()).item()",
            lambda: f"len({again(self.pick('L', 'N', 'D'))})",
        ]
        for name, k in self.env.items():
            match k:
                case "L":
                    options += [
                        lambda n=name: f"len({n})",
                        lambda n=name: self.seldom(
                            f"sum(1 for t in {n} if t.sum() > 0.137)", f"len({n})"
                        ),
                    ]
                case "N":
                    options += [
                        lambda n=name: self.item_of(n),
                        lambda n=name: f"sum({n})",
                        lambda n=name: f"max({n})",
                    ]
                case "P":
                    options += [lambda n=name: f"{n}[1]"] * 2
                case "B":
                    options += [lambda n=name: f"({n} + 1)"]
        return self.rng.choice(options)()

    def forms_F(self, again):
        return self.pick(
            f"{again('S')}.item()",
            f"float({again('T')}.mean())",
            f"({again()} + {again()})",
            f"({again()} * 0.5)",
            f"({again()} * {self.atom('I')})",
            f"({again('I')} / 2)",
            f"-{self.atom('F')}",
            f"max({again()}, {self.atom('F')})",
            f"({self.atom('F')} or {self.pick(0.5, 2.0)})",
        )

    def forms_B(self, again):
        return self.pick(
            f"({self.gate()})",
            f"bool({self.gate()})",
            f"(not {self.atom('B')})",
            f"({self.atom('F')} > {self.pick(*THRESHOLDS)} and {self.atom('B')})",
            f"({again('I')} == {self.atom('I')})",
        )

    def forms_L(self, again):
        a = self.atom("L")
        return self.pick(
            f"[{again('T')}, {again('T')}]",
            f"[{again('T')}]",
            f"({a} + [{again('T')}])",
            f"list({a})",
            f"[t * 0.5 for t in {a}]",
            f"[m({self.atom('T')}) for m in self.blocks]",
            f"[t + i for i, t in enumerate({a})]",
            f"[m(t) for m, t in zip(self.blocks, {a})]",
            f"[*{a}, {again('T')}]",
            f"{a}[::-1]",
            f"[{again('T')}] * 2",
            f"list({self.atom('D')}.values())",
        )

    def forms_N(self, again):
        return self.pick(
            f"[{again('I')}, {again('I')}]",
            f"[n * 2 for n in {self.atom('N')}]",
            f"[n for n in self.order if n > {self.pick(0, 1)}] + [1]",
            self.seldom(f"sorted({self.atom('N')})", "sorted(self.order)"),
            f"({self.atom('N')} + [{again('I')}])",
            "list(range(3))",
        )

    def forms_D(self, again):
        return self.pick(
            f"{{'a': {again('T')}, 'c': {again('T')}}}",
            f"{{'a': {again('T')}}}",
            self.seldom(
                f"{{k: v * 2 for k, v in {self.atom('D')}.items()}}",
                self.atom("D"),
            ),
        )

    def forms_P(self, again):
        return f"({again('T')}, {again('I')})"

    def forms_O(self, again):
        return self.pick("None", f"({again('T')} if {self.gate()} else None)")

    def forms_C(self, again):
        a = self.atom("T")
        return self.pick(
            f"(lambda t: t * {self.pick(2, 0.5)} + {a})",
            f"(self.a if {self.gate()} else self.b)",
            "self.blocks[0]",
            "F.relu",
        )

    def forms_X(self, again):
        return self.pick(
            f"('p' if {self.gate()} else 'q')",
            f"({self.atom('X')} + 'z')",
            f"f'{{{self.atom('I')}}}:{{{self.atom('F')}:.1f}}'",
            f"str({again('I')})",
        )
