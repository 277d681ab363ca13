"""A key of what a function computes, whatever the order in which it does so."""

from collections import Counter
from hashlib import sha256

from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation, SSAValue

from dycl.analysis.memory.effects import host_effect, is_removable
from dycl.ir import ConstantOp, RaiseOp
from dycl.ir.constant_values import constant_value
from dycl.ir.environment import Environment
from dycl.ir.interfaces import RegionTerminator


def program_key(entry: FuncOp, environment: Environment) -> str | None:
    """Equal for two programs only if each value is computed by the same ops from the
    same values, and all that has an effect happens in the same order.

    None: a list, a tensor or an attribute is changed, or a function is called that may
    do so. Which value is which object would count then, and the key does not tell.
    """
    keys = _Keys(environment)
    key = keys.of_block(entry.body.block, "", "")
    if key is None:
        return None
    made = sorted(keys.made.items())
    return _digest(key, *(f"{count} {one}" for one, count in made))


class _Keys:
    """The keys of all values of a function."""

    def __init__(self, environment: Environment):
        self.environment = environment
        self.of: dict[SSAValue, str] = {}
        self.made = Counter[str]()
        """How many ops have a key: two equal lists are not one list."""

    def of_block(self, block: Block, around: str, before: str) -> str | None:
        """The key of all effects of a block; `before`: of those up to there."""
        for number, argument in enumerate(block.args):
            self.of[argument] = _digest("argument", around, str(number))
        for op in block.ops:
            is_free = self.is_free(op)
            if not is_free and not self.is_in_order(op):
                return None
            key = self.of_op(op, before)
            if key is None:
                return None
            self.made[key] += 1
            before = before if is_free else _digest(before, key)
        return before

    def of_op(self, op: Operation, before: str) -> str | None:
        """The key of an op, which its results get as well."""
        facts = {**op.properties, **op.attributes}
        key = _digest(
            op.name,
            before,
            *(self.of[value] for value in op.operands),
            *(str(result.type) for result in op.results),
            *(f"{name} = {facts[name]}" for name in sorted(facts)),
        )
        inside: list[str] = []
        for number, region in enumerate(op.regions):
            for block in region.blocks:
                found = self.of_block(block, _digest(key, str(number)), before)
                end = block.last_op
                if found is None or end is None:
                    return None
                inside += (found, *(self.of[value] for value in end.operands))
        key = _digest(key, *inside)
        for number, result in enumerate(op.results):
            self.of[result] = _digest(key, str(number))
        return key

    def is_free(self, op: Operation) -> bool:
        """Whether an op does nothing but compute, and so may stand at another place."""
        if op.regions:
            blocks = [block for region in op.regions for block in region.blocks]
            return all(self._is_free_inside(o, op) for b in blocks for o in b.walk())
        return isinstance(op, ConstantOp) or is_removable(op, self.environment)

    def _is_free_inside(self, inner: Operation, op: Operation) -> bool:
        if isinstance(inner, RegionTerminator):
            return inner.target is not None and op.is_ancestor(inner.target)
        return bool(inner.regions) or self.is_free(inner)

    def is_in_order(self, op: Operation) -> bool:
        """Whether an op has no effect but one that the order of effects tells."""
        if op.regions or isinstance(op, (RegionTerminator, RaiseOp)):
            return True
        return host_effect(op, [constant_value(v) for v in op.operands]) is not None


def _digest(*parts: str) -> str:
    return sha256("\0".join(parts).encode()).hexdigest()
