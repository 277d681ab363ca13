"""What a compilation says while it runs, on a terminal and in a pipe."""

import io
import time

import pytest

from dycl.report import PlainProgress, RichProgress, progress_on


class Terminal(io.StringIO):
    def isatty(self):
        return True


def compile_something(listener):
    with listener:
        listener.stage_started("typed")
        listener.stage_done("typed", 0.214, "412 ops")
        listener.stage_started("kernels")
        listener.step_done(1, 2, "forward_stem", 0.1)
        listener.step_done(2, 2, "forward_block3_then", 2.5)
        listener.stage_done("kernels", 2.6, "2 kernels")


def test_a_pipe_gets_a_line_a_stage_and_one_for_each_slow_kernel():
    out = io.StringIO()
    compile_something(PlainProgress(out))
    assert out.getvalue() == (
        " typed          0.21 s   412 ops\n"
        "   2/2          2.50 s   forward_block3_then\n"
        " kernels        2.60 s   2 kernels\n"
    )


def test_a_terminal_gets_the_same_stage_lines():
    pytest.importorskip("rich")
    out = Terminal()
    compile_something(RichProgress(out))
    assert " typed          0.21 s   412 ops\n" in out.getvalue()
    assert " kernels        2.60 s   2 kernels\n" in out.getvalue()


@pytest.mark.parametrize(("variable", "value"), [("NO_COLOR", "1"), ("TERM", "dumb")])
def test_no_control_codes_where_they_are_not_wanted(monkeypatch, variable, value):
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert isinstance(progress_on(Terminal()), RichProgress)
    monkeypatch.setenv(variable, value)
    assert isinstance(progress_on(Terminal()), PlainProgress)


def test_a_pipe_gets_no_control_codes(monkeypatch):
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    assert isinstance(progress_on(io.StringIO()), PlainProgress)


def test_a_pipe_hears_of_a_stage_that_is_still_at_work():
    out = io.StringIO()
    with PlainProgress(out, patience=0.05) as listener:
        listener.stage_started("source")
        listener.step_done(1, 1, "net.Net.forward", 0.1)
        while not out.getvalue():
            time.sleep(0.01)
        listener.stage_done("source", 0.3, "3 functions")
        said = out.getvalue()
        time.sleep(0.2)
    first, *_, last = said.splitlines()
    assert first.startswith("   source")
    assert first.endswith("after net.Net.forward ...")
    assert last == " source         0.30 s   3 functions"
    assert out.getvalue() == said, "a stage that is over says no more"
