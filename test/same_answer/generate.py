"""Random programs, drawn by hypothesis so that a failing one is made small.

`free` programs use all that the interpreter knows. `compilable` ones keep to what DyCL
compiles: lists change only where no input decides, what a loop carries keeps its type,
and all paths return the same structure.
"""

from hypothesis import strategies as st
from programs import Program

RESULTS = ("int", "float", "list")
MODULE_RESULTS = ("tensor", "int", "float")


@st.composite
def functions(draw, style="free"):
    """A function of an int and a float."""
    writer = _Writer(draw, style, is_module=False)
    writer.line("def forward(n, f):")
    writer.body({"n": "int", "f": "float"})
    inputs = [(-3, 0.5), (0, -1.25), (2, 3.0), (5, 0.125), (9, -7.5)]
    program = Program(writer.text(), writer.gates, inputs, is_module=False)
    on_them = [(2, threshold) for threshold in program.thresholds[:3]]
    program.inputs += [*on_them, (0, -0.0)]
    return program


@st.composite
def modules(draw, style="compilable"):
    """A torch.nn.Module whose `forward` takes a tensor of shape [2, 3]."""
    import torch

    writer = _Writer(draw, style, is_module=True)
    writer.indent = 1
    writer.line("def forward(self, x):")
    writer.body({"x": "tensor"})
    steps = torch.arange(6.0).reshape(2, 3)
    inputs = [
        (torch.sin(steps * (k + 1)) * (0.5 + k) + shift,)
        for k, shift in enumerate((-1.0, -0.25, 0.25, 1.0))
    ]
    program = Program(writer.text(), writer.gates, inputs, is_module=True)
    alike = 0.0, -0.0, 1.0, *program.thresholds[:2]
    program.inputs += [(torch.full((2, 3), number),) for number in alike]
    return program


GATES = 8
"""Calibrated tests in a program; further ones have a fixed threshold."""
DEPTH = 4
"""How deep statements nest."""


class _Writer:
    """Writes statements; `env` maps each name that surely has a value to its kind.

    `loops` has one entry for each loop around: whether it may be left early.
    """

    def __init__(self, draw, style, is_module):
        self.draw = draw
        self.free = style == "free"
        self.is_module = is_module
        self.results = MODULE_RESULTS if is_module else RESULTS
        self.lines = []
        self.indent = 0
        self.gates = 0
        self.names = 0
        self.budget = draw(st.integers(6, 16))
        self.depth = 0
        self.loops = []
        self.data_depth = 0

    def text(self):
        return "\n".join(self.lines) + "\n"

    def line(self, text):
        self.lines.append("    " * self.indent + text)

    def pick(self, *options):
        return self.draw(st.sampled_from(options))

    def body(self, env):
        self.indent += 1
        if not self.is_module:
            env = {**env, "xs": "list"}
            self.line(f"xs = [{self.pick(1, 2, 4)}, 3, {self.pick(-1, 0, 7)}]")
        env = {**env, "k": "int", "r": "float"}
        self.line(f"k = {self.pick(0, 1, 2)}")
        self.line("r = 0.5")
        while self.budget > 0:
            self.statement(env)
        self.give_back(env)

    # ---- statements

    def statement(self, env):
        self.budget -= 1
        kinds = ["assign", "assign", "update", "swap"]
        kinds += ["tensor"] * 3 * self.is_module
        if self.free or self.lists_may_change():
            kinds += ["append"] * (not self.is_module) + ["comprehension"]
        if self.budget > 0 and self.depth < DEPTH:
            kinds += ["if"] * 4 + ["for"] + ["blocks"] * self.is_module
            kinds += ["while"] + ["change_list"] * self.free
        if self.loops and self.loops[-1]:
            kinds += ["jump"]
        getattr(self, f"write_{self.pick(*kinds)}")(env)

    def lists_may_change(self):
        """Whether no input decides if the next statement is run, or how often."""
        return not self.data_depth and not any(self.loops)

    def block(self, env, data=False):
        """Some statements; names that they bind first are not certain after them."""
        inner = dict(env)
        self.indent += 1
        self.depth += 1
        self.data_depth += data
        for _ in range(self.draw(st.integers(1, 3))):
            self.statement(inner)
        self.data_depth -= data
        self.depth -= 1
        self.indent -= 1

    def new_name(self, kind):
        self.names += 1
        return f"{kind[0]}{self.names}"

    def write_assign(self, env):
        kind = self.pick("int", "float")
        value = self.expression(env, kind)
        known = [n for n, k in env.items() if k == kind and n not in self.frozen]
        name = self.pick(*known, self.new_name(kind))
        self.line(f"{name} = {value}")
        env[name] = kind

    frozen = frozenset({"n", "f"})

    def write_tensor(self, env):
        value = self.expression(env, "tensor")
        known = [n for n, k in env.items() if k == "tensor"]
        name = self.pick(*known, self.new_name("tensor"))
        self.line(f"{name} = {value}")
        env[name] = "tensor"

    def write_update(self, env):
        kind = self.pick("int", "float")
        name = self.pick(*[n for n, k in env.items() if k == kind])
        self.line(f"{name} {self.pick('+=', '-=')} {self.expression(env, kind)}")

    def write_swap(self, env):
        kind = self.pick("int", "float")
        names = [n for n, k in env.items() if k == kind]
        a, b = self.pick(*names), self.pick(*names)
        if a != b:
            self.line(f"{a}, {b} = {b}, {a}")
        else:
            self.line(f"{a} = ({a}, {self.expression(env, kind)})[1]")

    def write_append(self, env):
        self.line(f"xs.append({self.expression(env, 'int')})")

    def write_change_list(self, env):
        if self.is_module:
            return self.write_tensor(env)
        value = self.expression(env, "int")
        return self.line(
            self.pick(
                f"xs.insert(1, {value})",
                f"xs[{self.pick(0, 2, -1)}] = {value}",
                f"xs.extend([{value}, 2])",
                "xs += [xs.pop()]",
                "xs = xs[1:] + xs[:1]",
                f"xs = xs + [{value}]",
            )
        )

    def write_comprehension(self, env):
        source = self.pick("xs" if not self.is_module else "self.widths", "range(4)")
        test = self.pick("", " if i > 1", " if i % 2 == 0")
        self.line(f"k = sum([i * {self.pick(2, 3)} for i in {source}{test}])")

    def write_if(self, env):
        test, data = self.condition(env)
        self.line(f"if {test}:")
        self.marked_block(env, data)
        if self.draw(st.booleans()):
            if self.draw(st.integers(0, 3)) == 0:
                test, more = self.condition(env)
                data = data or more
                self.line(f"elif {test}:")
                self.marked_block(env, data)
            self.line("else:")
            self.marked_block(env, data)

    def marked_block(self, env, data):
        """A branch that shows in the result, and may leave at its end."""
        self.names += 1
        self.indent += 1
        self.line(f"k = (k * 3 + {self.names}) % 1009")
        self.indent -= 1
        self.block(env, data)
        ends = ["go on"] * 4 + ["return"]
        if self.loops and self.loops[-1]:
            ends += ["break", "continue"]
        end = self.pick(*ends)
        self.indent += 1
        if end == "return":
            self.give_back(env)
        elif end != "go on":
            self.line(end)
        self.indent -= 1

    def write_jump(self, env):
        test, _ = self.condition(env)
        self.line(f"if {test}:")
        self.indent += 1
        self.line(self.pick("break", "continue"))
        self.indent -= 1

    def write_for(self, env):
        self.names += 1
        name = f"i{self.names}"
        inner = {**env, name: "int"}
        known = ["range(3)", "range(1, 4)", "range(2, 0, -1)", "(2, 0, 5)"]
        known += ["self.widths"] if self.is_module else ["list(xs)", "xs[1:3]"]
        counted = f"range({self.atom(env, 'int')} % 3)"
        pairs = ["enumerate((4, 1))", "zip(range(2), [5, 6])"]
        header = self.pick(*known, *pairs, counted)
        if header in pairs:
            inner[f"j{self.names}"] = "int"
            self.line(f"for {name}, j{self.names} in {header}:")
        else:
            self.line(f"for {name} in {header}:")
        self.loop_body(inner, on_data=header == counted)

    def write_blocks(self, env):
        self.names += 1
        name = f"b{self.names}"
        self.line(f"for {name} in self.blocks:")
        self.indent += 1
        self.line(f"x = {name}(x)")
        self.indent -= 1
        self.loop_body(env)

    def write_while(self, env):
        self.names += 1
        name = f"w{self.names}"
        test = f"{name} < {self.pick(2, 3)}"
        if self.draw(st.booleans()):
            test += f" and {self.condition(env)[0]}"
        self.line(f"{name} = 0")
        self.line(f"while {test}:")
        self.indent += 1
        self.line(f"{name} += 1")
        self.indent -= 1
        self.loop_body(env, on_data=True)

    def loop_body(self, env, on_data=False):
        self.loops.append(self.draw(st.booleans()) or on_data)
        self.block(env)
        self.loops.pop()

    def give_back(self, env):
        values = [self.expression(env, kind) for kind in self.results]
        self.line(f"return ({', '.join(values)})")

    # ---- expressions

    def condition(self, env, depth=0):
        """A test, and whether an input decides it."""
        form = self.draw(st.integers(0, 9))
        if form < 5 or depth > 1:
            return self.gate(env), True
        if form < 7:
            a, b = self.expression(env, "int"), self.expression(env, "int")
            return f"{a} {self.pick('<', '>=', '==', '!=')} {b}", True
        if form == 7:
            return f"0 <= {self.expression(env, 'int')} < 4", True
        if form == 8:
            test, data = self.condition(env, depth + 1)
            return f"not ({test})", data
        first, data = self.condition(env, depth + 1)
        second, more = self.condition(env, depth + 1)
        return f"({first}) {self.pick('and', 'or')} ({second})", data or more

    def gate(self, env):
        if self.is_module:
            tensor = self.pick(*[n for n, k in env.items() if k == "tensor"])
            value = f"{tensor}{self.pick('.mean()', '.sum()', '[0, 1]', '.max()')}"
        else:
            value = self.pick("f", "f", "(n * f)", self.atom(env, "float"), "n")
        if self.gates == GATES:
            return f"{value} > {self.pick(-0.5, 0.25, 1.0)}"
        self.gates += 1
        return f"«{self.gates - 1}:{value}»"

    def atom(self, env, kind):
        names = [n for n, k in env.items() if k == kind]
        constants = {"int": ("0", "1", "3", "-2"), "float": ("0.5", "-1.0", "2.25")}
        return self.pick(*names, *constants.get(kind, ()))

    def expression(self, env, kind, depth=0):
        if depth > 1 or self.draw(st.booleans()):
            return self.atom(env, kind) if kind != "list" else "xs"

        def again(other=kind):
            return self.expression(env, other, depth + 1)

        return getattr(self, f"{kind}_forms")(env, again)

    def int_forms(self, env, again):
        form = self.draw(st.integers(0, 7))
        if form < 3:
            return f"({again()} {self.pick('+', '-')} {again()})"
        if form == 3:
            return f"({again()} * {again()} % 13)"
        if form == 4:
            return f"{self.pick('min', 'max')}({again()}, {again()})"
        if form == 5:
            return f"({again()} if {self.condition(env, 2)[0]} else {again()})"
        if self.is_module:
            return self.pick("self.limit", "len(self.blocks)", "x.shape[1]", "x.dim()")
        if form == 6:
            return self.pick("len(xs)", "xs[0]", "xs[-1]", "abs(xs[1])", "sum(xs)")
        return self.pick(
            f"helper({again()})",
            f"helper({again()}, c={again()})",
            f"helper(b={again()}, a=1)",
        )

    def float_forms(self, env, again):
        form = self.draw(st.integers(0, 3))
        if form == 0:
            return f"({again()} * 0.5 + {again()})"
        if form == 1:
            return f"-{self.atom(env, 'float')}"
        if form == 2:
            return f"({again()} - {again('int')})"
        return f"({again()} if {self.condition(env, 2)[0]} else {again()})"

    def list_forms(self, env, again):
        return self.pick("xs", "xs[1:]", "xs + [k]", "[i * 2 for i in xs]")

    def tensor_forms(self, env, again):
        a = self.pick(*[n for n, k in env.items() if k == "tensor"])
        return self.pick(
            f"torch.relu({a})",
            f"F.relu({a})",
            f"({a} + {again()})",
            f"torch.tanh({a}) * 0.5",
            f"({a} - {again()}.mean())",
            f"({a} * self.scale)",
            f"torch.sigmoid({a})",
            f"self.lin({a})",
            f"self.tail({a})",
            f"self.blocks[{self.pick(0, 1, -1)}]({a}, k={self.pick(1, 2)})",
            f"self.shift({a}, times={self.pick(0, 1, 2)})",
            f"({a} + {a}.sum(dim=1, keepdim=True) * 0.25)",
        )
