"""`host.c` printed for hand-written host IR, compiled and run: as host.py does."""

import itertools
import math
import re
import signal
import subprocess
import threading
import time

import numpy as np
import pytest

from dycl.host import CannotPrint
from dycl.host.native import common, headers
from dycl.toolchain import find_compiler

CC = find_compiler()

pytestmark = pytest.mark.skipif(CC is None, reason="there is no C compiler")

GATE = """
host.func @forward(%x : memref<1x2xf32>) params ["x"] {
  %p = host.alloc : memref<1xf32>
  host.launch @mean ins(%x : memref<1x2xf32>) outs(%p : memref<1xf32>)
  %mean = host.read %p : memref<1xf32> -> f64
  %half = dycl.constant 0.5 : f64 -> f64
  %c = dycl.compare gt %mean, %half : (f64, f64) -> i1
  %z = dycl.if %c : i1 -> (memref<1x2xf32>) {
    %y = host.alloc : memref<1x2xf32>
    host.launch @double ins(%x : memref<1x2xf32>) outs(%y : memref<1x2xf32>)
    dycl.yield %y : (memref<1x2xf32>) -> ()
  } else {
    dycl.yield %x : (memref<1x2xf32>) -> ()
  } {name = "block3", test = "p > 0.5"}
  dycl.return %z, %mean : (memref<1x2xf32>, f64) -> ()
}
"""

KERNELS = """
void kernel_mean(const float *x, float *y) { *y = (x[0] + x[1]) / 2; }
void kernel_double(const float *x, float *y) { y[0] = 2 * x[0]; y[1] = 2 * x[1]; }
"""


def test_text_is_readable_and_keeps_the_users_names(printed_native):
    text = printed_native(GATE).source
    start = text.index("static int dycl_forward")
    assert (
        text[start : text.index("const struct dycl_program", start)]
        == """\
static int dycl_forward(struct dycl_host *h)
{
    uint32_t *path = h->net.path;
    unsigned char *const m = h->arena;
    const dycl_value *const in = h->net.inputs;
    dycl_value *const out = h->net.outputs;
    const float *const x = in[0].tensor;
    float *const p = AT(float, 0);
    LAUNCH(0, kernel_mean(x, p));  // net.py:4
    const double mean = p[0];  // net.py:5
    const bool c = mean > 0.5;  // net.py:7
    const float *z;
    if (DECIDE(0, c)) {  // net.py:8: block3: p > 0.5
        float *const y = AT(float, 64);
        LAUNCH(1, kernel_double(x, y));  // net.py:10
        z = y;
    } else {
        z = x;
    }
    out[0].tensor = z;
    out[1].real = mean;
    RETURN(0);
}

"""
    )
    assert text == printed_native(GATE).source


def test_both_sides_of_a_decision(loaded_native):
    net = loaded_native(GATE, KERNELS)
    assert net.host == "native"
    y, mean = net(np.array([[1, 3]], np.float32))
    assert (y.tolist(), mean) == ([[2, 6]], 2.0)
    assert str(net.path[0]) == "block3: p > 0.5 is True (net.py:8)"
    x = np.array([[0, 0.5]], np.float32)
    again, mean = net(x)
    assert (again.tolist(), mean) == ([[0, 0.5]], 0.25)
    assert [d.taken for d in net.path] == [False]
    x[:] = 7  # what came back is a copy
    assert again.tolist() == [[0, 0.5]]
    assert y.tolist() == [[2, 6]]


def test_compilers_find_nothing_to_say(printed_native, tmp_path):
    for name, text in {**headers(), **common()}.items():
        (tmp_path / name).write_text(text)
    (tmp_path / "host.c").write_text(printed_native(GATE).source)
    flags = ["-std=gnu11", "-Wall", "-Wextra", "-Werror", "-fsyntax-only"]
    files = ["host.c", "dycl.c", "pick.c"]
    subprocess.run([*CC.command, *flags, *files], cwd=tmp_path, check=True)


# ---- numbers: whatever Python gives or raises

INTS = [0, 1, -1, 2, 3, -7, 10, 63, 64, 2**31, 2**53 + 1, -(2**62), 2**63 - 1, -(2**63)]
FLOATS = [
    *(0.0, -0.0, 1.0, -1.0, 0.5, -2.5, 2.5, 3.0, 1e-300, 1e300, -1e18, 2.0**53),
    *(2.0**63, -(2.0**63), 0.1, math.inf, -math.inf, math.nan),
]
VALUES = {"i64": INTS, "f64": FLOATS, "i1": [False, True]}


def outcome(function, *values):
    """What a call gives, exactly, or the words of what it raises."""
    try:
        return repr(function(*values))
    except (ArithmeticError, ValueError) as error:
        return f"{type(error).__name__}: {error}"


def differ(loaded, loaded_native, kinds, result, *lines):
    """Run each op on all values through both hosts; an int that leaves 64 bits is an
    error in C. An argument says which op a run has: ops are compiled all at once."""
    kind_of = dict(zip(("%a", "%b"), kinds, strict=False))
    arguments = ", ".join(f"{name} : {kind}" for name, kind in kind_of.items())
    params = ", ".join(f'"{name[1:]}"' for name in kind_of)
    text = f"""
    host.func @forward(%which : i64, {arguments}) params ["which", {params}] {{
    """
    for number, line in enumerate(lines):
        types = ", ".join(kind_of[name] for name in re.findall("%[ab]", line))
        text += f"""
        %n{number} = dycl.constant {number} : i64 -> i64
        %c{number} = dycl.compare eq %which, %n{number} : (i64, i64) -> i1
        dycl.if %c{number} : i1 {{
          %r{number} = {line} : ({types}) -> {result}
          dycl.return %r{number} : ({result}) -> ()
        }}
        """
    text += "dycl.unreachable\n}"
    python, native = loaded(text), loaded_native(text)
    for number, line in enumerate(lines):
        for values in itertools.product(*(VALUES[kind] for kind in kinds)):
            wanted = outcome(python, number, *values)
            if result == "i64" and not wanted[0].isalpha():
                whole = int(wanted)
                if not -(2**63) <= whole < 2**63:
                    wanted = "OverflowError: an int does not fit in 64 bits"
            if wanted.endswith("j)"):
                wanted = (
                    "OverflowError: a root of a negative number is complex, which a "
                    "host in C lacks"
                )
            assert outcome(native, number, *values) == wanted, (line, values)


@pytest.mark.parametrize("kinds", [*itertools.product(["i64", "f64"], repeat=2)])
def test_arithmetic(loaded, loaded_native, kinds):
    result = "f64" if "f64" in kinds else "i64"
    lines = [
        f"dycl.binary {kind} %a, %b"
        for kind in ("add", "sub", "mul", "floordiv", "mod")
    ]
    differ(loaded, loaded_native, kinds, result, *lines)
    differ(loaded, loaded_native, kinds, "f64", "dycl.binary truediv %a, %b")


@pytest.mark.parametrize("kind", ["i64", "i1"])
def test_bits(loaded, loaded_native, kind):
    names = ["and", "or", "xor", *["rshift"] * (kind == "i64")]
    lines = [f"dycl.binary {name} %a, %b" for name in names]
    differ(loaded, loaded_native, [kind, kind], kind, *lines)


def test_left_shift(loaded, loaded_native, monkeypatch):
    monkeypatch.setitem(VALUES, "i64", [0, 1, -1, 5, -5, 61, 62, 63, 64, 70])
    line = "dycl.binary lshift %a, %b"
    differ(loaded, loaded_native, ["i64", "i64"], "i64", line)


@pytest.mark.parametrize("kinds", [("f64", "f64"), ("i64", "f64"), ("f64", "i1")])
def test_powers(loaded, loaded_native, kinds):
    differ(loaded, loaded_native, kinds, "f64", "dycl.binary pow %a, %b")


@pytest.mark.parametrize("kinds", [*itertools.product(["i64", "f64", "i1"], repeat=2)])
def test_comparisons(loaded, loaded_native, kinds):
    names = ["lt", "le", "gt", "ge", "eq", "ne"]
    lines = [f"dycl.compare {name} %a, %b" for name in names]
    differ(loaded, loaded_native, kinds, "i1", *lines)


@pytest.mark.parametrize(
    ("kind", "result", "ops"),
    [
        ("f64", "f64", ["unary neg"]),
        ("i64", "i64", ["unary neg", "unary invert"]),
        ("i1", "i64", ["unary neg"]),
        *((k, "i1", ["unary not", "to_bool"]) for k in VALUES),
    ],
)
def test_operators_of_one_number(loaded, loaded_native, kind, result, ops):
    differ(loaded, loaded_native, [kind], result, *(f"dycl.{op} %a" for op in ops))


_REAL = (
    *("acos", "acosh", "asin", "asinh", "atan", "atanh", "cbrt", "cos"),
    *("cosh", "degrees", "erf", "erfc", "exp", "exp2", "expm1", "fabs"),
    *("log", "log10", "log1p", "log2", "radians", "sin", "sinh", "sqrt"),
    *("tan", "tanh"),
)


@pytest.mark.parametrize(
    ("kind", "result", "names"),
    [
        *((k, "i64", ["builtins.int", "builtins.round"]) for k in VALUES),
        ("f64", "i64", [f"math.{f}" for f in ("floor", "ceil", "trunc")]),
        *((k, "f64", ["builtins.float"]) for k in VALUES),
        *((k, k, ["builtins.abs"]) for k in ("i64", "f64")),
        *((k, "f64", [f"math.{f}" for f in _REAL]) for k in ("f64", "i64")),
        ("f64", "i1", [f"math.{f}" for f in ("isnan", "isinf", "isfinite")]),
    ],
)
def test_functions_of_one_number(loaded, loaded_native, kind, result, names):
    lines = [f'dycl.builtin "{name}"(%a)' for name in names]
    differ(loaded, loaded_native, [kind], result, *lines)


def test_functions_of_two_numbers(loaded, loaded_native):
    lines = [
        f'dycl.builtin "math.{name}"(%a, %b)' for name in ("copysign", "atan2", "fmod")
    ]
    differ(loaded, loaded_native, ["f64", "f64"], "f64", *lines)


@pytest.mark.parametrize(
    ("name", "kinds", "result"),
    [
        ("builtins.round", ("f64", "i64"), "f64"),
        ("builtins.round", ("i64", "i64"), "i64"),
        ("math.pow", ("f64", "f64"), "f64"),
        ("math.hypot", ("f64", "f64"), "f64"),
        ("math.log", ("f64", "f64"), "f64"),
        ("math.gcd", ("i64", "i64"), "i64"),
        ("math.isqrt", ("i64",), "i64"),
        ("math.lgamma", ("f64",), "f64"),
        ("numpy.floor", ("f64",), "f64"),
        ("numpy.isnan", ("f64",), "i1"),
        ("numpy.maximum", ("f64", "i64"), "f64"),
        ("numpy.std", ("f64", "f64"), "f64"),
        ("numpy.argmax", ("f64", "f64"), "i64"),
        ("builtins.sum", ("f64", "i64"), "f64"),
    ],
)
def test_what_only_python_can_tell(
    loaded, loaded_native, monkeypatch, name, kinds, result
):
    few = [0, 1, -1, 2, -3, 64, 2**31, -(2**63)]
    monkeypatch.setitem(VALUES, "i64", few[:-1] if name == "builtins.round" else few)
    given = ", ".join(f"%{v}" for v, _ in zip("ab", kinds, strict=False))
    line = f'dycl.builtin "{name}"({given})'
    with np.errstate(all="ignore"):
        differ(loaded, loaded_native, kinds, result, line)


def test_powers_of_ints(loaded, loaded_native, monkeypatch):
    monkeypatch.setitem(VALUES, "i64", [0, 1, 2, 3, 7, 62, 63])
    line = "dycl.binary pow %a, %b"
    differ(loaded, loaded_native, ["i64", "i64"], "i64", line)


@pytest.mark.parametrize("kind", ["f16", "f32", "f64"])
def test_an_int_that_is_read_from_floats(loaded, loaded_native, kind):
    text = f"""
    host.func @forward(%x : memref<{kind}>) params ["x"] {{
      %n = host.read %x : memref<{kind}> -> i64
      dycl.return %n : (i64) -> ()
    }}
    """
    python, native = loaded(text), loaded_native(text)
    dtype = {"f16": np.float16, "f32": np.float32, "f64": np.float64}[kind]
    for value in (0.0, -2.7, 1e4, math.inf, -math.inf, math.nan):
        x = np.array(value, dtype)
        got = outcome(native, x)
        assert got == outcome(python, x)


def test_sums(loaded, loaded_native):
    line = 'dycl.builtin "builtins.sum"(%a, %b, %a)'
    differ(loaded, loaded_native, ["i64", "i64"], "i64", line)
    line = 'dycl.builtin "builtins.sum"(%a, %b, %b)'
    differ(loaded, loaded_native, ["i64", "f64"], "f64", line)


# ---- texts, effects, errors, loops

WORDS = """
host.func @forward(%n : i64, %c : i1) params ["n", "c"] {
  %a = dycl.constant "a" -> !host.str
  %b = dycl.constant "b??/é" -> !host.str
  %none = dycl.constant #dycl.none -> !host.none
  %t = dycl.select %c, %a, %b : (i1, !host.str, !host.str) -> !host.str
  dycl.effect "builtins.print"(%t, %n, %none, sep = %a)
    : (!host.str, i64, !host.none, !host.str) -> ()
  %f = dycl.format "{} of {x:03d}"(%t, x = %n) : (!host.str, i64) -> !host.str
  dycl.if %c : i1 {
    dycl.raise "net.Broken" as "builtins.ValueError"(%f, %n) : (!host.str, i64) -> ()
  }
  dycl.return %f, %none, %t : (!host.str, !host.none, !host.str) -> ()
}
"""


def test_texts_prints_and_exceptions(loaded, loaded_native, capsys):
    for net in (loaded(WORDS), loaded_native(WORDS)):
        assert net(7, False) == ("b??/é of 007", None, "b??/é")
        with pytest.raises(ValueError, match="a of 008") as caught:
            net(8, True)
        assert type(caught.value).__name__ == "Broken"
        assert caught.value.args == ("a of 008", 8)
        assert capsys.readouterr().out == "b??/éa7aNone\naa8aNone\n"


TEXTS = """
host.func @forward(%n : i64, %w : f64) params ["n", "w"] {
  %low = dycl.constant "low" -> !host.str
  %t = dycl.format "v{}"(%n) : (i64) -> !host.str
  %u = dycl.format "{:.1f}"(%w) : (f64) -> !host.str
  %both = dycl.binary add %t, %u : (!host.str, !host.str) -> !host.str
  %same = dycl.compare eq %t, %u : (!host.str, !host.str) -> i1
  %less = dycl.compare lt %both, %low : (!host.str, !host.str) -> i1
  %in = dycl.compare in %u, %both : (!host.str, !host.str) -> i1
  %true = dycl.to_bool %t : (!host.str) -> i1
  %place = dycl.position %t in #dycl.tuple<["v1", 2 : i64, "v2", "v1", "w"]>
    else "KeyError" : (!host.str) -> i64
  dycl.return %both, %same, %less, %in, %true, %place
    : (!host.str, i1, i1, i1, i1, i64) -> ()
}
"""


def test_texts_of_a_run(loaded, loaded_native):
    python, native = loaded(TEXTS), loaded_native(TEXTS)
    for n in (1, 2, 3):
        for w in (1.0, 2.25):
            assert outcome_of_key(native, n, w) == outcome_of_key(python, n, w)


def test_a_key_that_is_no_index(loaded, loaded_native):
    text = KEYS.replace("!KIND", "f64").replace("KEYS", "3 : i64").replace("ERROR", "")
    for net in (loaded(text), loaded_native(text)):
        with pytest.raises(TypeError, match="'float' object cannot be interpreted as"):
            net(1.0)


def test_what_a_print_raises_ends_the_run(loaded_native, monkeypatch):
    class Full:
        def write(self, text):
            raise OSError("disk full")

    net = loaded_native(WORDS)
    monkeypatch.setattr("sys.stdout", Full())
    with pytest.raises(OSError, match="disk full"):
        net(7, False)
    monkeypatch.undo()
    assert net(7, False)[1] is None


KEYS = """
host.func @forward(%k : !KIND) params ["k"] {
  %p = dycl.position %k in KEYSERROR : (!KIND) -> i64
  dycl.return %p : (i64) -> ()
}
"""


@pytest.mark.parametrize(
    ("kind", "keys", "error", "values"),
    [
        ("i64", "3 : i64", "IndexError: no {}", [0, 2, 3, -1, -3, -4]),
        *(
            (kind, keys, error, values)
            for error in ("KeyError", "")
            for kind, keys, values in (
                ("i64", "1 : i64, 5 : i64, 1 : i64, 2.0 : f64, true", [0, 1, 2, 5]),
                ("f64", "1 : i64, 0.5 : f64", [1.0, 0.5, 2.0, math.nan]),
                ("i1", "0 : i64, 5 : i64", [False, True]),
            )
        ),
    ],
)
def test_positions(loaded, loaded_native, kind, keys, error, values):
    if "," in keys:
        keys = f"#dycl.tuple<[{keys}]>"
    error = f' else "{error}"' if error else ""
    text = KEYS.replace("!KIND", kind).replace("KEYS", keys).replace("ERROR", error)
    python, native = loaded(text), loaded_native(text)
    for value in values:
        assert outcome_of_key(native, value) == outcome_of_key(python, value)


def outcome_of_key(net, *values):
    try:
        return net(*values)
    except (IndexError, KeyError) as error:
        return type(error), repr(error.args)


LOOP = """
host.func @forward(%n : i64) params ["n"] {
  %zero = dycl.constant 0 : i64 -> i64
  %one = dycl.constant 1 : i64 -> i64
  %a, %b = dycl.while carry(%i : i64 = %zero : i64, %j : i64 = %n : i64) {
    %c = dycl.compare ne %i, %n : (i64, i64) -> i1
    dycl.condition %c, %i, %j : (i1, i64, i64) -> ()
  } do(%k, %l) {
    %m = dycl.binary add %k, %one : (i64, i64) -> i64
    dycl.yield %m, %k : (i64, i64) -> ()
  } {test = "i != n"}
  dycl.return %a, %b : (i64, i64) -> ()
}
"""


def test_long_paths(loaded, loaded_native):
    python, native = loaded(LOOP), loaded_native(LOOP)
    for n in (0, 1, 1000):
        assert native(n) == python(n)
        assert native.path == python.path


def test_max_iterations(loaded_native):
    net = loaded_native(LOOP, max_iterations=5)
    assert net(5) == (5, 4)
    with pytest.raises(RuntimeError, match=r"net.py:5 runs more than 5 times.*DY602"):
        net(6)
    assert len(net.path) == 6


def test_control_c_ends_a_loop(loaded_native):
    net = loaded_native(LOOP)
    main = threading.main_thread().ident
    killer = threading.Timer(0.3, signal.pthread_kill, [main, signal.SIGINT])
    killer.start()
    started = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        net(-1)
    killer.join()
    assert time.monotonic() - started < 5
    assert net(3) == (3, 2)


def test_what_has_no_form_in_c_is_said(printed_native):
    text = """
    host.func @forward(%x : memref<?xf32>) params ["x"] {
      %y = host.view %x : memref<?xf32> -> memref<?x?xf32>
      dycl.return %y : (memref<?x?xf32>) -> ()
    }
    """
    with pytest.raises(CannotPrint, match="a view of which a run decides several"):
        printed_native(text)


# ---- from C

PROGRAM = r"""
#include <stdio.h>
#include "dycl.h"
int main(void)
{
    dycl_weights *weights = dycl_prepare(NULL, NULL);
    dycl_net *net = dycl_create(weights);
    float x[2][2] = {{1, 3}, {0, 0.5}};
    for (int i = 0; i < 2; i++) {
        const uint32_t *path;
        net->inputs[0].tensor = x[i];
        if (dycl_run(net) != DYCL_OK)
            return puts(dycl_error(net));
        const float *y = net->outputs[0].tensor;
        int64_t count = dycl_path(net, &path);
        printf("%g %g %g", y[0], y[1], net->outputs[1].real);
        for (int64_t j = 0; j < count; j++)
            printf(" %s=%d", dycl_decisions[path[j] >> 1].name, path[j] & 1);
        puts("");
    }
    dycl_destroy(net);
    dycl_release(weights);
    return 0;
}
"""


def test_a_c_program(printed_native, tmp_path):
    for name, text in {**headers(), **common()}.items():
        (tmp_path / name).write_text(text)
    (tmp_path / "host.c").write_text(printed_native(GATE).source + KERNELS)
    (tmp_path / "main.c").write_text(PROGRAM)
    command = [
        *CC.command,
        "-std=gnu11",
        "-g",
        "-fsanitize=address,undefined",
        "host.c",
        "dycl.c",
    ]
    command += ["main.c", "-o", "main", "-lm"]
    subprocess.run(command, cwd=tmp_path, check=True)
    said = subprocess.run(
        [tmp_path / "main"], capture_output=True, text=True, check=True
    ).stdout
    assert said == "2 6 2 block3=1\n0 0.5 0.25 block3=0\n"
