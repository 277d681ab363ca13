"""What the frontend makes of each construct: the source level, as text.

Each file in `samples/` has a function or a model; the `.mlir` beside it is its source
level. After a change, look at the new texts with

    DYCL_ACCEPT=1 pytest test/unit/frontend; git diff test/unit/frontend
"""

import importlib.util
import os
import sys
from io import StringIO
from pathlib import Path

import pytest
import torch
from xdsl.context import Context
from xdsl.parser import Parser
from xdsl.printer import Printer

from dycl.driver.inputs import example_types
from dycl.frontend import (
    import_exported,
    import_model,
    is_exported,
)
from dycl.frontend.source import library_line, read
from dycl.ir.dialect.syntax import VALUE
from dycl.ir.verify import verify_dominance, verify_locations
from dycl.universe import everything

SAMPLES = Path(__file__).parent / "samples"
NAMES = sorted(path.stem for path in SAMPLES.glob("*.py"))


def load(name: str):
    spec = importlib.util.spec_from_file_location(name, f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture(autouse=True)
def in_samples_folder(monkeypatch):
    monkeypatch.chdir(SAMPLES)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    yield
    for name in NAMES:
        sys.modules.pop(name, None)


def source_level(name: str):
    module = load(name)
    if is_exported(getattr(module, "model", None)):
        types = example_types(module.inputs)
        return import_exported(module.model, types).module
    if hasattr(module, "model"):
        return import_model(module.model, [VALUE]).module
    count = module.forward.__code__.co_argcount - len(module.forward.__defaults__ or ())
    return import_model(module.forward, [VALUE] * count).module


def text(module) -> str:
    out = StringIO()
    Printer(stream=out).print_op(module)
    return f"{out.getvalue()}\n"


@pytest.mark.parametrize("name", NAMES)
def test_text(name: str) -> None:
    if "torch" in (SAMPLES / f"{name}.py").read_text():
        pytest.importorskip("torch")
    module = source_level(name)
    module.verify()
    verify_dominance(module)
    verify_locations(module, "the frontend")
    golden = SAMPLES / f"{name}.mlir"
    if os.environ.get("DYCL_ACCEPT"):
        golden.write_text(text(module))
    assert text(module) == golden.read_text()


@pytest.mark.parametrize("name", NAMES)
def test_text_is_read_back(name: str) -> None:
    """The text holds all that the module does."""
    golden = (SAMPLES / f"{name}.mlir").read_text()
    context = Context()
    for dialect, load_dialect in everything().all_dialects.items():
        context.register_dialect(dialect, load_dialect)
    assert text(Parser(context, golden).parse_module()) == golden


def test_every_text_has_a_sample() -> None:
    assert sorted(path.stem for path in SAMPLES.glob("*.mlir")) == NAMES


def test_functions_of_torch_are_found_without_reading_their_files() -> None:
    classes = (torch.nn.Conv2d, torch.nn.Sequential, torch.nn.LSTM)
    for function in [cls.forward for cls in classes]:
        source = read(function)
        assert library_line(function) == source.location(source.node)
    wrapped = torch.no_grad()(torch.nn.Linear.forward)
    assert library_line(wrapped) == library_line(torch.nn.Linear.forward)
    here = test_functions_of_torch_are_found_without_reading_their_files
    assert library_line(here) is None
