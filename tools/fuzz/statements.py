"""Random simple statements: assignments, updates of lists, dicts and tensors."""

from random import Random

from .forms import Forms


class Statements(Forms):
    """Writes simple statements. `frozen` names are those a loop needs to end."""

    def __init__(self, rng: Random, rare, calls, env, budget):
        super().__init__(rng, rare)
        self.calls = {kind: list(some) for kind, some in calls.items()}
        self.env = dict(env)
        self.budget = budget
        self.results = ["T"]
        self.loose = False
        self.state = ()
        self.closed = False
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
        others = [n for n in self.env if n not in self.frozen and n.isidentifier()]
        if others and not self.loops and self.chance(0.05):
            return self.rng.choice(others)
        return self.new_name(kind)

    def assign(self, kind, value):
        name = self.target(kind)
        self.line(f"{name} = {value}")
        self.env[name] = kind

    def write_assign(self):
        kind = self.pick(*"TTTSIIFFYYBLLVNEDPROUZZXCJJMMW")
        self.assign(kind, self.expression(kind))

    def write_tensor(self):
        self.assign("T", self.expression("T"))

    def write_update(self):
        kind = self.pick("I", "I", "F", "X", *self.seldom("TS", ""))
        names = [n for n in self.names(kind) if n not in self.frozen | {"x"}]
        if not names:
            return self.assign(kind, self.expression(kind))
        name, value = self.rng.choice(names), self.expression(kind, 1)
        signs = {"I": ("+=", "-=", "|=", "^="), "X": ("+=",)}
        if kind == "I" and self.chance(0.25):
            change = self.pick("//= 2", "%= 3", ">>= 1", "%= -3", "*= -1")
            return self.line(f"{name} {change}")
        sign = self.pick(*signs.get(kind, ("+=", "-=", "*=")))
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
            f"{name}[-1:] = [{value}, {self.atom('T')}]",
            f"del {name}[1:]",
            f"{name}.append(t := {value})",
        ]
        if name in self.frozen:
            common.pop()
        else:
            others.append(f"{name} += [{value}]")
        if self.depth and not self.chance(self.rare):
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
                f"{name} = [*{name}, {value}]",
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
                f"{name}['a'] = {name}['a'] + {value}",
                f"{name}.update(b={value})",
                f"{name} = dict({name}, c={value})",
                self.seldom(f"{name}.setdefault('{key}', {value})", "pass"),
                self.seldom(f"{name}.pop('c', None)", f"{name}['c'] = {value}"),
            )
        )

    def write_unpack(self):
        pairs = self.names("P") + self.names("R")
        rows = self.names("L") + self.names("V")
        if pairs and self.chance(0.5):
            one, other = self.new_name("T"), self.new_name("I")
            self.line(f"{one}, {other} = {self.rng.choice(pairs)}")
            self.env |= {one: "T", other: "I"}
        elif rows:
            one, rest = self.new_name("T"), self.new_name("L")
            name = self.rng.choice(rows)
            self.line(
                self.pick(
                    f"{one}, *{rest} = [*{name}, {self.atom('T')}]",
                    f"*{rest}, {one} = {name}",
                    f"[{one}, *{rest}] = *{name}, {self.atom('T')}",
                    f"({one}, _), {rest} = {self.atom('P')}, list({name})",
                    f"{one}, {rest} = {name}[-1], list({name}[:{self.pick(2, -1)}])",
                )
            )
            self.env |= {one: "T", rest: "L"}
        else:
            self.assign("P", self.expression("P"))

    def own_tensor(self):
        """A tensor that is no input, made if there is none."""
        kept = {"x", "more", *self.frozen}
        names = [n for n in self.names("T") if n not in kept]
        if not names or not self.chance(self.rare):
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
                f"{name}.mul_(2)",
                f"{name}[:, {self.pick(0, -1, '1:3')}] = {self.atom('F')}",
                f"{name}[:, :2] = {self.atom('T')}[:, 2:]",
                f"{name}[0, {self.pick(0, 1)}] += {self.atom('S')}",
                f"{name}[{name} > 0.137] = {self.atom('F')}",
                f"{name}[:, 1:].add_({self.atom('F')})",
            )
        )

    def write_view(self):
        """A view of a tensor; one of both is written, and both are read later."""
        name, view = self.own_tensor(), self.new_name("U")
        shape = self.pick(".view(4)", "[0]", "[:, 1:]", ".t()", ".reshape(2, 2)", "")
        self.line(f"{view} = {name}{shape}")
        if self.chance(self.rare):
            self.line(f"{self.pick(name, view)} += {self.atom('F')}")
        self.env[view] = "U"

    def write_print(self):
        value = self.expression(self.pick("I", "I", "X", "B", "N"), 1)
        end = self.pick("", "", ", sep='|'", ", end=';'")
        self.line(f"print({self.pick(value, f'{chr(39)}v{chr(39)}, {value}')}{end})")

    def write_check(self):
        test = self.pick(f"{self.atom('S')} > -4.217", f"{self.atom('I')} < 7")
        text = self.pick("", ", 'fuzz: small'", f", f'fuzz {{{self.atom('I')}}}'")
        self.line(f"assert {test}{text}")

    def write_delete(self):
        names = [
            n
            for n in self.env
            if n.isidentifier() and n not in self.frozen | {"x", "more"}
        ]
        if not names or self.loops or self.closed:
            return self.write_tensor()
        name = self.rng.choice(names)
        del self.env[name]
        return self.line(f"del {name}")

    def write_state(self):
        """An attribute of the model is set: the next call finds it."""
        number, tensor = self.expression("I", 1), self.expression("T", 1)
        texts = {
            "self.calls": (f"self.calls = ({number}) % 5", "self.calls += 1"),
            "self.total": (
                f"self.total = self.total * 0.5 + {self.atom('F')}",
                f"self.total = {self.atom('F')}",
            ),
            "self.kept": (f"self.kept = {tensor}", "self.kept = None"),
            "self.last": (
                f"self.last = {tensor}",
                f"self.last.add_({tensor})",
                "self.last.mul_(0.5)",
            ),
            "self.seen": (
                f"self.seen.append({tensor})",
                f"self.seen.append({number})",
                "self.seen = []",
            ),
        }
        found = [name for name in texts if name in self.state]
        if not found:
            return self.write_assign()
        return self.line(self.pick(*texts[self.rng.choice(found)]))

    def write_invoke(self):
        """A call for what it does to a list."""
        calls = [(t, k) for some in self.calls.values() for t, k in some if "L" in k]
        if not calls or not self.names("L"):
            return self.write_list()
        return self.line(self.call(*self.rng.choice(calls), depth=2))
