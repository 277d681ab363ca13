"""Weights are prepared once, by a function of their own."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
import torch.nn.functional as F

from dycl.kernels.cpu import CpuBackend, parts
from dycl.kernels.cpu.engine import CpuKernel, CpuLibrary
from dycl.kernels.cpu.mlir import parse, text_of
from dycl.kernels.cpu.weights.part_preparations import take_parts
from dycl.kernels.specs import PreparationSpec, Recipe

Text = Callable[..., str]


def randn(*shape: int) -> torch.Tensor:
    generator = torch.Generator().manual_seed(sum(shape))
    return torch.randn(shape, generator=generator)


def with_weights(text: str, weights: set[int]) -> str:
    """The text of a kernel with `dycl.weight` on these arguments."""
    for index in weights:
        argument = rf"(%arg{index}: !torch\.vtensor<\[[^>]*>)"
        text = re.sub(argument, r"\1 {dycl.weight}", text, count=1)
    return text


def compiled(
    text: Text,
    function: Any,
    tensors: list[torch.Tensor],
    weights: set[int],
    target: str = "native",
) -> CpuKernel:
    module = with_weights(text(function, *tensors), weights)
    return CpuBackend(target=target).compile(module)["kernel"]


def aligned(shape: tuple[int, ...], dtype: str) -> torch.Tensor:
    kind = getattr(torch, dtype)
    count = torch.Size(shape).numel() * kind.itemsize
    memory = torch.zeros(count + 64, dtype=torch.uint8)
    start = -memory.data_ptr() % 64
    return memory[start : start + count].view(kind).reshape(shape)


def run(kernel: CpuKernel, tensors: list[torch.Tensor]) -> list[torch.Tensor]:
    buffers: list[torch.Tensor] = []
    if kernel.prepared is not None:
        buffers = [aligned(s.shape, s.dtype) for s in kernel.prepared.outputs]
        given = [tensors[i] for i in kernel.prepared.weights]
        kernel.prepared.kernel.launch(*(t.data_ptr() for t in [*given, *buffers]))
    outputs = [aligned(s.shape, s.dtype) for s in kernel.spec.outputs]
    left = [tensors[i].contiguous() for i in kernel.inputs_left]
    kernel.launch(*(t.data_ptr() for t in [*left, *buffers, *outputs]))
    return outputs


CASES: dict[str, tuple[Any, list[torch.Tensor], set[int]]] = {
    "convolution": (
        lambda x, w, b: F.relu(F.conv2d(x, w, b, padding=1)),
        [randn(1, 20, 6, 6), randn(24, 20, 3, 3) / 5, randn(24)],
        {1, 2},
    ),
    "batch norm": (
        lambda x, w, g, b, m, v: F.batch_norm(F.conv2d(x, w), m, v, g, b),
        [randn(2, 16, 5, 5), randn(16, 16, 1, 1), *(randn(16).abs() for _ in range(4))],
        {1, 2, 3, 4, 5},
    ),
    "transposed convolution": (
        lambda x, w: F.conv_transpose2d(x, w, stride=2, padding=1),
        [randn(1, 16, 5, 5), randn(16, 8, 3, 3)],
        {1},
    ),
    "linear of one row": (
        lambda x, w, b: F.linear(x, w, b),
        [randn(1, 70), randn(300, 70) / 8, randn(300)],
        {1, 2},
    ),
    "linear of many rows": (
        lambda x, w, b: torch.tanh(F.linear(x, w, b)),
        [randn(37, 70), randn(100, 70) / 8, randn(100)],
        {1, 2},
    ),
    "linear of three dimensions": (
        lambda x, w, b: F.linear(x, w, b),
        [randn(2, 5, 40), randn(10, 40) / 8, randn(10)],
        {1, 2},
    ),
    "a weight is a result": (
        lambda x, w: (x @ w, w * 2),
        [randn(4, 8), randn(8, 8)],
        {1},
    ),
    "weights alone": (lambda x, w: (x + 1, w @ w), [randn(4, 8), randn(8, 8)], {1}),
    "two uses": (
        lambda x, w: F.linear(x, w) + F.linear(x + 1, w.tanh()),
        [randn(4, 8), randn(8, 8)],
        {1},
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_the_answer_is_that_of_eager(name: str, torch_text: Text) -> None:
    function, tensors, weights = CASES[name]
    kernel = compiled(torch_text, function, tensors, weights)
    assert kernel.prepared is not None
    expected = function(*tensors)
    expected = expected if isinstance(expected, tuple) else (expected,)
    for result, wanted in zip(run(kernel, tensors), expected, strict=True):
        torch.testing.assert_close(result, wanted, rtol=1e-4, atol=1e-5)


def test_a_replaced_weight_is_passed_no_more(torch_text: Text) -> None:
    kernel = compiled(torch_text, *CASES["linear of one row"])
    assert kernel.prepared is not None
    assert kernel.prepared.weights == (1,)
    assert [s.shape for s in kernel.prepared.outputs] == [(5, 70, 64)]
    assert kernel.inputs_left == (0, 2)
    assert len(kernel.spec.inputs) == 3
    assert len(kernel.words) == 4
    with pytest.raises(ValueError, match="takes 4 arguments, not 3"):
        kernel.launch(0, 0, 0)


def test_new_weights_need_no_new_code(torch_text: Text) -> None:
    function, tensors, weights = CASES["convolution"]
    kernel = compiled(torch_text, function, tensors, weights)
    other = [tensors[0], tensors[1] * 2, tensors[2] + 1]
    (result,) = run(kernel, other)
    torch.testing.assert_close(result, function(*other), rtol=1e-4, atol=1e-5)


def test_statistics_of_batch_norm_are_worked_out_once(torch_text: Text) -> None:
    function, tensors, weights = CASES["batch norm"]
    text = with_weights(torch_text(function, *tensors), weights)
    memref = CpuBackend().compile(text).stages()["memref"]
    kernel, _, prepare = memref.partition("@kernel_prepare")
    assert "math.rsqrt" not in kernel
    assert "math.rsqrt" in prepare


@pytest.mark.parametrize("weights", [set[int](), {0}])
def test_nothing_to_prepare(weights: set[int], torch_text: Text) -> None:
    kernel = compiled(torch_text, lambda x, y: x + y, [randn(4), randn(4)], weights)
    assert kernel.prepared is None
    assert kernel.inputs_left == (0, 1)


def test_without_marks_no_argument_is_a_weight(torch_text: Text) -> None:
    function, tensors, _ = CASES["convolution"]
    assert compiled(torch_text, function, tensors, set()).prepared is None


def test_preparation_is_in_the_object_code(torch_text: Text) -> None:
    function, tensors, weights = CASES["convolution"]
    text = with_weights(torch_text(function, *tensors), weights)
    library = CpuBackend().compile(text)
    symbol, code = next(iter(library.objects().items()))
    assert library.symbols["kernel_prepare"] == f"{symbol}_prepare"
    assert f"{symbol}_prepare".encode() in code


def _others(library: CpuLibrary) -> list[str]:
    """The symbols of objects that are neither kernels nor nests of such."""
    kernels = {*library.symbols.values()}
    names = library.objects()
    return [n for n in names if n not in kernels and not n.startswith("nest_")]


def test_equal_parts_of_preparations_are_one_object(torch_text: Text) -> None:
    """Both convolutions of one kernel, and that of another, prepare in one way."""

    def twice(x: Any, w: Any, v: Any) -> Any:
        return F.conv2d(F.conv2d(x, w, padding=1).sin(), v, padding=1)

    def once(x: Any, w: Any) -> Any:
        return F.conv2d(x, w, padding=1).cos()

    tensors = [randn(1, 16, 6, 6), randn(16, 16, 3, 3), randn(16, 16, 3, 3) + 1]
    first = with_weights(torch_text(twice, *tensors), {1, 2})
    second = with_weights(torch_text(once, *tensors[:2]), {1})
    second = second.replace("@kernel", "@other")
    inner = second[second.index("func.func") : second.rindex("}")]
    library = CpuBackend().compile(first[: first.rindex("}")] + inner + "}")
    kernel, other = library["kernel"], library["other"]
    assert kernel.prepared is not None
    assert other.prepared is not None
    recipes = {one.digest for one in kernel.prepared.recipes}
    assert len(kernel.prepared.recipes) == 2
    assert {one.digest for one in other.prepared.recipes} == recipes
    assert len(set(_others(library))) == len(recipes)
    for one, function, given in ((kernel, twice, tensors), (other, once, tensors[:2])):
        (result,) = run(one, given)
        torch.testing.assert_close(result, function(*given), rtol=1e-4, atol=1e-4)


def test_a_part_is_compiled_for_one_kernel_and_found_for_the_next(
    torch_text: Text, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DYCL_CACHE_DIR", str(tmp_path))

    def object_of_part(function: Callable[..., Any]) -> bytes:
        tensors = [randn(1, 16, 6, 6), randn(16, 16, 3, 3)]
        text = with_weights(torch_text(function, *tensors), {1})
        library = CpuBackend().compile(text)
        [name] = _others(library)
        return library.objects()[name]

    first = object_of_part(lambda x, w: F.conv2d(x, w, padding=1).sinh())
    # A child forgets what it has compiled, and this one could compile none.
    monkeypatch.setattr(parts, "lower_part", None)
    assert object_of_part(lambda x, w: F.conv2d(x, w, padding=1).cosh()) == first


def test_a_preparation_that_calls_stays_whole() -> None:
    module = parse("""
      func.func @k_prepare(%w: tensor<4xf32>) -> tensor<4xf32> {
        %0 = call @f(%w) : (tensor<4xf32>) -> tensor<4xf32>
        return %0 : tensor<4xf32>
      }
      func.func private @f(%w: tensor<4xf32>) -> tensor<4xf32> {
        return %w : tensor<4xf32>
      }""")
    spec = PreparationSpec((0,), (), (), (Recipe("r", (0,)),))
    assert take_parts(module, "k", spec) == {}
    assert "@k_prepare" in text_of(module)


def test_the_name_of_a_preparation_may_be_taken() -> None:
    kernel = """
      func.func @{}(%x: !torch.vtensor<[4,4],f32>,
                    %w: !torch.vtensor<[4,4],f32> {{dycl.weight}})
          -> !torch.vtensor<[4,4],f32> attributes {{dycl.kernel}} {{
        %y = torch.aten.mm %x, %w : !torch.vtensor<[4,4],f32>,
            !torch.vtensor<[4,4],f32> -> !torch.vtensor<[4,4],f32>
        return %y : !torch.vtensor<[4,4],f32>
      }}"""
    module = f"module {{{kernel.format('k')}{kernel.format('k_prepare')}}}"
    library = CpuBackend().compile(module)
    x, w = randn(4, 4), randn(4, 4)
    assert library["k"].prepared is None
    assert library["k_prepare"].prepared is not None
    for name in ("k", "k_prepare"):
        (result,) = run(library[name], [x, w])
        torch.testing.assert_close(result, x @ w, rtol=1e-4, atol=1e-5)


def recipes_of(
    text: Text, function: Any, tensors: list[torch.Tensor]
) -> tuple[Recipe, ...]:
    """For a processor whose blocks are as wide for few rows as for many."""
    weights = set(range(1, len(tensors)))
    kernel = compiled(text, function, tensors, weights, "x86-64-v4")
    assert kernel.prepared is not None
    return kernel.prepared.recipes


def test_a_recipe_says_what_is_made_and_of_which_weights(torch_text: Text):
    x, w, v = randn(1, 70), randn(300, 70), randn(40, 70)
    one, two = recipes_of(
        torch_text, lambda x, w, v: (F.linear(x, w), F.linear(x, v)), [x, w, v]
    )
    assert one.digest != two.digest, "these are weights of another shape"
    (alone,) = recipes_of(torch_text, lambda x, u, v: torch.relu(x @ v.T), [x, v, w])
    assert alone.digest == one.digest, "what is done with the result is no part of it"
    assert [one.weights, two.weights, alone.weights] == [(0,), (1,), (0,)]
    (rows,) = recipes_of(torch_text, lambda x, w: F.linear(x, w), [randn(9, 70), w])
    assert rows.digest == one.digest, "columns lie in these blocks for any rows"


def test_what_weights_alone_decide_of_a_product_is_prepared(torch_text: Text):
    word, x = torch.tensor([[3]]), randn(1, 30)
    table, w, b = randn(9, 20), randn(70, 50), randn(70)

    def step(x: Any, word: Any, table: Any, w: Any, b: Any) -> Any:
        known = F.embedding(word, table).squeeze(1)
        return F.linear(torch.cat([known, x], 1), w, b)

    tensors = [x, word, table, w, b]
    kernel = compiled(torch_text, step, tensors, {1, 2, 3, 4})
    assert kernel.prepared is not None
    shapes = sorted(one.shape for one in kernel.prepared.outputs)
    assert shapes == [(1, 70), (2, 30, 64)], "the rows for what changes, and a sum"
    (result,) = run(kernel, tensors)
    torch.testing.assert_close(result, step(*tensors))
