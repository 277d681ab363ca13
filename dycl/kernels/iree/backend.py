"""The backend of IREE."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation

from dycl.diag import CompileError
from dycl.ir.cloning import clone
from dycl.kernels import DEATH, LATE
from dycl.kernels.cpu.children import Children, Died
from dycl.kernels.cpu.errors import Problem
from dycl.kernels.engines import EngineBackend
from dycl.kernels.engines.backend import found
from dycl.kernels.engines.library import weights_of
from dycl.kernels.iree.claims import UNPACK, kernel_of, reason_against
from dycl.kernels.iree.compiler import Compiler, Failed
from dycl.kernels.iree.refusal import Refusal
from dycl.kernels.onnx import Unfit
from dycl.kernels.specs import specs_of
from dycl.kernels.texts import kernels_in
from dycl.runtime.engines import IreeModel, Model
from dycl.runtime.machine import processors
from dycl.support.store import default_store


@dataclass(frozen=True)
class IreeBackend(EngineBackend):
    """Kernels that IREE compiles and runs."""

    ENGINE: ClassVar[str] = "iree"
    CANDIDATE: ClassVar[bool] = False
    """It flushes small numbers to 0, which nobody has asked for by "auto"."""

    @cached_property
    def compiler(self) -> Compiler:
        """What compiles. PassFailed (DY292): it is not installed, or too old."""
        store = default_store("iree") if self.cache else None
        return found(lambda: Compiler(self.target, store, self.timeout))

    def __post_init__(self):
        super().__post_init__()
        assert self.compiler.key

    @property
    def key(self) -> str:
        """What decides the answers of `cannot_take`."""
        return f"{self.engine.key} {self.compiler.key}"

    @cached_property
    def _said(self) -> dict[str, str]:
        """Text of a kernel of one op -> what is against it."""
        return {}

    @cached_property
    def _made(self) -> dict[tuple[str, tuple[int, ...]], bytes | str]:
        """A kernel and its weights -> the module, or what is against it."""
        return {}

    def cannot_take(self, op: Operation) -> str | None:
        """Why an op is left to another backend; None: it is not."""
        if op.name == UNPACK:  # What has made the list is asked about that.
            return None
        try:
            text = str(kernel_of(op))
        except Unfit as unfit:
            return str(unfit)
        if text not in self._said:
            found = self._lowered([(text, ())])[0]
            self._said[text] = "" if isinstance(found, str) else found.problem.what
        return self._said[text] or None

    def cannot(self, kernel: FuncOp) -> tuple[Operation, str] | None:
        """Why a kernel is left to another backend, and the op that is the cause."""
        if (reason := reason_against(kernel)) is not None:
            return reason
        made = self._compiled([kernel])[0]
        return None if isinstance(made, bytes) else (kernel, made)

    def models(self, module: ModuleOp) -> Mapping[str, Model]:
        """The kernels of a module as IREE runs them. CompileError (DY502)."""
        kernels = kernels_in(module)
        made = self._compiled([*kernels.values()])
        models: dict[str, Model] = {}
        for spec, code in zip(specs_of(module), made, strict=True):
            if isinstance(code, str):
                what = f"kernel @{spec.name} cannot be built: {code}"
                raise CompileError("DY502", what, spec.location)
            models[spec.name] = IreeModel(code)
        return models

    def _compiled(self, kernels: Sequence[FuncOp]) -> list[bytes | str]:
        """The modules of kernels, or what is against them."""
        jobs = [(str(ModuleOp([clone(k)])), weights_of(k)) for k in kernels]
        new = [job for job in dict.fromkeys(jobs) if job not in self._made]
        texts = dict(zip(new, self._lowered(new), strict=True))
        good = {job: text for job, text in texts.items() if isinstance(text, str)}
        codes = dict(zip(good, self.compiler.each([*good.values()]), strict=True))
        for job, text in texts.items():
            if isinstance(text, Refusal):
                self._made[job] = text.problem.what
            else:
                code = codes[job]
                refused = f"{self.engine.title} refuses it: {code}"
                self._made[job] = refused if isinstance(code, Failed) else code
        return [self._made[job] for job in jobs]

    def _lowered(
        self, jobs: Sequence[tuple[str, tuple[int, ...]]]
    ) -> list[str | Refusal]:
        """The texts of kernels for IREE, side by side."""
        if not jobs:
            return []
        from dycl.kernels.cpu.unit import set_up
        from dycl.kernels.iree.lower import lowered

        set_up()
        result: dict[int, str | Refusal] = {}
        with Children(self.timeout) as children:
            for index, one in children.each(lowered, jobs, processors()):
                if isinstance(one, Died):
                    what = LATE if one.is_late else DEATH
                    one = Refusal(Problem("?", f"{what} ({one.why})"))
                result[index] = one
        return [result[index] for index in range(len(jobs))]
