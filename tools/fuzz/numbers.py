"""Random expressions of numbers: Python's operators, tensors of ints and of bools."""

from .expressions import Expressions


class Numbers(Expressions):
    """`more_K`: what kinds of `Forms` may be besides; and forms of its own kinds."""

    def more_T(self, again):
        a = self.atom("T")
        return self.pick(
            f"torch.where({again('M')}, {again('T')}, {a})",
            f"({a} * {again('M')})",
            f"({a} + {again('J')})",
            f"({again('J')} * {self.atom('F')})",
            f"({again('J')} / {self.pick(2, 4, -2)})",
            f"{again(self.pick('J', 'M'))}.float()",
            f"{a}.masked_fill({again('M')}, {self.pick(0.5, -1, 0)})",
            f"({a} * {again('I')} + {again('F')})",
            f"({again('I')} - {a})",
            f"({a} + {a}[:, :1])",
            f"({a}.t() + {a})[:1]",
            f"({a}.double() * {self.atom('F')}).float()",
            f"{{'p': {a}, 'q': {again('T')}}}['p' if {self.gate()} else 'q']",
            f"{again('W')}.t",
            f"torch.cat([{a}[:, :0], {again('T')}], 1)",
            f"(lambda k: lambda t: t * 0.5 + k)({again('F')})({a})",
        )

    def more_U(self, again):
        a = self.atom("T")
        return self.pick(
            f"{a}[:, :0]",
            f"({again('Z')}[:0] * {self.atom('F')})",
            f"torch.cat([{a}[:, :0], {a}[:, :{self.pick(0, 1, 3)}]], 1)",
            f"({a}.t() + {again('T')})",
            f"({again('Z')} * {a}[:, :1])",
            again("J"),
            again("M"),
            f"({again('J')} + {again('I')})",
            f"({again('J')} + {self.pick(0.5, 2)})",
            f"({again('M')} + {self.pick('True', 1, 0.5)})",
            f"({a}.double() + {again('J')})",
            f"{a}[{again('M')}]",
            f"({again('J')} > {a})",
            f"torch.zeros({self.pick('0, 4', '2, 1', '1, 0')})",
            f"{again('J')}.sum()",
        )

    def more_I(self, again):
        return self.pick(
            f"(({again()} % 7) ** {self.pick(0, 2, 3)})",
            f"({again()} {self.pick('//', '%')} {self.pick(2, 3, -2, -3)})",
            f"(-{again()} {self.pick('//', '%')} {self.pick(2, 3, -2)})",
            f"(({again()} & 7) << {self.pick(0, 1, 2)})",
            f"(~{again()})",
            f"({again()} {self.pick('and', 'or')} {again()})",
            f"({again('B')} + {again('B')})",
            f"({again('B')} * {again()})",
            f"({again()} ^ {again('B')})",
            f"(-{again('B')})",
            f"{again('J')}[0, {self.pick(0, 1, -1)}].item()",
            f"{again('J')}.{self.pick('sum', 'max', 'min')}().item()",
            f"int({again('M')}.sum())",
            f"int({again('F')} // 0.731)",
            f"round({again('F')})",
            f"math.{self.pick('floor', 'ceil')}({again('F')} * 1.017)",
            f"{again('W')}.n",
            f"{again('U')}.numel()",
        )

    def more_F(self, again):
        return self.pick(
            f"({again()} {self.pick('//', '%')} {self.pick(0.731, -0.731)})",
            f"({again('I')} {self.pick('//', '%')} {self.pick(0.731, -1.5)})",
            f"(({again()} % 3) ** {self.pick(2, 0.5)})",
            f"abs({again()})",
            f"math.sqrt(abs({again()}))",
            f"({again()} * -0.0)",
            f"({again('B')} * {self.atom('F')})",
            f"({again('I')} / {self.pick(3, -4)})",
            f"min({again()}, {self.pick(0.5, 'math.inf')})",
            f"({again()} {self.pick('and', 'or')} {self.atom('F')})",
            f"math.tanh({again()})",
        )

    def more_B(self, again):
        f, i = again("F"), again("I")
        return self.pick(
            f"({f} {self.pick('==', '!=')} {f})",
            f"({f} {self.pick('<', '>=')} {i} + 0.137)",
            f"({again()} {self.pick('&', '|', '^')} {self.atom('B')})",
            f"({i} {self.pick('==', '!=', '<')} {self.atom('B')})",
            f"({i} is None)",
            f"({again()} is {self.pick('True', 'False', self.atom('B'))})",
            f"bool({again('M')}.{self.pick('any', 'all')}())",
            f"{again('M')}.any().item()",
            f"math.{self.pick('isnan', 'isinf')}({f})",
            f"({self.atom('X')} in ('p', 'qz'))",
        )

    def forms_J(self, again):
        return self.pick(
            f"({again()} {self.pick('+', '-', '*')} {again()})",
            f"({again()} {self.pick('//', '%')} {self.pick(2, 3, -2, -3)})",
            f"({again()} {self.pick('&', '|', '^')} {self.pick(1, 3, again())})",
            f"({again()} {self.pick('>>', '<<')} 1)",
            f"(({again()} % 5) ** 2)",
            f"(-{again()})",
            f"{again()}.clamp(-1, {self.pick(1, 2)})",
            f"({again()} + {again('I')})",
            f"({again('M')} + {self.pick(1, again())})",
            f"{again('M')}.long()",
            f"{again()}.cumsum(1)",
            f"torch.where({again('M')}, {again()}, {self.atom('J')})",
            f"({again()} + {again('T')}.argmax(1, keepdim=True))",
            f"({again()} * {again('M')})",
        )

    def forms_M(self, again):
        return self.pick(
            f"({again('T')} {self.pick('>', '<=')} {self.pick('0.137', '-0.213')})",
            f"({again('J')} {self.pick('==', '!=', '<')} {self.pick(1, again('I'))})",
            f"(~{again()})",
            f"({again()} {self.pick('&', '|', '^')} {again()})",
            f"({again('T')} != {self.atom('T')})",
            f"{again('T')}.isnan()",
            f"({again('J')} % 2).bool()",
            f"torch.logical_not({again()})",
            f"({again('T')} > {self.atom('S')} + 0.0137)",
            f"({again('J')} == {self.atom('J')})",
        )

    def forms_W(self, again):
        return self.pick(
            f"Box({again('T')}, {again('I')})",
            f"Box(t={again('T')})",
            f"replace({again()}, n={again('I')})",
            f"Box({again('T')}, tag={self.atom('X')})",
            f"{again()}.halved()",
        )
