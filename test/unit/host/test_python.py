"""`host.py` printed for hand-written host IR, and executed."""

import ast
import math

import numpy as np
import pytest

from dycl.diag import PassFailed

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

GATE_PRINTED = '''"""The host of `forward`: decisions and launches. Printed by DyCL."""

# Name, dtype or kind of number, shape.
INPUTS = (
    ("x", "float32", (1, 2)),
)

# Name, test, file, line.
DECISIONS = (
    ("block3", "p > 0.5", "net.py", 8),
)

# Kernel, file, line; in the order of `load`.
LAUNCHES = (
    ("mean", "net.py", 4),
    ("double", "net.py", 10),
)


def load(rt):
    """Bind weights, memory and kernels; return `forward`."""
    # Memory that the kernels fill.
    p = rt.buffer("float32", (1,))
    y = rt.buffer("float32", (1, 2))

    # Launches: kernel, inputs, outputs.
    mean = rt.launch("mean", (...,), (p,))
    double = rt.launch("double", (...,), (y,))

    decide, result = rt.decide, rt.result

    def forward(x):
        mean(x)  # net.py:4 -> p
        mean_1 = p.read()
        c = mean_1 > 0.5
        if decide(0, c):  # net.py:8: block3: p > 0.5
            double(x)  # net.py:10 -> y
            z = y
        else:
            z = x
        return (result(z), mean_1)

    return forward
'''


def test_text_is_readable_and_keeps_the_users_names(printed):
    assert printed(GATE) == GATE_PRINTED


def test_text_is_the_same_every_time(printed):
    assert printed(GATE) == printed(GATE)


def test_both_sides_of_a_decision(loaded, kernels):
    net = loaded(GATE, kernels)
    y, mean = net(np.array([[1, 3]], np.float32))
    assert y.tolist() == [[2, 6]]
    assert mean == 2.0
    assert [str(d) for d in net.path] == ["block3: p > 0.5 is True (net.py:8)"]
    y, _ = net(np.array([[0, 0]], np.float32))
    assert y.tolist() == [[0, 0]]
    assert [str(d) for d in net.path] == ["block3: p > 0.5 is False (net.py:8)"]


def test_nan_takes_the_false_side(loaded, kernels):
    net = loaded(GATE, kernels)
    net(np.full((1, 2), math.nan, np.float32))
    assert [d.taken for d in net.path] == [False]


def test_module_without_host_is_refused(printed):
    with pytest.raises(PassFailed, match=r"one host\.func to print; this module has 0"):
        printed("")


# ---- exits


def many_exits(count):
    guards = "".join(
        f"""
  %k{i} = dycl.constant {i} : i64 -> i64
  %c{i} = dycl.compare eq %n, %k{i} : (i64, i64) -> i1
  dycl.if %c{i} : i1 {{
    dycl.return %k{i} : (i64) -> ()
  }} {{test = "n == {i}"}}"""
        for i in range(count)
    )
    return f"""
host.func @forward(%n : i64) params ["n"] {{{guards}
  %minus = dycl.constant -1 : i64 -> i64
  dycl.return %minus : (i64) -> ()
}}"""


def test_five_hundred_exits_stay_flat(printed, loaded):
    text = many_exits(500)
    deepest = max(len(line) - len(line.lstrip()) for line in printed(text).split("\n"))
    assert deepest == 12
    net = loaded(text)
    assert [net(n) for n in (0, 321, 499, 500)] == [0, 321, 499, -1]
    assert len(net.path) == 500
    net(2)
    assert [d.taken for d in net.path] == [False, False, True]


def test_exits_on_both_sides_need_no_end(printed, loaded):
    text = """
host.func @forward(%c : i1, %n : i64, %m : i64) params ["c", "n", "m"] {
  dycl.if %c : i1 {
    dycl.return %n : (i64) -> ()
  } else {
    dycl.return %m : (i64) -> ()
  } {test = "c"}
  dycl.unreachable
}"""
    assert "else" not in printed(text)
    assert "cannot be reached" not in printed(text)
    net = loaded(text)
    assert (net(True, 1, 2), net(False, 1, 2)) == (1, 2)


def test_branch_that_does_nothing(printed, loaded):
    text = """
host.func @forward(%c : i1, %d : i1, %n : i64) params ["c", "d", "n"] {
  dycl.if %c : i1 {
  } else {
    dycl.if %d : i1 {
      dycl.return %n : (i64) -> ()
    } {test = "d"}
  } {test = "c"}
  dycl.if %d : i1 {
  } {test = "again"}
  %k = dycl.constant 7 : i64 -> i64
  dycl.return %k : (i64) -> ()
}"""
    assert "if not decide(0, c):" in printed(text)
    net = loaded(text)
    assert [net(True, True, 1), net(False, True, 1), net(False, False, 1)] == [7, 1, 7]
    assert [(d.test, d.taken) for d in net.path] == [
        ("c", False),
        ("d", False),
        ("again", False),
    ]


def test_chain_prints_as_elif(printed, loaded):
    text = """
host.func @forward(%a : i1, %b : i1) params ["a", "b"] {
  %one = dycl.constant 1 : i64 -> i64
  %two = dycl.constant 2 : i64 -> i64
  %three = dycl.constant 3 : i64 -> i64
  %r = dycl.if %a : i1 -> (i64) {
    dycl.yield %one : (i64) -> ()
  } else {
    %s = dycl.if %b : i1 -> (i64) {
      dycl.yield %two : (i64) -> ()
    } else {
      dycl.yield %three : (i64) -> ()
    }
    dycl.yield %s : (i64) -> ()
  }
  dycl.return %r : (i64) -> ()
}"""
    net = loaded(text)
    assert [net(True, True), net(False, True), net(False, False)] == [1, 2, 3]
    assert net.path == ()


# ---- scopes


NESTED = """
host.func @forward(%a : i1, %b : i1, %c : i1) params ["a", "b", "c"] {
  %0 = dycl.constant 0 : i64 -> i64
  %1 = dycl.constant 1 : i64 -> i64
  %2 = dycl.constant 2 : i64 -> i64
  %3 = dycl.constant 3 : i64 -> i64
  %10 = dycl.constant 10 : i64 -> i64
  %r = dycl.scope "outer" -> (i64) {
    %s = dycl.scope "inner" -> (i64) {
      dycl.if %a : i1 {
        dycl.if %b : i1 {
          dycl.leave "outer" %1 : (i64) -> ()
        }
        dycl.if %c : i1 {
          dycl.return %0 : (i64) -> ()
        }
        dycl.leave "inner" %2 : (i64) -> ()
      }
      dycl.leave "inner" %3 : (i64) -> ()
    }
    %t = dycl.binary mul %s, %10 : (i64, i64) -> i64
    dycl.leave "outer" %t : (i64) -> ()
  }
  dycl.return %r : (i64) -> ()
}"""


def nested(a, b, c):
    if not a:
        return 30
    return 1 if b else 0 if c else 20


EVERY = [(a, b, c) for a in (True, False) for b in (True, False) for c in (True, False)]


def test_leave_of_an_outer_scope(loaded):
    net = loaded(NESTED)
    assert [net(*v) for v in EVERY] == [nested(*v) for v in EVERY]


def test_scope_that_is_left_at_its_end_only_is_no_loop(printed, loaded):
    text = """
host.func @forward(%n : i64) params ["n"] {
  %r = dycl.scope "call" -> (i64) {
    %m = dycl.binary add %n, %n : (i64, i64) -> i64
    dycl.leave "call" %m : (i64) -> ()
  }
  dycl.return %r : (i64) -> ()
}"""
    assert "while" not in printed(text)
    assert loaded(text)(4) == 8


def test_equal_labels_leave_the_nearest(loaded):
    text = """
host.func @forward(%c : i1, %n : i64, %m : i64) params ["c", "n", "m"] {
  %r = dycl.scope "call" -> (i64) {
    %s = dycl.scope "call" -> (i64) {
      dycl.if %c : i1 {
        dycl.leave "call" %n : (i64) -> ()
      }
      dycl.leave "call" %m : (i64) -> ()
    }
    dycl.if %c : i1 {
      dycl.leave "call" %s : (i64) -> ()
    }
    %t = dycl.binary add %s, %s : (i64, i64) -> i64
    dycl.leave "call" %t : (i64) -> ()
  }
  dycl.return %r : (i64) -> ()
}"""
    net = loaded(text)
    assert (net(True, 1, 2), net(False, 1, 2)) == (1, 4)


def scopes_in_scopes(depth):
    """Scope i yields what scope i + 1 yields plus 1; the core leaves scope `target`."""
    text = "\n".join(
        f'%r{i} = dycl.scope "s{i}" -> (i64) {{\ndycl.if %c : i1 {{\ndycl.yield\n}}'
        for i in range(depth)
    )
    for i in range(depth):
        text += f"""
%k{i} = dycl.constant {i} : i64 -> i64
%c{i} = dycl.compare eq %n, %k{i} : (i64, i64) -> i1
dycl.if %c{i} : i1 {{
  dycl.leave "s{i}" %k{i} : (i64) -> ()
}}"""
    text += "\ndycl.if %c : i1 {\ndycl.return %n : (i64) -> ()\n}"
    text += f'\ndycl.leave "s{depth - 1}" %n : (i64) -> ()'
    for i in reversed(range(depth)):
        text += f"\n}}\n%t{i} = dycl.binary add %r{i}, %one : (i64, i64) -> i64"
        text += (
            f'\ndycl.leave "s{i - 1}" %t{i} : (i64) -> ()'
            if i
            else "\ndycl.return %t0 : (i64) -> ()\n}"
        )
    head = 'host.func @forward(%n : i64, %c : i1) params ["n", "c"] {'
    return f"{head}\n%one = dycl.constant 1 : i64 -> i64\n{text}"


@pytest.mark.parametrize("depth", [3, 15, 40, 70])
def test_deep_scopes(loaded, printed, depth):
    net = loaded(scopes_in_scopes(depth))
    for n in range(depth):
        # Leaving scope n with n passes n + 1 additions on the way out.
        assert net(n, False) == n + (n + 1)
    assert net(1000, False) == 1000 + depth
    assert net(1000, True) == 1000


def ifs_in_ifs(depth):
    """A chain of nested ifs; side i of them returns, yields or leaves."""
    text = ""
    for i in range(depth):
        text += f"""
%k{i} = dycl.constant {i} : i64 -> i64
%g{i} = dycl.compare gt %n, %k{i} : (i64, i64) -> i1
%r{i} = dycl.if %g{i} : i1 -> (i64) {{"""
    text += "\ndycl.if %c : i1 {\ndycl.return %big : (i64) -> ()\n}"
    text += '\ndycl.if %d : i1 {\ndycl.leave "all" %n : (i64) -> ()\n}'
    text += "\ndycl.yield %n : (i64) -> ()"
    for i in reversed(range(depth)):
        text += f'\n}} else {{\ndycl.yield %k{i} : (i64) -> ()\n}} {{test = "n > {i}"}}'
        if i:
            text += f"\ndycl.yield %r{i} : (i64) -> ()"
    return f"""
host.func @forward(%n : i64, %c : i1, %d : i1) params ["n", "c", "d"] {{
%big = dycl.constant 100000 : i64 -> i64
%s = dycl.scope "all" -> (i64) {{{text}
%t = dycl.binary add %r0, %big : (i64, i64) -> i64
dycl.leave "all" %t : (i64) -> ()
}}
dycl.return %s : (i64) -> ()
}}"""


@pytest.mark.parametrize("depth", [5, 39, 40, 41, 90])
def test_deep_ifs(loaded, depth):
    net = loaded(ifs_in_ifs(depth))
    for n in (0, 1, depth // 2, depth - 1, depth):
        assert net(n, False, False) == 100000 + n
    assert net(depth, True, False) == 100000
    assert net(depth, False, True) == depth
    assert len(net.path) == depth


# ---- values


@pytest.mark.parametrize("kind", ["add", "sub", "mul", "truediv", "floordiv", "mod"])
@pytest.mark.parametrize(
    ("a", "b"), [(7, -2), (-7, 2), (7.5, -2), (-7, 2.5), (True, 3), (0, -3)]
)
def test_arithmetic_is_pythons(loaded, kind, a, b):
    names = {int: "i64", float: "f64", bool: "i1"}
    types = names[type(a)], names[type(b)]
    python = {"add": "+", "sub": "-", "mul": "*", "truediv": "/", "floordiv": "//"}
    expected = eval(f"a {python.get(kind, '%')} b")
    text = f"""
host.func @forward(%a : {types[0]}, %b : {types[1]}) params ["a", "b"] {{
  %r = dycl.binary {kind} %a, %b : ({types[0]}, {types[1]}) -> {names[type(expected)]}
  dycl.return %r : ({names[type(expected)]}) -> ()
}}"""
    result = loaded(text)(a, b)
    assert (type(result), result) == (type(expected), expected)


@pytest.mark.parametrize("kind", ["truediv", "floordiv", "mod"])
def test_division_by_zero_raises(loaded, kind):
    text = f"""
host.func @forward(%a : i64) params ["a"] {{
  %zero = dycl.constant 0 : i64 -> i64
  %r = dycl.binary {kind} %a, %zero : (i64, i64) -> i64
  dycl.return %r : (i64) -> ()
}}"""
    with pytest.raises(ZeroDivisionError):
        loaded(text)(1)


def test_negative_constants_keep_their_sign(loaded):
    text = """
host.func @forward() params [] {
  %m = dycl.constant -2 : i64 -> i64
  %two = dycl.constant 2 : i64 -> i64
  %f = dycl.constant -0.5 : f64 -> f64
  %r = dycl.binary pow %m, %two : (i64, i64) -> i64
  %s = dycl.binary pow %f, %two : (f64, i64) -> f64
  dycl.return %r, %s : (i64, f64) -> ()
}"""
    assert loaded(text)() == (4, 0.25)


@pytest.mark.parametrize("kind", ["lt", "le", "gt", "ge", "eq", "ne"])
def test_nan_compares_as_in_python(loaded, kind):
    text = f"""
host.func @forward(%a : f64, %b : f64) params ["a", "b"] {{
  %r = dycl.compare {kind} %a, %b : (f64, f64) -> i1
  dycl.return %r : (i1) -> ()
}}"""
    assert loaded(text)(math.nan, 1.0) is (kind == "ne")


def test_unary_and_truth(loaded):
    text = """
host.func @forward(%n : i64, %c : i1) params ["n", "c"] {
  %a = dycl.unary neg %n : (i64) -> i64
  %b = dycl.unary invert %c : (i1) -> i64
  %d = dycl.unary not %n : (i64) -> i1
  %e = dycl.to_bool %n : (i64) -> i1
  dycl.return %a, %b, %d, %e : (i64, i64, i1, i1) -> ()
}"""
    assert loaded(text)(3, True) == (-3, -2, False, True)


def test_special_floats_and_texts(loaded):
    text = """
host.func @forward() params [] {
  %a = dycl.constant 0x7FF0000000000000 : f64 -> f64
  %b = dycl.constant 0x7FF8000000000000 : f64 -> f64
  %s = dycl.constant "it's a \\"text\\"" -> !host.str
  %n = dycl.constant #dycl.none -> !host.none
  dycl.return %a, %b, %s, %n : (f64, f64, !host.str, !host.none) -> ()
}"""
    inf, nan, said, none = loaded(text)()
    assert inf == math.inf
    assert math.isnan(nan)
    assert said == 'it\'s a "text"'
    assert none is None


def test_names_that_python_or_the_host_uses(loaded, printed):
    text = """
host.func @lambda(%rt : i64, %class : i64) params ["rt", "class"] {
  %decide = dycl.binary add %rt, %class : (i64, i64) -> i64
  %lambda = dycl.binary add %decide, %rt : (i64, i64) -> i64
  dycl.return %lambda : (i64) -> ()
}"""
    ast.parse(printed(text))
    assert loaded(text)(1, 2) == 4


def test_numbers_and_joined_buffers_reach_kernels(loaded, kernels):
    text = """
host.func @forward(%x : memref<2xf32>, %y : memref<2xf32>, %c : i1, %n : i64)
    params ["x", "y", "c", "n"] {
  %z = dycl.select %c, %x, %y : (i1, memref<2xf32>, memref<2xf32>) -> memref<2xf32>
  %v = host.view %z : memref<2xf32> -> memref<2x1xf32>
  %r = host.alloc : memref<2x1xf32>
  host.launch @add ins(%v, %n : memref<2x1xf32>, i64) outs(%r : memref<2x1xf32>)
  %k = dycl.constant 10 : i64 -> i64
  %s = host.alloc : memref<2x1xf32>
  host.launch @add ins(%r, %k : memref<2x1xf32>, i64) outs(%s : memref<2x1xf32>)
  %f = host.view %s : memref<2x1xf32> -> memref<1x2xf32>
  dycl.return %f : (memref<1x2xf32>) -> ()
}"""
    net = loaded(text, kernels)
    x, y = np.array([1, 2], np.float32), np.array([3, 4], np.float32)
    assert net(x, y, True, 5).tolist() == [[16, 17]]
    assert net(x, y, False, 5).tolist() == [[18, 19]]


def test_constant_tensors(loaded):
    text = """
host.func @forward() params [] {
  %a = dycl.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi64> -> memref<2x2xi64>
  %b = dycl.constant dense<true> : tensor<3xi1> -> memref<3xi1>
  %c = dycl.constant dense<0.5> : tensor<f32> -> memref<f32>
  %d = dycl.constant dense<[0.0, -0.0]> : tensor<2xf64> -> memref<2xf64>
  dycl.return %a, %b, %c, %d
    : (memref<2x2xi64>, memref<3xi1>, memref<f32>, memref<2xf64>) -> ()
}"""
    a, b, c, d = loaded(text)()
    assert (a.dtype, a.tolist()) == (np.int64, [[1, 2], [3, 4]])
    assert (b.dtype, b.tolist()) == (np.bool_, [True] * 3)
    assert (c.dtype, c.shape, c.item()) == (np.float32, (), 0.5)
    assert np.signbit(d).tolist() == [False, True]


def test_large_constant_is_packed(loaded, printed):
    values = ", ".join(str(i / 8) for i in range(100))
    text = f"""
host.func @forward() params [] {{
  %a = dycl.constant dense<[{values}]> : tensor<100xf32> -> memref<100xf32>
  dycl.return %a : (memref<100xf32>) -> ()
}}"""
    assert "rt.packed(" in printed(text)
    assert np.array_equal(loaded(text)(), np.arange(100, dtype=np.float32) / 8)


# ---- what is returned


STRUCTURE = """
host.func @forward(%x : memref<2xf32>, %n : i64) params ["x", "n"] {
  dycl.return %x, %n {structure = #dycl.dict<[
    "y", #dycl.tuple<[#dycl.leaf<0>]>,
    1 : i64, [#dycl.leaf<1>, #dycl.leaf<0>, #dycl.none, 0.5 : f64, true],
    #dycl.tuple<["a", 2 : i64]>, #dycl.dict<[]>
  ]>} : (memref<2xf32>, i64) -> ()
}"""


def test_structure_is_rebuilt(loaded):
    x = np.array([1, 2], np.float32)
    returned = loaded(STRUCTURE)(x, 3)
    assert list(returned) == ["y", 1, ("a", 2)]
    assert type(returned["y"]) is tuple
    assert returned["y"][0].tolist() == [1, 2]
    assert returned[1][0] == 3
    assert returned[1][1].tolist() == [1, 2]
    assert returned[1][2:] == [None, 0.5, True]
    assert returned[("a", 2)] == {}


def test_nothing_is_an_empty_tuple_unless_said_otherwise(loaded):
    none = "{structure = #dycl.none}"
    text = "host.func @forward() params [] {{ dycl.return {} }}"
    assert loaded(text.format(none))() is None
    assert loaded(text.format(""))() == ()


# ---- loops

LOOP = """
host.func @forward(%x : memref<1x2xf32>, %n : i64) params ["x", "n"] {
  %zero = dycl.constant 0 : i64 -> i64
  %one = dycl.constant 1 : i64 -> i64
  %old, %y, %k = dycl.while carry(
      %a : memref<1x2xf32> = %x : memref<1x2xf32>,
      %b : memref<1x2xf32> = %x : memref<1x2xf32>, %i : i64 = %zero : i64) {
    %c = dycl.compare lt %i, %n : (i64, i64) -> i1
    dycl.condition %c, %a, %b, %i : (i1, memref<1x2xf32>, memref<1x2xf32>, i64) -> ()
  } do(%d, %e, %j) {
    %f = host.alloc : memref<1x2xf32>
    host.launch @double ins(%e : memref<1x2xf32>) outs(%f : memref<1x2xf32>)
    %m = dycl.binary add %j, %one : (i64, i64) -> i64
    %g = host.keep %e : memref<1x2xf32> -> memref<1x2xf32>
    %h = host.keep %f : memref<1x2xf32> -> memref<1x2xf32>
    dycl.yield %g, %h, %m : (memref<1x2xf32>, memref<1x2xf32>, i64) -> ()
  } {name = "loop 1", test = "i < n"}
  dycl.return %old, %y : (memref<1x2xf32>, memref<1x2xf32>) -> ()
}
"""

LOOP_PRINTED = """
    def forward(x, n):
        a, b, i = x, x, 0
        while True:
            c = i < n
            if not decide(0, c):  # net.py:5: loop 1: i < n
                old, y = a, b
                break
            double(b)  # net.py:12 -> f
            m = i + 1
            g = keep_g(b)
            h = keep_h(f)
            a, b, i = g, h, m
        return (result(old), result(y))
"""


def test_loop_is_a_while_with_its_test_inside(printed):
    assert LOOP_PRINTED in printed(LOOP)


def test_what_an_iteration_hands_on_outlasts_the_next_launch(loaded, kernels):
    net = loaded(LOOP, kernels)
    x = np.array([[1, 3]], np.float32)
    for n in (0, 1, 2, 5, 0, 4):
        old, y = net(x, n)
        assert y.tolist() == [[2.0**n, 3 * 2.0**n]]
        assert old.tolist() == [[2.0 ** max(n - 1, 0), 3 * 2.0 ** max(n - 1, 0)]]
        assert [d.taken for d in net.path] == [True] * n + [False]
    assert x.tolist() == [[1, 3]]


def test_endless_loop_has_no_test(printed):
    text = """
host.func @forward(%n : i64) params ["n"] {
  %true = dycl.constant true -> i1
  dycl.while {
    dycl.condition %true : (i1) -> ()
  } do {
  }
  dycl.unreachable
}"""
    assert "        while True:\n            pass\n\n" in printed(text)
