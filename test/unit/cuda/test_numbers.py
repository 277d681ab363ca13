"""Numbers that a thread computes are Python's; what Python raises for stops the run."""

import itertools
import math
import struct

import numpy as np
import pytest
from ptx_machine import Memory, launch, parse
from xdsl.dialects.builtin import f64, i1, i64

from dycl.ir import graph
from dycl.ir.graph.rules import FUNCTIONS, ORDERS
from dycl.ir.walking import walk
from dycl.kernels.cuda.graph.thread import thread_of
from dycl.tools.cli_show import parse_module

INTS = [0, 1, -1, 2, -3, 7, 2**53 + 1, 2**62, 2**63 - 1, -(2**63)]
FLOATS = [0.0, -0.0, 0.5, -2.5, 3.5, 1e300, -1e19, math.inf, -math.inf, math.nan]
BOOLS = [False, True]
KINDS = {int: i64, float: f64, bool: i1}
FORMATS = {int: "q", float: "d", bool: "?"}


class Thread:
    """A text of ops on `%a`, `%b`, ... whose result is `%r`, as PTX."""

    def __init__(self, lines, kinds, result):
        names = [chr(ord("a") + n) for n in range(len(kinds))]
        arguments = ", ".join(
            f"%in_{n}: memref<{KINDS[k]}>" for n, k in zip(names, kinds, strict=True)
        )
        reads = "\n".join(
            f"%{n} = host.read %in_{n} : memref<{KINDS[k]}> -> {KINDS[k]}"
            for n, k in zip(names, kinds, strict=True)
        )
        params = ", ".join(f'"{n}"' for n in names)
        text = f"""graph.func @f({arguments}) params [{params}] {{
          %out = host.alloc : memref<{KINDS[result]}>
          graph.scalars {{
            {reads}
            {lines}
            graph.write %r to %out : {KINDS[result]} -> memref<{KINDS[result]}>
          }}
          graph.return as []
        }}"""
        module = parse_module(text, "text")
        module.verify()
        (node,) = [op for op in walk(module) if isinstance(op, graph.ScalarsOp)]
        self.thread = thread_of(node)
        self.kernel = parse(self.thread.ptx)
        self.kinds, self.result = kinds, result
        self.names = [value.name_hint for value in self.thread.memory]

    def __call__(self, *values):
        """The result; None: the run has stopped."""
        memory = Memory(1 << 14)
        record = memory.put(np.zeros(8, np.int64))
        out = memory.allocate(8)
        places = {"out": out}
        for number, (kind, value) in enumerate(zip(self.kinds, values, strict=True)):
            data = np.frombuffer(struct.pack(FORMATS[kind], value), np.uint8)
            places[f"in_{chr(ord('a') + number)}"] = memory.put(data)
        given = [places[name] for name in self.names]
        launch(self.kernel, 1, 1, [*given, record], memory)
        if memory.get(record, "i8", (1,))[0]:
            return None
        size = struct.calcsize(FORMATS[self.result])
        data = memory.get(out, "u1", (size,)).tobytes()
        return struct.unpack(FORMATS[self.result], data)[0]


def python(compute, *values):
    """What Python gives; None: it raises, or an int leaves 64 bits."""
    try:
        result = compute(*values)
    except (ArithmeticError, ValueError, LookupError):
        return None
    is_int = isinstance(result, int)
    return None if is_int and not -(2**63) <= result < 2**63 else result


def agree(found, wanted, stops_more=False):
    if found is None and stops_more:
        return
    assert (found is None) == (wanted is None)
    if wanted is None:
        return
    assert type(found) is type(wanted)
    if isinstance(wanted, float):
        assert struct.pack("d", found) == struct.pack("d", wanted) or (
            math.isnan(found) and math.isnan(wanted)
        )
    else:
        assert found == wanted


BINARY = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "truediv": lambda a, b: a / b,
    "floordiv": lambda a, b: a // b,
    "mod": lambda a, b: a % b,
}
VALUES = {int: INTS, float: FLOATS, bool: BOOLS}


@pytest.mark.parametrize("kind", BINARY)
def test_operators_of_ints(kind):
    result = float if kind == "truediv" else int
    thread = Thread(
        f"%r = dycl.binary {kind} %a, %b : (i64, i64) -> {KINDS[result]}",
        [int, int],
        result,
    )
    for a, b in itertools.product(INTS, INTS):
        is_large = kind == "truediv" and max(abs(a), abs(b)) > 2**53
        agree(thread(a, b), python(BINARY[kind], a, b), stops_more=is_large)


@pytest.mark.parametrize("kind", ["add", "sub", "mul", "truediv"])
def test_operators_of_a_float_and_another_number(kind):
    for other in (int, float, bool):
        text = f"%r = dycl.binary {kind} %a, %b : (f64, {KINDS[other]}) -> f64"
        thread = Thread(text, [float, other], float)
        with np.errstate(all="ignore"):
            for a, b in itertools.product(FLOATS, VALUES[other][:8]):
                is_large = kind == "truediv" and abs(b) > 2**53
                agree(thread(a, b), python(BINARY[kind], a, b), stops_more=is_large)


COMPARE = {
    "lt": lambda a, b: a < b,
    "le": lambda a, b: a <= b,
    "gt": lambda a, b: a > b,
    "ge": lambda a, b: a >= b,
    "eq": lambda a, b: a == b,
    "ne": lambda a, b: a != b,
}


@pytest.mark.parametrize("kind", ORDERS)
def test_comparisons(kind):
    for one, other in ((int, int), (float, float), (int, float), (bool, int)):
        kinds = f"({KINDS[one]}, {KINDS[other]})"
        thread = Thread(
            f"%r = dycl.compare {kind} %a, %b : {kinds} -> i1", [one, other], bool
        )
        for a, b in itertools.product(VALUES[one][:8], VALUES[other]):
            is_mixed = one is int and other is float and abs(a) > 2**53
            agree(thread(a, b), COMPARE[kind](a, b), stops_more=is_mixed)


PYTHON = {"int": int, "float": float, "abs": abs, "round": round}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions(name):
    plain = name.rpartition(".")[2]
    compute = PYTHON.get(plain) or getattr(math, plain)
    for kind in (int, float, bool):
        gives = {i64: int, f64: float, i1: bool}
        result = gives[FUNCTIONS[name] or (f64 if kind is float else i64)]
        text = f'%r = dycl.builtin "{name}"(%a) : ({KINDS[kind]}) -> {KINDS[result]}'
        thread = Thread(text, [kind], result)
        for value in VALUES[kind]:
            agree(thread(value), python(lambda v, k=result: k(compute(v)), value))


def test_truth_signs_and_choices():
    for kind in (int, float, bool):
        truth = Thread(f"%r = dycl.to_bool %a : ({KINDS[kind]}) -> i1", [kind], bool)
        falsity = Thread(
            f"%r = dycl.unary not %a : ({KINDS[kind]}) -> i1", [kind], bool
        )
        choice = Thread(
            f"%r = dycl.select %a, %b, %c : (i1, {KINDS[kind]}, {KINDS[kind]}) -> "
            f"{KINDS[kind]}",
            [bool, kind, kind],
            kind,
        )
        for value in VALUES[kind]:
            agree(truth(value), bool(value))
            agree(falsity(value), not value)
            agree(choice(True, value, VALUES[kind][1]), value)
            agree(choice(False, value, VALUES[kind][1]), VALUES[kind][1])
    for kind in (int, float):
        text = f"%r = dycl.unary neg %a : ({KINDS[kind]}) -> {KINDS[kind]}"
        negative = Thread(text, [kind], kind)
        for value in VALUES[kind]:
            agree(negative(value), python(lambda v: -v, value))


@pytest.mark.parametrize("kind", ["and", "or", "xor"])
def test_bits(kind):
    compute = {
        "and": lambda a, b: a & b,
        "or": lambda a, b: a | b,
        "xor": lambda a, b: a ^ b,
    }[kind]
    for of in (int, bool):
        text = f"%r = dycl.binary {kind} %a, %b : ({KINDS[of]}, {KINDS[of]}) -> "
        thread = Thread(text + str(KINDS[of]), [of, of], of)
        for a, b in itertools.product(VALUES[of][:6], VALUES[of][:6]):
            agree(thread(a, b), compute(a, b))


@pytest.mark.parametrize(
    ("keys", "raises"), [("3 : i64", True), ("tuple", True), ("tuple", False)]
)
def test_places(keys, raises):
    from dycl.runtime.finders import make_finder

    error = "IndexError: index {} is out of range" if raises else ""
    known = 3 if keys != "tuple" else (5, -2, 9)
    written = keys if keys != "tuple" else "#dycl.tuple<[5 : i64, -2 : i64, 9 : i64]>"
    said = f' else "{error}"' if raises else ""
    text = f"%r = dycl.position %a in {written}{said} : (i64) -> i64"
    thread, find = Thread(text, [int], int), make_finder(known, error)
    for key in (-4, -3, -2, -1, 0, 1, 2, 3, 5, 9):
        agree(thread(key), python(find, key) if raises else find(key))
