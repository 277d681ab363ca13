"""pytorch-jit-paritybench: `nn.Module`s of public repositories, one file for each.

Its files are not part of this repository: the folder given holds `generated/test_*.py`
and the package `paritybench`. A program is a row of a file's `TESTCASES`.
"""

import collections.abc
import math
import re
import sys
import types
from functools import partial
from importlib import import_module
from importlib.machinery import ModuleSpec
from pathlib import Path
from unittest.mock import MagicMock

import torch

from tools.corpus.libraries.native_ops import import_torchvision
from tools.corpus.programs import Program

_ROW = re.compile(r"^    \((\w+),$", re.MULTILINE)


def programs(folder):
    """Every row of every file."""
    prepare(folder)
    for path in sorted(Path(folder, "generated").glob("test_*.py")):
        text = path.read_text()
        rows = _ROW.findall(text[text.rfind("\nTESTCASES = [") :])
        for place, name in enumerate(rows):
            title = f"{path.stem.removeprefix('test_')}:{place}:{name}"
            yield Program("paritybench", title, partial(_make, folder, path, place))


def _make(folder, path, place):
    model_class, init, forward, _ = _imported(folder, path).TESTCASES[place]
    args, kwargs = init()
    model = model_class(*args, **kwargs)
    args, kwargs = forward()
    return model, tuple(args), kwargs


def _imported(folder, path):
    """The file as a module, as the corpus' own tool imports it."""
    if path.stem in sys.modules:
        return sys.modules[path.stem]
    module = types.ModuleType(path.stem)
    module.__file__ = str(path)
    sys.modules[path.stem] = module
    exec(compile(path.read_text(), str(path), "exec"), module.__dict__)
    return module


def prepare(folder):
    """Let the corpus' files find what they import; what is not installed is a mock."""
    for place in (str(folder), str(Path(folder, "generated"))):
        if place not in sys.path:
            sys.path.insert(0, place)
    if not any(isinstance(finder, _Absent) for finder in sys.meta_path):
        sys.meta_path.append(_Absent())
        import_torchvision()
        import_module("_paritybench_helpers")
        import_module("sklearn")
    sys.modules.setdefault("torch.utils.tensorboard", MagicMock())
    sys.modules.setdefault("torch._six", _six())
    for name in collections.abc.__all__:
        if not hasattr(collections, name):
            setattr(collections, name, getattr(collections.abc, name))
    torch.Tensor.cuda = lambda self, *_, **__: self
    torch.nn.Module.cuda = lambda self, *_, **__: self


def _six():
    """What `torch._six` had when the programs were written."""
    module = types.ModuleType("torch._six")
    module.__getattr__ = lambda name: MagicMock(name=name)
    module.inf, module.string_classes, module.int_classes = math.inf, (str, bytes), int
    module.container_abcs = collections.abc
    return module


class _Absent:
    """Finds, last of all, the libraries that are not installed, as mocks."""

    NAMES = ("tensorflow", "torchtext", "torchaudio", "matplotlib")

    def find_spec(self, name, path=None, target=None):
        """A module that is a mock, for the libraries above."""
        return ModuleSpec(name, self) if name.split(".")[0] in self.NAMES else None

    def create_module(self, spec):
        """A mock that passes for a package."""
        mock = MagicMock(name=spec.name)
        mock.__path__, mock.__name__, mock.__spec__ = [], spec.name, spec
        return mock

    def exec_module(self, module):
        """Nothing is to be run."""
