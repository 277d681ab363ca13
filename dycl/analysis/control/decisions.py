"""What the user calls the parts of a network: modules, decisions, exits."""

import re
from collections.abc import Iterable

from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Block, Operation, SSAValue

from dycl.ir import IfOp, ParamOp, RaiseOp, ReturnOp, ViewOp, WhileOp
from dycl.ir.value_names import in_ascii

Path = tuple[str, ...]


def module_path(value: SSAValue) -> Path | None:
    """The module whose parameter a value is, by its parts; None for other values."""
    owner = value.owner
    while isinstance(owner, ViewOp):
        owner = owner.operand.owner
    if not isinstance(owner, ParamOp):
        return None
    return tuple(owner.path.data.split(".")[:-1])


def common_path(paths: Iterable[Path | None]) -> Path | None:
    """The longest common beginning; None if there are no paths at all."""
    result: Path | None = None
    for path in paths:
        if path is None:
            continue
        if result is None:
            result = path
            continue
        same = 0
        while same < min(len(result), len(path)) and result[same] == path[same]:
            same += 1
        result = result[:same]
    return result


def identifier(text: str) -> str:
    """A text as a part of a symbol name, which C knows as well."""
    return re.sub(r"[^A-Za-z0-9_]+", "_", in_ascii(text)).strip("_")


def name_decisions(top: Block) -> dict[Operation, str]:
    """A name for each `dycl.if` and `dycl.while`, all different, in program order.

    It is the module that its branches or body work with; else `exit 2` for the second
    exit, `check 1` for the first that may raise, `loop 1` for the first such loop,
    `decision 5` for the fifth decision. A name that is there already stays. A `while
    True` decides nothing, but its parts are called after it.
    """
    decisions: list[IfOp | WhileOp] = []
    paths: dict[Operation, Path | None] = {}
    _collect(top, decisions, paths)
    taken: dict[str, int] = {}
    names: dict[Operation, str] = {}
    exits = loops = checks = 0
    for number, op in enumerate(decisions, 1):
        fallback = f"decision {number}"
        if isinstance(op, WhileOp):
            loops += 1
            fallback = f"loop {loops}"
        elif any(isinstance(r.block.last_op, RaiseOp) for r in op.regions):
            checks += 1
            fallback = f"check {checks}"
        elif isinstance(op.then_region.block.last_op, ReturnOp):
            exits += 1
            fallback = f"exit {exits}"
        attribute = op.attributes.get("name")
        if isinstance(attribute, StringAttr):
            names[op] = attribute.data
            taken.setdefault(attribute.data, 1)
            continue
        name = ".".join(paths[op] or ()) or fallback
        count = taken[name] = taken.get(name, 0) + 1
        names[op] = name if count == 1 else f"{name}#{count}"
    return names


def _collect(
    block: Block, put: list[IfOp | WhileOp], paths: dict[Operation, Path | None]
) -> Path | None:
    """The common path of a block; the decisions inside are put down on the way."""
    found: list[Path | None] = []
    for op in block.ops:
        found += [module_path(value) for value in op.operands]
        if isinstance(op, (IfOp, WhileOp)):
            put.append(op)
        inner = common_path(
            [_collect(region.block, put, paths) for region in op.regions]
        )
        if op.regions:
            paths[op] = inner
            found.append(inner)
    return common_path(found)
