"""Plans cover their loops, fit a block, and change with sizes as they should."""

from itertools import product

from dycl.schedules.cuda import (
    LONGEST_ROW,
    attention_plan,
    fold_plan,
    row_blocks,
    sort_blocks,
)
from dycl.schedules.cuda_model import DEVICES
from dycl.schedules.cuda_products import MOST_SPLITS, Sizes, dot_plan

PROCESSORS = max(device.processors for device in DEVICES)

SIZES = (1, 2, 7, 33, 64, 300, 1024, 5000, 70000, 1 << 24)


def test_parts_of_a_reduction_cover_it_and_none_is_empty() -> None:
    for rows, columns, is_near in product(SIZES, SIZES, (True, False)):
        plan = fold_plan(rows, columns, is_near)
        each = plan.each(columns)
        assert each % plan.width == 0
        assert (plan.splits - 1) * each < columns <= plan.splits * each


def test_a_long_reduction_keeps_the_device_busy_and_a_short_one_is_whole() -> None:
    for is_near in (True, False):
        plan = fold_plan(1, 1 << 24, is_near)
        assert plan.splits >= PROCESSORS
        assert fold_plan(64, 1000, is_near).splits == 1
        assert fold_plan(1 << 20, 1024, is_near).splits == 1


def test_more_rows_take_no_more_parts_and_more_columns_no_fewer() -> None:
    for is_near, size in product((True, False), SIZES):
        # Columns of fewer rows than a tile has are cut less: the tile is wider.
        many = [n for n in SIZES if n * size > 1e5 and (is_near or n >= 64)]
        of_rows = [fold_plan(n, size, is_near).splits for n in many]
        assert of_rows == sorted(of_rows, reverse=True)
        of_columns = [
            fold_plan(size, n, is_near).splits for n in SIZES if n >= 2 * LONGEST_ROW
        ]
        assert of_columns == sorted(of_columns)


def test_neighbours_in_memory_are_in_one_tile() -> None:
    assert fold_plan(4096, 4096, side_by_side=True).width >= 1024
    assert fold_plan(4096, 4096, side_by_side=False).rows >= 32


def test_parts_of_a_product_cover_its_depth() -> None:
    sizes = (1, 16, 100, 1000, 4096)
    for rows, columns, depth, is_half in product(sizes, sizes, sizes, (True, False)):
        plan = dot_plan(Sizes(1, rows, columns, depth, is_half))
        each = plan.each(depth)
        assert (plan.splits - 1) * each < depth <= plan.splits * each
        assert 1 <= plan.splits <= MOST_SPLITS
        assert min(plan.rows, plan.columns, plan.depth) >= 16


def test_what_a_block_holds_fits_into_its_registers() -> None:
    for rows, columns in product(SIZES, SIZES):
        high, wide = row_blocks(rows, columns)
        assert high * wide <= LONGEST_ROW
        high, wide = sort_blocks(rows, columns)
        assert high * wide <= LONGEST_ROW
    for queries, keys, width in product(SIZES[:6], SIZES[:6], (8, 64, 100, 256)):
        plan = attention_plan(queries, keys, width, width)
        threads = 32 * plan.launch.warps
        assert plan.queries * (plan.width + plan.values) <= 80 * threads
