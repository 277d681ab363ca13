"""What cannot be compiled is refused in words a user can act on.

Each file in `models/` is a network as a user would write it; the `.txt` beside it is
the whole message. After a change of wording, look at the new texts with

    DYCL_ACCEPT=1 pytest test/unit/refusals; git diff test/unit/refusals
"""

import importlib.util
import linecache
import os
import re
import sys
from pathlib import Path

import pytest

from dycl.diag.codes import CODES

MODELS = Path(__file__).parent / "models"
NAMES = sorted(path.stem for path in MODELS.glob("*.py"))
ROOT = Path(__file__).parents[3]

torch = pytest.importorskip("torch")


def load(name: str):
    """A model file as a module of its own; its place in messages is `name.py`."""
    spec = importlib.util.spec_from_file_location(name, f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture(autouse=True)
def in_models_folder(monkeypatch):
    monkeypatch.chdir(MODELS)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    linecache.clearcache()
    yield
    for name in NAMES:
        sys.modules.pop(name, None)


@pytest.mark.parametrize("name", NAMES)
def test_message(name: str) -> None:
    import dycl
    from dycl.diag import CompileError, CompileErrors

    module = load(name)
    with pytest.raises((CompileError, CompileErrors)) as caught:
        dycl.compile(module.model, module.inputs, **getattr(module, "options", {}))
    text = f"{caught.value}\n"
    golden = MODELS / f"{name}.txt"
    if os.environ.get("DYCL_ACCEPT"):
        golden.write_text(text)
    assert text == golden.read_text()


@pytest.mark.parametrize("name", NAMES)
def test_message_says_where_and_what_to_do(name: str) -> None:
    """Each error has a known code, a place in the file, a caret and a help line."""
    text = (MODELS / f"{name}.txt").read_text()
    errors = re.split(r"^(?=error\[)", text, flags=re.MULTILINE)[1:]
    assert errors
    for error in errors:
        code = re.match(r"error\[(DY\d+)\]: ", error)
        assert code
        assert code[1] in CODES
        if code[1] == "DY120":  # of the model as a whole
            continue
        assert re.search(rf"^ +--> {name}\.py:\d+:\d+$", error, re.MULTILINE)
        assert re.search(r"\| +\^+$", error, re.MULTILINE)
        assert re.search(r"= help: \S", error)


DEAD = """
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)
        self.log = False

    def forward(self, x):
        y = self.fc(x)
        if self.log:
            import no_such_package

            try:
                with open("log.txt", "a") as file:
                    file.write(f"{y:{no_such_package.width}}")
            except OSError:
                raise
        if self.training:
            y = y + torch.randn(4)
        assert len(x.shape) == 2, "give a batch"
        if y.sum() > 0:
            return y
        return x


model = Net().eval()
inputs = (torch.zeros(1, 4),)
"""


def test_dead_code_is_not_refused(tmp_path, monkeypatch) -> None:
    """What no run reaches may be any Python at all."""
    import dycl

    monkeypatch.chdir(tmp_path)
    (tmp_path / "dead_code.py").write_text(DEAD)
    module = load("dead_code")
    compiled = dycl.compile(module.model, module.inputs)
    assert "dycl.unsupported" not in compiled.stages["normal"]


def test_every_message_has_a_model() -> None:
    assert sorted(path.stem for path in MODELS.glob("*.txt")) == NAMES


def test_every_code_that_is_used_is_in_the_table() -> None:
    files = (ROOT / "dycl").rglob("*.py")
    used = {code for f in files for code in re.findall(r'"(DY\d{3})"', f.read_text())}
    assert used == set(CODES)
