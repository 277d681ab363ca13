"""What a library does to a model in its first call is done for the import only."""

import importlib.util
import sys
from pathlib import Path

import pytest
import torch

import dycl
from dycl.frontend import first_calls

_NAME = "dycl_test_programs_first_calls"
_FILE = Path(__file__).parent / "programs" / "first_calls.py"
_SPEC = importlib.util.spec_from_file_location(_NAME, _FILE)
sys.modules[_NAME] = programs = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(programs)


def rows(count):
    generator = torch.Generator().manual_seed(0)
    return [torch.randn(1, 4, generator=generator) for _ in range(count)]


@pytest.fixture(autouse=True)
def _library(monkeypatch):
    steps = {f"{_NAME}.install": f"{_NAME}.Base"}
    monkeypatch.setattr(first_calls, "_STEPS", steps)


def hooks_of(model):
    return [hook for m in model.modules() for hook in m._forward_hooks]


@pytest.mark.parametrize("is_cached", [False, True])
def test_states_are_eagers_and_the_model_is_given_back(
    is_cached, tmp_path, monkeypatch
):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    torch.manual_seed(0)
    model = programs.EarlyExit().eval()
    for _ in range(2):
        net = dycl.compile(model, (rows(1)[0],), cache=is_cached, backend="reference")
        assert not hooks_of(model)
        assert not hasattr(model.body, "_is_installed")
    taken = set()
    with torch.no_grad():
        for x in rows(30):
            torch.testing.assert_close(net(x), model(x))
            taken |= {(d.line, d.taken) for d in net.path}
    assert len(taken) == 2 * len({line for line, _ in taken})


def test_hooks_are_not_put_where_nothing_asks_for_them():
    model = programs.States().eval()
    asked = []
    put = programs.Base.register_forward_hook
    programs.Base.register_forward_hook = lambda *given: asked.append(given)
    try:
        net = dycl.compile(model, (rows(1)[0],), cache=False, backend="reference")
    finally:
        programs.Base.register_forward_hook = put
    assert not asked
    x = rows(2)[1]
    torch.testing.assert_close(net(x), model(x))
