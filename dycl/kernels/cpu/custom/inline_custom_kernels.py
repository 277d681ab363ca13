"""`cpu-inline-custom-kernels`: an operator becomes the code that its user wrote for it.

Before:
    %y = torch.operator "torch.mine.twice"(%x) {dycl.custom_kernel = "func.func @twice(
        %a: tensor<4xf32>) -> tensor<4xf32> { %b = linalg.add ... return %b }"}

After:
    %a = torch_c.to_builtin_tensor %x
    %b = linalg.add ...
    %y = torch_c.from_builtin_tensor %b

Needs:  the torch dialect. The text is a module with one function from the operator's
        tensors, in order, to its results; lists of tensors count by their elements.
        `dycl.custom_kernel_arguments` says which operands it takes, if numbers, too.
Leaves: ops of the user's with the place of the operator. What follows may fuse them
        with others.
Skips:  operators without code.
Raises: Refused, where the text cannot be read or its function has another type.
"""

from typing import Any

from dycl.ir.custom_kernels import CUSTOM_KERNEL, CUSTOM_KERNEL_ARGUMENTS
from dycl.kernels import CUSTOM
from dycl.kernels.cpu.errors import Refused
from dycl.kernels.cpu.mlir import MLIRError, ir, location_of, ops, run_passes

_LOAD = "func.func(convert-torch-to-linalg,convert-torch-to-tmtensor)"
"""Passes that load the dialects of such a text."""
_INLINE = (
    "inline{default-pipeline=},symbol-dce,func.func(convert-elementwise-to-linalg)"
)
"""Calls go, and `arith` on whole tensors becomes `linalg`."""


def inline_custom_kernels(module: Any) -> None:
    """Put the code of each operator in its place. Refused: see above."""
    calls = [op for op in ops(module.operation) if _code(op) is not None]
    if not calls:
        return
    run_passes(ir.Module.parse(""), _LOAD)
    for number, op in enumerate(calls):
        _call(module, op, f"custom_kernel_{number}")
    run_passes(module, _INLINE)


def _code(op: Any) -> str | None:
    if op.name != "torch.operator" or CUSTOM_KERNEL not in op.attributes:
        return None
    return ir.StringAttr(op.attributes[CUSTOM_KERNEL]).value


def _call(module: Any, op: Any, symbol: str) -> None:
    """Call the code, as a private function, instead of the operator."""
    location = location_of(op.location)
    function = _function(module, _code(op) or "", location)
    taken = _taken(op)
    signature = function.attributes["function_type"].value
    wanted = ([v.type for v in taken], [v.type for v in op.results])
    given = (list(signature.inputs), list(signature.results))
    for what, ours, theirs in zip(("takes", "gives"), wanted, given, strict=True):
        types = ", ".join(map(_builtin, ours))
        if types != (actual := ", ".join(map(str, theirs))):
            raise Refused(f"{CUSTOM} {what} ({actual}), not ({types})", location)
    function.attributes["sym_name"] = ir.StringAttr.get(symbol)
    function.attributes["sym_visibility"] = ir.StringAttr.get("private")
    with ir.InsertionPoint(op), op.location:
        arguments = [
            _cast(f"torch_c.to_{_NUMBERS.get(str(v.type), 'builtin_tensor')}", v, kind)
            for v, kind in zip(taken, given[0], strict=True)
        ]
        callee = {"callee": ir.FlatSymbolRefAttr.get(symbol)}
        call = ir.Operation.create(
            "func.call", operands=arguments, results=given[1], attributes=callee
        )
        for old, new in zip(op.results, call.results, strict=True):
            converted = _cast("torch_c.from_builtin_tensor", new, old.type)
            old.replace_all_uses_with(converted)
    op.erase()


def _function(module: Any, text: str, place: Any) -> Any:
    """The one function of a text, at the end of the module, without places of its own.
    Refused."""
    try:
        own = ir.Module.parse(text)
        run_passes(own, "strip-debuginfo")
    except MLIRError as error:
        diagnostics: list[Any] = list(getattr(error, "error_diagnostics", ()))
        first = diagnostics[0].message if diagnostics else str(error)
        raise Refused(f"{CUSTOM} is no MLIR: {first}", place) from error
    tops = [op.operation for op in own.body]
    if len(tops) != 1 or tops[0].name != "func.func":
        raise Refused(f"{CUSTOM} is not one func.func", place)
    if not tops[0].regions[0].blocks:
        raise Refused(f"{CUSTOM} has no body", place)
    # A copy: the module of the text ends with this function.
    return tops[0].clone(ir.InsertionPoint(module.body))


def _taken(op: Any) -> list[Any]:
    """The operands of an operator that its code takes."""
    if CUSTOM_KERNEL_ARGUMENTS not in op.attributes:
        return _tensors(op.operands)
    indices = ir.ArrayAttr(op.attributes[CUSTOM_KERNEL_ARGUMENTS])
    return [op.operands[ir.IntegerAttr(index).value] for index in indices]


_NUMBERS = {"!torch.int": "i64", "!torch.float": "f64", "!torch.bool": "i1"}


def _tensors(operands: Any) -> list[Any]:
    """The operands that are tensors, and those in lists."""
    result: list[Any] = []
    for value in operands:
        if str(value.type).startswith("!torch.list"):
            result += _tensors(value.owner.operands)
        elif str(value.type).startswith("!torch.vtensor"):
            result.append(value)
    return result


def _builtin(torch_type: Any) -> str:
    """`tensor<2x3xi64>` for `!torch.vtensor<[2,3],si64>`, `i64` for `!torch.int`."""
    if (number := _NUMBERS.get(str(torch_type))) is not None:
        return number
    sizes, _, element = str(torch_type)[len("!torch.vtensor<[") : -1].partition("],")
    parts = [*filter(None, sizes.split(",")), element.lstrip("su")]
    return f"tensor<{'x'.join(parts)}>"


def _cast(name: str, value: Any, kind: Any) -> Any:
    return ir.Operation.create(name, operands=[value], results=[kind]).results[0]
