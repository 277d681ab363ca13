"""What is around the inputs of a network with rows, and what each row has of a result.

A network runs on tensors, numbers and trees in a fixed order; a signature says in which
tuples, lists, dicts and records these are among the arguments of a call.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from dycl.runtime.row_inputs import in_order
from dycl.runtime.row_results import part_of

if TYPE_CHECKING:
    from dycl.runtime.inputs import InputSpec
    from dycl.runtime.signature import Signature


class RowArguments:
    """The arguments of calls with many rows, and their results."""

    def __init__(
        self,
        signature: Signature | None,
        specs: Sequence[InputSpec],
        form: Mapping[str, Any],
    ):
        """`signature`: what is around the inputs, if anything is; `specs` are these,
        and `form` is what the compiler says of the rows."""
        self.form = form
        """What the compiler says of the rows."""
        self._signature = signature
        self._specs = specs
        self._inputs: Sequence[int] = form["inputs"]
        self._ways: Sequence[Mapping[str, Any]] = form["ways"]

    def inputs_of(
        self, args: tuple[object, ...], kwargs: Mapping[str, object]
    ) -> tuple[object, ...]:
        """The tensors and numbers among arguments, in order. InputError: an argument
        is missing, or has another structure."""
        if self._signature is not None:
            return self._signature.inputs(args, kwargs)
        if kwargs or len(args) != len(self._specs):
            return in_order([spec.name for spec in self._specs], args, kwargs)
        return args

    def call_of(
        self, inputs: Sequence[object]
    ) -> tuple[tuple[object, ...], Mapping[str, object]]:
        """The arguments, by position and by name, that have these inputs."""
        if self._signature is None:
            return tuple(inputs), {}
        return self._signature.call(inputs)

    def split(self, result: Any, count: int) -> list[Any]:
        """What each of `count` rows has in the result of a call, as a call with this
        row alone gives it."""
        if len(self._ways) != 1:
            return [*result]
        way = self._ways[0]
        return [
            part_of(way["structure"], way["values"], result, row)
            for row in range(count)
        ]
