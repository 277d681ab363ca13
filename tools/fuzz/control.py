"""Random control flow: blocks of statements inside statements."""

from .expressions import THRESHOLDS
from .routes import Routes

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
    "integers": 0.8,
    "routes": 0.4,
    "grow": 0.3,
    "view": 1,
    "define": 1,
    "print": 0.5,
    "check": 0.5,
    "delete": 0.3,
    "state": 0,
    "invoke": 1,
    "if": 7,
    "guard": 2,
    "for": 4,
    "while": 2,
    "try": 0.7,
    "with": 0.3,
}
"""Statement -> its weight."""

COMPOUND = ("if", "guard", "for", "while", "try", "with")


class Control(Routes):
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
        weights = self.weights()
        if self.budget <= 0 or self.depth >= DEPTH:
            for kind in COMPOUND:
                weights[kind] = 0
        (kind,) = self.rng.choices(list(weights), list(weights.values()))
        getattr(self, f"write_{kind}")()

    def weights(self):
        """Statement -> how often it is written."""
        return STATEMENTS | {"state": 3 if self.state else 0}

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
        state, self.state, closed = self.state, (), self.closed
        self.closed = True
        self.line(f"def {name}(t):")
        counters = [n for n in self.names("I") if n.isidentifier() and n not in frozen]
        if counters and not closed and self.chance(0.3):
            self.line(f"    nonlocal {counters[0]}")
            self.line(f"    {counters[0]} += 1")
        self.env, self.results = {**outer, "t": "T"}, ["T"]
        self.indent += 1
        self.depth += 1
        self.statement()
        self.give_back()
        self.depth -= 1
        self.indent -= 1
        self.env, self.results = outer, results
        self.loops, self.loose, self.frozen = loops, loose, frozen
        self.state = state
        self.env[name] = "C"

    def asked(self):
        """A test; it may give a name to what it looks at first."""
        if not self.chance(0.12):
            return self.test()
        kind = self.pick("S", "I", "F")
        name = self.new_name(kind)
        text = f"({name} := {self.expression(kind, 1)}) > {self.pick(*THRESHOLDS)}"
        text += self.pick("", f" and {self.test(2)}", f" or {self.gate()}")
        self.env[name] = kind
        return text

    def write_if(self):
        self.line(f"if {self.asked()}:")
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
        self.line(f"if {self.asked()}:")
        self.indent += 1
        choice = self.rng.random()
        if self.loops and choice < 0.6:
            self.line(self.pick("break", "continue"))
        elif choice < 0.9:
            self.give_back()
        else:
            number = self.atom("I")
            self.line(
                self.pick(
                    f"raise ValueError({number})",
                    f"raise RuntimeError(f'fuzz {{{self.named('X')}}}: {{{number}}}')",
                    f"raise KeyError('fuzz', {number})",
                    "raise NotImplementedError",
                )
            )
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
            (f"{item} in {self.atom('V')}", {item: "T"}),
            (f"{item} in {self.atom('Z')}.split(1)", {item: "T"}),
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
        self.otherwise()

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
        self.otherwise()

    def otherwise(self):
        """The `else` of a loop: for when nothing broke out of it."""
        if self.chance(0.12):
            self.line("else:")
            self.block()

    def write_try(self):
        """A `try` of which it is known before the run whether it completes."""
        body, kind, error = self.pick(
            ("{{'a': {T}}}['side']", "T", "KeyError"),
            ("self.heads['up']({T})", "T", "(KeyError, ValueError)"),
            ("self.other", "T", "AttributeError"),
            ("torch.tanh({T})", "T", "RuntimeError"),
            ("{{'a': 1, 'z': {I}}}['b']", "I", "KeyError"),
            ("int('no')", "I", "ValueError"),
            ("self.order[1]", "I", "IndexError"),
            ("self.order[7]", "I", "LookupError"),
        )
        name = self.new_name(kind)
        filled = body.format(T=self.atom("T"), I=self.atom("I"))
        self.line("try:")
        self.line(f"    {name} = {filled}")
        self.line(f"except {error}:")
        self.line(f"    {name} = {self.atom(kind)}")
        self.env[name] = kind
        if self.chance(0.3):
            self.line(self.pick("else:", "finally:"))
            self.block()

    def write_with(self):
        self.line(
            self.pick("with torch.no_grad():", "with torch.set_grad_enabled(False):")
        )
        self.env = self.block()

    def give_back(self):
        """A `return` of what this function returns."""
        if self.results == ["Q"]:
            return self.line(f"return {self.nested()}")
        kinds = self.results
        if self.loose:
            kinds = [self.pick(*"TTIFLU") for _ in range(self.pick(1, 2))]
        values = [self.expression(kind, 1) for kind in kinds]
        return self.line(f"return {', '.join(values)}")
