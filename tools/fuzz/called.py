"""Other ways to compile a program: for a batch of rows, and for inputs of any size.

A program says so itself, by a line `CALLED = "rows"` or `CALLED = "sizes"`.
"""

import contextlib
import copy
import io
from dataclasses import is_dataclass

from dycl.diag import CodedError, CompileErrors
from dycl.tools.same import value_difference

from .runs import eager, outcome
from .unused import MOST_RAISING, Used, deciding, without

MOST = 3
"""Rows of an input of any size."""


def way_of(source):
    """`rows`, `sizes`, or None: as it is."""
    first, _, _ = source.partition("\n")
    return {f'CALLED = "{way}"': way for way in ("rows", "sizes")}.get(
        first.replace("'", '"')
    )


def difference(way, source, load, given, options, tolerance):
    """Where a program that is compiled this way differs from eager, as a sentence.

    None: nowhere, or it is refused. `load` makes the network of a source. Endless, and
    what is no refusal, are raised.
    """
    import dycl

    if way == "rows":
        example, extra = given[0], {"rows": True}
    else:
        size = dycl.Dim("n", min=1, max=MOST)
        example = given[0].repeat(2, 1)
        extra = {"dynamic_shapes": {"x": {0: size}}}
    try:
        net = dycl.compile(load(source), (example,), **options, **extra)
    except CompileErrors:
        return None
    except CodedError as refusal:
        if refusal.code[2] < "5":
            return None
        raise
    compare = _rows if way == "rows" else _sizes
    return compare(net, source, load, given, tolerance)


def _rows(net, source, load, given, tolerance):
    """Against one call of eager after the other; rows that raise are left out."""
    import torch

    wanted, _ = eager(load(source), given)
    kept = [x for x, one in zip(given, wanted, strict=True) if "given" in one]
    wanted, state = eager(load(source), kept)
    if not kept or any("raised" in one for one in wanted):
        return None
    found = outcome(net, torch.cat(kept))
    if "raised" in found:
        return f"rows: raises {found['raised']}"
    printed = "".join(one["printed"] for one in wanted)
    if found["printed"] != printed:
        return f"rows: {found['printed']!r} printed and not {printed!r}"
    for number, one in enumerate(wanted):
        row = of_row(found["given"], one["given"], number, len(kept))
        where = f"row {number}"
        if (what := value_difference(one["given"], row, tolerance, where)) is not None:
            return f"rows: {what}"
    return _state(net, state, tolerance)


def of_row(result, like, number, count):
    """What a result of many rows says of one row, whose own result has this form."""
    import torch

    if isinstance(result, list) and len(result) == count:
        whole = result[number]
        if type(whole) is type(like) and not isinstance(like, list):
            return whole
        if isinstance(like, list) and isinstance(whole, list):
            return whole
    match like:
        case torch.Tensor():
            if isinstance(result, torch.Tensor) and len(result) == count:
                return result[number : number + 1]
        case tuple() | list() if isinstance(result, type(like)):
            pairs = list(zip(result, like, strict=False))
            items = [of_row(r, one, number, count) for r, one in pairs]
            if len(result) != len(like):
                return result
            return type(like)(*items) if hasattr(like, "_fields") else type(like)(items)
        case dict() if isinstance(result, dict) and list(result) == list(like):
            return {k: of_row(result[k], like[k], number, count) for k in like}
        case _ if is_dataclass(like) and type(result) is type(like):
            found = copy.copy(like)
            for name, value in vars(like).items():
                row = of_row(getattr(result, name), value, number, count)
                setattr(found, name, row)
            return found
    return result


def _sizes(net, source, load, given, tolerance):
    """One, two and three rows at a time; a size that is refused is left out."""
    import torch

    from dycl.runtime import InputError

    sizes = [1 + i % MOST for i in range(len(given))]
    batches = [
        torch.cat([given[(i + k) % len(given)] for k in range(size)])
        for i, size in enumerate(sizes)
    ]
    wanted, state = eager(load(source), batches)
    for number, (x, one) in enumerate(zip(batches, wanted, strict=True)):
        where = f"sizes: input {number} of {len(x)} rows"
        try:
            found = outcome(_raising(net, InputError), x)
        except _Refused:
            if "given" in one and net.state:
                return None  # From here on the states may differ.
            continue
        if "raised" in one and "raised" not in found:
            if net.state or _is_unused(source, load, x, found, tolerance):
                return None
            return f"{where}: no {one['raised']}"
        if "raised" in one:
            continue
        if "raised" in found:
            return f"{where}: raises {found['raised']}"
        what = value_difference(one, found, tolerance, where)
        if what is not None:
            return what
    return _state(net, state, tolerance)


def _is_unused(source, load, x, found, tolerance):
    """Whether eager gives the same without all that raises, and nothing uses that."""

    def is_same(truth):
        with deciding(truth, of_any=True):
            one = _without_raising(source, load, x)
        if one is None:
            return False
        return value_difference(_plain(one), _plain(found), tolerance) is None

    return is_same(None) or (is_same(False) and is_same(True))


def _plain(value):
    """A value without the classes of records, which each load makes anew."""
    match value:
        case tuple() | list():
            return [_plain(item) for item in value]
        case dict():
            return {key: _plain(item) for key, item in value.items()}
        case _ if is_dataclass(value):
            return _plain(vars(value))
    return value


def _without_raising(source, load, x):
    """What a call of eager gives with `Nothing` for all that raises; or None."""
    import torch

    for _ in range(MOST_RAISING):
        model = load(source)
        try:
            with torch.no_grad(), contextlib.redirect_stdout(io.StringIO()):
                model(x.clone())
        except Used:
            return None
        except Exception as error:
            source = without(source, error)
            if source is None:
                return None
            continue
        return outcome(load(source), x)
    return None


class _Refused(BaseException):
    """An input whose size the network does not take."""


def _raising(net, refusal):
    def run(x):
        try:
            return net(x)
        except refusal as error:
            raise _Refused from error

    return run


def _state(net, state, tolerance):
    for name, value in net.state.items():
        found = value_difference(state(name), _of_tensors(value), tolerance, name)
        if found is not None:
            return f"state: {found}"
    return None


def _of_tensors(value):
    """A value with tensors for arrays, which rows that are run one by one leave."""
    import numpy as np
    import torch

    match value:
        case np.ndarray():
            return torch.as_tensor(value)
        case tuple() if hasattr(value, "_fields"):
            return type(value)(*map(_of_tensors, value))
        case tuple() | list():
            return type(value)(map(_of_tensors, value))
        case dict():
            return {key: _of_tensors(item) for key, item in value.items()}
    return value
