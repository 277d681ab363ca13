"""What compiled kernels compare: copies of them that also give the compared values.

A kernel that decides gives a bool. Its copy computes the same and gives what was
compared besides; what both give must be equal to the last bit, or the copy tells
nothing of the kernel.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, FunctionType, ModuleOp
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import BlockArgument, Operation, SSAValue

from dycl.backends import class_of, default_name
from dycl.checking.kernels import CompiledKernels
from dycl.checking.program import Net, Program
from dycl.checking.watching import comparisons_in
from dycl.diag import CodedError
from dycl.driver.ir_dump import printed
from dycl.ir.cloning import clone
from dycl.ir.functions import BACKEND
from dycl.ir.host.workspaces import WORKSPACE
from dycl.ir.torch import ConstantOp
from dycl.kernels import specs_of

Seen = Sequence[tuple[Operation, Sequence[Any]]]
"""Comparisons of a kernel, each with its two operands' values."""


class ExposedKernels:
    """Copies of kernels, compiled when they are asked for."""

    def __init__(self, program: Program, net: Net):
        self._program = program
        self._net = net
        self._run: dict[str, CompiledKernels] = {}

    def __contains__(self, name: str) -> bool:
        """Whether there is a copy of this kernel."""
        return name in self._run

    def compile(self, names: Iterable[str]) -> str:
        """Make the copies of kernels; why there are none, or ""."""
        wanted = [name for name in names if name not in self._run]
        if not wanted:
            return ""
        copies = [_exposed(self._program.functions[name])[0] for name in wanted]
        module = ModuleOp(list(copies))
        try:
            backend = class_of(default_name())(
                target=self._net.target,
                narrow=self._net.options.get("weight_dtype") == "bf16",
                matmul_dtype=self._net.options.get("matmul_dtype", "f32"),
            )
            library = backend.compile(printed(module, locations=True))
        except (CodedError, ValueError) as error:
            return f"what kernels compare is not known exactly: {error}"
        functions = {copy.sym_name.data: copy for copy in copies}
        kernels = CompiledKernels(
            library, self._net.weight_set, functions, specs_of(module)
        )
        self._run |= dict.fromkeys(wanted, kernels)
        return ""

    def seen(
        self,
        name: str,
        operands: Sequence[Any],
        params: Mapping[int, str],
        results: Sequence[Any],
    ) -> Seen | None:
        """What a kernel compares of these operands, where it gives `results`.

        None: its copy gives others.
        """
        import torch

        function = self._program.functions[name]
        given = self._run[name].run(name, operands, params)
        pairs = zip(given, results, strict=False)
        if not all(torch.equal(*_bits(*pair)) for pair in pairs):
            return None
        places = _exposed(function)[1]
        return [
            (op, [_value(v, given, operands, places) for v in op.operands[:2]])
            for op in comparisons_in(function)
        ]


def _exposed(kernel: FuncOp) -> tuple[FuncOp, dict[SSAValue, int]]:
    """A copy of a kernel that also returns what it compares; of each such value of the
    kernel which result of the copy it is."""
    values: dict[SSAValue, SSAValue] = {}
    copy = clone(kernel, values)
    end, last = kernel.body.block.last_op, copy.body.block.last_op
    assert isinstance(end, ReturnOp)
    assert isinstance(last, ReturnOp)
    returned = list(end.arguments)
    for op in comparisons_in(kernel):
        for value in op.operands[:2]:
            known = isinstance(value, BlockArgument) or isinstance(
                value.owner, ConstantOp
            )
            if not known and value not in returned:
                returned.append(value)
    last.operands = [values.get(value, value) for value in returned]
    types = [value.type for value in returned]
    copy.properties["function_type"] = FunctionType.from_lists(
        list(copy.function_type.inputs), types
    )
    if copy.res_attrs is not None:
        more = [DictionaryAttr({})] * (len(returned) - len(end.arguments))
        copy.properties["res_attrs"] = ArrayAttr([*copy.res_attrs, *more])
    for name in (BACKEND, WORKSPACE):
        copy.attributes.pop(name, None)
    places: dict[SSAValue, int] = {}
    for place, value in enumerate(returned):
        places.setdefault(value, place)
    return copy, places


def _value(
    value: SSAValue,
    given: Sequence[Any],
    operands: Sequence[Any],
    places: Mapping[SSAValue, int],
) -> Any:
    if isinstance(value.owner, ConstantOp):
        return value.owner.python_value()
    if isinstance(value, BlockArgument):
        return operands[value.index]
    return given[places[value]]


def _bits(one: Any, other: Any) -> tuple[Any, Any]:
    """Two tensors so that equal NaNs are equal."""
    import torch

    if one.dtype != other.dtype or one.shape != other.shape:
        return torch.zeros(1), torch.ones(1)
    sides = (one.contiguous().reshape(-1), other.contiguous().reshape(-1))
    return sides[0].view(torch.uint8), sides[1].view(torch.uint8)
