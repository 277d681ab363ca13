"""Packages in `examples/`, installed as a user installs them."""

import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture(scope="module")
def installed_example(
    tmp_path_factory: pytest.TempPathFactory,
) -> Callable[[str], Path]:
    """Installs an example, by its folder: in a new folder that holds nothing else."""

    def install(name: str) -> Path:
        # Built from a copy: setuptools leaves build/ and an egg-info beside the source.
        source = tmp_path_factory.mktemp("source") / name
        shutil.copytree(ROOT / "examples" / name, source)
        target = tmp_path_factory.mktemp("site")
        flags = ["--no-deps", "--no-build-isolation", "--no-index", "--quiet"]
        pip = [sys.executable, "-m", "pip", "install", "--disable-pip-version-check"]
        command = [*pip, *flags, "--target", str(target), str(source)]
        subprocess.run(command, check=True)
        return target

    return install
