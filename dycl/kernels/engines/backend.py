"""What every backend does that hands kernels to an engine."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation

from dycl.diag import CodedError, PassFailed
from dycl.kernels import KernelSpec, Progress
from dycl.kernels.engines.library import EngineLibrary
from dycl.kernels.onnx import Reader, Unfit, model_of, model_of_op, reason_against
from dycl.kernels.texts import parse_kernels
from dycl.runtime.engines import Engine, EngineMissing, engine_of
from dycl.runtime.targets import NATIVE


@dataclass(frozen=True)
class EngineBackend:
    """Kernels that an engine runs: the one that a backend of its own names.

    Of the options `threads` has a meaning: how many the engine may use.
    """

    ENGINE: ClassVar[str]
    """Its name in `dycl.runtime.engines`."""
    READER: ClassVar[Reader]
    """What of ONNX it reads."""
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
        try:
            return engine_of(self.ENGINE, self.threads)
        except EngineMissing as missing:
            raise PassFailed(
                f"the backend '{missing.name}' needs {missing.title}: {missing.why}",
                hint=f"pip install 'dycl[{missing.name}]'",
                code="DY292",
            ) from missing

    def __post_init__(self):
        assert self.engine.key  # It complains at once if it is not there.

    @property
    def key(self) -> str:
        """What decides the answers of `cannot_take`."""
        return self.engine.key

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
            self._said[model.data] = self.engine.why_not(model)
        said = self._said[model.data]
        return f"{self.engine.title} refuses it: {said}" if said else None

    def cannot(self, kernel: FuncOp) -> tuple[Operation, str] | None:
        """Why a kernel is left to another backend, and the op that is the cause."""
        reason = reason_against(kernel, self.READER)
        if reason is None:
            model = model_of(kernel, self.READER)
            if said := self.engine.why_not(model):
                reason = kernel, f"{self.engine.title} refuses it: {said}"
        return reason

    def compile(
        self,
        module_text: str,
        specs: Sequence[KernelSpec] = (),
        progress: Progress | None = None,
    ) -> EngineLibrary:
        """All kernels of a module; see `KernelBackend.compile`."""
        module = parse_kernels(module_text)
        library = EngineLibrary(self.engine, self.READER, self.threads, module)
        for count, spec in enumerate(library.specs, start=1):
            if progress is not None:
                progress(count, len(library.specs), spec.name, False)
        return library

    def check_each(self, module_texts: Sequence[str]) -> list[CodedError | None]:
        """Nothing is lowered, so nothing fails to be."""
        return [None] * len(module_texts)
