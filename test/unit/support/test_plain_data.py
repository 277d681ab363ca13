"""What is kept on disk comes back as it was, and reading it runs nothing."""

import math
import os
import pickle
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import torch
from xdsl.dialects.builtin import IntegerType, Signedness, StringAttr, bf16, f32

from dycl.analysis.dynamic_sizes.sizes import Attempt, Requirement
from dycl.analysis.tensors.abstract import Dim, Scalar, Tensor, Unjoined, Unknown
from dycl.analysis.tensors.outcomes import Outcome
from dycl.analysis.tensors.transfer import OUTCOMES
from dycl.ir.records import Record, RecordType
from dycl.ir.values import GlobalRef, TensorConstant
from dycl.support.plain_data import DamagedData, Format, NotPlainData


@dataclass(frozen=True)
class Pair:
    """A class of a format."""

    first: object
    second: object


FORMAT = Format(Pair)
SI64 = IntegerType(64, Signedness.SIGNED)
VALUES = (
    *(None, True, 0, 1, -(2**70), 1.0, -0.0, 1e-300, math.inf, math.nan, "", "é\ud800"),
    *((), [], {}, (1, (1.0, (True,))), [[1], [1]], {1: "a", (2, 3): [None]}),
    *(slice(1, None, -1), 2 - 0.0j, frozenset({(0, 1), (2, 0)})),
    *(Pair(1, Pair((), [])), (Pair(1, 2), Pair(1, 2), Pair(1.0, True))),
)


@pytest.mark.parametrize("value", VALUES, ids=repr)
def test_a_value_comes_back_with_its_types(value: object) -> None:
    data = FORMAT.to_bytes(value)
    assert repr(FORMAT.from_bytes(data)) == repr(value)
    assert FORMAT.to_bytes(FORMAT.from_bytes(data)) == data


def test_abstract_values_come_back() -> None:
    topk = torch.zeros(3).topk(2)
    trees = (
        Tensor((2, Dim("(d0 + 1)")), SI64, ()),
        Tensor.contiguous((2, 3), bf16),
        (Scalar("int", Dim("n0")), Unknown("why"), Unjoined(), GlobalRef("torch.add")),
        TensorConstant((2,), f32, (0.5, -0.0)),
        (torch.Size([1, 2]), type(topk)((Tensor.contiguous((2,), f32), 1))),
    )
    attempt = Attempt((("d0", 7),))
    requires = (Requirement("d0 != 0", "empty"),)
    whole = Outcome(
        trees, frozenset({(0, 1)}), frozenset({-1}), "why", attempt, True, requires
    )
    again: Any = OUTCOMES.form.from_bytes(OUTCOMES.form.to_bytes(whole))
    assert again == whole
    assert [type(x) for x in again.results[-1]] == [torch.Size, type(topk)]


def test_equal_rows_are_one_but_lists_are_not_shared() -> None:
    pair, item = Pair(1, "a"), [Pair(1, "a")]
    assert FORMAT.to_bytes((pair, pair)) == b'[["Pair",1,"a"],["tuple",[0],[0]],[1]]'
    one, other = FORMAT.from_bytes(FORMAT.to_bytes(([*item], [*item])))
    one.append(2)
    assert other == item


class Named(tuple[int, ...]):
    """A class that the format does not name."""


@pytest.mark.parametrize(
    "value",
    [object(), Named((1,)), {1, 2}, b"", (1, [print]), 10**5000, f32],
    ids=lambda value: type(value).__name__,
)
def test_what_has_no_form_is_refused(value: object) -> None:
    with pytest.raises(NotPlainData):
        FORMAT.to_bytes(value)


@pytest.mark.parametrize(
    "value", [StringAttr("f32"), Record(RecordType("os.system", "call", ("x",)), (1,))]
)
def test_an_outcome_holds_no_record_and_no_other_attribute(value: object) -> None:
    with pytest.raises(NotPlainData):
        OUTCOMES.form.to_bytes(Outcome((value,)))


class Touches:
    """Reading it as a pickle makes a file."""

    def __init__(self, path: Path):
        self.path = path

    def __reduce__(self) -> Any:
        return os.mkdir, (str(self.path),)


def test_damaged_data_runs_nothing(tmp_path: Path) -> None:
    made = tmp_path / "made"
    planted = pickle.dumps(Touches(made))
    tuple_of_torch = '[["tuple of torch","torch.return_types.%s",1],[0]]'
    for data in (
        planted,
        *(b"", b"null", b"[]", b"[[]]", b"[[0]]", b"[[1],[0]]", b'[["Pair",1],[0]]'),
        *(b'[["object"],[0]]', b'[["Pair",[1],[0]],[0]]', b'[["dict",1],[0]]'),
        *(b"[" * 100_000, b'[["dtype","f33"],[0]]', b'[["slice"],[0]]'),
        *((tuple_of_torch % name).encode() for name in ("sys", "__name__", "nothing")),
    ):
        with pytest.raises(DamagedData):
            OUTCOMES.form.from_bytes(data)
    assert not made.exists()
    pickle.loads(planted)
    assert made.exists()
