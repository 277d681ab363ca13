"""Random simple statements: assignments, updates of lists, dicts and tensors."""

from random import Random

from .expressions import SELDOM, Expressions


class Statements(Expressions):
    """Writes simple statements. `frozen` names are those a loop needs to end."""

    def __init__(self, rng: Random, calls, env, budget):
        super().__init__(rng)
        self.calls = {kind: list(some) for kind, some in calls.items()}
        self.env = dict(env)
        self.budget = budget
        self.results = ["T"]
        self.loose = False
        self.lines = []
        self.indent = 1
        self.depth = 0
        self.loops = 0
        self.count = 0
        self.frozen = set()

    def line(self, text):
        self.lines.append("    " * self.indent + text)

    def new_name(self, kind):
        self.count += 1
        return f"{kind.lower()}{self.count}"

    def target(self, kind):
        """A name to assign: often one that is there."""
        known = [n for n in self.names(kind) if n not in self.frozen]
        if known and self.chance(0.6):
            return self.rng.choice(known)
        return self.new_name(kind)

    def assign(self, kind, value):
        name = self.target(kind)
        self.line(f"{name} = {value}")
        self.env[name] = kind

    def write_assign(self):
        kind = self.pick(*"TTTSIIFFBLLNDPOUXC")
        self.assign(kind, self.expression(kind))

    def write_tensor(self):
        self.assign("T", self.expression("T"))

    def write_update(self):
        kind = self.pick("I", "I", "F", *self.seldom("TS", ""))
        names = [n for n in self.names(kind) if n not in self.frozen | {"x"}]
        if not names:
            return self.assign(kind, self.expression(kind))
        name, value = self.rng.choice(names), self.expression(kind, 1)
        sign = self.pick("+=", "-=", "+=" if kind == "I" else "*=")
        return self.line(f"{name} {sign} {value}")

    def write_swap(self):
        kind = self.pick("T", "I", "L")
        names = [n for n in self.names(kind) if n not in self.frozen]
        if len(names) < 2:
            return self.assign(kind, self.expression(kind))
        one, other = self.rng.sample(names, 2)
        return self.line(f"{one}, {other} = {other}, {self.pick(one, one, other)}")

    def write_list(self):
        names = self.names("L")
        if not names:
            return self.assign("L", self.expression("L"))
        name, value = self.rng.choice(names), self.expression("T", 1)
        common = [
            f"{name}.append({value})",
            f"{name}.append({value})",
            f"{name}[{self.pick(0, -1)}] = {value}",
            f"{name}[{self.pick(0, -1)}] = {value}",
            f"{name} = {name} + [{value}]",
        ]
        others = [
            f"{self.item_of(name)} = {value}",
            f"{name}.insert(0, {value})",
            f"{name}.extend([{value}, {self.atom('T')}])",
            f"{name}[1:] = [{value}]",
            f"{name}.reverse()",
            f"{name}[0], {name}[-1] = {name}[-1], {name}[0]",
            f"{name}.append({name}.pop(0))",
        ]
        if name in self.frozen:
            common.pop()
        else:
            others.append(f"{name} += [{value}]")
        if self.depth and self.chance(1 - 2 * SELDOM):
            others = []
        return self.line(self.pick(*common, *others))

    def write_numbers(self):
        names = self.names("N")
        if not names:
            return self.assign("N", self.expression("N"))
        name, value = self.rng.choice(names), self.expression("I", 1)
        return self.line(
            self.pick(
                f"{name}.append({value})",
                f"{name}[{self.pick(0, -1)}] = {value}",
                f"{name}[0] += {value}",
                f"{name}.insert(0, {value})",
            )
        )

    def write_dict(self):
        names = self.names("D")
        if not names:
            return self.assign("D", self.expression("D"))
        name, value = self.rng.choice(names), self.expression("T", 1)
        key = self.pick("a", "b", "c")
        return self.line(
            self.pick(
                f"{name}['{key}'] = {value}",
                f"{name}['{key}'] = {value}",
                f"{name}['a'] += {value}",
                self.seldom(f"{name}.update(b={value})", f"{name}['b'] = {value}"),
                self.seldom(f"{name}.setdefault('{key}', {value})", f"{name}['a'] = x")
                if "x" in self.env
                else "pass",
                self.seldom(f"{name}.pop('c', None)", f"{name}['c'] = {value}"),
            )
        )

    def write_unpack(self):
        lists, pairs = self.names("L"), self.names("P")
        if pairs and self.chance(0.5):
            one, other = self.new_name("T"), self.new_name("I")
            self.line(f"{one}, {other} = {self.rng.choice(pairs)}")
            self.env |= {one: "T", other: "I"}
        elif lists:
            one, rest = self.new_name("T"), self.new_name("L")
            name = self.rng.choice(lists)
            if self.chance(SELDOM):
                self.line(f"{one}, *{rest} = {name} + [{self.atom('T')}]")
            else:
                self.line(f"{one}, {rest} = {name}[-1], {name}[:{self.pick(2, -1)}]")
            self.env |= {one: "T", rest: "L"}
        else:
            self.assign("P", self.expression("P"))

    def own_tensor(self):
        """A tensor that is no input, made if there is none."""
        kept = {"x", "more", *self.frozen}
        names = [n for n in self.names("T") if n not in kept]
        if not names or self.chance(0.3):
            name = self.new_name("T")
            self.line(f"{name} = {self.atom('T')} {self.pick('+ 1', '* 2', '- 0.5')}")
            self.env[name] = "T"
            return name
        return self.rng.choice(names)

    def write_inplace(self):
        name = self.own_tensor()
        value = self.expression(self.pick("T", "F", "S"), 1)
        self.line(
            self.pick(
                f"{name} += {value}",
                f"{name} *= 0.5",
                f"{name}.add_({value})",
                f"{name}.relu_()",
                self.seldom(
                    f"{name}[:, {self.pick(0, -1, '1:3')}] = {self.atom('F')}",
                    f"{name}.mul_(2)",
                ),
                self.seldom(
                    f"{name}[:, :2] = {self.atom('T')}[:, 2:]",
                    f"{name} = {name} + 1",
                ),
            )
        )

    def write_view(self):
        """A view of a tensor; one of both is written, and both are read later."""
        name, view = self.own_tensor(), self.new_name("U")
        shape = self.pick(".view(4)", "[0]", "[:, 1:]", ".t()", ".reshape(2, 2)", "")
        self.line(f"{view} = {name}{shape}")
        if self.chance(SELDOM):
            self.line(f"{self.pick(name, view)} += {self.atom('F')}")
        self.env[view] = "U"

    def write_print(self):
        value = self.expression(self.pick("I", "I", "X"), 1)
        self.line(f"print({self.pick(value, f'{chr(39)}v{chr(39)}, {value}')})")

    def write_check(self):
        test = self.pick(f"{self.atom('S')} > -4.217", f"{self.atom('I')} < 7")
        self.line(f"assert {test}, 'small'")

    def write_invoke(self):
        """A call for what it does to a list."""
        calls = [(t, k) for some in self.calls.values() for t, k in some if "L" in k]
        if not calls or not self.names("L"):
            return self.write_list()
        return self.line(self.call(*self.rng.choice(calls), depth=2))
