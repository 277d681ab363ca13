"""The reference backend: kernels are run op by op, by the interpreter and torch.

Nothing is compiled, so a network starts at once and runs slowly: to see whether an
answer that is wrong comes from the kernels of another backend, and to show in a hundred
lines what a backend has to do. Such a network has a Python host, needs torch to run,
and cannot be saved.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp

from dycl.diag import CodedError
from dycl.ir.host.layouts import Blocks, given_blocks
from dycl.ir.interpreter import Interpreter
from dycl.kernels import KernelSpec, NoObjectCode, PlainLoops, Progress, specs_of
from dycl.kernels.texts import parse_kernels
from dycl.runtime.dtypes import array_of_tensor, tensor_of_array
from dycl.runtime.targets import NATIVE

Within = Callable[[], AbstractContextManager[object]]


@dataclass(frozen=True)
class ReferenceBackend:
    """Kernels that the interpreter runs. Of its options only `target` has a meaning:
    torch's answers are the same with any other."""

    OPTIONAL_STEPS: ClassVar[tuple[str, ...]] = ()

    target: str = NATIVE
    cache: bool = True
    threads: int = 1
    without: tuple[str, ...] = ()
    narrow: bool = False
    timeout: float = math.inf
    within: Within = nullcontext
    """Makes what each launch runs in, such as a mode of torch's."""

    def compile(
        self,
        module_text: str,
        specs: Sequence[KernelSpec] = (),
        progress: Progress | None = None,
    ) -> "ReferenceLibrary":
        """All kernels of a module; see `KernelBackend.compile`."""
        library = ReferenceLibrary(parse_kernels(module_text), self.within)
        for count, spec in enumerate(library.specs, start=1):
            if progress is not None:
                progress(count, len(library.specs), spec.name, False)
        return library

    def check_each(self, module_texts: Sequence[str]) -> list[CodedError | None]:
        """Nothing is lowered, so nothing fails to be."""
        return [None] * len(module_texts)


class ReferenceLibrary:
    """The kernels of one module."""

    plain: Sequence[PlainLoops] = ()

    def __init__(self, module: ModuleOp, within: Within = nullcontext):
        """ValueError: a kernel takes or gives what cannot cross its border."""
        self._module = module
        self.specs = specs_of(module)
        functions = {f.sym_name.data: f for f in module.ops if isinstance(f, FuncOp)}
        self._kernels = {
            spec.name: ReferenceKernel(module, functions[spec.name], spec, within)
            for spec in self.specs
        }

    def __getitem__(self, name: str) -> "ReferenceKernel":
        """The kernel called `name`. Raises KeyError if there is none."""
        return self._kernels[name]

    @property
    def symbols(self) -> Mapping[str, str]:
        """NoObjectCode."""
        raise NoObjectCode("reference")

    def objects(self) -> Mapping[str, bytes]:
        """NoObjectCode."""
        raise NoObjectCode("reference")

    def shared_object(self) -> bytes:
        """NoObjectCode."""
        raise NoObjectCode("reference")

    def use_linked(self, code: bytes) -> None:
        """NoObjectCode."""
        raise NoObjectCode("reference")

    def stages(self) -> dict[str, str]:
        """The text of the kernels: there is one stage."""
        return {"torch": str(self._module)}


class ReferenceKernel:
    """One kernel: a callable that takes arrays, inputs first, and fills the outputs."""

    prepared = None
    workspace = 0

    def __init__(
        self, module: ModuleOp, function: FuncOp, spec: KernelSpec, within: Within
    ):
        self.spec = spec
        self._within = within
        self.inputs_left = tuple(range(len(spec.inputs)))
        self._interpreter = Interpreter(module, {})
        self._inputs = _blocks(function.arg_attrs, len(spec.inputs))
        self._outputs = _blocks(function.res_attrs, len(spec.outputs))

    def __call__(self, *values: Any) -> list[Any]:
        """Run once: arrays and numbers in, arrays to be filled behind them.

        Gives the results of dynamic size, which have no array to fill.
        """
        import torch

        count = len(self.spec.inputs)
        given = [
            tensor_of_array(in_rows(value, blocks))
            if isinstance(value, np.ndarray)
            else value
            for value, blocks in zip(values[:count], self._inputs, strict=True)
        ]
        with torch.no_grad(), self._within():
            found: Any = self._interpreter.run(given, self.spec.name).value
        results = found if isinstance(found, tuple) else (found,)
        outputs: list[Any] = []
        for spec, buffer, result, blocks in zip(
            self.spec.outputs, values[count:], results, self._outputs, strict=True
        ):
            array = _as_array(result)
            if spec.open_dims:
                outputs.append(np.ascontiguousarray(array))
            else:
                buffer[...] = in_blocks(array, blocks)
        return outputs


def _as_array(result: Any) -> Any:
    return array_of_tensor(result) if hasattr(result, "detach") else np.asarray(result)


def _blocks(attributes: Any, count: int) -> list[Blocks | None]:
    return list(map(given_blocks, attributes)) if attributes else [None] * count


def in_rows(array: Any, blocks: Blocks | None) -> Any:
    """A copy in rows of what may stand in blocks."""
    if blocks is not None:
        shape = list(array.shape[:-1])
        shape[blocks.dim] *= blocks.size
        array = np.moveaxis(array, -1, blocks.dim + 1).reshape(shape)
    return np.array(array)


def in_blocks(array: Any, blocks: Blocks | None) -> Any:
    """An array in rows as it stands in blocks, if these are any."""
    if blocks is None:
        return array
    dim, size = blocks
    cut = (*array.shape[:dim], -1, size, *array.shape[dim + 1 :])
    return np.moveaxis(array.reshape(cut), dim + 1, -1)
