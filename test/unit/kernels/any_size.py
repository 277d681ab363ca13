"""A function compiled once for sizes that a run decides, to be asked at many."""

import re
from collections.abc import Callable, Sequence
from typing import Any

import torch

from dycl.kernels.cpu import CpuBackend
from dycl.kernels.cpu.engine import CpuKernel
from dycl.runtime.buffers import OpenBuffer

ANY, OTHER = 4001, 6007
"""Sizes in shapes that stand for those that a run decides."""
_LARGE = 1000
"""From here on a size in a text comes of one of them."""
Shapes = Sequence[tuple[int, ...]]


def weight(*shape: int) -> torch.Tensor:
    return torch.randn(shape) / max(1, torch.Size(shape[1:]).numel()) ** 0.5


class AnySize:
    """A function of tensors, compiled once; the last of them are weights."""

    def __init__(
        self,
        texts: tuple[Callable[..., str], Callable[..., str]],
        function: Callable[..., Any],
        shapes: Shapes,
        weights: Sequence[torch.Tensor] = (),
        **how: Any,
    ):
        torch_text, weights_of = texts
        torch.manual_seed(0)
        self.function, self.shapes, self.weights = function, shapes, list(weights)
        untouched = [torch.empty(shape, device="meta") for shape in shapes]
        text = torch_text(function, *untouched, *weights)
        assert not re.search(rf"constant\.int ({ANY}|{OTHER})\b", text)
        text = re.sub(r"vtensor<\[[0-9,]*\]", _opened, text)
        numbers = range(len(shapes), len(shapes) + len(self.weights))
        self.library = CpuBackend(**how).compile(weights_of(text, numbers))
        self.kernel: CpuKernel = self.library["kernel"]
        self.buffers = self._prepared()

    def _prepared(self) -> list[torch.Tensor]:
        wants = self.kernel.prepared
        if wants is None:
            return []
        made = [torch.empty(s.shape, dtype=_dtype(s)) for s in wants.outputs]
        given = [self.weights[i - len(self.shapes)] for i in wants.weights]
        wants.kernel.launch(*(t.data_ptr() for t in (*given, *made)))
        return made

    def _all(self, inputs: Sequence[torch.Tensor]) -> list[torch.Tensor]:
        return [*inputs, *self.weights]

    def __call__(self, inputs: Sequence[torch.Tensor]) -> list[torch.Tensor]:
        """What the kernel gives for these inputs."""
        given, words = self._all(inputs), []
        for number in self.kernel.inputs_left:
            tensor, spec = given[number], self.kernel.spec.inputs[number]
            words += [tensor.data_ptr(), *(tensor.shape[d] for d in spec.open_dims)]
        words += [buffer.data_ptr() for buffer in self.buffers]
        results: list[Any] = []
        for spec in self.kernel.spec.outputs:
            if spec.open_dims:
                results.append(OpenBuffer(spec.dtype, len(spec.shape)))
                words.append(results[-1].slots.ctypes.data)
            else:
                results.append(torch.full(spec.shape, 77, dtype=_dtype(spec)))
                words.append(results[-1].data_ptr())
        self.kernel.launch(*words)
        for buffer in results:
            if isinstance(buffer, OpenBuffer):
                buffer.take()
        return [
            torch.tensor(r.array) if isinstance(r, OpenBuffer) else r for r in results
        ]

    def inputs(self, size: int, other: int = 0) -> list[torch.Tensor]:
        """Inputs of these sizes."""
        sizes = {ANY: size, OTHER: other}
        return [torch.randn([sizes.get(n, n) for n in shape]) for shape in self.shapes]

    def agrees(self, size: int, other: int = 0) -> None:
        """Assert that the kernel and eager give the same at these sizes."""
        inputs = self.inputs(size, other)
        wanted = self.function(*self._all(inputs))
        wanted = list(wanted) if isinstance(wanted, tuple) else [wanted]
        got = self(inputs)
        torch.testing.assert_close(got, wanted, rtol=1e-4, atol=1e-5, equal_nan=True)

    def stage(self, name: str) -> str:
        """The text after a stage."""
        return self.library.stages()[name]


def _opened(found: re.Match[str]) -> str:
    return re.sub(r"\d+", lambda n: n[0] if int(n[0]) < _LARGE else "?", found[0])


def _dtype(spec: Any) -> torch.dtype:
    return getattr(torch, spec.dtype)
