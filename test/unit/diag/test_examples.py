"""The examples of `dycl explain CODE`: one is refused with this code, one is taken."""

import importlib.util
import linecache
import sys

import pytest
import torch

import dycl
from dycl.diag import CODES, CompileErrors
from dycl.diag.examples import examples

WITHOUT = {
    "DY102": "of contexts of autograd functions, which are classes of their own",
    "DY110": "a function without a source is in no file",
    "DY115": "what is left is no Python that people write",
    "DY120": "the mode is not the source's",
    "DY122": "of exported programs",
    "DY123": "of exported programs",
    "DY124": "of files that change",
    "DY204": "of hooks, which are set outside of the class",
    "DY208": "of several calls",
    "DY209": "what nobody foresaw",
    "DY302": "of many joins",
}
"""Codes of models that no methods of a class show."""


@pytest.fixture
def net(tmp_path, monkeypatch):
    """Makes the module that has these methods, from a file."""

    def make(methods):
        lines = [f"    {line}".rstrip() for line in methods.splitlines()]
        text = "\n".join(lines)
        path = tmp_path / "example.py"
        path.write_text(
            f"import torch\nfrom torch import nn\n\n\nclass Net(nn.Module):\n{text}\n"
        )
        linecache.clearcache()
        spec = importlib.util.spec_from_file_location("example", path)
        module = importlib.util.module_from_spec(spec)
        monkeypatch.setitem(sys.modules, "example", module)
        spec.loader.exec_module(module)
        torch.manual_seed(0)
        return module.Net().eval()

    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    return make


def test_every_code_of_a_model_has_one():
    of_models = {c for c in CODES if c < "DY400" and not c.startswith("DY29")}
    assert examples().keys() == of_models - WITHOUT.keys()


@pytest.mark.parametrize("code", sorted(examples()))
def test_refused(code, net):
    try:
        model = net(examples()[code].refused)
    except SyntaxError:
        pytest.fail("an example is Python")
    with pytest.raises(CompileErrors) as caught:
        dycl.compile(model, (torch.ones(2, 4),), backend="reference")
    assert {error.code for error in caught.value.errors} == {code}


@pytest.mark.parametrize("code", sorted(examples()))
def test_taken(code, net):
    """And gives what eager gives."""
    model = net(examples()[code].taken)
    compiled = dycl.compile(model, (torch.ones(2, 4),), backend="reference")
    for x in (torch.ones(2, 4), -torch.ones(2, 4), torch.arange(8.0).view(2, 4)):
        with torch.no_grad():
            expected = model(x.clone())
        torch.testing.assert_close(compiled(x), expected)


def test_shown(capsys):
    from dycl.tools import cli

    assert cli.run(["explain", "dy113"]) == 0
    shown = capsys.readouterr().out
    assert "refused:\n    def forward(self, x):\n        return x * scale" in shown
    assert "taken:\n    def forward(self, x):\n        scale = 2" in shown
