"""What a function returns: the attribute `structure` of a return.

It is the value that `forward` returns, a Python constant with a `#dycl.leaf<i>` where
operand number `i` stands. Without it one operand stands for itself, and several for
a tuple.
"""

from collections.abc import Iterable, Iterator
from typing import cast

from xdsl.ir import Attribute
from xdsl.utils.exceptions import VerifyException

from dycl.ir.records import Record
from dycl.ir.values import DeviceRef, GlobalRef, LeafRef, NotAConstant, from_attr


def verify_structure(name: str, structure: Attribute, count: int) -> None:
    """VerifyException: not a structure for a return, called `name`, with `count`
    operands."""
    try:
        returned = from_attr(structure)
    except NotAConstant as error:
        raise VerifyException(f"{name} cannot build {error}") from error
    except ValueError as error:
        raise VerifyException(f"{name} cannot build {structure}: {error}") from error
    leaves = set(leaf_numbers(name, returned))
    for leaf in sorted(leaves - {*range(count)}):
        raise VerifyException(
            f"the structure has leaf {leaf}, but {name} has {count} operands"
        )
    for operand in sorted({*range(count)} - leaves):
        raise VerifyException(
            f"operand {operand} of {name} is nowhere in the structure: "
            f"#dycl.leaf<{operand}> stands for it"
        )


def leaf_numbers(name: str, structure: object) -> Iterator[int]:
    """The leaf numbers in what is returned; VerifyException: no Python constant."""
    match structure:
        case LeafRef(index):
            yield index
        case tuple() | list():
            for item in cast(Iterable[object], structure):
                yield from leaf_numbers(name, item)
        case Record():
            for item in structure.items:
                yield from leaf_numbers(name, item)
        case dict():
            for item in cast(dict[object, object], structure).values():
                yield from leaf_numbers(name, item)
        case None | bool() | int() | float() | str() | GlobalRef() | DeviceRef():
            pass
        case _:
            raise VerifyException(f"{name} cannot build {structure}")
