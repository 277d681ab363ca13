"""Calling kernels: scalars, several results, object code, memory."""

import ctypes
import resource
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from xdsl.context import Context
from xdsl.dialects.builtin import Builtin
from xdsl.dialects.func import Func
from xdsl.parser import Parser

from dycl.diag import SourceLoc
from dycl.kernels import KernelSpec, ScalarSpec, TensorSpec
from dycl.kernels.cpu import CpuBackend

Call = Callable[..., list[torch.Tensor]]
VEC = "!torch.vtensor<[4],f32>"
X = torch.tensor([1.0, -2.0, 3.0, -4.0])

TWO_KERNELS = f"""
builtin.module {{
  func.func @scale(%x: {VEC}, %a: !torch.float, %n: !torch.int, %b: !torch.bool)
      -> ({VEC}, !torch.float, !torch.int, !torch.bool) attributes {{dycl.kernel}} {{
    %y = torch.aten.mul.Scalar %x, %a : {VEC}, !torch.float -> {VEC}
    return %y, %a, %n, %b : {VEC}, !torch.float, !torch.int, !torch.bool
  }}
  func.func public @same(%x: {VEC}) -> ({VEC}, {VEC}, {VEC}, {VEC}, {VEC}) {{
    %y = torch.aten.relu %x : {VEC} -> {VEC} loc("net.py":12:5)
    %c = torch.vtensor.literal(dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>) : {VEC}
    return %x, %y, %y, %x, %c : {VEC}, {VEC}, {VEC}, {VEC}, {VEC} loc("net.py":14:5)
  }} loc("net.py":11:1)
}}
"""


def test_specs_are_those_of_the_signatures() -> None:
    vector = TensorSpec((4,), "float32")
    scale, same = CpuBackend().compile(TWO_KERNELS).specs
    assert scale == KernelSpec(
        "scale",
        (vector, ScalarSpec("float"), ScalarSpec("int"), ScalarSpec("bool")),
        (
            vector,
            TensorSpec((), "float64"),
            TensorSpec((), "int64"),
            TensorSpec((), "bool"),
        ),
    )
    place = SourceLoc("net.py", 11, 1)
    assert same == KernelSpec("same", (vector,), (vector,) * 5, place)
    assert vector.nbytes == 16


def test_specs_that_do_not_fit_are_refused() -> None:
    wrong = KernelSpec("scale", (TensorSpec((5,), "float32"),), ())
    with pytest.raises(ValueError, match="@scale has the signature"):
        CpuBackend().compile(TWO_KERNELS, [wrong])


@pytest.mark.parametrize("number", [1, -3, 2**40])
@pytest.mark.parametrize("flag", [True, False])
def test_scalars_go_in_and_come_out(number: int, flag: bool, call: Call) -> None:
    kernel = CpuBackend().compile(TWO_KERNELS)["scale"]
    y, a, n, b = call(kernel, X, 2.5, number, flag)
    assert torch.equal(y, X * 2.5)
    assert (a.item(), n.item(), b.item()) == (2.5, number, flag)


def test_a_result_may_be_an_argument_a_constant_or_another_result(call: Call) -> None:
    results = call(CpuBackend().compile(TWO_KERNELS)["same"], X)
    relu, constant = F.relu(X), torch.tensor([1.0, 2.0, 3.0, 4.0])
    for result, wanted in zip(results, [X, relu, relu, X, constant], strict=True):
        assert torch.equal(result, wanted)


def test_results_of_one_type_do_not_share_memory(agree: Callable[..., None]) -> None:
    """Equal fills are one op after CSE; each result still needs memory of its own."""
    x = torch.arange(-3.0, 5.0)
    agree(lambda x: (x.sum(), (x + 1).sum()), x)
    agree(lambda x: ((x != 0).sum(), (x > 0).sum(), x.max()), x)
    agree(lambda x: (torch.zeros(8) + x, torch.zeros(8) - x, torch.zeros(8)), x)


def test_a_library_is_kept_alive_by_its_kernels(call: Call) -> None:
    kernel = CpuBackend().compile(TWO_KERNELS)["same"]
    assert torch.equal(call(kernel, X)[1], F.relu(X))
    bound = kernel.bind(X.data_ptr())
    del kernel
    outputs = [torch.zeros(4) for _ in range(5)]
    for index, output in enumerate(outputs, 1):
        bound.store(index, output.data_ptr())
    bound()
    assert torch.equal(outputs[1], F.relu(X))


def test_the_wrong_number_of_arguments_is_refused() -> None:
    library = CpuBackend().compile(TWO_KERNELS)
    with pytest.raises(ValueError, match="@same takes 6 arguments, not 1"):
        library["same"].launch(X.data_ptr())
    with pytest.raises(IndexError):
        library["same"].bind(*range(7))
    with pytest.raises(KeyError):
        library["other"]


def test_equal_kernels_stay_two_symbols(call: Call) -> None:
    body = f"""(%x: {VEC}) -> {VEC} {{
        %y = torch.aten.relu %x : {VEC} -> {VEC}
        return %y : {VEC}
    }}"""
    library = CpuBackend().compile(f"func.func @a{body} func.func @b{body}")
    for name in ("a", "b"):
        assert torch.equal(call(library[name], X)[0], F.relu(X))


def test_pointers_need_no_more_than_the_alignment_of_their_elements() -> None:
    kernel = CpuBackend().compile(TWO_KERNELS)["same"]
    memory = torch.arange(40.0) - 7
    views = [memory[1 + 5 * i : 5 + 5 * i] for i in range(6)]
    wanted = F.relu(views[0].clone())
    kernel.launch(*(view.data_ptr() for view in views))
    assert torch.equal(views[1], memory[1:5])
    assert torch.equal(views[2], wanted)


def test_inputs_may_overlap(torch_text: Callable[..., str], call: Call) -> None:
    text = torch_text(lambda x, y: x @ y.t() + x, torch.ones(8, 8), torch.ones(8, 8))
    x = torch.arange(64.0).reshape(8, 8)
    (result,) = call(CpuBackend().compile(text)["kernel"], x, x)
    torch.testing.assert_close(result, x @ x.t() + x)


def test_objects_link_and_give_the_same(tmp_path: Path) -> None:
    compiled = CpuBackend().compile(TWO_KERNELS)
    objects, symbols = compiled.objects(), compiled.symbols
    assert list(symbols) == ["scale", "same"]
    assert list(objects) == list(symbols.values())
    for name, code in objects.items():
        (tmp_path / f"{name}.o").write_bytes(code)
    command = ["gcc", "-shared", "-Wl,-z,text,-z,defs", "-o", "k.so"]
    files = [f"{name}.o" for name in objects]
    subprocess.run([*command, *files, "-lm"], cwd=tmp_path, check=True)
    library = ctypes.CDLL(str(tmp_path / "k.so"))
    y, a, n, b = torch.zeros(4), torch.zeros(1).double(), torch.zeros(1).long(), X > 9
    pointers = [ctypes.c_void_p(t.data_ptr()) for t in (y, a, n, b)]
    library[symbols["scale"]](
        ctypes.c_void_p(X.data_ptr()),
        ctypes.c_double(0.5),
        ctypes.c_int64(-9),
        ctypes.c_bool(True),
        *pointers,
    )
    assert torch.equal(y, X * 0.5)
    assert (a.item(), n.item(), b[0].item()) == (0.5, -9, True)


def test_objects_are_reproducible(torch_text: Callable[..., str]) -> None:
    text = torch_text(lambda x: F.softmax(x, -1), torch.ones(3, 10))
    first, second = (CpuBackend(cache=False).compile(text) for _ in range(2))
    assert first.objects() == second.objects()
    assert first.shared_object() == second.shared_object()


def test_stages_tell_the_story_with_the_user_s_lines() -> None:
    stages = CpuBackend().compile(TWO_KERNELS).stages()
    assert list(stages) == ["torch", "linalg", "memref", "llvm"]
    assert "torch.aten.relu" in stages["torch"]
    assert "linalg.generic" in stages["linalg"]
    assert "memref<4xf32>" in stages["memref"]
    assert "llvm.func @same" in stages["llvm"]
    assert all('"net.py":12:5' in text for text in stages.values())


def test_progress_names_each_kernel_when_it_is_done() -> None:
    seen: list[tuple[int, int, str, bool]] = []
    backend = CpuBackend(cache=False)
    backend.compile(TWO_KERNELS, progress=lambda *told: seen.append(told))
    assert [told[:2] for told in seen] == [(1, 2), (2, 2)]
    assert {told[2] for told in seen} == {"scale", "same"}
    assert not any(told[3] for told in seen)


def test_specs_of_reads_the_same_from_our_own_ir() -> None:
    from dycl.kernels import specs_of

    context = Context(allow_unregistered=True)
    for dialect in (Builtin, Func):
        context.load_dialect(dialect)
    text = f"""builtin.module {{
      "func.func"() <{{sym_name = "k", function_type =
          ({VEC}, !torch.int) -> (!torch.vtensor<[2,3],si64>, !torch.bool)}}> ({{
      ^bb0(%x: {VEC}, %n: !torch.int):
        %y, %c = "test.op"() : () -> (!torch.vtensor<[2,3],si64>, !torch.bool)
        "func.return"(%y, %c) : (!torch.vtensor<[2,3],si64>, !torch.bool) -> ()
      }}) {{dycl.kernel}} : () -> () loc("net.py":3:7)
    }}"""
    (spec,) = specs_of(Parser(context, text).parse_module())
    assert spec.inputs == (TensorSpec((4,), "float32"), ScalarSpec("int"))
    assert spec.outputs == (TensorSpec((2, 3), "int64"), TensorSpec((), "bool"))
    assert spec.location == SourceLoc("net.py", 3, 7)


def test_kernels_free_their_buffers(torch_text: Callable[..., str]) -> None:
    def scan_and_multiply(x: Any, w: Any) -> Any:
        return F.softmax(F.relu(x @ w) @ w, -1).cumsum(1) @ w

    x = torch.ones(32, 32)
    kernel = CpuBackend().compile(torch_text(scan_and_multiply, x, x))["kernel"]
    out = torch.zeros(32, 32)
    bound = kernel.bind(x.data_ptr(), x.data_ptr(), out.data_ptr())

    def peak_after(launches: int) -> int:
        for _ in range(launches):
            bound()
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

    # One buffer of 4 KiB that is never freed would add 40 MB.
    assert peak_after(10_100) - peak_after(100) < 8_000 or pytest.fail("leak")
