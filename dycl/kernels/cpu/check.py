"""What a module of kernels must be before torch-mlir sees it.

torch-mlir ends the whole process on a tensor without a type and on an instance norm
without weights, drops private functions without a word, and compiles some comparisons
to what Python does not mean. All of that is refused here, in a sentence.
"""

import re
from collections.abc import Iterator
from typing import Any

from dycl.ir.host.layouts import BLOCKED, Blocks
from dycl.kernels.cpu.errors import Problem
from dycl.kernels.cpu.mlir import ir, location_of
from dycl.kernels.specs import KernelSpec, in_memory, input_spec, output_spec

_C_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_TYPED_TENSOR = re.compile(r"!torch\.vtensor<\[[0-9,?]*\],(?!unk>)\S+>")
_FLOAT_COMPARE = re.compile(r"torch\.aten\.(eq|ne|lt|le|gt|ge)\.float(_int)?")


def check(module: Any) -> tuple[tuple[KernelSpec, ...], tuple[Problem, ...]]:
    """The specs of all kernels of a parsed module, and all that is wrong with it."""
    specs: list[KernelSpec] = []
    problems: list[Problem] = []
    for op in module.body:
        operation = op.operation
        if operation.name != "func.func":
            what = f"{operation.name} stands beside the kernels, which must be alone"
            problems.append(Problem("?", what, location_of(operation.location)))
            continue
        signature_problems = list(_signature_problems(operation))
        if not signature_problems:
            signature_problems = list(_body_problems(operation))
        problems += signature_problems
        if not signature_problems:
            specs.append(_spec(operation))
    return tuple(specs), tuple(problems)


def kernel_name(func: Any) -> str:
    """The symbol name of a function."""
    return str(func.attributes["sym_name"].value)


def _types(func: Any) -> tuple[list[str], list[str]]:
    signature = func.attributes["function_type"].value
    return [str(t) for t in signature.inputs], [str(t) for t in signature.results]


def _spec(func: Any) -> KernelSpec:
    inputs, results = _types(func)
    return KernelSpec(
        kernel_name(func),
        tuple(map(in_memory, map(input_spec, inputs), argument_blocks(func))),
        tuple(map(in_memory, map(output_spec, results), result_blocks(func))),
        location_of(func.location),
    )


def argument_blocks(func: Any) -> list[Blocks | None]:
    """For each argument the dimension that is cut into blocks, and their size."""
    return _blocks(func, "arg_attrs", len(_types(func)[0]))


def result_blocks(func: Any) -> list[Blocks | None]:
    """For each result the dimension that is cut into blocks, and their size."""
    return _blocks(func, "res_attrs", len(_types(func)[1]))


def _blocks(func: Any, attribute: str, count: int) -> list[Blocks | None]:
    if attribute not in func.attributes:
        return [None] * count
    result: list[Blocks | None] = []
    for entry in func.attributes[attribute]:
        if BLOCKED in entry:
            dim, size = ir.DenseI64ArrayAttr(entry[BLOCKED])
            result.append(Blocks(dim, size))
        else:
            result.append(None)
    return result


def _signature_problems(func: Any) -> Iterator[Problem]:
    name, place = kernel_name(func), location_of(func.location)
    if not _C_NAME.fullmatch(name):
        yield Problem(name, "its name is not a C identifier", place)
    visibility = "sym_visibility"
    if visibility in func.attributes and func.attributes[visibility].value != "public":
        yield Problem(name, "it is not public", place)
    if len(func.regions[0].blocks) != 1:
        yield Problem(name, "it is not straight-line code with a body", place)
    inputs, results = _types(func)
    for kind, types in (("argument", inputs), ("result", results)):
        for index, torch_type in enumerate(types):
            try:
                input_spec(torch_type)
            except ValueError as error:
                yield Problem(name, f"{kind} {index}: {error}", place)


def _body_problems(func: Any) -> Iterator[Problem]:
    name = kernel_name(func)
    for op in func.regions[0].blocks[0].operations:
        operation = op.operation
        location = location_of(operation.location)
        if operation.name == "func.return":
            continue
        if not operation.name.startswith("torch."):
            yield Problem(name, f"{operation.name} is not a torch op", location)
        elif len(operation.regions) > 0:
            yield Problem(name, f"{operation.name} holds control flow", location)
        elif _FLOAT_COMPARE.fullmatch(operation.name):
            # It would be lowered to a comparison that holds for NaN.
            what = f"{operation.name} compares scalars, which the host does"
            yield Problem(name, what, location)
        elif operation.name == "torch.aten.instance_norm" and any(
            str(weight.type) == "!torch.none" for weight in operation.operands[1:3]
        ):
            what = f"{operation.name} has no weights, which torch-mlir cannot lower"
            yield Problem(name, what, location)
        for value in operation.results:
            if why := _untyped(str(value.type)):
                yield Problem(name, f"a result of {operation.name} {why}", location)


def _untyped(torch_type: str) -> str:
    if torch_type.startswith("!torch.tensor"):
        return f"may be written in place ({torch_type})"
    is_tensor = torch_type.startswith("!torch.vtensor")
    if is_tensor and not _TYPED_TENSOR.fullmatch(torch_type):
        return f"has no known rank and dtype ({torch_type})"
    return ""
