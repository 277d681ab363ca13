"""Recurrent layers over a number of steps, or rows, that each call decides.

torch's own are one operation, which asks for the numbers behind sizes. Here a layer is
a loop over its steps; `packed` has that over sequences of different lengths.
"""

from typing import Any

import torch
from torch.nn import functional as F


def run(rnn: Any, input: Any, hx: Any = None) -> Any:
    """What an `nn.RNN`, `nn.LSTM` or `nn.GRU` in eval mode gives for a tensor.

    Raises RuntimeError: there are no steps.
    """
    is_lstm, is_batched = rnn.mode == "LSTM", input.dim() == 3
    inputs = input
    if not is_batched:
        inputs = input.unsqueeze(1)
        if hx is not None:
            hx = tuple(h.unsqueeze(1) for h in hx) if is_lstm else hx.unsqueeze(1)
    elif rnn.batch_first:
        inputs = input.transpose(0, 1)
    if inputs.size(0) == 0:
        raise RuntimeError("Expected sequence length to be larger than 0 in RNN")
    states = first_states(rnn, inputs, hx)
    last = []
    for layer in range(rnn.num_layers):
        sides = []
        for side in range(2 if rnn.bidirectional else 1):
            state = [item[len(last)] for item in states]
            outputs, state = _one_way(rnn, layer, side == 1, inputs, state)
            sides.append(outputs)
            last.append(state)
        inputs = torch.cat(sides, 2) if rnn.bidirectional else sides[0]
    final = [torch.stack([state[i] for state in last]) for i in range(len(states))]
    if not is_batched:
        inputs, final = inputs.squeeze(1), [item.squeeze(1) for item in final]
    elif rnn.batch_first:
        inputs = inputs.transpose(0, 1)
    return inputs, (tuple(final) if is_lstm else final[0])


def first_states(rnn: Any, steps: Any, hx: Any) -> Any:
    """What the layers begin with, each [layers and sides, sequences, size].

    `steps`: [steps, sequences, ...].
    """
    is_lstm = rnn.mode == "LSTM"
    if hx is not None:
        return list(hx) if is_lstm else [hx]
    count = rnn.num_layers * (2 if rnn.bidirectional else 1)
    size = rnn.proj_size if rnn.proj_size > 0 else rnn.hidden_size
    first = steps.new_zeros(count, steps.size(1), size)
    cells = steps.new_zeros(count, steps.size(1), rnn.hidden_size)
    return [first, cells][: 1 + is_lstm]


def _one_way(rnn: Any, layer: int, is_reverse: bool, inputs: Any, state: Any) -> Any:
    """One layer in one direction: all outputs, and the state at the end."""
    suffix, weight, bias, given = with_inputs(rnn, layer, is_reverse, inputs)
    if is_reverse:
        given = given.flip(0)
    outputs = []
    for step in range(inputs.size(0)):
        state = cell(rnn.mode, given[step], F.linear(state[0], weight, bias), state)
        if rnn.proj_size > 0:
            state = [F.linear(state[0], getattr(rnn, f"weight_hr_{suffix}")), state[1]]
        outputs.append(state[0])
    stacked = torch.stack(outputs)
    return (stacked.flip(0) if is_reverse else stacked), state


def with_inputs(rnn: Any, layer: int, is_reverse: bool, inputs: Any) -> Any:
    """How the parameters of one layer in one direction end, those for the state, and
    what the inputs contribute to all steps."""
    suffix = f"l{layer}_reverse" if is_reverse else f"l{layer}"
    weight = getattr(rnn, f"weight_hh_{suffix}")
    bias = getattr(rnn, f"bias_hh_{suffix}") if rnn.bias else None
    given = F.linear(
        inputs,
        getattr(rnn, f"weight_ih_{suffix}"),
        getattr(rnn, f"bias_ih_{suffix}") if rnn.bias else None,
    )
    return suffix, weight, bias, given


def cell(mode: str, given: Any, recurrent: Any, state: Any) -> Any:
    """The next state of a cell, from what inputs and state contribute."""
    if mode == "RNN_TANH":
        return [torch.tanh(given + recurrent)]
    if mode == "RNN_RELU":
        return [torch.relu(given + recurrent)]
    if mode == "GRU":
        reset, update, new = given.chunk(3, 1)
        old_reset, old_update, old_new = recurrent.chunk(3, 1)
        reset = torch.sigmoid(reset + old_reset)
        update = torch.sigmoid(update + old_update)
        new = torch.tanh(new + reset * old_new)
        return [new + update * (state[0] - new)]
    entered, kept, new, shown = (given + recurrent).chunk(4, 1)
    cell = torch.sigmoid(kept) * state[1] + torch.sigmoid(entered) * torch.tanh(new)
    return [torch.sigmoid(shown) * torch.tanh(cell), cell]
