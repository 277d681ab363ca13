"""Rows are parted by their shapes: those of a part are computed together."""

from dycl.runtime.row_inputs import alike


def test_rows_of_one_shape_are_together():
    shapes = [(3,), (4,), (3,), (3,), (4,), (5,)]
    assert alike(shapes) == [[0, 2, 3], [1, 4], [5]]
    assert alike([]) == []


def test_rows_that_keep_their_order_are_parted_by_those_between_them():
    shapes = [(3,), (3,), (4,), (3,), (4,), (4,)]
    assert alike(shapes, in_order=True) == [[0, 1], [2], [3], [4, 5]]
