"""`dycl doctor`: what is found, what is missing, and the command that mends it."""

import tomllib
from importlib.metadata import PackageNotFoundError
from pathlib import Path
from types import SimpleNamespace

import pytest

from dycl.runtime.cuda import driver
from dycl.runtime.engines import EngineMissing
from dycl.tools import cli, cli_doctor
from dycl.tools.cli_doctor import Check, engine_checks, gpu_check, ptx_check

ROOT = Path(__file__).parents[3]


def test_a_missing_piece_comes_with_the_command_that_mends_it():
    def absent(name):
        raise PackageNotFoundError(name)

    check = cli_doctor.package_check("torch>=2.11,<2.14", absent)
    assert str(check) == (
        "MISSING  torch         not installed\n"
        "         -> pip install 'torch>=2.11,<2.14'"
    )


@pytest.mark.parametrize(
    ("requirement", "installed", "ok"),
    [
        ("torch>=2.11,<2.14", "2.13.0+cpu", True),
        ("torch>=2.11,<2.14", "2.11.0", True),
        ("torch>=2.11,<2.14", "2.14.0", False),
        ("torch>=2.11,<2.14", "2.9.1", False),
        ("xdsl==0.74.*", "0.74.3", True),
        ("xdsl==0.74.*", "0.75.0", False),
        ("torch-mlir==20261001", "20261001", True),
        ("torch-mlir==20261001", "20261002", False),
        ("numpy", "2.4", True),
    ],
)
def test_versions(requirement, installed, ok):
    assert cli_doctor.package_check(requirement, lambda _: installed).ok is ok


def test_a_wrong_version_is_named_with_the_bound_it_breaks():
    check = cli_doctor.package_check("torch>=2.11,<2.14", lambda _: "2.14.0")
    assert check.detail == "2.14.0, but <2.14 is needed"


@pytest.fixture
def requires(monkeypatch):
    """What the package says of itself, also before it is installed anew."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    listed = list(project["dependencies"])
    for extra, needed in project["optional-dependencies"].items():
        listed += [f"{one}; extra == '{extra}'" for one in needed]
    monkeypatch.setattr(cli_doctor, "requires", lambda name: listed)


@pytest.mark.usefixtures("requires")
def test_the_requirements_are_those_of_the_package():
    assert cli_doctor.requirements() == ["numpy"]
    found = cli_doctor.requirements("compile")
    assert {"xdsl==0.74.*", "torch-mlir==20261001"} <= set(found)
    assert not any("pytest" in one for one in found)


def test_another_python_is_refused():
    assert cli_doctor.python_check((3, 9, 1)).ok
    assert not cli_doctor.python_check((3, 8, 1)).ok
    assert cli_doctor.compiler_python_check((3, 11, 7)).ok
    assert not cli_doctor.compiler_python_check((3, 12, 1)).ok


@pytest.mark.usefixtures("requires")
def test_saved_networks_need_no_compiler(monkeypatch, capsys):
    monkeypatch.setattr(cli_doctor, "find_spec", lambda name: None)
    assert cli.run(["doctor"]) == 0
    said = capsys.readouterr().out
    assert "ok       runtime       runs saved networks" in said
    assert "optional compiler      not installed; saved networks run without it" in said
    assert "pip install 'dycl[compile]'" in said
    assert "torch" not in said


def test_native_code_runs_here():
    assert cli_doctor.native_check() == Check(
        "native code",
        True,
        "compiled and ran a function",
        "",
    )


def test_engines_and_the_gpu_are_optional(monkeypatch):
    def fails(name, _):
        if name == "openvino":
            raise OSError("its library\nis of another machine")
        raise EngineMissing("An Engine", name, "No module named 'it'")

    monkeypatch.setattr("dycl.runtime.engines.engine_of", fails)
    monkeypatch.setattr(driver, "LIBRARY", "libcuda-that-is-not-there.so.1")
    driver.device.cache_clear()
    found = {one.name: one for one in [*engine_checks(), gpu_check()]}
    assert str(found["onnxruntime"]) == (
        "optional onnxruntime   No module named 'it'\n"
        "         -> pip install 'dycl[onnxruntime]'"
    )
    assert found["openvino"].detail == "is of another machine"
    assert "there is no NVIDIA driver here" in found["GPU"].detail
    assert all(one.optional and not one.ok for one in found.values())
    driver.device.cache_clear()


@pytest.mark.usefixtures("requires")
def test_what_makes_ptx_is_told():
    [requirement] = cli_doctor.requirements("cuda")
    assert ptx_check(requirement, lambda _: requirement.partition("==")[2]).ok
    other = ptx_check(requirement, lambda _: "3.8.1")
    assert str(other) == (
        f"optional triton        3.8.1, but {requirement.removeprefix('triton')} is "
        "needed\n         -> pip install 'dycl[cuda]'"
    )
    assert other.optional


def test_versions_of_engines_are_told(monkeypatch):
    monkeypatch.setattr(
        "dycl.runtime.engines.engine_of",
        lambda name, threads: SimpleNamespace(key=f"{name} 2026.4.0 {threads}"),
    )
    assert {str(one) for one in engine_checks()} >= {"ok       openvino      2026.4.0"}


@pytest.mark.parametrize(
    ("missing", "status"),
    [
        (Check("torch", False, "not installed", "pip install torch"), 1),
        (Check("C compiler", False, "", "install gcc", optional=True), 0),
        (Check("torch", True, "2.13.0"), 0),
    ],
)
def test_status_is_1_if_something_needed_is_missing(
    monkeypatch, capfd, missing, status
):
    monkeypatch.setattr(cli_doctor, "checks", lambda: iter([missing]))
    assert cli.run(["doctor"]) == status
    assert capfd.readouterr().out == f"{missing}\n"
