"""Recurrent cells, pools of rows and paddings, for a size that the data decides.

torch's own cells ask for the number behind a symbolic size. Written as the operations
that they are made of on the CPU, in their order, they do not. torch is imported in the
functions.

Layers of several steps are not reckoned with where a run decides how many there are:
torch unrolls them, and says what they give for the number that it was asked with.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from xdsl.ir import Operation

from dycl.analysis.tensors import padding, row_pools
from dycl.analysis.tensors.abstract import Dim, Tensor
from dycl.ir import CallOp
from dycl.ir.environment import Environment
from dycl.ir.values import ObjectRef


def cell(module: Any) -> Callable[..., Any] | None:
    """What stands for a call of such a module; None: it is another one."""
    name = type(module).__name__
    known = _CELLS.get(name)
    if not type(module).__module__.startswith("torch.nn"):
        return None
    if name == row_pools.MODULE:
        return partial(row_pools.of_module, module)
    if name in padding.MODULES:
        return partial(padding.of_module, module)
    if known is None:
        return None

    def call(x: Any, state: Any = None) -> Any:
        return known(module, x, state)

    return call


def is_unrolled(
    op: Operation, operands: Sequence[object], environment: Environment
) -> bool:
    """Whether an op calls a recurrent layer of torch's for a number of steps that is
    known in a run: `nn.LSTM(4, 4)` of `?x2x4`."""
    match op, operands:
        case CallOp(), [ObjectRef(path), Tensor(shape), *_] if op.positional:
            if environment.members(path).get("__leaf__") not in _LAYERS:
                return False
            first = environment.members(path).get("batch_first") is True
            steps = 1 if first and len(shape) == 3 else 0
            return len(shape) in (2, 3) and isinstance(shape[steps], Dim)
        case _:
            return False


_LAYERS = tuple(f"torch.nn.modules.rnn.{name}" for name in ("RNN", "LSTM", "GRU"))


def _gates(module: Any, x: Any, *states: Any) -> tuple[Any, Any]:
    from torch.nn.functional import linear

    h = states[0]
    if any(one.dim() != 2 for one in (x, *states)):
        raise RuntimeError("a cell needs a batch of inputs and states here")
    for number, one in enumerate(states):  # Sums would broadcast a single row.
        rows, kept = x.size(0), one.size(0)
        if rows != kept:
            said = f"Input batch size {rows} doesn't match hidden{number} batch size"
            raise RuntimeError(f"{said} {kept}")
    of_input = linear(x, module.weight_ih, module.bias_ih)
    return of_input, linear(h, module.weight_hh, module.bias_hh)


def _zeros(module: Any, x: Any) -> Any:
    return x.new_zeros((x.size(0), module.hidden_size))


def _lstm(module: Any, x: Any, state: Any) -> Any:
    if state is None:
        state = (_zeros(module, x), _zeros(module, x))
    h, c = state
    of_input, of_state = _gates(module, x, h, c)
    enter, forget, new, out = (of_state + of_input).chunk(4, 1)
    c = forget.sigmoid() * c + enter.sigmoid() * new.tanh()
    return out.sigmoid() * c.tanh(), c


def _gru(module: Any, x: Any, h: Any) -> Any:
    h = _zeros(module, x) if h is None else h
    of_input, of_state = _gates(module, x, h)
    (i_reset, i_update, i_new) = of_input.chunk(3, 1)
    (h_reset, h_update, h_new) = of_state.chunk(3, 1)
    reset, update = (h_reset + i_reset).sigmoid(), (h_update + i_update).sigmoid()
    new = (i_new + h_new * reset).tanh()
    return (h - new) * update + new


def _rnn(module: Any, x: Any, h: Any) -> Any:
    h = _zeros(module, x) if h is None else h
    of_input, of_state = _gates(module, x, h)
    total = of_input + of_state
    return total.relu() if module.nonlinearity == "relu" else total.tanh()


_CELLS: dict[str, Callable[[Any, Any, Any], Any]] = {
    "LSTMCell": _lstm,
    "GRUCell": _gru,
    "RNNCell": _rnn,
}
