"""Random expressions, form by form: what a value of each kind may be made of."""

from .expressions import THRESHOLDS
from .numbers import Numbers


class Forms(Numbers):
    """`forms_K` gives the text of one expression of kind K; `again` writes a part."""

    def forms_T(self, again):
        a = self.atom("T")
        options = [
            lambda: f"self.{self.pick('a', 'b', 'tail')}({again()})",
            lambda: f"torch.{self.pick('relu', 'tanh', 'sigmoid')}({again()})",
            lambda: f"({again()} {self.pick('+', '-')} {again()})",
            lambda: f"({again()} * {self.pick(0.5, -0.75, 'self.rate')})",
            lambda: f"({a} {self.pick('+', '-', '*')} {again(self.pick(*'FSY'))})",
            lambda: f"({a} * 0.5 + {again('I')})",
            lambda: f"torch.cat([{a}[:, 1:], {again()}[:, :1]], 1)",
            lambda: f"torch.where({a} > 0.137, {again()}, {a})",
            lambda: f"self.experts[{self.index(again)}]({a})",
            lambda: f"[m({a}) for m in self.experts][{self.index(again)}]",
            lambda: f"(self.a, self.b, F.relu)[{self.index(again)}]({a})",
            lambda: f"self.heads[{self.key()}]({a})",
            lambda: f"{a}.clamp(-1, 1)",
            lambda: f"{again('C')}({a})",
            lambda: f"{a}.view(2, 2).sum(0).repeat(2).view(1, -1)",
            lambda: f"self.mix({again()}, {a}{self.pick('', ', by=self.rate')})",
            lambda: f"self.{self.pick('larger', 'mix')}(*({a}, {again()}))",
            lambda: (
                f"self.blend({again()}, {a}, {self.pick('bias=0.5', '*[x]')})"
                if "x" in self.env
                else a
            ),
            lambda: f"Base.larger({a}, {again()})",
            lambda: f"self.bound({again()})",
            lambda: f"(lambda t, k={self.atom('I')}: t * 0.5 + k)({again()})",
            lambda: f"torch.cat([{a}, {again('Z')}], 0)[-1:]",
            lambda: f"{a}[:, torch.tensor([2, 0, 1, 3])]",
        ]
        for name, k in self.env.items():
            if k in self.PARTS:
                options += [lambda n=name, k=k: self.part_of(n, k)] * 2
        return self.rng.choice(options)()

    PARTS = frozenset("LVPDORZ")
    """The kinds of names with a T in them."""

    def part_of(self, name, kind):
        """A T out of the value of a name."""
        a = self.atom("T")
        match kind:
            case "L" | "V":
                return self.pick(
                    self.item_of(name),
                    self.item_of(name),
                    f"sum({name})",
                    f"sum(t * 0.5 for t in {name})",
                    f"torch.stack({name}).mean(0)",
                    f"torch.cat([*{name}], 1)[:, {self.pick(':4', '-4:')}]",
                    f"self.blend(*{name})",
                    f"max({name}, key=lambda t: float(t.sum()))"
                    if self.chance(self.rare)
                    else f"{name}[0]",
                )
            case "P":
                return f"{name}[0]"
            case "D":
                return self.pick(
                    f"{name}['a']",
                    f"{name}.get('{self.pick('b', 'c')}', {a})",
                    f"sum({name}.values())",
                    f"(lambda a, **rest: a + len(rest))(**{name})",
                )
            case "O":
                return f"({a} if {name} is None else {name})"
            case "R":
                return self.pick(f"{name}.t", f"{name}[0]", f"{name}.both()")
            case _:
                return self.pick(
                    f"{name}[-1:]", f"{name}.sum(0, keepdim=True)", f"{name}[:1]"
                )

    def forms_S(self, again):
        options = [
            f"{again('T')}.{self.pick('sum', 'mean', 'max', 'min')}()",
            f"{again('T')}[0, {self.pick(0, 1, -1)}]",
            f"({again()} * 0.5)",
            f"({again()} {self.pick('+', '-')} {again('S')})",
            f"{again(self.pick('U', 'Z'))}.mean()",
            f"{again('T')}.norm()",
        ]
        for name in self.names("L") + self.names("V"):
            options += [f"sum(t.sum() for t in {name})"]
        return self.pick(*options)

    def forms_U(self, again):
        test = self.gate()
        return self.pick(
            f"({again('T')} if {test} else {self.atom('T')}[:, :2])",
            f"torch.cat([{again('T')}, {self.atom('U')}.view(1, -1)], 1)",
            f"({again()} * 0.5)",
            f"torch.tanh({again()})",
            f"self.wide({again('T')})",
            f"({again('Z')} if {test} else {self.atom('S')})",
            f"{again('Z')}.t()",
        )

    def forms_Z(self, again):
        return self.pick(
            f"torch.cat([{again()}, {again('T')}], 0)",
            f"torch.cat([{again()}, {again('T')}])[-3:]",
            f"({again()} * 0.5)",
            f"self.a({again()})",
            f"torch.cat({again('L')}, 0)",
            f"({again()} + {again('T')})",
        )

    def forms_Y(self, again):
        test = self.test(1)
        one, other = (again(self.pick("I", "F", "S", "B")) for _ in range(2))
        return self.pick(
            f"({one} if {test} else {other})",
            f"({again()} * 0.5)",
            f"({again()} + {self.pick(1, 0.5)})",
            f"-{again()}",
        )

    def forms_I(self, again):
        options = [
            lambda: f"({again()} {self.pick('+', '-')} {again()})",
            lambda: f"({again()} * {self.pick(2, -1, 3)})",
            lambda: f"({again()} {self.pick('%', '//')} {self.pick(2, 3, -2)})",
            lambda: f"({again()} {self.pick('&', '|', '^', '>>')} {self.pick(1, 3)})",
            lambda: f"int({again('S')} * 2.017)",
            lambda: f"{self.pick('min', 'max')}({again()}, {again()})",
            lambda: f"int({self.gate()})",
            lambda: f"(bool({self.gate()}) + bool({self.gate()}))",
            lambda: f"abs({again()})",
            lambda: f"divmod({again()}, 3)[{self.pick(0, 1)}]",
            lambda: f"int({again('T')}.argmax())",
            lambda: f"{self.atom('T')}.shape[{self.pick(0, 1, -1)}]",
            lambda: f"{self.atom('U')}.{self.pick('shape[-1]', 'numel()', 'dim()')}",
            lambda: f"{self.atom('Z')}.{self.pick('shape[0]', 'size(0)')}",
            lambda: f"(({again('T')} > 0.137).sum()).item()",
            lambda: f"len({again(self.pick(*'LNDVE'))})",
            lambda: f"sum([bool({self.gate()}), {self.atom('B')} is True])",
        ]
        for name, k in self.env.items():
            match k:
                case "L" | "V":
                    options += [
                        lambda n=name: f"len({n})",
                        lambda n=name: f"sum(1 for t in {n} if t.sum() > 0.137)",
                    ]
                case "N":
                    options += [
                        lambda n=name: self.item_of(n),
                        lambda n=name: f"{self.pick('sum', 'max', 'min')}({n})",
                        lambda n=name: f"sum(i * i for i in {n} if i > 1)",
                    ]
                case "P":
                    options += [lambda n=name: f"{n}[1]"] * 2
                case "R":
                    options += [lambda n=name: f"{n}.n"] * 2
                case "B":
                    options += [lambda n=name: f"({n} + 1)"]
                case "X":
                    options += [lambda n=name: f"len({n})"]
        return self.rng.choice(options)()

    def forms_F(self, again):
        return self.pick(
            f"{again('S')}.item()",
            f"float({again(self.pick('T', 'Z'))}.mean())",
            f"({again()} + {again()})",
            f"({again()} * 0.5)",
            f"({again()} * {self.atom('I')})",
            f"({again('I')} / 2)",
            f"-{self.atom('F')}",
            f"{self.pick('max', 'min')}({again()}, {self.atom('F')})",
            f"({self.atom('F')} or {self.pick(0.5, 2.0)})",
            f"float({again('Y')})",
            f"{again('T')}.tolist()[0][{self.pick(0, -1)}]",
        )

    def forms_B(self, again):
        return self.pick(
            f"bool({self.gate()})",
            f"(not {self.atom('B')})",
            f"({self.atom('F')} > {self.pick(*THRESHOLDS)} and {self.atom('B')})",
            f"({again('I')} == {self.atom('I')})",
            f"bool({again('I')})",
            f"isinstance({self.atom('Y')}, {self.pick('int', 'float')})"
            if self.chance(self.rare)
            else f"(bool({self.gate()}) != ({self.atom('F')} > 0.137))",
        )

    def forms_L(self, again):
        a = self.atom("L")
        return self.pick(
            f"[{again('T')}, {again('T')}]",
            f"[{again('T')}]",
            f"({a} + [{again('T')}])",
            f"list({self.pick(a, self.atom('V'))})",
            f"[t * 0.5 for t in {a}]",
            f"[m({self.atom('T')}) for m in self.blocks]",
            f"[t + i for i, t in enumerate({a})]",
            f"[m(t) for m, t in zip(self.blocks, {a})]",
            f"[*{a}, {again('T')}]",
            f"[*{a}, *{self.atom('V')}]",
            f"{a}[::-1]",
            f"[{again('T')}] * 2",
            f"list({self.atom('D')}.values())",
            f"[t for t in {a} if t.sum() > {self.pick(*THRESHOLDS)}] + [{again('T')}]",
            f"list(map({self.atom('C')}, {a}))",
            f"list(reversed({a}))",
        )

    def forms_V(self, again):
        return self.pick(
            f"({again('T')}, {again('T')})",
            f"({again('T')},)",
            f"tuple({again('L')})",
            f"({self.atom('V')} + ({again('T')},))",
            f"(*{self.atom('L')}, {again('T')})",
            f"torch.split({again('T')}.repeat(2, 1), 1)",
        )

    def forms_N(self, again):
        return self.pick(
            f"[{again('I')}, {again('I')}]",
            f"[n * 2 for n in {self.atom('N')}]",
            f"[n for n in self.order if n > {self.pick(0, 1)}] + [1]",
            self.seldom(f"sorted({self.atom('N')})", "sorted(self.order)"),
            f"({self.atom('N')} + [{again('I')}])",
            "list(range(3))",
            self.seldom("sorted({n % 2 for n in self.order})", "[1, 0]"),
        )

    def forms_E(self, again):
        return self.pick(
            "{n % 2 for n in self.order}",
            f"{{{self.pick(0, 1)}, 2}}",
            self.seldom(f"set({self.atom('N')})", "{3}"),
            f"({self.atom('E')} | {{5}})",
        )

    def forms_D(self, again):
        kept = self.atom("D")
        return self.pick(
            f"{{'a': {again('T')}, 'c': {again('T')}}}",
            f"{{'a': {again('T')}}}",
            f"dict(a={again('T')}, b={self.atom('T')})",
            f"{{k: v * 2 for k, v in {kept}.items()}}",
            f"{{k: m({self.atom('T')}) for k, m in zip('ab', self.blocks)}}",
            f"{{k: {self.atom('T')} for k in {kept}}}",
            self.seldom(f"{{**{kept}, 'b': {again('T')}}}", kept),
        )

    def forms_P(self, again):
        return f"({again('T')}, {again('I')})"

    def forms_R(self, again):
        return self.pick(
            f"Pair({again('T')}, {again('I')})",
            f"Pair(n={again('I')}, t={again('T')})",
            f"Pair({again('T')})",
            f"{self.atom('R')}._replace(n={again('I')})",
            f"Pair(*{again('P')})",
        )

    def forms_O(self, again):
        return self.pick("None", f"({again('T')} if {self.gate()} else None)")

    def forms_C(self, again):
        a = self.atom("T")
        return self.pick(
            f"(lambda t: t * {self.pick(2, 0.5)} + {a})",
            f"(self.a if {self.gate()} else self.b)",
            "self.blocks[0]",
            "F.relu",
            "self.heads['down']",
            f"self.experts[{self.index(again)}]",
        )

    def forms_X(self, again):
        return self.pick(
            f"('p' if {self.gate()} else 'q')",
            f"({self.atom('X')} + 'z')",
            f"f'{{{self.atom('I')}}}:{{{self.atom('F')}:.1f}}'",
            f"f'{{{self.named('X')}!r:>5}} {{{self.atom('I')}:+d}}'",
            f"str({again('I')})",
            f"'%d-%s' % ({again('I')}, {self.atom('X')})",
            f"'{{}}/{{:.0f}}'.format({self.atom('B')}, {self.atom('I')})",
            f"'-'.join([{self.atom('X')}, 'w'])",
            f"{self.atom('X')}.upper()",
        )

    def named(self, kind):
        """A name, or an attribute: no quotes, for inside of an f-string."""
        names = self.names(kind)
        return self.rng.choice(names) if names else "self.limit"

    def nested(self):
        """What `forward` may return: tuples, lists and dicts in each other."""

        def again(kind):
            return self.expression(kind, 1)

        return self.pick(
            f"{{'out': [{again('T')}, {again('U')}], 'n': ({again('I')}, 'k')}}",
            f"({again('T')}, ({again('I')}, [{again('T')}, None]))",
            f"[{{'t': {again('T')}}}, {again('Y')}]",
            f"Pair({again('L')}, {again('D')})",
            f"({again('V')}, {again('R')}, {again('O')})",
            f"Box({again('U')}, {{'m': {again('M')}, 'k': [{again('J')}]}})",
            f"{{'w': {again('W')}, 'f': ({again('F')}, {again('X')})}}",
            f"{{'d': {again('D')}, 'z': {again('Z')}, 1: {again('B')}}}",
        )
