"""A kernel as IREE reads it: linalg on tensors, weights as parameters, results lent.

Before:
    func.func @k(%x: !torch.vtensor<[1,8],f32>, %w: !torch.vtensor<..> {dycl.weight})
        -> !torch.vtensor<[1,4],f32>

After:
    util.global private @in1 = #flow.parameter.named<"in1"> : tensor<4x8xf32>
    func.func @kernel(%arg0: tensor<1x8xf32>,
        %out0: tensor<1x4xf32> {iree.abi.output = 0 : index}) -> (tensor<1x4xf32>) {
      %arg1 = util.global.load @in1 : tensor<4x8xf32>
      ...

A number that a run passes is a tensor of rank 0 here, which lies in memory as well.

The first steps are those of the CPU, which make of torch's ops what eager computes.
What IREE has no form for, or runs an element at a time, is refused.
"""

from collections.abc import Collection, Iterator
from typing import Any

from dycl.kernels.cpu.attention.fuse_attention import fuse_attention
from dycl.kernels.cpu.check import check, kernel_name
from dycl.kernels.cpu.errors import Problem, Refused, parse_problem, problem_of
from dycl.kernels.cpu.lower import FIRST_OF_THE_CPU, LINALG, Step, run_step
from dycl.kernels.cpu.mlir import MLIRError, functions, location_of, ops, parse
from dycl.kernels.cpu.selection.keep_open_topk import keep_open_topk
from dycl.kernels.cpu.torch_fixes.keep_topk import keep_topk
from dycl.kernels.cpu.weights.note_weights import note_weights
from dycl.kernels.iree.refusal import Refusal

_NOT_HERE: tuple[Step, ...] = (
    note_weights,
    fuse_attention,  # what it leaves is for loops of our own
    keep_topk,  # so is this
    keep_open_topk,
)
_KNOWN = ("arith", "linalg", "math", "tensor")
"""The dialects that IREE computes with."""
_ALLOWED = ("builtin.module", "func.func", "func.return")


def steps() -> Iterator[Step]:
    """From torch to linalg on tensors."""
    for step, _ in LINALG:
        if step is FIRST_OF_THE_CPU:
            return
        if step not in _NOT_HERE:
            yield step


def lowered(module_text: str, weights: Collection[int]) -> str | Refusal:
    """The text of one kernel of a module for IREE. `weights`: inputs, by index."""
    try:
        module = parse(module_text)
    except MLIRError as error:
        return Refusal(parse_problem(error, module_text))
    _, problems = check(module)
    if problems:
        return Refusal(problems[0])
    (function,) = functions(module)
    name = kernel_name(function)
    try:
        for step in steps():
            run_step(module, step)
    except (MLIRError, Refused) as error:
        return Refusal(problem_of(error, name, "linalg", module))
    for op in ops(module.operation):
        dialect, _, kind = op.name.partition(".")
        if op.name in _ALLOWED or dialect in _KNOWN or kind == "yield":
            continue
        what = f"IREE is not given `{op.name}`"
        return Refusal(Problem(name, what, location_of(op.location)))
    (function,) = functions(module)
    return _text(function, weights)


def _text(function: Any, weights: Collection[int]) -> str:
    """A function in linalg as a module of IREE's."""
    body = str(function.get_asm(use_local_scope=True)).splitlines()[1:-1]
    results = [str(kind) for kind in function.attributes["function_type"].value.results]
    takes: list[str] = []
    first: list[str] = []
    parameters: list[str] = []
    for index, argument in enumerate(function.regions[0].blocks[0].arguments):
        name, kind = argument.get_name(), str(argument.type)
        if index in weights:
            parameters.append(
                f"  util.global private @in{index} = "
                f'#flow.parameter.named<"in{index}"> : {kind}'
            )
            first.append(f"    {name} = util.global.load @in{index} : {kind}")
        elif kind.startswith("tensor<"):
            takes.append(f"{name}: {kind}")
        else:
            takes.append(f"%number{index}: tensor<{kind}>")
            first.append(
                f"    {name} = tensor.extract %number{index}[] : tensor<{kind}>"
            )
    takes += [
        f"%out{index}: {kind} {{iree.abi.output = {index} : index}}"
        for index, kind in enumerate(results)
    ]
    head = f"  func.func @kernel({', '.join(takes)}) -> ({', '.join(results)}) {{"
    lines = ["module {", *parameters, head, *first, *body, "  }", "}"]
    return "\n".join(lines) + "\n"
