"""Lists, and tensors whose size a run decides, in `host.c`: as host.py has them."""

import resource
import subprocess

import numpy as np
import pytest

from dycl.host.native import common, headers
from dycl.toolchain import find_compiler

CC = find_compiler()

pytestmark = pytest.mark.skipif(CC is None, reason="there is no C compiler")

# `add` fills one buffer in each iteration; `more` makes what is longer by a row.
LOOP = """
host.func @forward(%x : memref<1x2xf32>, %n : i64) params ["x", "n"] {
  %zero = dycl.constant 0 : i64 -> i64
  %one = dycl.constant 1 : i64 -> i64
  %none = dycl.sequence() : () -> !dycl.sequence<memref<1x2xf32>>
  %counts = dycl.sequence(%n, %n) : (i64, i64) -> !dycl.sequence<i64>
  %start = host.cast %x : memref<1x2xf32> -> memref<?x2xf32>
  %i, %y, %rows, %grown, %numbers, %old = dycl.while carry(
      %a : i64 = %zero : i64, %b : memref<1x2xf32> = %x : memref<1x2xf32>,
      %c : !dycl.sequence<memref<1x2xf32>> = %none : !dycl.sequence<memref<1x2xf32>>,
      %d : memref<?x2xf32> = %start : memref<?x2xf32>,
      %e : !dycl.sequence<i64> = %counts : !dycl.sequence<i64>,
      %f : !dycl.sequence<i64> = %counts : !dycl.sequence<i64>) {
    %go = dycl.compare lt %a, %n : (i64, i64) -> i1
    dycl.condition %go, %a, %b, %c, %d, %e, %f : (i1, i64, memref<1x2xf32>,
      !dycl.sequence<memref<1x2xf32>>, memref<?x2xf32>, !dycl.sequence<i64>,
      !dycl.sequence<i64>) -> ()
  } do(%k, %v, %l, %g, %m, %o) {
    %next = dycl.binary add %k, %one : (i64, i64) -> i64
    %w = host.alloc : memref<1x2xf32>
    host.launch @add ins(%v, %k : memref<1x2xf32>, i64) outs(%w : memref<1x2xf32>)
    %list = dycl.append %l, %w : (!dycl.sequence<memref<1x2xf32>>, memref<1x2xf32>)
      -> !dycl.sequence<memref<1x2xf32>>
    %more = host.alloc : memref<?x2xf32>
    host.launch @more ins(%g : memref<?x2xf32>) outs(%more : memref<?x2xf32>)
    %size = dycl.dim %more 0 : (memref<?x2xf32>) -> i64
    %here = dycl.append %m, %size : (!dycl.sequence<i64>, i64) -> !dycl.sequence<i64>
    %other = dycl.append %m, %k : (!dycl.sequence<i64>, i64) -> !dycl.sequence<i64>
    %both = dycl.extend %here, %counts : (!dycl.sequence<i64>, !dycl.sequence<i64>)
      -> !dycl.sequence<i64>
    %kept = host.keep %w : memref<1x2xf32> -> memref<1x2xf32>
    %held = host.keep %more : memref<?x2xf32> -> memref<?x2xf32>
    dycl.yield %next, %kept, %list, %held, %both, %other : (i64, memref<1x2xf32>,
      !dycl.sequence<memref<1x2xf32>>, memref<?x2xf32>, !dycl.sequence<i64>,
      !dycl.sequence<i64>) -> ()
  } {test = "a < n"}
  %last = dycl.get %numbers[%n] : (!dycl.sequence<i64>, i64) -> i64
  dycl.return %y, %rows, %grown, %numbers, %old, %last : (memref<1x2xf32>,
    !dycl.sequence<memref<1x2xf32>>, memref<?x2xf32>, !dycl.sequence<i64>,
    !dycl.sequence<i64>, i64) -> ()
}
"""

C_KERNELS = """
#include <stdlib.h>

void kernel_add(const float *x, int64_t n, float *y)
{
    y[0] = x[0] + n;
    y[1] = x[1] * 0.5f;
}
void kernel_more(const float *x, int64_t rows, dycl_tensor *y)
{
    float *made = malloc((rows + 1) * 2 * sizeof *made);
    for (int64_t i = 0; i < 2 * rows; i++)
        made[i] = x[i] + 1;
    made[2 * rows] = made[2 * rows + 1] = rows;
    *y = (dycl_tensor){made};
    y->sizes[0] = rows + 1;
    y->sizes[1] = 2;
}
"""


def _add(x, n, y):
    y[...] = [[x[0, 0] + n, x[0, 1] * np.float32(0.5)]]


def _more(x, y):
    return [np.concatenate([x + 1, np.full((1, 2), len(x), np.float32)])]


KERNELS = {"add": _add, "more": _more}


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


def test_loops_that_grow(loaded, loaded_native):
    python, native = loaded(LOOP, KERNELS), loaded_native(LOOP, C_KERNELS)
    x = np.array([[1, 3]], np.float32)
    before = native(x, 3)
    said = exact(before)
    for n in (0, 1, 2, 3, 20, 0):
        assert outcome(native, x, n) == outcome(python, x, n)
        assert native.path == python.path
    assert exact(before) == said  # what came back belongs to the caller


def test_what_nobody_needs_is_given_back(loaded_native):
    net = loaded_native(LOOP, C_KERNELS)
    x = np.array([[1, 3]], np.float32)
    net(x, 1500)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    net(x, 3000)  # 36 MB of rows are made; a pair of lists for each iteration, too
    for _ in range(5000):
        net(x, 5)
    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert after - before < 24_000  # kB


CONCAT = """
host.func @forward(%x : memref<2x3xKIND>, %y : memref<2x3xKIND>, %n : i64, %k : i64)
    params ["x", "y", "n", "k"] {
  %a = host.cast %x : memref<2x3xKIND> -> memref<?x?xKIND>
  %zero = dycl.constant 0 : i64 -> i64
  %c = dycl.compare gt %n, %zero : (i64, i64) -> i1
  %known = dycl.sequence(%x, %y) : (memref<2x3xKIND>, memref<2x3xKIND>)
    -> !dycl.sequence<memref<2x3xKIND>>
  %empty = dycl.sequence() : () -> !dycl.sequence<memref<2x3xKIND>>
  %some = dycl.select %c, %known, %empty : (i1, !dycl.sequence<memref<2x3xKIND>>,
    !dycl.sequence<memref<2x3xKIND>>) -> !dycl.sequence<memref<2x3xKIND>>
  %flat = host.view %y : memref<2x3xKIND> -> memref<3x2xKIND>
  %b = host.cast %flat : memref<3x2xKIND> -> memref<?x?xKIND>
  %other = dycl.select %c, %a, %b : (i1, memref<?x?xKIND>, memref<?x?xKIND>)
    -> memref<?x?xKIND>
  %open = dycl.sequence(%a, %other) : (memref<?x?xKIND>, memref<?x?xKIND>)
    -> !dycl.sequence<memref<?x?xKIND>>
  %r = dycl.concat WHAT %LIST dim DIM : (!dycl.sequence<memref<SIZESxKIND>>)
    -> memref<RESULTxKIND>
  %lists = dycl.tolist %r : (memref<RESULTxKIND>) -> NUMBERS
  %row = dycl.get %lists[%k] : (NUMBERS, i64) -> ROW
  %length = dycl.length %lists : (NUMBERS) -> i64
  dycl.return %r, %row, %lists, %length : (memref<RESULTxKIND>, ROW, NUMBERS, i64) -> ()
}
"""


@pytest.mark.parametrize(("kind", "dtype"), [("f32", "float32"), ("i64", "int64")])
@pytest.mark.parametrize("which", ["some", "open"])
@pytest.mark.parametrize(
    ("what", "dim"), [("stack", 0), ("stack", 2), ("stack", 1), ("cat", 0), ("cat", 1)]
)
def test_tensors_of_lists(loaded, loaded_native, kind, dtype, which, what, dim):
    result = "?x?x?" if what == "stack" else "?x?"
    row = "f64" if kind == "f32" else "i64"
    for _ in result.split("x")[1:]:
        row = f"!dycl.sequence<{row}>"
    sizes = "2x3" if which == "some" else "?x?"
    text = CONCAT
    for name, value in {
        "SIZES": sizes,
        "KIND": kind,
        "WHAT": what,
        "LIST": which,
        "DIM": str(dim),
        "RESULT": result,
        "NUMBERS": f"!dycl.sequence<{row}>",
        "ROW": row,
    }.items():
        text = text.replace(name, value)
    python, native = loaded(text), loaded_native(text)
    x = np.arange(6).reshape(2, 3).astype(dtype)
    sides = set()
    for n in (0, 1):
        for k in (0, 1, -1, 5, -6):
            got = outcome(native, x, x * 10 + 7, n, k)
            assert got == outcome(python, x, x * 10 + 7, n, k)
            sides.add(got[0])
    is_empty_cat = what == "cat" and which == "some"
    error = "ValueError" if is_empty_cat else "RuntimeError"
    assert {"tuple", "IndexError", error} <= sides


NUMBERS = """
host.func @forward(%a : KIND, %b : KIND, %n : i64) params ["a", "b", "n"] {
  %zero = dycl.constant 0 : i64 -> i64
  %c = dycl.compare gt %n, %zero : (i64, i64) -> i1
  %two = dycl.sequence(%a, %b) : (KIND, KIND) -> !dycl.sequence<KIND>
  %empty = dycl.sequence() : () -> !dycl.sequence<KIND>
  %some = dycl.select %c, %two, %empty : (i1, !dycl.sequence<KIND>,
    !dycl.sequence<KIND>) -> !dycl.sequence<KIND>
  %t = dycl.concat WHAT %some dim 0 : (!dycl.sequence<KIND>) -> memref<?xELEMENT>
  dycl.return %t : (memref<?xELEMENT>) -> ()
}
"""
INTS = [0, -1, 127, 128, -128, -255, -256, 2**15, 2**31, -(2**31), 2**53 + 1, 2**63 - 1]
FLOATS = [0.0, -0.0, 1.5, -2.7, 65519.0, 65520.0, 1e-8, 6e-5, 1e30, -np.inf, np.nan]


@pytest.mark.parametrize(
    ("kind", "values", "what", "element"),
    [
        ("i64", INTS, "index", "i64"),
        *(("i64", INTS, "tensor", e) for e in ("i8", "ui8", "i16", "i32", "i64", "i1")),
        *(("i64", INTS, "tensor", e) for e in ("f32", "f64")),
        *(("f64", FLOATS, "tensor", e) for e in ("f16", "f32", "f64", "i1", "i32")),
        ("i1", [True, False], "tensor", "i1"),
        ("i1", [True, False], "tensor", "f32"),
    ],
)
def test_tensors_of_numbers(loaded, loaded_native, kind, values, what, element):
    text = NUMBERS.replace("KIND", kind).replace("WHAT", what)
    text = text.replace("ELEMENT", element)
    python, native = loaded(text), loaded_native(text)
    with np.errstate(over="ignore"):
        for a, b in zip(values, values[::-1], strict=True):
            for n in (0, 1):
                assert outcome(native, a, b, n) == outcome(python, a, b, n)


def test_halves_round_as_numpys(loaded, loaded_native):
    text = NUMBERS.replace("KIND", "f64").replace("WHAT", "tensor")
    native = loaded_native(text.replace("ELEMENT", "f16"))
    random = np.random.default_rng(0)
    numbers = random.standard_normal(2000) * 2.0 ** random.integers(-30, 20, 2000)
    for i in range(0, 2000, 2):
        with np.errstate(over="ignore"):
            wanted = numbers[i : i + 2].astype(np.float16)
        assert native(*map(float, numbers[i : i + 2]), 1).tobytes() == wanted.tobytes()


PROGRAM = r"""
#include <stdio.h>
#include "dycl.h"
int main(void)
{
    dycl_weights *weights = dycl_prepare(NULL, NULL);
    dycl_net *net = dycl_create(weights);
    float x[2] = {1, 3};
    for (int i = 0; i < 4; i++) {
        net->inputs[0].tensor = x;
        net->inputs[1].integer = 10 * i;
        if (dycl_run(net) != DYCL_OK)
            return puts(dycl_error(net));
        const dycl_list *rows = net->outputs[1].list;
        const dycl_tensor *grown = net->outputs[2].sized;
        printf("%d rows, %dx%d", (int)rows->length, (int)grown->sizes[0],
               (int)grown->sizes[1]);
        if (rows->length > 0)
            printf(", %g", ((const float *)rows->items[rows->length - 1].tensor)[0]);
        puts("");
    }
    dycl_destroy(net);
    dycl_release(weights);
    return 0;
}
"""


def test_a_c_program_with_a_sweep_at_every_turn(printed_native, tmp_path):
    for name, text in {**headers(), **common()}.items():
        (tmp_path / name).write_text(text.replace("h->made > h->limit", "true"))
    (tmp_path / "host.c").write_text(printed_native(LOOP).source + C_KERNELS)
    (tmp_path / "main.c").write_text(PROGRAM)
    command = [
        *CC.command,
        "-std=gnu11",
        "-g",
        "-fsanitize=address,undefined",
        "host.c",
        "dycl.c",
    ]
    command += ["-Wall", "-Wextra", "-Werror", "-Wno-unused-variable"]
    command += ["main.c", "-o", "main", "-lm"]
    subprocess.run(command, cwd=tmp_path, check=True)
    said = subprocess.run(
        [tmp_path / "main"], capture_output=True, text=True, check=True
    ).stdout
    rows = [f"{n} rows, {n + 1}x2, {1 + sum(range(n)):g}" for n in (10, 20, 30)]
    assert said.splitlines() == ["0 rows, 1x2", *rows]
