"""The model of a GPU: what takes more never runs faster, and plans follow from it."""

from dataclasses import replace
from itertools import pairwise, product

import pytest

from dycl.schedules.cuda_model import (
    A100,
    DEVICES,
    H100,
    Launch,
    Need,
    Work,
    estimate,
    expected,
    occupancy,
)
from dycl.schedules.cuda_products import (
    MOST_REGISTERS,
    MOST_SHARED,
    DotPlan,
    Sizes,
    best_plans,
    dot_plan,
    need_of,
    plan_time,
    plans,
    total_time,
)

WORK = Work(264, Need(4, 64, 1 << 14), 1e6, steps=8, loads=2e4, flops=2e5, stages=3)
DEEP = Sizes(1, 1, 512, 16384, False)
BROAD = Sizes(1, 4096, 4096, 512, False)


@pytest.mark.parametrize("device", DEVICES)
def test_what_a_block_takes_more_of_leaves_room_for_no_more_blocks(device) -> None:
    grown = (
        [Need(4, 32, n << 10) for n in range(device.most_shared >> 10)],
        [Need(4, n) for n in range(16, 256)],
        [Need(1 << n, 64) for n in range(6)],
    )
    for needs in grown:
        rooms = [occupancy(device, need)[0] for need in needs]
        assert rooms == sorted(rooms, reverse=True)
        assert rooms[-1] >= 1
        assert rooms[0] > rooms[-1]


@pytest.mark.parametrize("device", DEVICES)
def test_the_limit_is_what_there_is_too_little_of(device) -> None:
    assert occupancy(device, Need(1, 16)) == (32, "blocks")
    assert occupancy(device, Need(16, 16)) == (4, "warps")
    assert occupancy(device, Need(4, 255)) == (2, "registers")
    many, why = occupancy(device, Need(4, 32, 60 << 10))
    assert (many, why) == (device.shared // (61 << 10), "shared memory")
    for need in (Need(4, 300), Need(4, 32, device.most_shared + 1)):
        with pytest.raises(ValueError, match="no room"):
            estimate(device, replace(WORK, need=need))


@pytest.mark.parametrize("device", DEVICES)
def test_more_work_takes_no_less_time(device) -> None:
    for name, values in {
        "blocks": range(1, 5000, 61),
        "bytes": (1e3, 1e6, 1e8, 1e10),
        "steps": range(2, 40),
        "loads": (0, 1e3, 1e4, 1e5),
        "flops": (0, 1e4, 1e6, 1e8),
    }.items():
        found = [estimate(device, replace(WORK, **{name: n})) for n in values]
        for less, more in pairwise(found):
            assert more.microseconds >= less.microseconds, name
            assert more.waves >= less.waves
        assert found[-1].microseconds > found[0].microseconds


def test_more_of_a_device_takes_no_more_time() -> None:
    for name, values in {
        "processors": (16, 32, 64, 108, 132, 264),
        "bandwidth": (1e5, 1e6, 1e7),
        "near": (1e3, 1e4, 1e5),
        "shared": (32 << 10, 64 << 10, 128 << 10, 256 << 10),
    }.items():
        times = [
            estimate(replace(A100, **{name: n}), WORK).microseconds for n in values
        ]
        assert times == sorted(times, reverse=True), name


def test_a_bound_is_named() -> None:
    bounds = {
        "launch": Work(1, Need(1), 0),
        "latency": Work(1, Need(1), 0, steps=100),
        "bandwidth": Work(1 << 16, Need(4), 1e9, loads=1e4),
        "compute": Work(1 << 10, Need(8), 0, steps=8, flops=1e7, stages=3),
    }
    for device, (bound, work) in product(DEVICES, bounds.items()):
        assert estimate(device, work).bound == bound
    text = expected(1, Launch(), 64, None)
    assert text.startswith("8.0: 2.1")
    assert "us by launch, 12 at once by registers, 1 wave; 9.0: " in text


@pytest.mark.parametrize("sizes", [DEEP, BROAD, Sizes(8, 64, 64, 64, True)])
def test_the_fastest_plan_is_taken_of_those_that_fit(sizes) -> None:
    taken, tried = dot_plan(sizes), list(plans(sizes))
    assert taken in tried
    assert total_time(sizes, taken) == min(total_time(sizes, plan) for plan in tried)
    for plan in tried:
        need = need_of(plan, sizes)
        assert need.registers <= MOST_REGISTERS
        assert need.shared <= MOST_SHARED
        assert all(occupancy(device, need)[0] for device in DEVICES)


def test_a_depth_is_split_where_tiles_are_few() -> None:
    assert dot_plan(DEEP).splits > 4
    assert dot_plan(BROAD).splits == 1
    assert dot_plan(replace(BROAD, is_half=True)).splits == 1
    splits = [
        dot_plan(Sizes(1, n, 512, 4096, False)).splits for n in (1, 128, 512, 4096)
    ]
    assert splits == sorted(splits, reverse=True)


def test_a_larger_product_takes_no_less_time() -> None:
    for field, half in product(("batch", "rows", "columns", "depth"), (True, False)):
        sizes = Sizes(1, 64, 64, 256, half)
        grown = [
            replace(sizes, **{field: getattr(sizes, field) << n}) for n in range(6)
        ]
        times = [total_time(s, dot_plan(s)) for s in grown]
        assert times == sorted(times), field


def test_plans_are_in_the_order_of_their_times() -> None:
    best = best_plans(DEEP, 5)
    times = [total_time(DEEP, plan) for plan in best]
    assert times == sorted(times)
    assert len(set(best)) == 5


MEASURED = {
    (196, 256, 2304): (DotPlan(32, 64, 64, 9), 13.4),
    (49, 512, 4608): (DotPlan(32, 64, 64, 15), 18.7),
    (3136, 64, 576): (DotPlan(32, 64, 64), 13.1),
    (8, 4096, 4096): (DotPlan(16, 64, 64, 4), 28.2),
    (128, 3072, 768): (DotPlan(32, 64, 64), 22.0),
    (2048, 2048, 2048): (DotPlan(64, 32, 32, 1, Launch(warps=2)), 319.0),
}
"""Microseconds of an H100, with the plans that were timed there."""


@pytest.mark.parametrize("size", MEASURED)
def test_times_of_an_h100_are_met_within_two_fifths(size) -> None:
    plan, measured = MEASURED[size]
    found = plan_time(H100, Sizes(1, *size, False), plan)
    assert 0.6 < found / measured < 1.4
