"""What fails at a line of the user's is a refusal of it, not an internal error."""

import pytest
import torch

import dycl
from dycl.diag import CompileErrors, InternalError, PassFailed
from dycl.frontend import expressions
from dycl.passes import infer_shapes
from dycl.passes.check_hcfg import CheckHcfgPass
from dycl.passes.propagate_constants import PropagateConstantsPass


class Net(torch.nn.Module):
    def forward(self, x):
        y = x.relu()
        return y.exp() + 1


def refusal_of_net():
    with pytest.raises(CompileErrors) as caught:
        dycl.compile(Net().eval(), (torch.ones(3),), cache=False)
    (error,) = caught.value.errors
    assert error.code == "DY209"
    return error


@pytest.fixture(autouse=True)
def _here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def test_a_pass_that_fails_at_an_op(monkeypatch, tmp_path):
    def fails(op):
        raise KeyError(op.name)

    def apply(self, ctx, op):
        for inner in op.walk():
            if getattr(inner, "method", None) is not None:
                fails(inner)

    monkeypatch.setattr(PropagateConstantsPass, "apply", apply)
    error = refusal_of_net()
    assert error.what == "`x.relu()` cannot be compiled"
    assert error.notes[0] == "KeyError: 'dycl.invoke'"
    (folder,) = tmp_path.iterdir()
    assert folder.name in error.notes[1]
    assert "KeyError" in (folder / "traceback.txt").read_text()


def test_a_check_that_fails_at_an_op(monkeypatch):
    def apply(self, ctx, op):
        for inner in op.walk():
            if inner.name == "dycl.launch":
                raise PassFailed("`dycl.launch` has no form on the host", inner)

    monkeypatch.setattr(CheckHcfgPass, "apply", apply)
    error = refusal_of_net()
    assert error.notes == ("`dycl.launch` has no form on the host",)
    assert error.at is not None
    with pytest.raises(PassFailed, match="has no form"):
        dycl.compile(
            Net().eval(), (torch.ones(3),), without=("dycl-share-kernels",), cache=False
        )


def test_a_failure_while_the_source_is_read(monkeypatch):
    def fails(b, node):
        raise IndexError("no such thing")

    monkeypatch.setitem(expressions._HANDLERS, expressions.ast.BinOp, fails)
    error = refusal_of_net()
    assert error.what == "`y.exp() + 1` cannot be compiled"
    assert error.notes == ("IndexError: no such thing",)


def test_a_failure_about_no_line_is_an_internal_error(monkeypatch):
    def apply(self, ctx, module):
        raise KeyError("no such thing")

    monkeypatch.setattr(PropagateConstantsPass, "apply", apply)
    with pytest.raises(InternalError, match="DY901"):
        dycl.compile(Net().eval(), (torch.ones(3),), cache=False)


def test_passes_that_undo_each_other_name_an_op(monkeypatch):
    number = 0
    whole = infer_shapes.InferShapesPass.apply

    def apply(self, ctx, op):
        nonlocal number
        whole(self, ctx, op)
        for inner in op.walk():
            if getattr(inner, "method", None) is not None:
                number += 1
                inner.attributes["n"] = text_of(number)
                break

    monkeypatch.setattr(infer_shapes.InferShapesPass, "apply", apply)
    error = refusal_of_net()
    assert error.what == "`x.relu()` cannot be compiled"
    assert "max-rounds" in error.notes[0]


def text_of(number):
    from xdsl.dialects.builtin import StringAttr

    return StringAttr(str(number))
