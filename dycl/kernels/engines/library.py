"""The kernels of a module that an engine runs.

What runs them is in `dycl.runtime.engines`, which a saved network has as well.
"""

from collections.abc import Mapping, Sequence

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp

from dycl.diag import CodedError, SourceLoc
from dycl.ir.dialect.model import WEIGHT
from dycl.ir.torch import VTensorType
from dycl.kernels import NoObjectCode, PlainLoops
from dycl.kernels.joined import JoinedLibrary
from dycl.kernels.specs import KernelSpec, ScalarSpec, TensorSpec, specs_of
from dycl.kernels.texts import kernels_in
from dycl.runtime.engines import (
    Engine,
    EngineCode,
    EngineKernel,
    EngineKernels,
    Model,
    Place,
)
from dycl.runtime.engines.kernels import as_json

_NUMBERS = {"int": "int64", "float": "float64", "bool": "bool"}


class EngineError(CodedError):
    """An engine cannot run a kernel that it has taken."""

    def __init__(self, engine: str, said: str, at: SourceLoc | None):
        """`said`: its own words; `at`: the user's line of the kernel."""
        super().__init__(
            "DY505",
            f"{engine} cannot run a kernel: {said}",
            at,
            hint="compile with backend='cpu', which needs no other engine",
        )


class ModuleKernel(EngineKernel):
    """A kernel of a module."""

    def __init__(self, library: EngineKernels, code: EngineCode, spec: KernelSpec):
        super().__init__(library, code)
        self.spec = spec


class EngineLibrary:
    """The kernels of one module."""

    plain: Sequence[PlainLoops] = ()

    def __init__(
        self,
        engine: Engine,
        threads: int,
        module: ModuleOp,
        models: Mapping[str, Model],
    ):
        """`models`: the kernels as the engine reads them, by name. ValueError: a kernel
        takes or gives what cannot cross its border."""
        self._module = module
        self.engine, self.threads = engine, threads
        self.specs = specs_of(module)
        specs = {spec.name: spec for spec in self.specs}
        codes = [
            _code(function, specs[name], models[name])
            for name, function in kernels_in(module).items()
        ]

        def failure(code: EngineCode, said: str, error: Exception) -> Exception:
            return EngineError(engine.title, said, specs[code.name].location)

        self._table = EngineKernels(engine, codes, failure)
        self._kernels = {
            code.name: ModuleKernel(self._table, code, specs[code.name])
            for code in codes
        }

    def __getitem__(self, name: str) -> ModuleKernel:
        """The kernel called `name`. Raises KeyError if there is none."""
        return self._kernels[name]

    @property
    def symbols(self) -> Mapping[str, str]:
        """None: a host calls the engine."""
        return {}

    def objects(self) -> Mapping[str, bytes]:
        """None: a host calls the engine."""
        return {}

    def shared_object(self) -> bytes:
        """NoObjectCode."""
        raise NoObjectCode(self.engine.name)

    def use_linked(self, code: bytes) -> None:
        """Nothing of it is run from there."""

    def stages(self) -> dict[str, str]:
        """The text of the kernels, which are handed over as they are."""
        return {"torch": str(self._module)}

    @property
    def coded(self) -> JoinedLibrary:
        """The kernels that no engine runs: there are none."""
        return JoinedLibrary((), {})

    def engine_members(self) -> dict[str, bytes]:
        """What an artifact holds of them, by the name of their engine."""
        codes = self._table.codes
        return {self.engine.name: as_json(codes, self.engine.name, self.threads)}


def _code(function: FuncOp, spec: KernelSpec, model: Model) -> EngineCode:
    at = spec.location
    file = "" if at is None else at.file.replace("\\", "/").rpartition("/")[2]
    return EngineCode(
        spec.name,
        "" if at is None else f"{file}:{at.line}",
        model,
        tuple(map(_place, spec.inputs)),
        tuple(map(_place, spec.outputs)),
        weights_of(function),
    )


def weights_of(function: FuncOp) -> tuple[int, ...]:
    """The inputs of a kernel that are weights, by index."""
    attributes = function.arg_attrs
    if attributes is None:
        return ()
    return tuple(
        index
        for index, (entry, argument) in enumerate(
            zip(attributes, function.body.block.args, strict=True)
        )
        if WEIGHT in entry.data and isinstance(argument.type, VTensorType)
    )


def _place(spec: TensorSpec | ScalarSpec) -> Place:
    if isinstance(spec, ScalarSpec):
        return Place(_NUMBERS[spec.kind], (), is_number=True)
    return Place(spec.dtype, spec.shape)
