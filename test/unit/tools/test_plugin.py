"""A researcher's package adds a pass to `dycl-opt` by `pip install` alone."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture(scope="module")
def site(installed_example) -> Path:
    """A folder that holds the installed example plugin and nothing else."""
    return installed_example("plugin")


def run(site: Path | None, *command: str) -> subprocess.CompletedProcess[str]:
    paths = [str(path) for path in (ROOT, site) if path is not None]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}
    return subprocess.run(
        [sys.executable, "-m", *command],
        capture_output=True,
        text=True,
        env=environment,
        check=False,
    )


def test_pass_is_listed_once_installed(site: Path) -> None:
    listed = run(site, "dycl.tools.opt", "--list-passes").stdout
    assert "research-merge-equal-branches  Replaces a `dycl.if`" in listed
    without = run(None, "dycl.tools.opt", "--list-passes").stdout
    assert "research-merge-equal-branches" not in without


def test_plugins_own_lit_tests_pass(site: Path, tmp_path: Path) -> None:
    tests = shutil.copytree(ROOT / "examples" / "plugin" / "lit", tmp_path / "lit")
    lit = "import sys; from lit.main import main; main()"
    paths = os.pathsep.join([str(ROOT), str(site)])
    done = subprocess.run(
        [sys.executable, "-c", lit, "-v", str(tests)],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": paths},
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Passed: 2" in done.stdout


def test_pass_runs_inside_dycl_repeat(site: Path) -> None:
    done = run(
        site,
        "dycl.tools.opt",
        "-p",
        "dycl-repeat{passes=cse,research-merge-equal-branches}",
        str(ROOT / "examples" / "plugin" / "lit" / "merges-equal-branches.mlir"),
    )
    assert done.returncode == 0, done.stderr
    assert "dycl.if" not in done.stdout


NET = """
import sys
import torch
import dycl

def net(x):
    if x.sum() > 0:
        y = x + 1
    else:
        y = x + 1
    return y

x = torch.ones(2)
pipeline = "normalise,research-merge-equal-branches,type,partition,host"
plain, merged = dycl.compile(net, (x,)), dycl.compile(net, (x,), pipeline=pipeline)
for value in (x, -x):
    assert torch.equal(plain(value), merged(value))
    assert len(plain.path) == 1 and len(merged.path) == 0
try:
    dycl.compile(net, (x,), pipeline="normalise,research-merge-equal-branch,type")
except ValueError as error:
    print(error)
"""


def test_pass_runs_inside_compile(site: Path, tmp_path: Path) -> None:
    """No file of ours has to know it."""
    (tmp_path / "net_of_plugin.py").write_text(NET, encoding="utf-8")
    paths = os.pathsep.join([str(ROOT), str(site), str(tmp_path)])
    done = subprocess.run(
        [sys.executable, "-m", "net_of_plugin"],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": paths},
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "did you mean 'research-merge-equal-branches'?" in done.stdout
