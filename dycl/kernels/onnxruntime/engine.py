"""ONNX Runtime as an engine."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from dycl.kernels.engines.backend import EngineBackend, missing
from dycl.kernels.onnx import OnnxModel, Reader
from dycl.kernels.specs import ScalarSpec, TensorSpec

_OLDEST = (1, 17)
"""The first release that has opset 17 whole, and sessions that threads may share."""
_DTYPES = {"int": np.int64, "float": np.float64, "bool": np.bool_}
_PROVIDERS = ["CPUExecutionProvider"]


@dataclass(frozen=True)
class OnnxRuntimeBackend(EngineBackend):
    """Kernels that ONNX Runtime runs."""

    @cached_property
    def engine(self) -> "OnnxRuntime":
        """ONNX Runtime. PassFailed (DY292): it is not installed, or too old."""
        return OnnxRuntime(self.threads)


class OnnxRuntime:
    """ONNX Runtime, with a number of threads for each session."""

    name = "onnxruntime"
    title = "ONNX Runtime"
    reader = Reader(17)

    def __init__(self, threads: int):
        try:
            import onnxruntime
        except ImportError as error:
            raise missing(self.title, self.name, str(error)) from error
        self._module: Any = onnxruntime
        version = str(onnxruntime.__version__)
        if tuple(int(part) for part in version.split(".")[:2]) < _OLDEST:
            oldest = ".".join(map(str, _OLDEST))
            why = f"it is {version}, and {oldest} is the first that will do"
            raise missing(self.title, self.name, why)
        self._threads = threads
        self.key = f"{self.name} {version} {threads}"

    def _options(self) -> Any:
        options = self._module.SessionOptions()
        options.intra_op_num_threads = self._threads
        options.inter_op_num_threads = 1
        options.log_severity_level = 4
        return options

    def why_not(self, model: OnnxModel) -> str:
        """What it says against a model; "": nothing. Nothing is optimized for it."""
        options = self._options()
        level = self._module.GraphOptimizationLevel.ORT_DISABLE_ALL
        options.graph_optimization_level = level
        try:
            self._module.InferenceSession(model.data, options, providers=_PROVIDERS)
        except Exception as error:
            return (str(error).strip().splitlines() or ["it gives no reason"])[-1]
        return ""

    def session(
        self,
        model: OnnxModel,
        inputs: Sequence[TensorSpec | ScalarSpec],
        outputs: Sequence[TensorSpec],
    ) -> "_Session":
        """Load a model. Any exception: ONNX Runtime's own."""
        session = self._module.InferenceSession(
            model.data, self._options(), providers=_PROVIDERS
        )
        # What is computed of weights alone may be all that there is: no input is left.
        kinds = [*map(_kind, inputs), *map(_kind, outputs)]
        names = [*model.inputs, *model.outputs]
        return _Session(
            session,
            list(zip(names, *zip(*kinds, strict=True), strict=True)),
            len(inputs),
        )


class _Session:
    def __init__(
        self, session: Any, places: Sequence[tuple[str, Any, Any]], count: int
    ):
        self._session, self._places, self._count = session, places, count

    def call(self) -> "_Call":
        """A call for one thread."""
        return _Call(self._session, self._places, self._count)


class _Call:
    def __init__(
        self, session: Any, places: Sequence[tuple[str, Any, Any]], count: int
    ):
        self._binding: Any = session.io_binding()
        self._run: Any = session.run_with_iobinding
        self._places, self._count = places, count

    def store(self, index: int, address: int) -> None:
        """Where argument `index` lies: inputs first, then outputs."""
        binding = self._binding
        bind = binding.bind_input if index < self._count else binding.bind_output
        name, dtype, shape = self._places[index]
        bind(name, "cpu", 0, dtype, shape, address)

    def __call__(self) -> None:
        """Run. Any exception: ONNX Runtime's own."""
        self._run(self._binding)


def _kind(spec: TensorSpec | ScalarSpec) -> tuple[Any, tuple[int, ...]]:
    if isinstance(spec, ScalarSpec):
        return _DTYPES[spec.kind], ()
    return np.dtype(spec.dtype).type, spec.shape
