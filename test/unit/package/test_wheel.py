"""The wheel and the sdist: what they hold, and that the wheel alone runs a network.

There is no network in this test: the wheel is unpacked, and NumPy is that of here.
"""

import contextlib
import os
import shutil
import subprocess
import sys
import tarfile
import zipfile
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
import torch

import dycl
from dycl.tools import ir_entry

ROOT = Path(__file__).parents[3]

_BUILD = """
import sys
from setuptools import build_meta
getattr(build_meta, f"build_{sys.argv[1]}")(sys.argv[2])
"""

ALONE = """
import runpy, sys
sys.path[:0] = sys.argv[1:3]
sys.argv = ["dycl", *sys.argv[3:]]
runpy.run_module("dycl", run_name="__main__")
"""


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """A folder with the sdist and the wheel, made of a copy of the tree."""
    at = tmp_path_factory.mktemp("package")
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "dycl", at / "tree" / "dycl", ignore=ignored)
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, at / "tree" / name)
    (at / "dist").mkdir()
    for kind in ("sdist", "wheel"):
        command = [sys.executable, "-c", _BUILD, kind, str(at / "dist")]
        done = subprocess.run(command, cwd=at / "tree", capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
    return at / "dist"


@pytest.fixture(scope="module")
def site(built, tmp_path_factory):
    """A folder with what the wheel installs, and one with NumPy alone."""
    at = tmp_path_factory.mktemp("site")
    [wheel] = built.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(at / "dycl")
    (at / "numpy").mkdir()
    packages = Path(np.__file__).parents[1]
    found = [
        "numpy",
        "numpy.libs",
        *(p.name for p in packages.glob("numpy-*.dist-info")),
    ]
    for name in found:
        if (packages / name).exists():
            (at / "numpy" / name).symlink_to(packages / name)
    return str(at / "dycl"), str(at / "numpy")


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    class Net(torch.nn.Module):
        def forward(self, x):
            if x.sum() > 0:
                return x + 1
            return x - 1

    path = tmp_path_factory.mktemp("saved") / "net.dycl"
    dycl.compile(Net().eval(), (torch.ones(2),)).save(path)
    np.save(path.parent / "x.npy", np.ones(2, np.float32))
    return path


def alone(site, *arguments):
    """Run `dycl` with the wheel and NumPy, and no other package."""
    command = [sys.executable, "-S", "-E", "-c", ALONE, *site, *map(str, arguments)]
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
    return subprocess.run(command, capture_output=True, text=True, env=environment)


def test_what_is_in_them(built):
    [wheel], [sdist] = built.glob("*.whl"), built.glob("*.tar.gz")
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
        metadata = archive.read("dycl-0.1.0.dist-info/METADATA").decode()
    assert {
        "dycl/runtime/net.py",
        "dycl/host/native/run.c",
        "dycl/tools/first_network.txt",
        "dycl/py.typed",
    } <= names
    assert not any(name.startswith(("test", "tools", "bench")) for name in names)
    lines = metadata.splitlines()
    assert "Requires-Python: >=3.9" in lines
    assert "Author: The DyCL authors" in lines
    needed = [line for line in lines if line.startswith("Requires-Dist")]
    assert [line for line in needed if "extra" not in line] == ["Requires-Dist: numpy"]
    with tarfile.open(sdist) as archive:
        inner = {name.partition("/")[2] for name in archive.getnames()}
    assert {"pyproject.toml", "README.md", "LICENSE", "dycl/runtime/net.py"} <= inner


@pytest.mark.skipif(find_spec("twine") is None, reason="twine is not installed")
def test_an_index_would_take_them(built):
    files = [str(path) for path in built.iterdir()]
    command = [sys.executable, "-m", "twine", "check", "--strict", *files]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout
    assert done.stdout.count("PASSED") == 2


def test_the_wheel_runs_a_network_with_numpy_alone(site, saved):
    done = alone(site, "run", saved, "-i", saved.parent / "x.npy")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("output: f32[2] [2., 2.]\npath:\n  exit 1: x.sum()")
    assert "x: float32[2]" in alone(site, "show", saved).stdout
    assert alone(site, "show", saved, "hcfg").stdout.startswith("digraph")
    assert alone(site, "verify", saved).stdout.endswith(f"  {saved}\n")


def test_the_wheel_profiles_a_network_with_numpy_alone(site, saved, tmp_path):
    """What it writes draws the picture with its counts, on the same machine."""
    out = tmp_path / "p.json"
    asked = ("profile", saved, "-i", saved.parent / "x.npy", "--calls", 7, "-o", out)
    done = alone(site, *asked)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("7 calls, ")
    picture = alone(site, "show", saved, "hcfg", "--profile", out)
    assert "yes 100%" in picture.stdout, picture.stderr


@pytest.mark.parametrize("command", ["run", "profile", "show"])
@pytest.mark.parametrize("model", ["net.py:build", "net.pt2", "net.mlir"])
def test_the_wheel_compiles_no_model(site, command, model):
    done = alone(site, command, model)
    assert done.returncode == 1
    assert f"'{model}' is to be compiled, which needs the compiler" in done.stderr
    assert "pip install 'dycl[compile]'" in done.stderr


def test_the_wheel_writes_the_examples(site, tmp_path):
    done = alone(site, "example", "c", tmp_path)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "run.c").read_text().startswith("/* Run a compiled network")


def test_the_wheel_says_what_it_lacks(site):
    done = alone(site, "compile", "net.py:build")
    assert done.returncode == 1
    assert "pip install 'dycl[compile]'" in done.stderr
    done = alone(site, "doctor")
    assert done.returncode == 0, done.stderr
    assert "optional compiler" in done.stdout
    assert alone(site, "shwo").stderr.endswith("; did you mean 'show'?\n")


@pytest.mark.parametrize("script", ["opt", "kernel_opt", "run"])
def test_scripts_for_ir_say_what_they_lack(site, script):
    code = "import sys; sys.path[:0] = sys.argv[1:]; from dycl.tools import ir_entry"
    code += f"; ir_entry.{script}()"
    command = [sys.executable, "-S", "-E", "-c", code, *site]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 1
    name = f"dycl-{script.replace('_', '-')}"
    wanted = f"{name}: error: this needs the compiler: pip install 'dycl[compile]'"
    assert done.stderr.strip() == wanted


@pytest.mark.parametrize(
    ("script", "option", "shown"),
    [
        ("opt", "--list-passes", "dycl-unroll-loops"),
        ("kernel_opt", "--list", "cpu-block-contractions"),
        ("run", "--help", "usage:"),
    ],
)
def test_scripts_for_ir_run(monkeypatch, capsys, script, option, shown):
    monkeypatch.setattr(sys, "argv", [script, option])
    with contextlib.suppress(SystemExit):
        getattr(ir_entry, script)()
    assert shown in capsys.readouterr().out
