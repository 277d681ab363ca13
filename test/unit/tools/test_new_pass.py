"""The scaffold makes a pass whose tests pass, in a copy of the checkout."""

import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture(scope="module")
def new_pass() -> ModuleType:
    spec = importlib.util.spec_from_file_location(
        "new_pass", ROOT / "tools" / "new_pass.py"
    )
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    keep = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "dycl", tmp_path / "dycl", ignore=keep)
    lit = tmp_path / "test" / "lit"
    lit.mkdir(parents=True)
    shutil.copy(ROOT / "test" / "lit" / "lit.cfg.py", lit)
    (tmp_path / "tools").mkdir()
    shutil.copy(ROOT / "tools" / "warm.py", tmp_path / "tools")
    return tmp_path


def test_new_pass_is_green(new_pass: ModuleType, checkout: Path) -> None:
    assert new_pass.main(["merge-equal-branches"], checkout) == 0
    table = (checkout / "dycl" / "passes" / "__init__.py").read_text()
    lines = [line for line in table.splitlines() if line.startswith('    "dycl-')]
    assert lines == sorted(lines)
    assert any("merge_equal_branches:MergeEqualBranchesPass" in x for x in lines)
    done = subprocess.run(
        [sys.executable, "-c", "from lit.main import main; main()", "test/lit"],
        capture_output=True,
        text=True,
        cwd=checkout,
        env={**os.environ, "PYTHONPATH": str(checkout)},
        check=False,
    )
    assert done.returncode == 0, done.stdout
    assert "Passed: 2" in done.stdout
    ruff = [sys.executable, "-m", "ruff", "check", "--isolated", "--line-length=88"]
    made = checkout / "dycl" / "passes" / "merge_equal_branches.py"
    subprocess.run([*ruff, str(made)], check=True)


def test_existing_pass_is_not_overwritten(
    new_pass: ModuleType, checkout: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert new_pass.main(["merge-equal-branches"], checkout) == 0
    assert new_pass.main(["merge-equal-branches"], checkout) == 2
    assert "merge_equal_branches.py exists already" in capsys.readouterr().err


@pytest.mark.parametrize("args", [[], ["Merge"], ["one"], ["dycl-a-b"], ["a-b", "c-d"]])
def test_wrong_names_are_refused(
    new_pass: ModuleType, args: list[str], tmp_path: Path
) -> None:
    assert new_pass.main(args, tmp_path) == 2
    assert list(tmp_path.iterdir()) == []
