"""Views of sizes that the data decides: which sizes they have, and what is asked."""

from xdsl.dialects import test

from dycl.analysis.dynamic_sizes.size_texts import evaluate
from dycl.analysis.dynamic_sizes.views import (
    View,
    fitting_hints,
    is_the_view,
    view_of,
)
from dycl.analysis.tensors.abstract import Dim, Scalar, Tensor
from dycl.ir import InvokeOp
from dycl.ir.dialect.syntax import VALUE

PRIMES = (37, 41, 43, 47)
D, N = Dim("d0"), Dim("n1")


def view(shape, *sizes, method="view"):
    x, *given = test.TestOp(result_types=[VALUE] * (1 + len(sizes))).results
    op = InvokeOp(x, method, given)
    return view_of(op, [Tensor.contiguous(shape, "f32"), *sizes])


def n():
    return Scalar("int", N)


def test_the_rest_beside_a_number():
    found = view((D, 6), n(), -1)
    assert found.shape[0] == N
    for d, k in ((4, 3), (6, 4), (2, 12)):
        sizes = {"d0": d, "n1": k}
        assert evaluate(found.relation, sizes)
        assert evaluate(found.shape[1].text, sizes) == d * 6 // k
    assert not evaluate(found.relation, {"d0": 1, "n1": 4})
    assert evaluate(found.shape[1].text, {"d0": 1, "n1": 0}) == 6  # divides by one


def test_a_size_of_both_goes():
    assert view((D, 6), Scalar("int", D), -1).shape == (D, 6)
    assert view((D, 6), Scalar("int", D), 2, -1).shape == (D, 2, 3)
    assert view((D, 6), Scalar("int", D), 4, -1) is None  # never fits


def test_one_dim_is_a_view_of_its_own():
    found = view((0, D, 6), -2, (2, -1), method="unflatten")
    assert [evaluate(found.relation, {"d0": n}) for n in (6, 3)] == [True, False]
    assert evaluate(found.shape[2].text, {"d0": 6}) == 3
    assert found.shape[:2] + found.shape[3:] == (0, 2, 6)
    assert view((D, 6), 1, (2, 3), method="unflatten").shape == (D, 2, 3)
    assert view((D, 6), 2, (2, 3), method="unflatten") is None  # no such dim


def test_hints_that_say_nothing_of_each_other():
    relation = "((3 * (d0)) % Max(1, (n1))) == 0"
    hints = list(map(dict, fitting_hints(relation, ["d0", "n1"], PRIMES)))
    assert all(evaluate(relation, sizes) for sizes in hints)
    assert any(h["d0"] % h["n1"] and h["n1"] % h["d0"] for h in hints)
    assert all(h["d0"] != h["n1"] for h in hints)


def test_torchs_view_of_special_sizes():
    relation = "((3 * (d0)) % Max(1, (n1))) == 0"
    ours = View(relation, (N, 2, Dim("(3 * (d0)) // Max(1, (n1))")))
    hints = list(map(dict, fitting_hints(relation, ["d0", "n1"], PRIMES)))
    right = Tensor.contiguous((N, 2, Dim("(3 * d0) // n1")), "f32")
    wrong = Tensor.contiguous((N, 2, Dim("3 * (d0 // n1)")), "f32")
    assert is_the_view(ours, right, hints)
    assert not is_the_view(ours, wrong, hints)
