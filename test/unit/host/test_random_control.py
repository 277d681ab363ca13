"""Random ifs, scopes, loops and exits: printed text against a small evaluator."""

import itertools
import random

import pytest

import dycl.host.body

CONDITIONS = 3
KINDS = ["add", "if", "scope", "while"]


class Leave(Exception):
    """`dycl.leave`: a scope by its number, and a value."""


class Jump(Exception):
    """`dycl.break` or `dycl.continue`: a loop by its result, which, and a value."""


LOOP = "the loop"
"""Stands for the nearest loop among the labels of scopes."""


class Return(Exception):
    """`dycl.return`."""


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
            kinds = ["add"] if self.budget <= 0 or depth > 7 else KINDS
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
            f"{three} = dycl.constant 3 : i64 -> i64",
            f"{z}_m = dycl.binary mul {three}, {y} : (i64, i64) -> i64",
            f"{z} = dycl.binary add {x}, {z}_m : (i64, i64) -> i64",
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

        head = f"{z} = dycl.if {condition} : i1 -> (i64) {{"
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

        return [f'{z} = dycl.scope "{scope[0]}" -> (i64) {{', *lines, "}"], run, z

    def make_while(self, visible, scopes, depth):
        """At most three iterations, while the counter and a condition allow it."""
        condition = f"%c{self.random.randrange(CONDITIONS)}"
        i, v, j, w, k, z = (self.fresh() for _ in range(6))
        inner = [*scopes, (LOOP, (z, k))]
        lines, body = self.block([*visible, w], inner, depth + 1, k)
        start, known = self.random.choice(visible), self.random.random() < 0.3

        def run(values, path):
            values[v], values[i] = values[start], 0
            while True:
                if not known:
                    go_on = values[condition] and values[i] < 3
                    path.append((z, go_on))
                    if not go_on:
                        break
                elif values[i] == 3:
                    break
                values[w], values[k] = values[v], values[i] + 1
                try:
                    values[v] = body(values, path)
                except Jump as jump:
                    if jump.args[0] != z:
                        raise
                    values[v] = jump.args[2]
                    if jump.args[1] == "break":
                        break
                values[i] = values[k]
            values[z] = values[v]

        three, one, zero, test = (self.fresh() for _ in range(4))
        head = [
            f"{zero} = dycl.constant 0 : i64 -> i64",
            f"{one} = dycl.constant 1 : i64 -> i64",
            f"{three} = dycl.constant 3 : i64 -> i64",
            f"{z}_n, {z} = dycl.while carry({i} : i64 = {zero} : i64, "
            f"{v} : i64 = {start} : i64) {{",
        ]
        less = f"{test} = dycl.compare lt {i}, {three} : (i64, i64) -> i1"
        if known:  # an endless loop, left by a break
            true, stop = self.fresh(), self.fresh()
            head += [
                f"{true} = dycl.constant true -> i1",
                f"dycl.condition {true}, {i}, {v} : (i1, i64, i64) -> ()",
                f"}} do({j}, {w}) {{",
                f"{stop} = dycl.compare eq {j}, {three} : (i64, i64) -> i1",
                f"dycl.if {stop} : i1 {{",
                f"dycl.break {j}, {w} : (i64, i64) -> ()",
                "}",
            ]
        else:
            go_on, no = self.fresh(), self.fresh()
            head += [
                less,
                f"{no} = dycl.constant false -> i1",
                f"{go_on} = dycl.select {condition}, {test}, {no} : (i1, i1, i1) -> i1",
                f"dycl.condition {go_on}, {i}, {v} : (i1, i64, i64) -> ()",
                f"}} do({j}, {w}) {{",
            ]
        head.append(f"{k} = dycl.binary add {j}, {one} : (i64, i64) -> i64")
        return [*head, *lines, f'}} {{test = "{z}"}}'], run, z

    def end(self, visible, scopes, yields):
        x = self.random.choice(visible)
        nearest = dict(scopes)  # label -> the innermost scope of that label
        loop = nearest.pop(LOOP, None)
        choice = self.random.random()
        if yields and choice < 0.5:
            if yields is True:
                return [f"dycl.yield {x} : (i64) -> ()"], lambda values: values[x]
            return [
                f"dycl.yield {yields}, {x} : (i64, i64) -> ()"
            ], lambda values: values[x]
        if loop is not None and choice < 0.7:
            kind = self.random.choice(["break", "continue"])

            def jump(values):
                raise Jump(loop[0], kind, values[x])

            return [f"dycl.{kind} {loop[1]}, {x} : (i64, i64) -> ()"], jump
        if nearest and choice < 0.9:
            label = self.random.choice(sorted(nearest))

            def leave(values):
                raise Leave(nearest[label], values[x])

            return [f'dycl.leave "{label}" {x} : (i64) -> ()'], leave

        def give_back(values):
            raise Return(values[x])

        return [f"dycl.return {x} : (i64) -> ()"], give_back


@pytest.mark.parametrize("limits", [(40, 15), (2, 1), (1, 2), (3, 3)])
@pytest.mark.parametrize("seed", range(30))
def test_printed_python_means_the_same(loaded, monkeypatch, seed, limits):
    levels, loops = limits
    monkeypatch.setattr(dycl.host.body, "MOST_LEVELS", levels)
    monkeypatch.setattr(dycl.host.body, "MOST_LOOPS", loops)
    program = Program(seed)
    assert_same(program, loaded(program.text))


@pytest.mark.parametrize("seed", range(30))
def test_printed_c_means_the_same(loaded_native, seed):
    program = Program(seed)
    assert_same(program, loaded_native(program.text))


def assert_same(program, net):
    for conditions in itertools.product([True, False], repeat=CONDITIONS):
        expected, path = program.evaluate(conditions, 5, 11)
        assert net(*conditions, 5, 11) == expected
        assert [(d.test, d.taken) for d in net.path] == path
