"""A compiled model: call it; or look at what it was made of."""

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, NoReturn

from dycl.artifact import PAGE, Contents, TargetCode, save
from dycl.kernels import KernelLibrary
from dycl.report import Graph, to_dot, to_mermaid, to_svg
from dycl.report.collapse import collapse
from dycl.report.narrowing import Narrowing
from dycl.report.placement import Placement
from dycl.runtime import CompiledNet, Decision, InputSpec, SizeRange
from dycl.runtime.dtypes import dtype_name
from dycl.runtime.native import UNFIT
from dycl.runtime.notebook import as_html
from dycl.runtime.rows import Rows
from dycl.runtime.signature import Signature
from dycl.runtime.summary import bytes_of, summary
from dycl.runtime.tensors import to_torch
from dycl.runtime.tree_inputs import TreeInputs
from dycl.runtime.weight_set import Made, WeightSet

_FORMS: dict[str, Callable[[Graph], str]] = {
    "dot": to_dot,
    "mmd": to_mermaid,
    "mermaid": to_mermaid,
    "svg": to_svg,
}


class CompiledModel:
    """What `dycl.compile` returns; callable like the model.

    torch tensors in give torch tensors out, NumPy arrays give NumPy arrays. A network
    that takes no tensor gives torch tensors, as the model does; loaded from a file it
    gives NumPy arrays. `path` are the decisions of the calling thread's last call.
    """

    def __init__(
        self,
        host_source: str,
        codes: Sequence[TargetCode],
        weights: Mapping[str, Any] | WeightSet,
        stages: dict[str, str],
        graph: Graph,
        outputs: Sequence[Any] = (),
        aliases: Mapping[str, str] | None = None,
        why_python: str = "",
        signature: Signature | None = None,
        program: str = "",
        rows: Mapping[str, Any] | None = None,
    ):
        """Join a printed host, its kernels and weights.

        `codes` are for one kind of machine each; the first that can runs here.
        `stages` is the IR's text by level, `graph` the control flow as a picture,
        `outputs` what `forward` may return (see `dycl.host.outputs`), `aliases` second
        names of weights. Where there is no host in C, `why_python` says why, as a
        phrase. `signature` is what is around the inputs, if anything is. `program` is
        the IR of host and kernels, with the user's lines. `rows`: what there is to know
        of inputs with rows (`dycl.runtime.rows`).
        """
        self.program = program
        self.signature = signature
        self.host_source = host_source
        self.codes = tuple(codes)
        self.here = next(filter(_runs_here, codes), codes[0])
        """The code that runs here."""
        self.library = self.here.library
        """The kernels that run here."""
        self.native = self.here.native
        """The host in C, if there is one."""
        self.stages = stages
        self.graph = graph
        self.outputs = outputs
        self.aliases = aliases or {}
        """Second names of weights."""
        self.why_python = why_python
        self.options: Mapping[str, Any] = {}
        """What it was compiled with, by the names of `CompileOptions`."""
        self.narrowing: Narrowing | None = None
        """What bf16 changes, where it was asked for."""
        self.placement: Placement | None = None
        """Who computes which kernel, where `backend="auto"` asked for the fastest."""
        self.rows_form = rows
        """What there is to know of inputs with rows, as the manifest has it."""
        self._net = bound(self, self.here, weights)
        self.rows = None if rows is None else Rows(self._net, rows)
        """How it is called with many rows, if it is compiled for that."""
        self.single: CompiledModel | None = None
        """The same for one row, where many are computed together."""
        takes_tensors = any(spec.shape is not None for spec in self.inputs)
        takes_tensors |= TreeInputs(signature).have_tensors
        self._makes_tensors = not takes_tensors and "torch" in sys.modules
        self._net.makes_tensors = "torch" in sys.modules

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Run the network. dycl.runtime.InputError: an argument does not fit."""
        if self.rows is not None:
            return self.rows(args, kwargs)
        if self._makes_tensors:
            return to_torch(self._net(*args, **kwargs))
        if not kwargs and (returned := self._net.at_once(args)) is not UNFIT:
            return returned
        return self._net.looked_at(args, kwargs)

    def __repr__(self) -> str:
        """Targets, inputs, decisions, host and weights, in one line."""
        targets = ", ".join(code.target for code in self.codes)
        weights = bytes_of([*self.weights.values()])
        return summary("CompiledModel", self, weights, f"for {targets}")

    def _repr_html_(self) -> str:
        """The network for notebooks: its picture, inputs, decisions and weights."""
        return as_html(repr(self), self, to_svg(collapse(self.graph).graph))

    def __reduce__(self) -> NoReturn:
        """TypeError: it holds code and memory of this process."""
        raise TypeError(
            f"a {type(self).__name__} cannot be copied or pickled: save it with "
            "`save`, and load it with `dycl.load` where you need it; threads can "
            "share one"
        )

    @property
    def host(self) -> Literal["native", "python"]:
        """What runs the decisions: compiled code or, as `why_python` says, Python."""
        return self._net.host

    def run_rows(self, single: "CompiledModel | None", threads: int) -> None:
        """Run few rows by the same network for one row, if there is one, which has the
        same weights then; and let `threads` share the rows of a call."""
        assert self.rows_form is not None
        self.rows_form = {**self.rows_form, "threads": threads}
        self.single = single
        if single is not None:
            _share_weights(self, single)
        net = None if single is None else single.network
        self.rows = Rows(self._net, self.rows_form, single=net)

    def with_python_host(self) -> "CompiledModel":
        """The same network, its decisions run by the printed Python."""
        made = _in_python(self, self.codes)
        if self.rows is not None:
            single = None if self.single is None else self.single.with_python_host()
            made.run_rows(single, self.rows.threads)
        return made

    def with_library(self, library: KernelLibrary) -> "CompiledModel":
        """The same with other kernels of the same signatures, and a Python host."""
        return _in_python(self, [replace(self.here, library=library)])

    @property
    def inputs(self) -> tuple[InputSpec, ...]:
        """What the network takes, in order."""
        return self._net.inputs

    @property
    def sizes(self) -> tuple[SizeRange, ...]:
        """What the names in the shapes of inputs may stand for."""
        return self._net.sizes

    @property
    def path(self) -> tuple[Decision, ...]:
        """The decisions of the last call, in the order they were made.

        With rows: for which tests there were rows, and for which none; of each row,
        `paths` has the decisions.
        """
        return self._net.path if self.rows is None else self.rows.path

    @property
    def paths(self) -> tuple[tuple[Decision, ...], ...]:
        """The decisions of each row of the last call. TypeError: it has no rows."""
        if self.rows is None:
            raise TypeError("the network was not compiled with rows: it has one path")
        return self.rows.paths

    @property
    def state(self) -> dict[str, Any]:
        """What the model's attributes are that `forward` sets: a copy, by name.

        May be set, also in part: `net.state = {"hidden": None}`. KeyError: there is no
        such state; dycl.runtime.InputError: a value is of no kind that was compiled.
        """
        state = self._net.state
        return to_torch(state) if self._makes_tensors else state

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

    @property
    def weight_set(self) -> WeightSet:
        """The weights as kernels take them; not to be written to."""
        return self._net.weight_set

    @property
    def target(self) -> str:
        """The kind of processor that the code which runs was compiled for."""
        return self.here.target

    @property
    def kernels(self) -> KernelLibrary:
        """The kernels that run here, by name."""
        return self.library

    @property
    def weight_bytes(self) -> tuple[int, int]:
        """The size of the weights, and of what is made of them for kernels."""
        prepared = self._net.made().values()
        return (
            sum(array.nbytes for array in self.weights.values()),
            sum(item.data.nbytes for item in prepared),
        )

    def load_weights(
        self, source: Mapping[str, Any] | Path | str, *, strict: bool = True
    ) -> None:
        """Use other weights from the next call on: a state dict or a safetensors file.

        dycl.runtime.WeightError: a name, shape or dtype is another, or, unless `strict`
        is False, a weight is missing; then nothing has changed.
        """
        self._net.load_weights(source, strict=strict)
        if self.single is not None:
            _share_weights(self, self.single)

    def save(
        self, path: Path | str, *, folder: bool = False, raw_weights: bool = True
    ) -> None:
        """Write the network as one file (or a folder) that `dycl.load` runs.

        What kernels make of weights beforehand is stored. `raw_weights=False` leaves
        out those of a page or more that no run reads: the file is about half as large,
        `weights` lacks them, and `load_weights` has to be given what it makes the new
        form of (a convolution's weights together with those of its batch norm).

        The same network gives the same bytes. OSError: it cannot be written.
        CompileError (DY504): it has a Python host, and there is no C compiler.
        """
        contents = _contents(self, _prepared(self), raw_weights)
        save(contents, Path(path), folder=folder)

    @property
    def decisions(self) -> tuple[tuple[str, str, str, int], ...]:
        """All decisions that a run can make: name, test, file, line."""
        return self._net.decisions

    @property
    def network(self) -> CompiledNet:
        """What runs the calls; `dycl.profile` watches it."""
        return self._net

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


def _runs_here(code: TargetCode) -> bool:
    """Whether a machine has what code needs; of code for a processor it is known."""
    ask: Any = getattr(code.library, "why_not_here", None)
    return ask is None or not ask()


def bound(
    model: CompiledModel, code: TargetCode, weights: Mapping[str, Any] | WeightSet
) -> CompiledNet:
    """What runs the calls of a model with the code for a target, and weights."""
    return CompiledNet(
        model.host_source,
        code.library,
        weights,
        aliases=model.aliases,
        native=None if code.native is None else code.native.host,
        signature=model.signature,
    )


def _in_python(model: CompiledModel, codes: Sequence[TargetCode]) -> CompiledModel:
    """The same network with code of these targets, and the printed Python as host."""
    made = CompiledModel(
        model.host_source,
        [replace(code, native=None) for code in codes],
        model.weights,
        model.stages,
        model.graph,
        model.outputs,
        model.aliases,
        "it was asked for",
        model.signature,
        model.program,
        model.rows_form,
    )
    made.options = {**model.options, "host": "python"}
    return made


def _share_weights(model: CompiledModel, single: CompiledModel) -> None:
    """Let the network for one row run with a model's weights, in the same memory."""
    weights = {**single.weights, **model.weights}
    single.network.use(WeightSet(weights, model.network.made()))


def _prepared(model: CompiledModel) -> dict[str, Made]:
    """What the kernels of all targets make of weights, by its name."""
    prepared: dict[str, Made] = {}
    for code in model.codes:
        runs = code is model.here
        net = model.network if runs else bound(model, code, model.weights)
        prepared = {**net.made(), **prepared}
    single = {} if model.single is None else _prepared(model.single)
    return {**single, **prepared}


def _contents(
    model: CompiledModel, prepared: dict[str, Made], raw_weights: bool
) -> Contents:
    """What an artifact of a model holds; without `raw_weights`, fewer of these."""
    single, codes = model.single, model.codes
    if single is not None:
        codes = (*codes, *single.codes)
    read = frozenset[str]().union(*(code.read for code in codes))
    made = _members_of(model, prepared, _kept(model, read, raw_weights))
    return made if single is None else replace(made, single=_members_of(single, {}, {}))


def _kept(
    model: CompiledModel, read: frozenset[str], raw_weights: bool
) -> dict[str, Any]:
    """The weights that are saved; those that runs `read` always are."""
    return {
        name: array
        for name, array in model.weights.items()
        if raw_weights or name in read or array.nbytes < PAGE
    }


def _members_of(
    model: CompiledModel, prepared: dict[str, Made], kept: dict[str, Any]
) -> Contents:
    """One network, and these weights of it."""
    return Contents(
        model.host_source,
        model.codes,
        kept,
        {
            n: (dtype_name(a), a.shape)
            for n, a in model.weights.items()
            if n not in kept
        },
        prepared,
        model.aliases,
        model.graph,
        model.inputs,
        model.outputs,
        model.decisions,
        model.options,
        model.program,
        None if model.signature is None else model.signature.data,
        model.sizes,
        model.rows_form,
    )
