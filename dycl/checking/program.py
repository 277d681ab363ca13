"""The IR of a compiled network: what its kernels and decisions should compute."""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.utils.exceptions import DiagnosticException, ParseError

from dycl.diag import SourceLoc
from dycl.ir import IfOp, WhileOp
from dycl.ir.host import FuncOp as HostFuncOp
from dycl.ir.parser import FastParser
from dycl.kernels import KernelSpec, specs_of
from dycl.runtime import Decision, InputSpec
from dycl.runtime.signature import Signature
from dycl.runtime.target_members import DEVICE
from dycl.runtime.weight_set import WeightSet
from dycl.universe import everything

_UNREADABLE = (
    *(ParseError, DiagnosticException),
    *(LookupError, RecursionError, TypeError, ValueError),
)
"""What is raised where a text is no program; somebody may have edited it."""


class CheckError(ValueError):
    """A network cannot be checked against this model; the sentence says why."""


class Net(Protocol):
    """A compiled network: what `dycl.compile` and `dycl.load` return."""

    signature: Signature | None

    @property
    def options(self) -> Mapping[str, Any]:
        """What it was compiled with, by the names of `CompileOptions`."""
        ...

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Run it."""
        ...

    @property
    def program(self) -> str:
        """The IR of host and kernels; "": it is not known."""
        ...

    @property
    def kernels(self) -> Any:
        """The kernels that run, by name."""
        ...

    @property
    def target(self) -> str:
        """The kind of processor that they were compiled for."""
        ...

    @property
    def host(self) -> str:
        """What runs the decisions."""
        ...

    @property
    def inputs(self) -> tuple[InputSpec, ...]:
        """What it takes."""
        ...

    @property
    def path(self) -> tuple[Decision, ...]:
        """The decisions of the last call."""
        ...

    @property
    def weights(self) -> Mapping[str, Any]:
        """The weights by state-dict name."""
        ...

    @property
    def weight_set(self) -> WeightSet:
        """The weights as kernels take them."""
        ...

    @property
    def state(self) -> dict[str, Any]:
        """What it keeps from call to call."""
        ...

    @state.setter
    def state(self, values: Mapping[str, Any]) -> None: ...

    def reset_state(self) -> None:
        """Make the state what it was at first."""
        ...


class Program:
    """A module at the level host, and where the user wrote what is in it."""

    def __init__(self, module: ModuleOp):
        self.module = module
        self.functions = {
            op.sym_name.data: op
            for op in module.ops
            if isinstance(op, FuncOp) and "dycl.kernel" in op.attributes
        }
        """The kernels by name."""
        self.specs: Sequence[KernelSpec] = specs_of(module)
        hosts = [op for op in module.ops if isinstance(op, HostFuncOp)]
        self.entry = hosts[0].sym_name.data

    @staticmethod
    def of(net: Net) -> "Program":
        """The program of a network. CheckError: it is not there, or for a GPU; or what
        is given is no compiled network."""
        if not hasattr(net, "weight_set"):
            raise CheckError(
                f"a {type(net).__name__} is no compiled network: give what "
                "dycl.compile or dycl.load gives"
            )
        if hasattr(net.kernels, "make_services") or DEVICE in net.target.split("+"):
            raise CheckError(
                "kernels on a GPU are not checked one by one: check the same model "
                "compiled for the CPU"
            )
        if not (text := net.program):
            raise CheckError(
                "the network does not hold the program that it was compiled from, so "
                "there is nothing to compare its kernels with: compile and save it "
                "again with this version of dycl"
            )
        context = Context()
        for name, load in everything().all_dialects.items():
            context.register_dialect(name, load)
        try:
            return Program(FastParser(context, text).parse_module())
        except _UNREADABLE as error:
            raise CheckError(
                f"the program that the network holds cannot be read: {error}"
            ) from error

    def lines_of_one(self) -> frozenset[tuple[str, int]]:
        """The lines, as file and number, that have one test and no other."""
        tests: dict[tuple[str, int], set[str]] = {}
        for op in self.module.walk():
            if isinstance(op, IfOp | WhileOp) and op.is_decision:
                decision = decision_of(op, True)
                tests.setdefault((decision.file, decision.line), set()).add(op.test)
        return frozenset(line for line, found in tests.items() if len(found) == 1)

    def place(self, kernel: str) -> SourceLoc | None:
        """Where the user wrote the first op of a kernel."""
        return SourceLoc.of(self.functions[kernel])

    def lines(self, kernel: str) -> tuple[str, ...]:
        """Every line of a kernel, `file:line`, in the order of its ops."""
        found = (
            SourceLoc.from_attr(op.location) for op in self.functions[kernel].walk()
        )
        known = [f"{short(at.file)}:{at.line}" for at in found if at is not None]
        return tuple(dict.fromkeys(known))


def decision_of(op: IfOp | WhileOp, taken: bool) -> Decision:
    """A decision as `net.path` shows it."""
    at = SourceLoc.of(op)
    file, line = ("", 0) if at is None else (short(at.file), at.line)
    return Decision(op.decision_name, op.test, taken, file, line)


def short(file: str) -> str:
    """A file without its folders."""
    return file.replace("\\", "/").rpartition("/")[2]
