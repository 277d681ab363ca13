"""`dycl doctor`: what is found, what is missing, and the command that mends it."""

from importlib.metadata import PackageNotFoundError

import pytest

from dycl.tools import cli, cli_doctor
from dycl.tools.cli_doctor import Check


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


def test_the_requirements_are_those_of_the_package():
    assert {"xdsl==0.74.*", "numpy", "torch-mlir==20261001"} <= set(
        cli_doctor.requirements()
    )
    assert not any("pytest" in found for found in cli_doctor.requirements())


def test_another_python_is_refused():
    assert cli_doctor.python_check((3, 11, 7)).ok
    assert not cli_doctor.python_check((3, 12, 1)).ok


def test_native_code_runs_here():
    assert cli_doctor.native_check() == Check(
        "native code",
        True,
        "compiled and ran a function",
        "",
    )


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
