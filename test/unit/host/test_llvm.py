"""The host through LLVM, without a C compiler: as host.py."""

import itertools
import math
import signal
import threading
import time

import numpy as np
import pytest

from dycl.host import CannotPrint, print_llvm
from dycl.tools.opt_parser import parse_text
from dycl.tools.same import new_context

GATE = """
host.func @forward(%x : memref<1x2xf32>, %k : i64) params ["x", "k"] {
  %w = host.param "w" : memref<1x2xf32>
  %c1 = host.constant dense<[1.5, -2.0]> : tensor<2xf32>
  %b = host.view %c1 : memref<2xf32> -> memref<1x2xf32>
  %p = host.alloc : memref<1xf32>
  host.launch @first ins(%x : memref<1x2xf32>) outs(%p : memref<1xf32>)
  %first = host.read %p : memref<1xf32> -> f64
  %half = host.constant 0.5 : f64
  %c = host.compare gt %first, %half : (f64, f64) -> i1
  %z = host.if %c -> (memref<1x2xf32>) {
    %y = host.alloc : memref<1x2xf32>
    host.launch @twice ins(%x, %half : memref<1x2xf32>, f64) outs(%y : memref<1x2xf32>)
    host.yield %y : memref<1x2xf32>
  } else {
    host.yield %x : memref<1x2xf32>
  } {name = "block3", test = "p > 0.5"}
  %i = host.position %k in 3 : i64 else "IndexError: no {}" : (i64) -> i64
  %none = host.constant #dycl.none
  host.return %z, %first, %w, %b, %i, %c, %none : memref<1x2xf32>, f64,
    memref<1x2xf32>, memref<1x2xf32>, i64, i1, !host.none {structure = #dycl.tuple<[
      #dycl.leaf<0>, #dycl.tuple<[#dycl.leaf<1>, #dycl.leaf<2>]>, #dycl.leaf<3>,
      #dycl.leaf<4>, #dycl.leaf<5>, #dycl.leaf<6>, "text"]>}
}
"""

KERNELS = {
    "first": """
llvm.func @first(%x: !llvm.ptr, %y: !llvm.ptr) {
  %0 = llvm.load %x : !llvm.ptr -> f32
  llvm.store %0, %y : f32, !llvm.ptr
  llvm.return
}""",
    "twice": """
llvm.func @twice(%x: !llvm.ptr, %p: f64, %y: !llvm.ptr) {
  %0 = llvm.load %x : !llvm.ptr -> i64
  llvm.store %0, %y : i64, !llvm.ptr
  %1 = llvm.fptrunc %p : f64 to f32
  llvm.store %1, %y : f32, !llvm.ptr
  llvm.return
}""",
}


def _first(x, y):
    y[0] = x[0, 0]


def _twice(x, p, y):
    y[...] = x
    y[0, 0] = p


def exact(value):
    """What can be compared to the last bit."""
    if isinstance(value, np.ndarray):
        return value.dtype.str, value.shape, value.tobytes()
    if isinstance(value, tuple | list):
        return type(value).__name__, [exact(v) for v in value]
    return type(value).__name__, repr(value)


def outcome(net, *arguments):
    """What a call gives, or the class and arguments of what it raises."""
    try:
        return exact(net(*arguments))
    except Exception as error:
        return type(error).__name__, error.args


def test_kernels_weights_and_both_sides(loaded, loaded_llvm):
    params = {"w": np.array([[5, 6]], np.float32)}
    python = loaded(GATE, {"first": _first, "twice": _twice}, params)
    native = loaded_llvm(GATE, KERNELS, params)
    assert native.host == "native"
    sides = set()
    for first in (0.25, 0.75, math.nan):
        for k in (0, 2, -3, 3, -4):
            x = np.array([[first, 3]], np.float32)
            assert outcome(native, x, k) == outcome(python, x, k)
            assert native.path == python.path
            sides |= {d.taken for d in native.path}
    assert sides == {True, False}


INTS = [0, 1, -1, 7, -(2**62), 2**62, 2**63 - 1, -(2**63)]
FLOATS = [0.0, -0.0, 1.5, -2.5, 1e300, math.inf, -math.inf, math.nan]
FLOATS += [7.0, 2.0**62, 2.0**63, -(2.0**63), math.nextafter(2.0**63, 0), -1e19]
VALUES = {"i64": INTS, "f64": FLOATS, "i1": [False, True]}
MIXED = [("i64", "i64"), ("f64", "f64"), ("f64", "i64"), ("i1", "f64"), ("i1", "i64")]
COMPARED = [*MIXED, ("i64", "f64"), ("f64", "i1")]
WHOLE = [("i64", "i64"), ("i1", "i64"), ("i64", "i1")]
OPS = [
    *((f"binary {k}", kinds) for k in ("add", "sub", "mul") for kinds in MIXED),
    ("binary truediv", ("f64", "f64")),
    *((f"binary {k}", kinds) for k in ("floordiv", "mod") for kinds in WHOLE),
    *((f"binary {k}", (t, t)) for k in ("and", "or", "xor") for t in ("i1", "i64")),
    *(
        (f"compare {k}", kinds)
        for k in ("lt", "le", "gt", "ge", "eq", "ne")
        for kinds in COMPARED
    ),
    *((f"unary {k}", (t,)) for k in ("neg", "pos") for t in ("i64", "f64", "i1")),
    ("unary invert", ("i64",)),
    *((op, (t,)) for op in ("unary not", "truth") for t in VALUES),
]


@pytest.mark.parametrize(("op", "kinds"), OPS)
def test_numbers(loaded, loaded_llvm, op, kinds):
    kind = "f64" if "f64" in kinds else "i64"
    if op.startswith(("compare", "truth", "unary not")) or (
        set(kinds) == {"i1"} and op.removeprefix("binary ") in ("and", "or", "xor")
    ):
        kind = "i1"
    names = "ab"[: len(kinds)]
    given = ", ".join(f"%{n} : {k}" for n, k in zip(names, kinds, strict=True))
    listed = ", ".join(f'"{n}"' for n in names)
    operands = ", ".join(f"%{n}" for n in names)
    text = f"""
    host.func @forward({given}) params [{listed}] {{
      %r = host.{op} {operands} : ({", ".join(kinds)}) -> {kind}
      host.return %r : {kind}
    }}
    """
    python, native = loaded(text), loaded_llvm(text)
    for values in itertools.product(*(VALUES[k] for k in kinds)):
        wanted = outcome(python, *values)
        if wanted[0] == "int" and not -(2**63) <= int(wanted[1]) < 2**63:
            wanted = "OverflowError", ("an int does not fit in 64 bits",)
        assert outcome(native, *values) == wanted, values


@pytest.mark.parametrize(
    "element", ["f16", "f32", "f64", "i1", "i8", "ui8", "i32", "i64"]
)
def test_what_is_read(loaded, loaded_llvm, element):
    dtype = {"f": "float", "i": "int", "u": "uint"}[element[0]] + element.lstrip("fiu")
    kinds = ["i1", "f64"] + ["i64"] * (element[0] != "f")
    reads = "\n".join(f"%{k} = host.read %x : memref<{element}> -> {k}" for k in kinds)
    text = f"""
    host.func @forward(%x : memref<{element}>) params ["x"] {{
      {reads}
      host.return {", ".join(f"%{k}" for k in kinds)} : {", ".join(kinds)}
    }}
    """
    python, native = loaded(text), loaded_llvm(text)
    dtype = "bool" if element == "i1" else dtype
    for value in (0, 1, 77):
        x = np.array(value).astype(dtype)
        assert outcome(native, x) == outcome(python, x)


KEEP = """
host.func @forward(%x : memref<1x2xf32>, %n : i64) params ["x", "n"] {
  %zero = host.constant 0 : i64
  %one = host.constant 1 : i64
  %half = host.constant 0.5 : f64
  %i, %y = host.while carry(%a : i64 = %zero : i64,
                            %b : memref<1x2xf32> = %x : memref<1x2xf32>) {
    %go = host.compare ne %a, %n : (i64, i64) -> i1
    host.condition %go, %a, %b : i64, memref<1x2xf32>
  } do(%k, %v) {
    %next = host.binary add %k, %one : (i64, i64) -> i64
    %w = host.alloc : memref<1x2xf32>
    host.launch @twice ins(%v, %half : memref<1x2xf32>, f64) outs(%w : memref<1x2xf32>)
    %kept = host.keep %w : memref<1x2xf32> -> memref<1x2xf32>
    host.yield %next, %kept : i64, memref<1x2xf32>
  } {test = "a != n"}
  host.return %i, %y : i64, memref<1x2xf32>
}
"""


def test_what_a_loop_carries(loaded, loaded_llvm):
    python = loaded(KEEP, {"twice": _twice})
    native = loaded_llvm(KEEP, {"twice": KERNELS["twice"]})
    x = np.array([[1, 3]], np.float32)
    for n in (0, 1, 2, 300):
        assert outcome(native, x, n) == outcome(python, x, n)
        assert native.path == python.path


def test_max_iterations(loaded, loaded_native, loaded_llvm):
    """As many as the limit run; one more is the error that the host in C raises."""
    code = {"twice": KERNELS["twice"]}
    python = loaded(KEEP, {"twice": _twice})
    native = loaded_llvm(KEEP, code, max_iterations=5)
    in_c = loaded_native(KEEP, TWICE_IN_C, max_iterations=5)
    x = np.array([[1, 3]], np.float32)
    for n in (0, 4, 5):
        assert outcome(native, x, n) == outcome(in_c, x, n) == outcome(python, x, n)
    for n in (6, -1):
        assert outcome(native, x, n)[0] == "IterationLimit"
        assert outcome(native, x, n) == outcome(in_c, x, n)
        assert native.path == in_c.path
    assert outcome(native, x, 5) == outcome(python, x, 5)


TWICE_IN_C = """
void kernel_twice(const float *x, double p, float *y)
{
    y[0] = (float)p;
    y[1] = x[1];
}
"""


def test_control_c_ends_a_loop(loaded_llvm):
    net = loaded_llvm(KEEP, {"twice": KERNELS["twice"]})
    killer = threading.Timer(
        0.3, signal.pthread_kill, [threading.main_thread().ident, signal.SIGINT]
    )
    killer.start()
    started = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        net(np.zeros((1, 2), np.float32), -1)
    killer.join()
    assert time.monotonic() - started < 20


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ('%r = host.format "{}"(%n) : (i64) -> !host.str', "`host.format`"),
        ('host.effect "builtins.print"(%n) : (i64) -> ()', "`builtins.print`"),
        ("%r = host.list(%n : i64) -> !host.list<i64>", "`host.list`"),
        ("%r = host.binary pow %n, %n : (i64, i64) -> i64", "`[*][*]`"),
        ("%r = host.alloc : memref<?xf32>", "memref<"),
    ],
)
def test_what_has_no_form_is_said(line, words):
    text = f"""
    host.func @forward(%n : i64) params ["n"] {{
      {line}
      host.return %n : i64
    }}
    """
    module = parse_text(new_context(), text, "net.py")
    with pytest.raises(CannotPrint, match=words):
        print_llvm(module, {})
