"""A user's lowering makes an operator of theirs, or of torch, compile."""

from importlib.metadata import EntryPoint

import pytest
import torch

import dycl
from dycl import lowerings
from dycl.analysis.tracing.trace import TRACES
from dycl.diag import CompileErrors
from dycl.ir.interpreter import Interpreter
from dycl.ir.placing_parser import parse_text
from dycl.lowerings import Lowerings
from dycl.tools.cli_doctor import plugins_check
from dycl.tools.same import new_context
from dycl.universe import PluginError


def _halve(x: torch.Tensor, times: int) -> torch.Tensor:
    return x / 2**times


halve = torch.library.custom_op("dycltest::halve", _halve, mutates_args=())
halve.register_fake(lambda x, times: torch.empty_like(x))


def net(x):
    y = halve(x, 2)
    if y.sum() > 0:
        return torch.ops.dycltest.halve(y, 1)
    return torch.ops.dycltest.halve.default(-y, 3)


@pytest.fixture
def known(monkeypatch) -> Lowerings:
    fresh, kernels = Lowerings(), Lowerings()
    for module in ("dycl.lowerings", "dycl.analysis.tracing.decomposing"):
        monkeypatch.setattr(f"{module}.known_lowerings", lambda: fresh)
    for module in ("dycl.lowerings", "dycl.analysis.tracing.custom_kernels"):
        monkeypatch.setattr(f"{module}.known_kernels", lambda: kernels)
    monkeypatch.setattr(TRACES, "known", {})
    return fresh


def test_an_operator_without_lowering_says_how_to_give_one(known) -> None:
    with pytest.raises(CompileErrors) as refused:
        dycl.compile(net, (torch.ones(3),))
    first = refused.value.errors[0]
    assert first.what == "torch op dycltest.halve has no lowering"
    assert '@dycl.lowering("dycltest::halve")' in first.hint


def test_an_operator_with_a_lowering_compiles(known) -> None:
    @dycl.lowering("dycltest::halve")
    def _(x, times):
        for _ in range(times):
            x = x * 0.5
        return x

    compiled = dycl.compile(net, (torch.ones(3),))
    for x in (torch.tensor([1.0, 2.0, 5.0]), torch.tensor([-1.0, -8.0, 0.5])):
        assert torch.equal(compiled(x), net(x))
        assert compiled.path[0].taken is bool(halve(x, 2).sum() > 0)


def test_a_lowering_goes_before_what_is_known(known) -> None:
    """Of torch's own op, and also after a compilation without it."""

    def cosine(x):
        return torch.cos(x)

    x = torch.tensor([0.5, 1.0])
    assert torch.allclose(dycl.compile(cosine, (x,))(x), x.cos())

    @dycl.lowering("aten::cos")
    def _(x):
        return x + 7

    assert torch.equal(dycl.compile(cosine, (x,))(x), x + 7)


def halving(x, by: float, text: str = "") -> str:
    rank = len(x.shape)
    dims = ", ".join(f"d{i}" for i in range(rank))
    rows = ", ".join([f"affine_map<({dims}) -> ({dims})>"] * 2)
    kinds = ", ".join(['"parallel"'] * rank)
    return f"""
    func.func @halve(%x: {x}) -> {text or x} {{
      %by = arith.constant {by:e} : {x.element}
      %empty = tensor.empty() : {x}
      %y = linalg.generic {{indexing_maps = [{rows}], iterator_types = [{kinds}]}}
          ins(%x : {x}) outs(%empty : {x}) {{
      ^body(%a: {x.element}, %out: {x.element}):
        %b = arith.mulf %a, %by : {x.element}
        linalg.yield %b : {x.element}
      }} -> {x}
      return %y : {x}
    }}"""


def test_an_operator_has_a_kernel_of_its_own(known) -> None:
    """Where the kernel gives None, the lowering is taken."""
    asked = []

    @dycl.kernel("dycltest::halve")
    def _(x, times):
        asked.append((x.shape, x.dtype, times))
        return None if times == 3 else halving(x, 0.5**times)

    with pytest.raises(CompileErrors, match="dycltest.halve has no lowering"):
        dycl.compile(net, (torch.ones(3),))

    @dycl.lowering("dycltest::halve")
    def _(x, times):
        return x / 2**times

    texts = {}
    for host in ("native", "python"):
        compiled = dycl.compile(net, (torch.ones(3),), host=host)
        texts[host] = compiled.stages["hcfg"]
        interpreter = Interpreter(parse_text(new_context(), texts[host], "net.py"), {})
        for x in (torch.tensor([1.0, 2.0, 5.0]), torch.tensor([-1.0, -8.0, 0.5])):
            assert torch.equal(compiled(x), net(x))
            assert torch.equal(interpreter.run([x]).value, net(x))
            assert compiled.path[0].taken is bool(halve(x, 2).sum() > 0)
    assert texts["native"] == texts["python"]
    assert texts["native"].count('torch.operator "torch.dycltest.halve"(') == 2
    assert set(asked) == {((3,), "float32", times) for times in (1, 2, 3)}


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("no text", "has a kernel that is no MLIR: "),
        ("", "has a kernel that is not one func.func"),
        ("func.func private @f(tensor<3xf32>)", "has a kernel that has no body"),
        (
            "func.func @f() -> tensor<3xf32> {%e = tensor.empty() : tensor<3xf32>\n"
            "return %e : tensor<3xf32>}",
            "has a kernel that takes (), not (tensor<3xf32>)",
        ),
    ],
)
def test_a_kernel_that_is_none_is_refused_at_the_line(known, text, what) -> None:
    dycl.kernel("dycltest::halve")(lambda x, times: text)
    with pytest.raises(dycl.CompileError) as refused:
        dycl.compile(net, (torch.ones(3),))
    assert refused.value.code == "DY502"
    assert what in str(refused.value)
    assert refused.value.at is not None
    assert refused.value.at.text() == "halve(x, 2)"


def test_a_kernel_that_raises_is_named(known) -> None:
    dycl.kernel("dycltest::halve")(lambda x, times: 1 / 0)
    with pytest.raises(CompileErrors) as refused:
        dycl.compile(net, (torch.ones(3),))
    what = "the kernel of dycltest.halve raises ZeroDivisionError: division by zero"
    assert refused.value.errors[0].what == what


def by_number(x, n):
    times = int(x.sum()) + 1
    if times > 2:
        return halve(x, times)
    return torch.ops.dycltest.halve(x=x, times=n - times)


def test_a_kernel_takes_a_number_of_the_run(known) -> None:
    asked = []

    @dycl.kernel("dycltest::halve")
    def _(x, times):
        asked.append(str(times))
        return f"""
        func.func @halve(%x: {x}, %times: {times}) -> {x} {{
          %float = arith.sitofp %times : {times} to {x.element}
          %by = math.exp2 %float : {x.element}
          %empty = tensor.empty() : {x}
          %all = linalg.fill ins(%by : {x.element}) outs(%empty : {x}) -> {x}
          %y = arith.divf %x, %all : {x}
          return %y : {x}
        }}"""

    given = [(torch.tensor([s, 0.5, 0.5]), n) for s in (0.0, 1.0, 4.0) for n in (3, 7)]
    for host in ("native", "python"):
        compiled = dycl.compile(by_number, given[0], host=host)
        text = compiled.stages["hcfg"]
        assert text.count("dycl.custom_kernel_arguments = [0 : i64, 1 : i64]") == 1
        assert text.count("dycl.launch") == 3  # the sum, and both sides the same kernel
        interpreter = Interpreter(parse_text(new_context(), text, "net.py"), {})
        taken = set()
        for x, n in given:
            torch.testing.assert_close(compiled(x, n), by_number(x, n))
            result = interpreter.run([x, n]).value
            torch.testing.assert_close(result, by_number(x, n))
            taken.add(compiled.path[0].taken)
        assert taken == {True, False}
    assert set(asked) == {"i64"}


def test_a_kernel_leaves_numbers_of_the_run_to_a_lowering(known) -> None:
    dycl.kernel("dycltest::halve")(lambda x, times: None)
    dycl.lowering("dycltest::halve")(lambda x, times: x * times)
    compiled = dycl.compile(by_number, (torch.ones(3), 3))
    assert torch.equal(compiled(torch.ones(3), 3), torch.full((3,), 4.0))
    assert torch.equal(compiled(-torch.ones(3), 3), torch.full((3,), -5.0))


def test_a_kernel_that_computes_with_a_number_of_the_run_is_told(known) -> None:
    dycl.kernel("dycltest::halve")(lambda x, times: halving(x, 0.5**times))
    with pytest.raises(CompileErrors, match="a dycl.NumberSpec there, and for None"):
        dycl.compile(by_number, (torch.ones(3), 3))


def test_two_lowerings_of_one_operator_are_refused() -> None:
    known = Lowerings()
    known.add("a::b", _halve)
    known.add("a::b", _halve)
    with pytest.raises(ValueError, match="'a::b' has a lowering already: test"):
        known.add("a::b", torch.nn.functional.relu)
    for name in ("a", "::b", "a::"):
        with pytest.raises(ValueError, match="names no torch op"):
            known.add(name, _halve)


def test_packages_bring_lowerings(monkeypatch, tmp_path, known) -> None:
    (tmp_path / "brings_a_lowering.py").write_text(
        'import dycl\n\n@dycl.lowering("dycltest::halve")\n'
        "def _(x, times):\n    return x * 0.5**times\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    point = EntryPoint("x", "brings_a_lowering", "dycl.lowerings")
    monkeypatch.setattr(lowerings, "entry_points", lambda group: [point])
    lowerings.load_installed.cache_clear()
    try:
        x = torch.tensor([4.0, 8.0])
        assert torch.equal(dycl.compile(net, (x,))(x), net(x))
    finally:
        lowerings.load_installed.cache_clear()


def test_a_package_whose_lowerings_raise_is_named(monkeypatch, tmp_path) -> None:
    (tmp_path / "lowers_badly.py").write_text("1 / 0\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    point = EntryPoint("theirs", "lowers_badly", "dycl.lowerings")
    monkeypatch.setattr(lowerings, "entry_points", lambda group: [point])
    lowerings.load_installed.cache_clear()
    try:
        with pytest.raises(PluginError, match="'theirs' .*: ZeroDivisionError"):
            dycl.compile(net, (torch.ones(2),))
        found = plugins_check()
        assert (found.ok, "'theirs' (lowers_badly)" in found.detail) == (False, True)
    finally:
        lowerings.load_installed.cache_clear()
