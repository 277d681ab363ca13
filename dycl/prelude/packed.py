"""Sequences of different lengths in one tensor, and recurrent layers over them.

torch packs the elements that count into one tensor, whose length the data decides. Here
a packed sequence is what it was made of: all steps, and how many of each sequence
count. A layer runs over all steps; where a sequence has ended, its state stays what it
was, and from behind it stays what it began with. So sizes are known, and no element is
moved, until somebody asks for `data` or for the padded tensor.
"""

from dataclasses import dataclass
from typing import Any

import torch
from torch.nn import functional as F

from dycl.prelude.recurrent import cell, first_states, with_inputs

_UNSORTED = (
    "`lengths` array must be sorted in decreasing order when `enforce_sorted` is True. "
    "You can pass `enforce_sorted=False` to pack_padded_sequence and/or pack_sequence "
    "to sidestep this requirement if you do not need ONNX exportability."
)
_EMPTY = (
    "Length of all samples has to be greater than 0, but found an element in 'lengths' "
    "that is <= 0"
)


@dataclass(frozen=True)
class Packed:
    """`torch.nn.utils.rnn.PackedSequence`; sequences are in the order of lengths."""

    steps: Any
    """[steps, sequences, ...]."""
    lengths: Any
    """i64[sequences], decreasing."""
    sorted_indices: Any
    """i64[sequences]: which sequence of the user's each is; None: the same."""
    unsorted_indices: Any
    """The other way round."""

    @property
    def data(self) -> Any:
        """The elements that count, step by step: [sum of lengths, ...]."""
        return self.steps[counting(self.steps, self.lengths)]

    @property
    def batch_sizes(self) -> Any:
        """How many sequences each step has: i64[largest length]."""
        sizes = counting(self.steps, self.lengths).sum(1)
        return sizes[: int(self.lengths[0])]


def counting(steps: Any, lengths: Any) -> Any:
    """Which elements count: bool[steps, sequences]."""
    return torch.arange(steps.size(0)).unsqueeze(1) < lengths.unsqueeze(0)


def pack_padded_sequence(
    input: Any, lengths: Any, batch_first: bool = False, enforce_sorted: bool = True
) -> Any:
    """`torch.nn.utils.rnn.pack_padded_sequence`.

    Raises RuntimeError: lengths that do not decrease, are no lengths, or do not fit.
    """
    if not isinstance(lengths, torch.Tensor):
        lengths = torch.stack([torch.as_tensor(length) for length in lengths])
    lengths = lengths.to(torch.int64)
    steps = input.transpose(0, 1) if batch_first else input
    if lengths.size(0) != steps.size(1):
        raise RuntimeError(
            "Expected `len(lengths)` to be equal to batch_size, but got "
            f"{lengths.size(0)} (batch_size={steps.size(1)})"
        )
    sorted_indices = unsorted_indices = None
    if enforce_sorted:
        if lengths.size(0) > 1 and (lengths[1:] > lengths[:-1]).any():
            raise RuntimeError(_UNSORTED)
    else:
        lengths, sorted_indices = torch.sort(lengths, descending=True)
        steps = steps.index_select(1, sorted_indices)
        unsorted_indices = torch.argsort(sorted_indices)
    if lengths[-1] <= 0:
        raise RuntimeError(_EMPTY)
    if lengths[0] > steps.size(0):
        raise RuntimeError("a length is larger than the number of steps")
    return Packed(steps, lengths, sorted_indices, unsorted_indices)


def pad_packed_sequence(
    sequence: Any,
    batch_first: bool = False,
    padding_value: float = 0.0,
    total_length: int | None = None,
) -> Any:
    """`torch.nn.utils.rnn.pad_packed_sequence`: the padded tensor, and the lengths.

    Raises ValueError: `total_length` is too small.
    """
    steps, lengths = sequence.steps, sequence.lengths
    counts = counting(steps, lengths)
    counts = counts.view(counts.size(0), counts.size(1), *[1] * (steps.dim() - 2))
    padded = torch.where(counts, steps, padding_value)
    if total_length is None:
        padded = padded[: int(lengths[0])]
    else:
        longest = int(lengths[0])
        if longest > total_length:
            raise ValueError(
                "Expected total_length to be at least the length of the longest "
                f"sequence in input, but got total_length={total_length} and max "
                f"sequence length being {longest}"
            )
        if total_length <= steps.size(0):
            padded = padded[:total_length]
        else:
            behind = [0, 0] * (steps.dim() - 1) + [0, total_length - steps.size(0)]
            padded = F.pad(padded, behind, value=padding_value)
    if sequence.unsorted_indices is not None:
        padded = padded.index_select(1, sequence.unsorted_indices)
        lengths = lengths.index_select(0, sequence.unsorted_indices)
    return (padded.transpose(0, 1) if batch_first else padded), lengths


def run(rnn: Any, sequence: Any, hx: Any = None) -> Any:
    """What an `nn.RNN`, `nn.LSTM` or `nn.GRU` in eval mode gives for a packed one."""
    is_lstm = rnn.mode == "LSTM"
    states = _first_states(rnn, sequence, hx)
    order = sequence.unsorted_indices
    inputs, last = sequence.steps, []
    for layer in range(rnn.num_layers):
        sides = []
        for side in range(2 if rnn.bidirectional else 1):
            place = len(last)
            state = [item[place] for item in states]
            outputs, state = _one_way(rnn, layer, side == 1, inputs, sequence, state)
            sides.append(outputs)
            last.append(state)
        inputs = torch.cat(sides, 2) if rnn.bidirectional else sides[0]
    final = [torch.stack([state[i] for state in last]) for i in range(len(states))]
    if order is not None:
        final = [item.index_select(1, order) for item in final]
    packed = Packed(inputs, sequence.lengths, sequence.sorted_indices, order)
    return packed, (tuple(final) if is_lstm else final[0])


def _first_states(rnn: Any, sequence: Any, hx: Any) -> Any:
    """What the layers begin with, in the order of the sequences."""
    result = first_states(rnn, sequence.steps, hx)
    if hx is None or sequence.sorted_indices is None:
        return result
    return [item.index_select(1, sequence.sorted_indices) for item in result]


def _one_way(
    rnn: Any, layer: int, is_reverse: bool, inputs: Any, sequence: Any, state: Any
) -> Any:
    """One layer in one direction: all outputs, and the state at the end."""
    suffix, weight, bias, given = with_inputs(rnn, layer, is_reverse, inputs)
    count = inputs.size(0)
    outputs = []
    for turn in range(count):
        step = count - 1 - turn if is_reverse else turn
        counts = (sequence.lengths > step).unsqueeze(1)
        new = cell(rnn.mode, given[step], F.linear(state[0], weight, bias), state)
        if rnn.proj_size > 0:
            new = [F.linear(new[0], getattr(rnn, f"weight_hr_{suffix}")), new[1]]
        outputs.append(new[0])
        state = [torch.where(counts, n, s) for n, s in zip(new, state, strict=True)]
    if is_reverse:
        outputs = outputs[::-1]
    return torch.stack(outputs), state
