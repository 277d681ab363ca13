"""A function in linalg on tensors as Triton functions: the tile level.

Before:
    %m = linalg.generic {matmul} ins(%x, %w) outs(%zeros)
    %y = linalg.generic {relu} ins(%m) outs(%e)

After:
    @triton.jit
    def kernel_0(x0, x1, y0):
        ...
        acc = tl.dot(v1, v2, acc)
        ...
        tl.store(y0 + m[:, None] * 64 + n[None, :], v4)

Needs:  what `dycl.kernels.cuda.lower` leaves.
Leaves: a program: functions, and the memory between them.
Skips:  nothing: what has no template is refused, at the user's line.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

from dycl.ir.host.layouts import Blocks
from dycl.kernels.cpu.check import kernel_name
from dycl.kernels.cuda.tile.groups import Group, grouped
from dycl.kernels.cuda.tile.nodes import (
    Argument,
    IntoBlocks,
    Loop,
    Movement,
    Nest,
    Node,
    Reshape,
    Table,
    in_blocks,
)
from dycl.kernels.cuda.tile.program import Buffer, Function, Program
from dycl.kernels.cuda.tile.read import Reader
from dycl.kernels.cuda.tile.sizes import Size, Sum, renamed, symbols_in
from dycl.kernels.cuda.tile.stores import Written
from dycl.kernels.cuda.tile.templates import write_copy, write_group
from dycl.schedules.cuda_model import expected
from dycl.schedules.cuda_products import dot_plan
from dycl.schedules.cuda_tuning import Planner


class Borders(NamedTuple):
    """How the arguments and results of a kernel lie in memory."""

    arguments: tuple[Blocks | None, ...]
    results: tuple[Blocks | None, ...]


def write(
    function: Any, borders: Borders | None = None, planner: Planner = dot_plan
) -> Program:
    """The program of one function. Raises Refused."""
    name = kernel_name(function)
    blocks = () if borders is None else borders.arguments
    reader = Reader()
    arguments, results = reader.read(function, blocks)
    if borders is not None:
        results = [
            _bordered(n, b) for n, b in zip(results, borders.results, strict=True)
        ]
    taken = [
        Buffer(f"x{number}", node.shape, node.dtype, node.is_scalar)
        for number, node in enumerate(arguments)
    ]
    memory: dict[Node, str] = {n: f"x{i}" for i, n in enumerate(arguments)}
    memory |= {node: f"g{number}" for number, node in enumerate(reader.tables)}
    given = [Buffer(f"y{i}", node.shape, node.dtype) for i, node in enumerate(results)]
    order = _ordered(results)
    kept: dict[Loop, Buffer] = {}
    copies: list[tuple[Node, Buffer]] = []
    for node, buffer in zip(results, given, strict=True):
        loop = _in_order(node)
        if loop is not None and loop not in kept:
            kept[loop] = buffer
        else:
            copies.append((node, buffer))
    needed = [*kept, *(loop for node, _ in copies for loop in _loops_below(node))]
    groups = grouped(list(dict.fromkeys(needed)), order)
    roots = [nest for nest, group in groups.items() if group.root is nest]
    temporaries: list[Buffer] = []

    def spare(shape: tuple[Size, ...], dtype: str) -> Buffer:
        temporaries.append(Buffer(f"t{len(temporaries)}", shape, dtype))
        return temporaries[-1]

    for nest in reversed(roots):
        for loop in (one for one in order if one.nest is nest):
            if loop not in kept:
                kept[loop] = spare(loop.shape, loop.dtype)
    functions: list[Function] = []
    names: dict[str, str] = {}
    for nest in reversed(roots):
        stored = [(loop, kept[loop]) for loop in order if loop.nest is nest]
        places = _places(groups[nest])
        for written in write_group(groups[nest], memory, stored, spare, planner):
            functions.append(
                _assembled(f"{name}_{len(functions)}", written, places, names)
            )
        memory |= {loop: buffer.name for loop, buffer in stored}
    for node, buffer in copies:
        written = write_copy(node, memory, buffer)
        places = [] if node.place is None else [str(node.place)]
        functions.append(_assembled(f"{name}_{len(functions)}", written, places, names))
    return Program(
        *(name, tuple(taken), tuple(given), tuple(temporaries), tuple(functions)),
        tuple(reader.sizes.equal),
        reader.sizes.is_static,
    )


def _bordered(node: Node, blocks: Blocks | None) -> Node:
    """A result as its memory wants it."""
    if blocks is None:
        return node
    dim, size = blocks
    shape = in_blocks(blocks, node.shape)
    return IntoBlocks(shape, node.dtype, node.place, source=node, dim=dim, size=size)


def _by_name(item: tuple[Node, str]) -> tuple[int, int]:
    """Arguments, tables, what other functions have left; each by number."""
    return "xgt".find(item[1][0]), int(item[1][1:])


def _in_order(node: Node) -> Loop | None:
    """The loop that computes the elements of a result, in their order."""
    while isinstance(node, Reshape):
        node = node.source
    return node if isinstance(node, Loop) else None


def _loops_below(node: Node) -> list[Loop]:
    if isinstance(node, Loop):
        return [node]
    if not isinstance(node, Movement):
        return []
    return [loop for source in node.sources for loop in _loops_below(source)]


def _ordered(results: Sequence[Node]) -> list[Loop]:
    """All loops that results need: those of a nest together, behind what they use."""
    loops: dict[Nest, dict[int, Loop]] = {}
    needs: dict[Nest, list[Nest]] = {}
    todo = [loop for node in results for loop in _loops_below(node)]
    while todo:
        loop = todo.pop()
        of_nest = loops.setdefault(loop.nest, {})
        of_nest[loop.result] = loop
        if loop.nest not in needs:
            below = [one for s in loop.sources for one in _loops_below(s)]
            needs[loop.nest] = list(dict.fromkeys(one.nest for one in below))
            todo += below
    done: dict[Nest, None] = {}
    stack = [loop.nest for node in results for loop in _loops_below(node)]
    while stack:
        nest = stack[-1]
        missing = [n for n in needs[nest] if n not in done]
        if nest in done or not missing:
            stack.pop()
            done[nest] = None
        else:
            stack += missing
    return [loop for nest in done for _, loop in sorted(loops[nest].items())]


def _places(group: Group) -> list[str]:
    """The lines that a group computes, each once."""
    places = [str(n.place) for n in reversed(group.members) if n.place is not None]
    return list(dict.fromkeys(places))


def _assembled(
    name: str, written: Written, places: Sequence[str], names: dict[str, str]
) -> Function:
    """`names`: of sizes that the host computes, so far."""
    writer = written.writer
    lines = writer.text()
    sizes = [
        Buffer(
            renamed(one.name, names),
            (),
            "i32",
            True,
            size=Sum((((one,), 1),)),
            meaning="" if one.op in ("dim", "number") else renamed(str(one), names),
        )
        for one in symbols_in(lines)
    ]
    read = [
        Buffer(
            text,
            node.shape,
            node.dtype,
            isinstance(node, Argument) and node.is_scalar,
            node.data if isinstance(node, Table) else b"",
        )
        for node, text in sorted(writer.used.items(), key=_by_name)
    ]
    buffers = [buffer for _, buffer in written.stored]
    total = sum((b.bytes for b in (*read, *buffers) if not b.is_scalar), 0)
    blocks = written.blocks
    paper = ""
    if isinstance(total, int) and isinstance(blocks, int):
        paper = expected(blocks, written.launch, total, written.work)
    return Function(
        name,
        (*read, *sizes, *buffers),
        len(buffers),
        tuple(renamed(line, names) for line in lines),
        tuple(writer.helpers),
        blocks,
        written.launch,
        tuple(places),
        paper,
        written.product,
        "" if isinstance(blocks, int) else renamed(str(blocks), names),
    )
