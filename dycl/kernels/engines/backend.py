"""What every backend does that hands kernels to an engine."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, TypeVar, cast

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation

from dycl.diag import CodedError, PassFailed
from dycl.kernels import KernelSpec, Progress
from dycl.kernels.engines.library import EngineLibrary, weights_of
from dycl.kernels.onnx import Reader, Unfit, model_of, model_of_op, reason_against
from dycl.kernels.texts import kernels_in, parse_kernels
from dycl.runtime.engines import (
    Engine,
    EngineMissing,
    Model,
    OnnxEngine,
    engine_of,
)
from dycl.runtime.targets import NATIVE

T = TypeVar("T")


def found(make: Callable[[], T]) -> T:
    """What `make` makes of an engine. PassFailed (DY292): it is not installed, or too
    old."""
    try:
        return make()
    except EngineMissing as missing:
        raise PassFailed(
            f"the backend '{missing.name}' needs {missing.title}: {missing.why}",
            hint=f"pip install 'dycl[{missing.name}]'",
            code="DY292",
        ) from missing


@dataclass(frozen=True)
class EngineBackend:
    """Kernels that an engine runs: the one that a backend of its own names.

    Of the options `threads` has a meaning: how many the engine may use.
    """

    ENGINE: ClassVar[str]
    """Its name in `dycl.runtime.engines`."""
    OPTIONAL_STEPS: ClassVar[tuple[str, ...]] = ()
    CANDIDATE: ClassVar[bool] = True
    target: str = NATIVE
    cache: bool = True
    threads: int = 1
    without: tuple[str, ...] = ()
    narrow: bool = False
    timeout: float = math.inf

    @cached_property
    def engine(self) -> Engine:
        """The engine. PassFailed (DY292): it is not installed, or too old."""
        return found(lambda: engine_of(self.ENGINE, self.threads))

    def __post_init__(self):
        assert self.engine.key  # It complains at once if it is not there.

    @property
    def key(self) -> str:
        """What decides the answers of `cannot_take`."""
        return self.engine.key

    def cannot_take(self, op: Operation) -> str | None:
        """Why an op is left to another backend; None: it is not."""
        raise NotImplementedError

    def models(self, module: ModuleOp) -> Mapping[str, Model]:
        """The kernels of a module as the engine reads them, by name."""
        raise NotImplementedError

    def compile(
        self,
        module_text: str,
        specs: Sequence[KernelSpec] = (),
        progress: Progress | None = None,
    ) -> EngineLibrary:
        """All kernels of a module; see `KernelBackend.compile`."""
        module = parse_kernels(module_text)
        models = self.models(module)
        library = EngineLibrary(self.engine, self.threads, module, models)
        for count, spec in enumerate(library.specs, start=1):
            if progress is not None:
                progress(count, len(library.specs), spec.name, False)
        return library

    def check_each(self, module_texts: Sequence[str]) -> list[CodedError | None]:
        """Nothing is lowered, so nothing fails to be."""
        return [None] * len(module_texts)


@dataclass(frozen=True)
class OnnxBackend(EngineBackend):
    """Kernels that an engine runs which reads ONNX."""

    READER: ClassVar[Reader]
    """What of ONNX it reads."""

    @property
    def reading(self) -> OnnxEngine:
        """The engine."""
        return cast(OnnxEngine, self.engine)

    @cached_property
    def _said(self) -> dict[bytes, str]:
        """What the engine has said of models of one op."""
        return {}

    def cannot_take(self, op: Operation) -> str | None:
        """Why an op is left to another backend; None: it is not."""
        try:
            model = model_of_op(op, self.READER)
        except Unfit as unfit:
            return str(unfit)
        if model.data not in self._said:
            self._said[model.data] = self.reading.why_not(model)
        said = self._said[model.data]
        return f"{self.engine.title} refuses it: {said}" if said else None

    def cannot(self, kernel: FuncOp) -> tuple[Operation, str] | None:
        """Why a kernel is left to another backend, and the op that is the cause."""
        reason = reason_against(kernel, self.READER)
        if reason is None:
            model = model_of(kernel, self.READER)
            if said := self.reading.why_not(model):
                reason = kernel, f"{self.engine.title} refuses it: {said}"
        return reason

    def models(self, module: ModuleOp) -> Mapping[str, Model]:
        """The kernels of a module in ONNX, without their weights."""
        return {
            name: model_of(kernel, self.READER, weights_of(kernel))
            for name, kernel in kernels_in(module).items()
        }
