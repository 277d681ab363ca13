"""Which ops of a kernel make up one nest: start value, contraction, epilogue.

    linalg.fill ins(%zero) outs(%sums)
    linalg.generic {dycl.nest} ins(%x, %w) outs(%sums)
    linalg.generic {relu} ins(%sums, %bias) outs(%out)

becomes one pass over `%out`: the sums stay in registers from the start value to the
epilogue. That moves the reads and the writes of the first two down to the place of the
third, so it is asked here whether anything stands in between that would notice.
"""

from dataclasses import dataclass
from typing import Any

from dycl.kernels.cpu import tensor_ops as build
from dycl.kernels.cpu.buffers.memory import Effects, is_scratch, may_alias
from dycl.kernels.cpu.loops.accesses import NotLinear, accesses, sole_loop


@dataclass(frozen=True)
class Group:
    """Ops that one nest replaces."""

    contraction: Any
    start: Any = None
    """The op that fills the sums; None: what is in memory is added to."""
    epilogue: Any = None
    """The elementwise op that the sums go through; None: they are the result."""

    @property
    def parts(self) -> list[Any]:
        """The ops, in order."""
        parts = [self.start, self.contraction, self.epilogue]
        return [op for op in parts if op is not None]

    @property
    def sums(self) -> Any:
        """The buffer of the contraction."""
        return _result(self.contraction)

    @property
    def result(self) -> Any:
        """Where the nest writes."""
        return _result(self.place)

    @property
    def place(self) -> Any:
        """The op where the nest stands."""
        return self.contraction if self.epilogue is None else self.epilogue


def groups_of(contraction: Any, effects: Effects) -> list[Group]:
    """The groups around `contraction` that may be one nest, the largest first.

    The last one is the contraction alone: it may stand for itself always, unless it
    writes to what it reads.
    """
    at = effects.place(contraction)
    sums = _result(contraction)
    if any(may_alias(sums, value) for value in list(contraction.operands)[:-1]):
        return []
    start, epilogue = _start(effects, at, sums), _epilogue(effects, at, sums)
    wanted = [Group(contraction)]
    if start is not None:
        wanted.insert(0, Group(contraction, start))
    if epilogue is not None:
        wanted.insert(0, Group(contraction, start, epilogue))
    return [group for group in wanted if _is_legal(effects, group)]


def _start(effects: Effects, at: int, sums: Any) -> Any:
    """The op that fills all of `sums`, if it is the last to touch it before `at`."""
    for place in reversed(range(at)):
        if not effects.touches(place, sums):
            continue
        op = effects.ops[place]
        if not (op.name == "linalg.fill" or writes_all(op)) or _result(op) != sums:
            return None
        reads_itself = any(
            _is_memory(value) and may_alias(value, sums)
            for value in list(op.operands)[:-1]
        )
        return None if reads_itself else op
    return None


def _epilogue(effects: Effects, at: int, sums: Any) -> Any:
    """The op after `at` that alone reads `sums`, element by element."""
    later = range(at + 1, len(effects.ops))
    users = [place for place in later if effects.touches(place, sums)]
    if not users or not writes_all(effects.ops[users[0]]):
        return None
    op = effects.ops[users[0]]
    inputs = list(op.operands)[:-1]
    result = _result(op)
    if result != sums:
        # The sums are never stored, so nobody may ask for them.
        is_wanted = len(users) > 1 or not is_scratch(sums)
        if is_wanted or may_alias(result, sums):
            return None
    maps = accesses(op)
    reading = [i for i, value in enumerate(inputs) if may_alias(value, sums)]
    plain = [i for i in reading if inputs[i] == sums and maps[i] == maps[-1]]
    return op if plain and plain == reading else None


def _is_legal(effects: Effects, group: Group) -> bool:
    """Whether the group may run at the place of its last op."""
    at, last = effects.place(group.contraction), effects.place(group.place)
    result = group.result
    reads = list(group.contraction.operands)[:-1]
    if any(may_alias(result, value) for value in reads):
        return False
    if any(effects.writes(i, value) for i in range(at + 1, last) for value in reads):
        return False
    if group.start is not None:
        first = effects.place(group.start)
        reads = [v for v in list(group.start.operands)[:-1] if _is_memory(v)]
        between = [i for i in range(first + 1, last) if i != at]
        if any(may_alias(result, value) for value in reads):
            return False
        if any(
            effects.touches(i, group.sums) or any(effects.writes(i, v) for v in reads)
            for i in between
        ):
            return False
    if group.epilogue is None:
        return True
    # Each vector of the result is written after the same elements have been read.
    maps = accesses(group.epilogue)
    others = zip(list(group.epilogue.operands)[:-1], maps[:-1], strict=True)
    return all(
        not may_alias(result, value) or (value == result and access == maps[-1])
        for value, access in others
    )


def writes_all(op: Any) -> bool:
    """Whether an op is elementwise and writes every element of its result."""
    if not build.is_parallel(op):
        return False
    try:
        out = accesses(op)[-1]
    except NotLinear:
        return False
    return [sole_loop(index) for index in out] == list(range(len(out)))


def _result(op: Any) -> Any:
    return op.operands[len(op.operands) - 1]


def _is_memory(value: Any) -> bool:
    return str(value.type).startswith("memref")
