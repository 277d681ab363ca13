"""Launches are timed by two clocks, so that other work of a machine decides nothing."""

from types import SimpleNamespace

import pytest

from dycl.driver.placement import timing


@pytest.fixture
def clocks(monkeypatch):
    """Two clocks, which launches alone move."""
    now = SimpleNamespace(wall=0.0, processor=0.0)
    monkeypatch.setattr(
        timing,
        "time",
        SimpleNamespace(
            perf_counter=lambda: now.wall, process_time=lambda: now.processor
        ),
    )
    return now


def launch(now, took, interrupted=()):
    """What takes so many seconds, of which the processor knows; others as well, as long
    as there are some interruptions."""
    left = list(interrupted)

    def run():
        now.wall += took + (left.pop() if left else 0)
        now.processor += took

    return [run]


def test_an_interruption_of_each_launch_makes_nobody_slower(clocks):
    runs = {
        "cpu": launch(clocks, 0.2, [0.1] * 50),
        "engine": launch(clocks, 0.21),
    }
    assert timing.fastest(runs)["engine"] < timing.fastest(runs)["cpu"]
    found = timing.fastest(runs, one_thread=True)
    assert found["engine"] == pytest.approx(1.05 * found["cpu"])


def test_who_waits_for_another_thread_is_as_slow_as_the_wall_says(clocks):
    def hands_over():
        clocks.wall += 0.3

    runs = {"cpu": launch(clocks, 0.2), "engine": [hands_over]}
    found = timing.fastest(runs, one_thread=True)
    assert found["engine"] == pytest.approx(1.5 * found["cpu"])


def test_long_launches_are_timed_several_times(clocks):
    """One interruption in four is not what they take."""
    runs = {
        "cpu": launch(clocks, 0.2, [0.0, 0.3, 0.3, 0.3, 0.3, 0.3]),
        "engine": launch(clocks, 0.25),
    }
    assert timing.fastest(runs)["cpu"] == pytest.approx(0.2)
