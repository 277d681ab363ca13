"""Sums and products of which a flag carries what does not fit, to the next one."""

from typing import Any

import numpy as np

from ptx_machine.machine import Machine
from ptx_machine.text import SIZES, Instruction


def is_with_carry(i: Instruction) -> bool:
    """Whether an instruction sets the flag, or reads it."""
    return "cc" in i.modifiers or i.op in ("addc", "subc", "madc")


def with_carry(m: Machine, i: Instruction) -> None:
    """`add`, `sub` and `mad`, with `.cc`, and `addc`, `subc` and `madc`."""
    kind = i.types[-1]
    width = 8 * SIZES[kind]
    given = [m.read(o, kind).astype(object) for o in i.operands[1:]]
    if i.op.startswith("mad"):
        a, b, c = given
        product = a * b
        given = [product >> width if "hi" in i.modifiers else product, c]
    first, second = (part & (2**width - 1) for part in given)
    carried: Any = 0
    if i.op.endswith("c"):
        carried = m.carries[m.active].astype(object)
    down = i.op.startswith("sub")
    total = first - second - carried if down else first + second + carried
    if "cc" in i.modifiers:
        m.carries[m.active] = (total < 0) if down else total >> width != 0
    m.write(i.operands[0], (total & (2**width - 1)).astype(np.uint64))
