"""What is compiled is the source that a function was made from, or nothing.

A file may be edited after its import, so that its text means something else than the
functions in memory. Each edit here is refused if it changes a function that is reached.
"""

import importlib.machinery
import importlib.util
import linecache
import os
import subprocess
import sys
import textwrap

import pytest

import dycl
from dycl.diag import CompileErrors
from dycl.frontend import definitions

torch = pytest.importorskip("torch")

TEXT = '''\
import torch
from torch import nn

SCALE = 3


def helper(x):
    return x + 1


def unused(x):
    return x - 7


class Net(nn.Module):
    def forward(self, x, k=2):
        """Doc."""
        double = lambda y: y * 2

        def inner(y):
            return double(y) + (lambda: 4)()

        if x.sum() > 0:
            return helper(inner(x)) * SCALE
        return x * k
'''
X = torch.ones(3)
EAGER = (X * 2 + 4 + 1) * 3


@pytest.fixture
def net(tmp_path, request):
    """A function that edits the file of a module, and an instance of its class."""
    return Edited(tmp_path / f"{request.node.name.partition('[')[0]}_model.py")


class Edited:
    """A module in a file, imported, whose text may be changed afterwards."""

    def __init__(self, path, text=TEXT, loader=None):
        self.path = path
        path.write_text(text)
        loader = (loader or importlib.machinery.SourceFileLoader)(path.stem, str(path))
        spec = importlib.util.spec_from_file_location(path.stem, path, loader=loader)
        self.module = importlib.util.module_from_spec(spec)
        sys.modules[path.stem] = self.module
        self.load()

    def load(self):
        self.module.__spec__.loader.exec_module(self.module)

    def replace(self, old, new, text=TEXT):
        assert old in text
        self.path.write_text(text.replace(old, new))
        os.utime(self.path, (1, 1))  # another time, though not a later one
        linecache.clearcache()

    def compile(self):
        return dycl.compile(self.module.Net().eval(), (X,))

    def refusal(self):
        with pytest.raises(CompileErrors) as caught:
            self.compile()
        [error] = caught.value.errors
        assert error.code == "DY124"
        assert "restart the process" in error.hint
        assert error.at.file.endswith(self.path.name)
        return error


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("x * k", "x + k"),
        ("x * k", "x * k * 1.0"),
        ("y * 2", "y * 2.0"),
        ("double(y) +", "double(y) -"),
        ("(lambda: 4)", "(lambda: 5)"),
        ("def inner(y):", "def inner(y, z=1):"),
        ("x.sum()", "x.prod()"),
        ("forward(self, x, k=2)", "forward(self, k, x=2)"),
        ("        return x * k\n", ""),
    ],
)
def test_edit_of_forward(net, old, new):
    net.replace(old, new)
    error = net.refusal()
    assert "the source of `Net.forward` has changed" in error.what
    assert "def forward(self" in str(error)


def test_edit_of_a_function_that_is_called(net):
    net.replace("x + 1", "x + 100")
    error = net.refusal()
    assert "the source of `helper` has changed" in error.what
    assert "def helper(x):" in str(error)


@pytest.mark.parametrize("text", ["", "import torch\n", "def forward(:\n"])
def test_forward_is_gone(net, text):
    """No text, or no such function, or no Python any more."""
    net.path.write_text(text)
    with pytest.raises(CompileErrors, match=r"has changed|cannot be read"):
        net.compile()


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("x - 7", "x - 8"),
        ("SCALE = 3", "SCALE = 4"),
        ("k=2", "k=5"),
        ("import torch\n", "# a comment\n\n\nimport torch\n"),
        ("        if x.sum()", "        # why\n        if x.sum()"),
        ("return x * k", "return (\n            x * k\n        )"),
        ("def helper(x):", "@torch.no_grad()\ndef helper(x):"),
        ("def unused", "def forward(self):\n    pass\n\n\ndef unused"),
    ],
)
def test_edit_that_changes_no_function(net, old, new):
    """What is not in the code comes from the objects in memory: globals, defaults."""
    net.replace(old, new)
    compiled = net.compile()
    assert torch.equal(compiled(X), EAGER)
    assert torch.equal(compiled(-X), -X * 2)
    for _, test, _, line in compiled.decisions:
        found = net.path.read_text().splitlines()[line - 1]
        assert test in found


def test_import_anew(net):
    """The text of now, though lines that were read earlier are kept in memory."""
    assert linecache.getline(str(net.path), 8) == "    return x + 1\n"
    net.path.write_text(TEXT.replace("x + 1", "x + 100"))
    net.load()
    assert torch.equal(net.compile()(X), EAGER + 99 * 3)


def test_lambdas_on_one_line(tmp_path):
    text = "import torch\nclass Net(torch.nn.Module):\n    forward = {}\n".format(
        "[lambda self, x: x * 2, lambda self, x: x * 3, lambda self, x: x * 2][1]"
    )
    net = Edited(tmp_path / "lambdas.py", text)
    assert torch.equal(net.compile()(X), X * 3)
    net.replace("x * 3", "x * 4", text)
    assert "Net.<lambda>" in net.refusal().what


class Doubling(importlib.machinery.SourceFileLoader):
    """An import hook that writes other code: `2` becomes `20`."""

    def source_to_code(self, data, path):
        return compile(
            data.replace(b"k=2", b"k=20").replace(b"* 2", b"* 20"), path, "exec"
        )


class Adding:
    """An import hook that cannot be asked for the code of a text, as pytest's."""

    def __init__(self, name, path):
        self.path = path

    def create_module(self, spec):
        return None

    def exec_module(self, module):
        with open(self.path) as file:
            text = file.read().replace(
                "if x.sum()", "print('seen', 17)\n        if x.sum()"
            )
        exec(compile(text, self.path, "exec"), module.__dict__)


@pytest.mark.parametrize("loader", [Doubling, Adding])
def test_code_of_an_import_hook(tmp_path, loader):
    net = Edited(tmp_path / f"by_{loader.__name__}.py", TEXT, loader)
    assert definitions.definition(net.module.Net.forward).name == "forward"
    net.replace("x * k", "x * k * 17.5")
    assert "`Net.forward` has changed" in net.refusal().what


def test_assertion_that_pytest_has_written_anew():
    class Net(torch.nn.Module):
        def forward(self, x):
            assert x.shape[0] == 3, "three rows"
            return x * 2

    assert torch.equal(dycl.compile(Net().eval(), (X,))(X), X * 2)


@pytest.mark.parametrize("flag", ["-O", "-OO"])
def test_levels_of_optimisation(net, flag):
    """Without assertions and docstrings, and with them in a text that is executed."""
    program = f"""
        import sys
        sys.path.insert(0, {str(net.path.parent)!r})
        import {net.path.stem} as model
        from dycl.frontend.definitions import definition
        assert definition(model.Net.forward).name == "forward" or sys.exit(3)
        names = {{"__name__": "made"}}
        text = open(model.__file__).read()
        exec(compile(text, model.__file__, "exec", optimize=0), names)
        if definition(names["Net"].forward) is None:
            sys.exit(4)
    """
    command = [sys.executable, flag, "-c", textwrap.dedent(program)]
    assert subprocess.run(command, check=False).returncode == 0


def test_tracing(net):
    """What follows a run line by line leaves code as it is."""
    sys.settrace(lambda frame, event, value: None)
    try:
        net.module.Net()(X)
        assert torch.equal(net.compile()(X), EAGER)
    finally:
        sys.settrace(None)


def test_profiler_that_appends_nothing(net):
    """A profiler of lines tells functions apart by instructions that do nothing."""
    forward = net.module.Net.forward
    code = forward.__code__
    forward.__code__ = code.replace(co_code=code.co_code + b"\x09\x00" * 2)
    assert torch.equal(net.compile()(X), EAGER)


def test_files_of_one_name_in_two_folders(tmp_path, monkeypatch):
    """What is shown of a file is of the folder that the process is in now."""
    tests = []
    for folder, limit in (("first", 1), ("second", 234)):
        (tmp_path / folder).mkdir()
        monkeypatch.chdir(tmp_path / folder)
        file = tmp_path / folder / "gate.py"
        file.write_text(
            f"def forward(x):\n    if x.sum() > {limit}:\n        return x\n"
            "    return -x\n"
        )
        spec = importlib.util.spec_from_file_location("gate", file)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        net = dycl.compile(module.forward, (torch.ones(2),))
        tests += [test for _, test, _, _ in net.decisions]
    assert tests == ["x.sum() > 1", "x.sum() > 234"]
