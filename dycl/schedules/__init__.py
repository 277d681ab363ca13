"""Schedules: transform-dialect text that says how a kernel runs, not what it computes.

A schedule is one `.mlir` file with a named sequence `@__transform_main`. It may be
edited freely: a schedule that does not apply leaves the kernel slow, never wrong.
"""

from importlib.resources import files


def schedule_text(name: str) -> str:
    """The text of the schedule `name` (`loop-order`).

    Raises FileNotFoundError if there is none of that name.
    """
    return (files(__name__) / f"{name}.mlir").read_text(encoding="utf-8")
