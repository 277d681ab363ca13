"""Random nests of ifs, scopes and exits: printed Python against a small evaluator."""

import itertools
import random

import pytest

import dycl.host.body

CONDITIONS = 3


class Leave(Exception):
    """`host.leave`: a scope by its number, and a value."""


class Return(Exception):
    """`host.return`."""


class Program:
    """IR text and its meaning, made side by side: an op is a line and a function."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.count = 0
        self.budget = 40
        lines, self.run_block = self.block(["%a", "%b"], [], 0, None)
        arguments = [f"%c{i} : i1" for i in range(CONDITIONS)] + [
            "%a : i64",
            "%b : i64",
        ]
        names = [a.split()[0][1:] for a in arguments]
        listed = ", ".join(f'"{n}"' for n in names)
        head = f"host.func @forward({', '.join(arguments)}) params [{listed}] {{"
        self.text = "\n".join([head, *lines, "}"])

    def evaluate(self, conditions, a, b):
        """The value returned, and the path."""
        path = []
        values = {f"%c{i}": c for i, c in enumerate(conditions)} | {"%a": a, "%b": b}
        try:
            self.run_block(values, path)
        except Return as returned:
            return returned.args[0], path
        raise AssertionError("a block fell through")

    def fresh(self):
        self.count += 1
        return f"%v{self.count}"

    def block(self, visible, scopes, depth, yields):
        """Lines and function of a block; `yields`: whether it may fall through."""
        visible, lines, runs = list(visible), [], []
        for _ in range(self.random.randint(1, 3)):
            kinds = ["add"] if self.budget <= 0 or depth > 7 else ["add", "if", "scope"]
            self.budget -= 1
            kind = self.random.choice(kinds)
            more, run, result = getattr(self, f"make_{kind}")(visible, scopes, depth)
            lines += more
            runs.append(run)
            visible.append(result)
        more, run = self.end(visible, scopes, yields)

        def execute(values, path):
            for one in runs:
                one(values, path)
            return run(values)

        return [*lines, *more], execute

    def make_add(self, visible, scopes, depth):
        x, y, z = *self.random.choices(visible, k=2), self.fresh()

        def run(values, path):
            values[z] = values[x] + 3 * values[y]

        three = self.fresh()
        lines = [
            f"{three} = host.constant 3 : i64",
            f"{z}_m = host.binary mul {three}, {y} : (i64, i64) -> i64",
            f"{z} = host.binary add {x}, {z}_m : (i64, i64) -> i64",
        ]
        return lines, run, z

    def make_if(self, visible, scopes, depth):
        condition = f"%c{self.random.randrange(CONDITIONS)}"
        z = self.fresh()
        then_lines, then_run = self.block(visible, scopes, depth + 1, True)
        else_lines, else_run = self.block(visible, scopes, depth + 1, True)

        def run(values, path):
            path.append((z, values[condition]))
            values[z] = (then_run if values[condition] else else_run)(values, path)

        head = f"{z} = host.if {condition} -> (i64) {{"
        end = f'}} {{test = "{z}"}}'
        return [head, *then_lines, "} else {", *else_lines, end], run, z

    def make_scope(self, visible, scopes, depth):
        z = self.fresh()
        scope = (self.random.choice(["s", "t"]), z)
        lines, body = self.block(visible, [*scopes, scope], depth + 1, False)

        def run(values, path):
            try:
                body(values, path)
            except Leave as left:
                if left.args[0] != z:
                    raise
                values[z] = left.args[1]

        return [f'{z} = host.scope "{scope[0]}" -> (i64) {{', *lines, "}"], run, z

    def end(self, visible, scopes, yields):
        x = self.random.choice(visible)
        nearest = dict(scopes)  # label -> the innermost scope of that label
        choice = self.random.random()
        if yields and choice < 0.5:
            return [f"host.yield {x} : i64"], lambda values: values[x]
        if nearest and choice < 0.9:
            label = self.random.choice(sorted(nearest))

            def leave(values):
                raise Leave(nearest[label], values[x])

            return [f'host.leave "{label}" {x} : i64'], leave

        def give_back(values):
            raise Return(values[x])

        return [f"host.return {x} : i64"], give_back


@pytest.mark.parametrize("limits", [(40, 15), (2, 1), (1, 2), (3, 3)])
@pytest.mark.parametrize("seed", range(30))
def test_printed_python_means_the_same(loaded, monkeypatch, seed, limits):
    levels, loops = limits
    monkeypatch.setattr(dycl.host.body, "MOST_LEVELS", levels)
    monkeypatch.setattr(dycl.host.body, "MOST_LOOPS", loops)
    program = Program(seed)
    net = loaded(program.text)
    for conditions in itertools.product([True, False], repeat=CONDITIONS):
        expected, path = program.evaluate(conditions, 5, 11)
        assert net(*conditions, 5, 11) == expected
        assert [(d.test, d.taken) for d in net.path] == path
