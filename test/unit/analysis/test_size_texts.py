"""The text of a size is reckoned with, and nothing else that Python has is run."""

import pytest

from dycl.analysis.dynamic_sizes.factors import fraction_of
from dycl.analysis.dynamic_sizes.size_texts import arithmetic, evaluate, words
from dycl.analysis.tensors.abstract import Dim


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("7", 7),
        ("(d0 + -1)", 4),
        ("((d0 * 4) // 3) % n1", 6),
        ("Max(d0, n1, 1)", 10),
        ("Min(d0, (n1 // 5))", 2),
        ("d0 != 5 or n1 != 10", False),
        ("((d0) * 2) == n1 and not d0 > n1", True),
        ("n1 >= d0 < 6", True),
    ],
)
def test_sizes_and_relations(text: str, value: object) -> None:
    assert evaluate(text, {"d0": 5, "n1": 10}) == value
    assert set(words(text)) <= {"d0", "n1"}


@pytest.mark.parametrize(
    "text",
    [
        "().__class__",
        "d0.real",
        "__import__('os')",
        "d0()",
        "Max(d0, key=d0)",
        "[d0 for d0 in d0]",
        "(lambda: d0)()",
        "d0[0]",
        "'text' * 9",
        "d0 ** d0",
        "1.5",
        "True",
        "d0 := 1",
    ],
)
def test_anything_else_is_refused(text: str) -> None:
    with pytest.raises((ValueError, SyntaxError)):
        evaluate(text, {"d0": 5})
    with pytest.raises((ValueError, SyntaxError)):
        arithmetic("add", Dim(text), 1)


def test_arithmetic_is_simplified() -> None:
    assert arithmetic("add", Dim("(d0 + 1)"), -1) == Dim("d0")
    assert arithmetic("sub", Dim("d0"), Dim("d0")) == 0
    assert arithmetic("pow", Dim("d0"), 2) is None


def test_a_fraction_in_place_of_a_float_is_exact_in_its_range():
    assert fraction_of(1.5, 0, None) == (3, 2)
    assert fraction_of(0.6, 0, None) is None
    assert fraction_of(0.6, 0, 4096) == (3, 5)
    assert fraction_of(0.6, -3, 10) is None
    # 90 * 0.7 is rounded to less than 63.
    assert fraction_of(0.7, 0, 89) == (7, 10)
    assert fraction_of(0.7, 0, 90) is None
