"""ONNX Runtime as an engine."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from dycl.runtime.engines.models import OnnxModel
from dycl.runtime.engines.sessions import EngineMissing, Place, check_version
from dycl.runtime.zipping import zip_equal

_OLDEST = (1, 17)
"""The first release that has opset 17 whole, and sessions that threads may share."""
_PROVIDERS = ["CPUExecutionProvider"]


class OnnxRuntime:
    """ONNX Runtime, with a number of threads for each session."""

    name = "onnxruntime"
    title = "ONNX Runtime"

    def __init__(self, threads: int):
        """EngineMissing: it is not installed, or too old."""
        try:
            import onnxruntime  # pyright: ignore[reportMissingImports]
        except ImportError as error:
            raise EngineMissing(self.title, self.name, str(error)) from error
        self._module: Any = onnxruntime
        version = str(self._module.__version__)
        check_version(self.title, self.name, version, _OLDEST)
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
        self, model: OnnxModel, inputs: Sequence[Place], outputs: Sequence[Place]
    ) -> _Session:
        """Load a model. Any exception: ONNX Runtime's own."""
        session = self._module.InferenceSession(
            model.data, self._options(), providers=_PROVIDERS
        )
        # What is computed of weights alone may be all that there is: no input is left.
        names = (*model.inputs, *model.outputs)
        places = [
            (name, np.dtype(place.dtype).type, place.shape)
            for name, place in zip_equal(names, (*inputs, *outputs))
        ]
        return _Session(session, places, len(inputs))


class _Session:
    def __init__(
        self, session: Any, places: Sequence[tuple[str, Any, Any]], count: int
    ):
        self._session, self._places, self._count = session, places, count

    def call(self) -> _Call:
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
