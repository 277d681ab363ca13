"""A compiled model: call it; or look at what it was made of."""

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

from dycl.artifact import Contents, NativeCode, save
from dycl.kernels import KernelLibrary
from dycl.report import Graph, to_dot, to_mermaid, to_svg
from dycl.runtime import CompiledNet, Decision
from dycl.runtime.targets import NATIVE

_FORMS: dict[str, Callable[[Graph], str]] = {
    "dot": to_dot,
    "mmd": to_mermaid,
    "mermaid": to_mermaid,
    "svg": to_svg,
}


class CompiledModel:
    """What `dycl.compile` returns; callable like the model.

    torch tensors in give torch tensors out, NumPy arrays give NumPy arrays. `path` are
    the decisions of the calling thread's last call, in the user's words.
    """

    def __init__(
        self,
        host_source: str,
        library: KernelLibrary,
        weights: Mapping[str, Any],
        stages: dict[str, str],
        graph: Graph,
        outputs: Sequence[Any] = (),
        aliases: Mapping[str, str] | None = None,
        native: NativeCode | None = None,
        why_python: str = "",
        target: str = NATIVE,
    ):
        """Join a printed host, its kernels and weights.

        `stages` is the IR's text by storey, `graph` the control flow as a picture,
        `outputs` what `forward` may return (see `dycl.host.outputs`), `aliases` second
        names of weights. `native` is the same host in C; where there is none,
        `why_python` says why, as a phrase. `target` is the processor that the kernels
        are for.
        """
        self.host_source = host_source
        self.library = library
        self.stages = stages
        self.graph = graph
        self.outputs = outputs
        self._aliases = aliases or {}
        self.native = native
        self.why_python = why_python
        self.target = target
        self._net = CompiledNet(
            host_source,
            library,
            weights,
            aliases=self._aliases,
            native=None if native is None else native.host,
        )

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Run the network. dycl.runtime.InputError: an argument does not fit."""
        return self._net(*args, **kwargs)

    @property
    def host(self) -> Literal["native", "python"]:
        """What runs the decisions: compiled code or, where that cannot be made or is
        not wanted, the printed Python. `why_python` says why."""
        return self._net.host

    def with_python_host(self) -> "CompiledModel":
        """The same network, its decisions run by the printed Python."""
        return CompiledModel(
            self.host_source,
            self.library,
            self.weights,
            self.stages,
            self.graph,
            self.outputs,
            self._aliases,
            why_python="it was asked for",
            target=self.target,
        )

    @property
    def path(self) -> tuple[Decision, ...]:
        """The decisions of the last call, in the order they were made."""
        return self._net.path

    @property
    def state(self) -> dict[str, Any]:
        """What the model's attributes are that `forward` sets: a copy, by name.

        May be set, also in part: `net.state = {"hidden": None}`. KeyError: there is no
        such state; dycl.runtime.InputError: a value is of no kind that was compiled.
        """
        return self._net.state

    @state.setter
    def state(self, values: Mapping[str, Any]) -> None:
        self._net.state = dict(values)

    def reset_state(self) -> None:
        """Make the state what it was when the model was compiled."""
        self._net.reset_state()

    @property
    def weights(self) -> Mapping[str, Any]:
        """The weights by state-dict name, as they are now; not to be written to."""
        return self._net.weights

    def load_weights(
        self, source: Mapping[str, Any] | Path | str, *, strict: bool = True
    ) -> None:
        """Use other weights from the next call on: a state dict or a safetensors file.

        dycl.runtime.WeightError: a name, shape or dtype is another, or, unless `strict`
        is False, a weight is missing; then nothing has changed.
        """
        self._net.load_weights(source, strict=strict)

    def save(self, path: Path | str, *, folder: bool = False) -> None:
        """Write the network as one file (or a folder) that `dycl.load` runs.

        The same network gives the same bytes. OSError: it cannot be written.
        """
        contents = Contents(
            self.host_source,
            self.library,
            self.weights,
            self._aliases,
            self.graph,
            self._net.inputs,
            self.outputs,
            self.decisions,
            self.native,
            self.target,
        )
        save(contents, Path(path), folder=folder)

    @property
    def decisions(self) -> tuple[tuple[str, str, str, int], ...]:
        """All decisions that a run can make: name, test, file, line."""
        return self._net.decisions

    @cached_property
    def kernel_stages(self) -> dict[str, str]:
        """The kernels' text at each stage of lowering, in order."""
        return self.library.stages()

    def hcfg(self, form: str = "mermaid") -> str:
        """The control-flow graph as `dot`, `mermaid` or `svg` text.

        ValueError: another form.
        """
        if form not in _FORMS:
            raise ValueError(f"'{form}' is none of {', '.join(_FORMS)}")
        return _FORMS[form](self.graph)
