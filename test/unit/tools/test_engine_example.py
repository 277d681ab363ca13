"""A user's package adds a kernel backend by `pip install` alone."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
ENGINE = ROOT / "examples" / "engine"


def test_it_is_short() -> None:
    source = (ENGINE / "dycl_toy_engine" / "__init__.py").read_text()
    assert len(source.splitlines()) < 200


def test_its_own_tests_pass(installed_example, tmp_path: Path) -> None:
    site = installed_example("engine")
    shutil.copytree(ENGINE / "tests", tmp_path / "tests")
    paths = os.pathsep.join([str(ROOT), str(site)])
    options = ["-q", "-p", "no:cacheprovider", "--rootdir", str(tmp_path)]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *options, "tests"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": paths},
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert " passed" in done.stdout
