"""The reference interpreter, construct by construct, on IR text."""

import math

import pytest
from xdsl.dialects.builtin import IntegerAttr, i64

from dycl.ir.interpreter import (
    Interpreter,
    InterpreterError,
    UnsupportedReached,
    bind_arguments,
)
from dycl.ir.placing_parser import parse_text
from dycl.ir.signature import Signature
from dycl.tools.same import apply_pipeline, difference, new_context, run_program


def module(text):
    parsed = parse_text(new_context(), text, "t.mlir")
    parsed.verify()
    return parsed


def result(text, *inputs, weights=None, entry="forward"):
    return Interpreter(module(text), weights or {}).run(inputs, entry)


def run(text, *inputs, **options):
    return result(text, *inputs, **options).value


def function(body, params="%x", results=" -> !dycl.value"):
    names = [p.strip("% ") for p in params.split(",") if p.strip()]
    typed = ", ".join(f"%{n}: !dycl.value" for n in names)
    listed = ", ".join(f'"{n}"' for n in names)
    return (
        f"func.func @forward({typed}){results} "
        f"attributes {{dycl.params = [{listed}]}} {{\n{body}\n}}"
    )


# ---- if


CHOICE = function("""
  %zero = dycl.constant 0 : i64
  %p = dycl.compare gt %x, %zero
  %y = dycl.if %p -> (!dycl.value) {
    %one = dycl.constant "positive"
    dycl.yield %one
  } else {
    %two = dycl.constant "not"
    dycl.yield %two
  } {test = "x > 0"}
  dycl.return %y
""")


@pytest.mark.parametrize(
    ("x", "value", "taken"),
    [(1, "positive", True), (-1, "not", False), (math.nan, "not", False)],
)
def test_if_takes_one_side_and_records_it(x, value, taken):
    got = result(CHOICE, x)
    assert got.value == value
    assert got.path == (("x > 0", taken, "t.mlir:5:3"),)


def test_guard_form_returns_early_or_falls_through():
    text = function("""
      dycl.if %x { dycl.return %x } {name = "exit"}
      %no = dycl.constant false
      dycl.return %no
    """)
    assert run(text, 5) == 5
    assert run(text, 0) is False
    assert result(text, 0).path[0].test == "exit"


def test_only_the_taken_side_runs():
    text = function("""
      %zero = dycl.constant 0 : i64
      %q = dycl.if %x -> (!dycl.value) {
        dycl.yield %zero
      } else {
        %bad = dycl.binary truediv %x, %zero
        dycl.yield %bad
      }
      dycl.return %q
    """)
    assert run(text, 3) == 0
    with pytest.raises(ZeroDivisionError) as caught:
        run(text, 0)
    assert caught.value.__notes__ == ["in dycl.binary at t.mlir:7:9"]


def test_select_reads_only_what_it_takes():
    text = function("""
      %u = dycl.unbound "z"
      %one = dycl.constant 1 : i64
      %s = dycl.select %x, %one, %u
      dycl.return %s
    """)
    assert run(text, True) == 1
    with pytest.raises(UnboundLocalError, match="'z'"):
        run(text, False)


# ---- loops

LOOP = function(
    """
  %zero = dycl.constant 0 : i64
  %none = dycl.constant #dycl.none
  %sum, %last = dycl.for %i in %xs carry(%s = %zero, %l = %none) {
    %two = dycl.constant 2 : i64
    %one = dycl.constant 1 : i64
    %skip = dycl.compare eq %i, %two
    dycl.if %skip { dycl.continue %s, %l }
    %stop = dycl.compare gt %i, %t
    dycl.if %stop { dycl.break %s, %i }
    %quit = dycl.compare lt %i, %zero
    dycl.if %quit {
      %gone = dycl.constant "gone"
      dycl.return %gone
    }
    %n = dycl.binary add %s, %i
    dycl.yield %n, %i
  }
  %r = dycl.tuple(%sum, %last)
  dycl.return %r
""",
    "%xs, %t",
)


@pytest.mark.parametrize(
    ("items", "limit", "want"),
    [
        ([], 9, (0, None)),
        ([1, 2, 3], 9, (4, 3)),
        ([1, 7, 3], 5, (1, 7)),
        ([1, -1], 5, "gone"),
    ],
)
def test_for_yields_continues_breaks_and_returns(items, limit, want):
    assert run(LOOP, items, limit) == want


def test_for_sees_a_list_grow():
    text = function(
        """
      %three = dycl.constant 3 : i64
      %len = dycl.constant #dycl.global<"builtins.len">
      dycl.for %i in %xs {
        %n = dycl.call %len(%xs)
        %c = dycl.compare lt %n, %three
        dycl.if %c { %x = dycl.invoke %xs "append"(%i) }
      }
      dycl.return %xs
    """,
        "%xs",
    )
    assert run(text, [4]) == [4, 4, 4]


HALVE = function(
    """
  %zero = dycl.constant 0 : i64
  %n, %y = dycl.while carry(%k = %zero, %v = %x) {
    %one = dycl.constant 1 : i64
    %c = dycl.compare gt %v, %one
    dycl.condition %c, %k, %v
  } do (%k2, %v2) {
    %one2 = dycl.constant 1 : i64
    %two = dycl.constant 2 : i64
    %k3 = dycl.binary add %k2, %one2
    %v3 = dycl.binary floordiv %v2, %two
    %odd = dycl.binary mod %v2, %two
    %q = dycl.compare eq %v2, %limit
    dycl.if %q { dycl.break %k2, %odd }
    dycl.if %odd { dycl.continue %k3, %two }
    dycl.yield %k3, %v3
  }
  %r = dycl.tuple(%n, %y)
  dycl.return %r
""",
    "%x, %limit",
)


@pytest.mark.parametrize(
    ("x", "limit", "want"),
    [(1, 0, (0, 1)), (8, 0, (3, 1)), (8, 4, (1, 0)), (7, 0, (2, 1))],
)
def test_while_tests_first_and_breaks_and_continues(x, limit, want):
    assert run(HALVE, x, limit) == want


# ---- scopes

SCOPES = function(
    """
  %r = dycl.scope "outer" -> (!dycl.value) {
    %a = dycl.constant "inner left"
    %b = dycl.constant "outer left from inside"
    %c = dycl.constant "outer left"
    %s = dycl.scope "inner" -> (!dycl.value) {
      dycl.for %i in %xs {
        dycl.if %i { dycl.leave "outer" %b }
        dycl.if %p { dycl.leave "inner" %a }
      }
      dycl.leave "inner" %c
    }
    dycl.leave "outer" %s
  }
  dycl.return %r
""",
    "%xs, %p",
)


@pytest.mark.parametrize(
    ("items", "p", "want"),
    [
        ([0, 1], False, "outer left from inside"),
        ([0, 1], True, "inner left"),
        ([0, 0], False, "outer left"),
        ([], True, "outer left"),
    ],
)
def test_leave_ends_the_scope_of_its_label(items, p, want):
    assert run(SCOPES, items, p) == want


def test_leave_ends_the_nearest_of_equal_labels():
    text = function("""
      %one = dycl.constant 1 : i64
      %r = dycl.scope "f" -> (!dycl.value) {
        %s = dycl.scope "f" -> (!dycl.value) {
          dycl.if %x { dycl.leave "f" %one }
          dycl.return %x
        }
        %t = dycl.binary add %s, %one
        dycl.leave "f" %t
      }
      dycl.return %r
    """)
    assert run(text, True) == 2
    assert run(text, False) is False


# ---- names without a value, refusals, places that cannot be reached


def test_an_unbound_name_may_be_carried_but_not_read():
    text = function("""
      %u = dycl.unbound "z"
      %two = dycl.constant 2 : i64
      %range = dycl.constant #dycl.global<"builtins.range">
      %r = dycl.call %range(%x)
      %z = dycl.for %i in %r carry(%c = %u) { dycl.yield %i }
      %y = dycl.if %x -> (!dycl.value) { dycl.yield %z } else { dycl.yield %u }
      %s = dycl.binary add %y, %two
      dycl.return %s
    """)
    assert run(text, 3) == 4
    message = "cannot access local variable 'z' where it is not associated"
    with pytest.raises(UnboundLocalError, match=message):
        run(text, 0)


def test_a_refusal_is_raised_only_when_it_is_reached():
    text = function("""
      dycl.if %x {
        %u = dycl.unsupported "DY103" "a generator" "write a list"
      }
      dycl.return %x
    """)
    assert run(text, 0) == 0
    with pytest.raises(UnsupportedReached, match="a generator; write a list") as caught:
        run(text, 1)
    assert caught.value.code == "DY103"


ATTEMPT = """
  %int = dycl.constant #dycl.global<"builtins.int">
  %one = dycl.constant 1 : i64
  %r, %ok = dycl.try {how} -> (!dycl.value, !dycl.value) {{
    %n = dycl.call %int(%x)
    %t = dycl.constant true
    dycl.yield %n, %t
  }} {handlers}
  %s = dycl.if %ok -> (!dycl.value) {{
    %m = dycl.binary add %r, %one
    dycl.yield %m
  }} else {{
    dycl.yield %r
  }}
  dycl.return %s
"""
CATCHES = """except "KeyError" {{
    dycl.return %one
  }} except "{names}" {{
    %f = dycl.constant false
    dycl.yield %x, %f
  }}"""


def test_a_body_that_raises_goes_to_the_first_handler_that_catches_it():
    handlers = CATCHES.format(names="TypeError ValueError")
    text = function(ATTEMPT.format(how="one_statement", handlers=handlers))
    assert run(text, "41") == 42
    assert run(text, "many") == "many"
    assert run(text, None) is None


def test_a_handler_that_is_not_known_is_a_refusal_only_when_the_body_raises():
    handlers = CATCHES.format(names="?")
    text = function(ATTEMPT.format(how="one_statement", handlers=handlers))
    assert run(text, "41") == 42
    with pytest.raises(UnsupportedReached) as caught:
        run(text, "many")
    assert caught.value.code == "DY107"


@pytest.mark.parametrize("handlers", [CATCHES.format(names="mine.Odd KeyError"), ""])
def test_what_no_handler_catches_goes_on(handlers):
    text = function(ATTEMPT.format(how="", handlers=handlers))
    with pytest.raises(ValueError, match="many"):
        run(text, "many")


@pytest.mark.parametrize("kind", ["finally", "with"])
def test_an_exception_goes_on_behind_what_a_finally_does(kind):
    text = function(f"""
        %zero = dycl.constant 0 : i64
        %one = dycl.constant 1 : i64
        %seen = dycl.dict(%zero, %zero)
        %r = dycl.try -> (!dycl.value) {{
          dycl.try {{
            dycl.raise "builtins.KeyError"(%x)
          }} except "{kind}" {{
            dycl.store_subscript %seen[%zero], %one
            dycl.unreachable
          }}
          dycl.unreachable
        }} except "LookupError" {{
          %s = dycl.subscript %seen[%zero]
          dycl.yield %s
        }}
        dycl.return %r
    """)
    assert run(text, 0) == 1


def test_a_jump_out_of_a_try_goes_where_it_leads():
    text = function("""
      %n = dycl.constant #dycl.global<"builtins.range">
      %range = dycl.call %n(%x)
      %r = dycl.for %i in %range carry(%c = %x) {
        dycl.try {
          %two = dycl.constant 2 : i64
          %p = dycl.compare eq %i, %two
          dycl.if %p { dycl.break %i }
          dycl.continue %i
        } except "?" {
          dycl.return %x
        }
        dycl.unreachable
      }
      dycl.return %r
    """)
    assert run(text, 5) == 2
    assert run(text, 2) == 1


def test_unreachable_is_an_error_of_ours():
    text = function("""
      dycl.if %x { dycl.return %x } else { dycl.unreachable }
      dycl.unreachable
    """)
    assert run(text, 1) == 1
    with pytest.raises(InterpreterError, match="no path reaches"):
        run(text, 0)


# ---- calls


def test_binding_takes_positions_keywords_and_defaults():
    text = """
      func.func @f(%a: !dycl.value, %b: !dycl.value, %c: !dycl.value) -> !dycl.value
          attributes {dycl.params = ["a", "b", "c"], dycl.defaults = {c = 3 : i64}} {
        %r = dycl.list(%a, %b, %c)
        dycl.return %r
      }
    """ + function("""
      %f = dycl.constant #dycl.function<@f>
      %r = dycl.call %f(%x, b = %x)
      %s = dycl.call %f(c = %x, a = %x, b = %x)
      %t = dycl.tuple(%r, %s)
      dycl.return %t
    """)
    assert run(text, 1) == ([1, 1, 3], [1, 1, 1])


def test_a_list_default_is_shared_by_all_calls():
    text = """
      func.func @f(%a: !dycl.value, %l: !dycl.value) -> !dycl.value
          attributes {dycl.params = ["a", "l"], dycl.defaults = {l = []}} {
        %n = dycl.invoke %l "append"(%a)
        dycl.return %l
      }
    """ + function("""
      %f = dycl.constant #dycl.function<@f>
      %r = dycl.call %f(%x)
      %s = dycl.call %f(%x)
      dycl.return %s
    """)
    assert run(text, 7) == [7, 7]


def python_binding(a, b, c=3):
    return [a, b, c]


@pytest.mark.parametrize(
    ("args", "kwargs"),
    [
        ((), {}),
        ((1,), {}),
        ((1, 2, 3, 4), {}),
        ((1, 2), {"a": 5}),
        ((1, 2), {"d": 5}),
        ((1, 2), {}),
        ((1,), {"c": 4, "b": 2}),
    ],
)
def test_binding_agrees_with_python(args, kwargs):
    def bind():
        defaults = {"c": IntegerAttr(3, i64)}
        signature = Signature(("a", "b", "c"), defaults=defaults)
        return bind_arguments("f", signature, args, kwargs, lambda name: 3)

    try:
        want = python_binding(*args, **kwargs)
    except TypeError:
        with pytest.raises(TypeError, match=r"f\(\)"):
            bind()
    else:
        assert bind() == want


OBJECTS = """
  dycl.object @"" "net.Net" {__mro__ = ["net.Net"], scale = 3 : i64,
    parts = @parts, forward = #dycl.function<@f>, helper = #dycl.function<@g>}
  dycl.object @parts "torch.nn.modules.container.ModuleList" {__items__ = [@a, @a]}
  dycl.object @a "net.Part" {forward = #dycl.function<@h>}
  func.func @f(%self: !dycl.value, %x: !dycl.value) -> !dycl.value
      attributes {dycl.params = ["self", "x"]} {
    %parts = dycl.getattr %self "parts"
    %y = dycl.for %p in %parts carry(%v = %x) {
      %w = dycl.call %p(%v)
      dycl.yield %w
    }
    %z = dycl.invoke %self "helper"(by = %y)
    dycl.return %z
  }
  func.func @g(%self: !dycl.value, %by: !dycl.value) -> !dycl.value
      attributes {dycl.params = ["self", "by"]} {
    %scale = dycl.getattr %self "scale"
    %r = dycl.binary mul %scale, %by
    dycl.return %r
  }
  func.func @h(%self: !dycl.value, %x: !dycl.value) -> !dycl.value
      attributes {dycl.params = ["self", "x"]} {
    %one = dycl.constant 1 : i64
    %r = dycl.binary add %x, %one
    dycl.return %r
  }
"""


def test_objects_and_their_methods_are_called():
    text = OBJECTS + function("""
      %net = dycl.constant @""
      %y = dycl.call %net(%x)
      dycl.return %y
    """)
    assert run(text, 4) == 18


def test_what_is_stored_on_an_object_stays_for_the_run_only():
    text = OBJECTS + function("""
      %net = dycl.constant @""
      %old = dycl.getattr %net "scale"
      dycl.setattr %net "scale", %x
      %new = dycl.getattr %net "scale"
      %r = dycl.tuple(%old, %new)
      dycl.return %r
    """)
    interpreter = Interpreter(module(text), {})
    assert interpreter.run([5]).value == (3, 5)
    assert interpreter.run([6]).value == (3, 6)


# ---- values


def test_lists_are_shared_not_copied():
    text = function("""
      %a = dycl.list(%x)
      %b = dycl.list(%a, %a)
      %zero = dycl.constant 0 : i64
      %first = dycl.subscript %b[%zero]
      %n = dycl.invoke %first "append"(%x)
      %more = dycl.list(%zero)
      %c = dycl.inplace add %a, %more
      dycl.store_subscript %a[%zero], %more
      %same = dycl.compare is %c, %a
      %m = dycl.invoke %b "pop"()
      %r = dycl.tuple(%b, %same)
      dycl.return %r
    """)
    value, same = run(text, 7)
    [inner] = value
    assert same is True
    assert inner == [[0], 7, 0]


def test_a_list_of_functions_is_changed_in_place():
    text = function("""
      %abs = dycl.constant #dycl.global<"builtins.abs">
      %fs = dycl.list(%abs)
      %n = dycl.invoke %fs "append"(%abs)
      %m = dycl.inplace add %fs, %fs
      %len = dycl.constant #dycl.global<"builtins.len">
      %k = dycl.call %len(%fs)
      dycl.return %k
    """)
    assert run(text, 7) == 4


@pytest.mark.parametrize("kind", ["lt", "le", "gt", "ge", "eq", "ne"])
def test_comparisons_with_nan(kind):
    text = function(f"""
      %nan = dycl.constant 0x7FF8000000000000 : f64
      %p = dycl.compare {kind} %x, %nan
      dycl.return %p
    """)
    assert run(text, 1.0) is (kind == "ne")


def test_dicts_slices_and_unpacking():
    text = function(
        """
      %one = dycl.constant 1 : i64
      %none = dycl.constant #dycl.none
      %s = dycl.slice(%one, %none, %none)
      %tail = dycl.subscript %xs[%s]
      %a, %b = dycl.unpack %tail -> 2
      %k = dycl.constant "k"
      %d = dycl.dict(%k, %b, %one, %a)
      dycl.return %d
    """,
        "%xs",
    )
    assert run(text, [1, 2, 3]) == {"k": 3, 1: 2}
    with pytest.raises(ValueError, match="expected 2 values to unpack, got 1"):
        run(text, [1, 2])


def test_a_structure_is_rebuilt_around_the_returned_values():
    text = """
      func.func @forward(%x: !dycl.value) attributes {dycl.entry} {
        dycl.return %x, %x {structure = #dycl.dict<["a", #dycl.tuple<[#dycl.leaf<1>,
          "text", #dycl.none]>, 2 : i64, [#dycl.leaf<0>]]>}
      }
    """
    assert run(text, 5) == {"a": (5, "text", None), 2: [5]}


# ---- what is no program


def test_there_must_be_an_entry():
    with pytest.raises(InterpreterError, match="no function @main"):
        run(CHOICE, 1, entry="main")


def test_many_ops_do_not_nest_python_calls():
    adds = "\n".join(f"%v{i + 1} = dycl.binary add %v{i}, %v0" for i in range(3000))
    text = function(f"{adds}\ndycl.return %v3000", "%v0")
    assert run(text, 1) == 3001


# ---- tensors

torch = pytest.importorskip("torch")

HCFG = """
  func.func @forward(%x: !torch.vtensor<[2,2],f32>) attributes {dycl.entry} {
    %w = dycl.param "w" : !torch.vtensor<[2,2],f32>
    %v = dycl.view %x : (!torch.vtensor<[2,2],f32>) -> !torch.vtensor<[4],f32>
    %y, %p = dycl.launch @k(%x, %w) : (!torch.vtensor<[2,2],f32>,
      !torch.vtensor<[2,2],f32>) -> (!torch.vtensor<[2,2],f32>, !torch.vtensor<[],i1>)
    %c = dycl.item %p : (!torch.vtensor<[],i1>) -> !torch.bool
    %z, %n = dycl.if %c : !torch.bool
        -> (!torch.vtensor<[2,2],f32>, !torch.int) {
      %a, %b = dycl.launch @k(%y, %w) : (!torch.vtensor<[2,2],f32>,
        !torch.vtensor<[2,2],f32>) -> (!torch.vtensor<[2,2],f32>, !torch.vtensor<[],i1>)
      %one = dycl.constant 1 : i64 -> !torch.int
      dycl.yield %a, %one : (!torch.vtensor<[2,2],f32>, !torch.int) -> ()
    } else {
      %zero = dycl.constant 0 : i64 -> !torch.int
      dycl.yield %y, %zero : (!torch.vtensor<[2,2],f32>, !torch.int) -> ()
    } {name = "block", test = "y.sum() > 0"}
    dycl.return %z, %v, %n {structure = #dycl.tuple<[#dycl.leaf<0>, #dycl.leaf<1>,
      #dycl.leaf<2>, "end"]>} : (!torch.vtensor<[2,2],f32>,
      !torch.vtensor<[4],f32>, !torch.int) -> ()
  }
  func.func @k(%x: !torch.vtensor<[2,2],f32>, %w: !torch.vtensor<[2,2],f32>)
      -> (!torch.vtensor<[2,2],f32>, !torch.vtensor<[],i1>) attributes {dycl.kernel} {
    %half = torch.constant.float 5.0e-01
    %none = torch.constant.none
    %zero = torch.constant.int 0
    %y = torch.aten.add.Tensor %x, %w, %half : !torch.vtensor<[2,2],f32>,
      !torch.vtensor<[2,2],f32>, !torch.float -> !torch.vtensor<[2,2],f32>
    %s = torch.aten.sum %y, %none : !torch.vtensor<[2,2],f32>, !torch.none
      -> !torch.vtensor<[],f32>
    %p = torch.aten.gt.Scalar %s, %zero : !torch.vtensor<[],f32>, !torch.int
      -> !torch.vtensor<[],i1>
    func.return %y, %p : !torch.vtensor<[2,2],f32>, !torch.vtensor<[],i1>
  }
"""


@pytest.mark.parametrize(("fill", "launches"), [(1.0, 2), (-3.0, 1)])
def test_the_hcfg_level_launches_kernels(fill, launches):
    x, w = torch.full((2, 2), fill), torch.ones(2, 2)
    got = result(HCFG, x, weights={"w": w.numpy()})
    z, v, n, end = got.value
    assert torch.equal(z, x + 0.5 * launches * w)
    assert torch.equal(v, x.reshape(4))
    assert (n, end) == (launches - 1, "end")
    assert got.kernels == {"k": launches}
    assert got.launches == launches
    assert [(d.test, d.taken) for d in got.path] == [("y.sum() > 0", launches == 2)]


@pytest.mark.parametrize("fill", [1.0, -3.0])
def test_the_host_level_runs_like_the_hcfg(fill):
    context = new_context()
    lowered = parse_text(context, HCFG, "t.mlir")
    apply_pipeline(context, lowered, "dycl-lower-host")
    assert "host.launch" in str(lowered)
    inputs, weights = [torch.full((2, 2), fill)], {"w": torch.ones(2, 2)}
    before = run_program(module(HCFG), inputs, weights)
    after = run_program(lowered, inputs, weights)
    assert difference(before, after) is None
    assert before.result.path == after.result.path
    assert before.result.kernels == after.result.kernels


def test_typed_ops_take_torch_mlirs_ints_lists_and_literals():
    text = """
      func.func @forward(%x: !torch.vtensor<[2],f32>) -> !torch.vtensor<[2,1],f64> {
        %f64 = torch.constant.int 7
        %none = torch.constant.none
        %false = torch.constant.bool false
        %one = torch.constant.int 1
        %two = torch.constant.int 2
        %size = torch.prim.ListConstruct %two, %one
          : (!torch.int, !torch.int) -> !torch.list<int>
        %l = torch.vtensor.literal(dense<[1, 2]> : tensor<2xsi64>)
          : !torch.vtensor<[2],si64>
        %m = torch.aten.mul.Tensor %x, %l : !torch.vtensor<[2],f32>,
          !torch.vtensor<[2],si64> -> !torch.vtensor<[2],f32>
        %c = torch.aten._to_copy %m, %f64, %none, %none, %none, %false, %none :
          !torch.vtensor<[2],f32>, !torch.int, !torch.none, !torch.none, !torch.none,
          !torch.bool, !torch.none -> !torch.vtensor<[2],f64>
        %r = torch.aten.view %c, %size : !torch.vtensor<[2],f64>, !torch.list<int>
          -> !torch.vtensor<[2,1],f64>
        func.return %r : !torch.vtensor<[2,1],f64>
      }
    """
    got = run(text, torch.tensor([3.0, 4.0]))
    assert got.dtype is torch.float64
    assert got.tolist() == [[3.0], [8.0]]


LEAVES = """
  dycl.object @"" "torch.nn.modules.container.Sequential" {
    __mro__ = ["torch.nn.modules.container.Sequential"], __items__ = [@"0", @"1"]}
  dycl.object @"0" "user.MyConv" {__leaf__ = "torch.nn.modules.conv.Conv2d",
    __mro__ = ["user.MyConv", "torch.nn.modules.conv.Conv2d"],
    stride = #dycl.tuple<[1 : i64, 1 : i64]>, padding = #dycl.tuple<[1 : i64, 1 : i64]>,
    dilation = #dycl.tuple<[1 : i64, 1 : i64]>, groups = 1 : i64,
    padding_mode = "zeros", bias = #dycl.none,
    weight = #dycl.param<"0.weight", [2, 3, 3, 3], f32>, training = false}
  dycl.object @"1" "torch.nn.modules.activation.ReLU" {inplace = false,
    __leaf__ = "torch.nn.modules.activation.ReLU", training = false}
"""


def test_leaves_are_rebuilt_from_their_members_and_weights():
    text = LEAVES + function("""
      %net = dycl.constant @""
      %y = dycl.call %net(%x)
      dycl.return %y
    """)
    conv = torch.nn.Conv2d(3, 2, 3, padding=1, bias=False)
    x = torch.randn(1, 3, 4, 4)
    got = run(text, x, weights={"0.weight": conv.weight})
    assert torch.equal(got, torch.relu(conv(x)))
    assert not got.requires_grad


def test_a_missing_weight_is_named():
    text = LEAVES + function("""
      %net = dycl.constant @""
      %y = dycl.call %net(%x)
      dycl.return %y
    """)
    with pytest.raises(KeyError, match=r"0\.weight"):
        run(text, torch.zeros(1, 3, 4, 4))


def test_arguments_that_share_a_name_are_told_apart():
    kernel = module("""
      func.func @kernel(%d: !dycl.value, %d_1: !dycl.value) -> !dycl.value {
        %y = dycl.binary sub %d, %d_1
        dycl.return %y
      }
    """)
    for argument in next(iter(kernel.body.block.ops)).body.block.args:
        argument.name_hint = "d"
    assert Interpreter(kernel, {}).run([5, 3], "kernel").value == 2


DEEP = """
dycl.local_function "f"(%n: !dycl.value) {
  %r = dycl.local_call "f"(%n)
  dycl.local_return %r
} {max_depth = 7 : i64}
%y = dycl.local_call "f"(%x)
dycl.return %y
"""


def test_a_recursion_is_as_deep_as_its_limit():
    with pytest.raises(RecursionError, match=r"t.mlir:4:.* 7 others .*\(DY605\)"):
        run(function(DEEP), 1)
