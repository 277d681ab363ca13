"""`dycl doctor`: is every piece here that compiling needs? If not, what to type.

`python -m dycl.tools.cli_doctor` is the native-code check alone. It runs as a process
of its own, so that a broken LLVM takes down only itself.
"""

from __future__ import annotations

import argparse
import ctypes
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from importlib import import_module
from importlib.metadata import PackageNotFoundError, requires, version
from importlib.util import find_spec
from typing import Any

OLDEST = (3, 9)
"""The oldest Python on which saved networks run."""
COMPILE = "pip install 'dycl[compile]', on Python 3.11"
_SMOKE_SECONDS = 60
_ADD = """
func.func @add(%a: i64, %b: i64) -> i64 attributes {llvm.emit_c_interface} {
  %sum = arith.addi %a, %b : i64
  return %sum : i64
}
"""
_TO_LLVM = "builtin.module(convert-arith-to-llvm,convert-func-to-llvm)"


@dataclass(frozen=True)
class Check:
    """One piece: found or not, what was found, and the command that mends it."""

    name: str
    ok: bool
    detail: str
    fix: str = ""
    optional: bool = False

    def __str__(self) -> str:
        """One line, and a second with the remedy if the piece is missing."""
        mark = "ok" if self.ok else "optional" if self.optional else "MISSING"
        line = f"{mark:<9}{self.name:<14}{self.detail}".rstrip()
        return line if self.ok or not self.fix else f"{line}\n{'':9}-> {self.fix}"


def run(_args: argparse.Namespace, _compiler: object) -> int:
    """Print every check. Exit status 1 if something that is needed is missing."""
    healthy = True
    for check in checks():
        print(check, flush=True)
        healthy &= check.ok or check.optional
    return 0 if healthy else 1


def checks() -> Iterator[Check]:
    """All checks, cheap ones first: what saved networks need, then the compiler's."""
    yield python_check(sys.version_info[:3])
    for requirement in requirements():
        yield package_check(requirement)
    runtime = runtime_check()
    yield runtime
    if runtime.ok:
        yield from engine_checks()
        yield gpu_check()
    if all(find_spec(name) is None for name in ("xdsl", "torch_mlir")):
        what = "not installed; saved networks run without it"
        yield Check("compiler", False, what, COMPILE, optional=True)
        return
    yield compiler_python_check(sys.version_info[:3])
    for requirement in requirements("compile"):
        yield package_check(requirement)
    yield native_check()
    yield compiler_check()
    yield from map(ptx_check, requirements("cuda"))
    yield plugins_check()


def python_check(found: tuple[int, ...]) -> Check:
    """Whether saved networks run on this version."""
    text = ".".join(map(str, found))
    return Check("python", found[:2] >= OLDEST, text, "install Python 3.9 or later")


def compiler_python_check(found: tuple[int, ...]) -> Check:
    """The pinned torch-mlir wheel exists for one version of Python only."""
    fix = "make a virtual environment with python3.11"
    is_right = found[:2] == (3, 11)
    detail = "on Python 3.11" if is_right else "torch-mlir needs Python 3.11"
    return Check("compiler", is_right, detail, fix)


def requirements(extra: str = "") -> list[str]:
    """What the package says it needs, or what it needs for an extra, `compile`."""
    result: list[str] = []
    for line in requires("dycl") or []:
        requirement, _, marker = line.partition(";")
        found = re.search(r"""extra == ["'](\w+)["']""", marker)
        if (found[1] if found else "") == extra:
            result.append(requirement.replace(" ", ""))
    return result


def runtime_check() -> Check:
    """Whether what runs saved networks can be imported, and which code it can run."""
    try:
        runtime: Any = import_module("dycl.runtime.targets")
        import_module("dycl.runtime")
    except ImportError as error:
        return Check("runtime", False, str(error), "pip install --upgrade numpy dycl")
    levels = [name for name in runtime.LEVELS if not runtime.why_not_here(name)]
    known = f"code for {', '.join(levels)}" if levels else "code made on this machine"
    return Check("runtime", True, f"runs saved networks, {known}")


def engine_checks() -> Iterator[Check]:
    """Whether engines of others can run what they were given of a network."""
    from dycl.runtime.engines import ENGINES, EngineMissing, engine_of

    for name in ENGINES:
        try:
            _, version, _ = engine_of(name, 1).key.split()
            yield Check(name, True, version)
        except Exception as error:  # It is missing, or its installation is broken.
            lines = str(error).strip().splitlines() or [type(error).__name__]
            why = error.why if isinstance(error, EngineMissing) else lines[-1]
            fix = f"pip install 'dycl[{name}]'"
            yield Check(name, False, why, fix, optional=True)


def gpu_check() -> Check:
    """Whether there is a GPU for networks that were compiled for one."""
    from dycl.runtime import cuda

    try:
        return Check("GPU", True, str(cuda.device()))
    except cuda.CudaError as error:
        return Check("GPU", False, str(error.args[0]), optional=True)


def package_check(requirement: str, installed: Callable[[str], str] = version) -> Check:
    """Whether a package is installed, in a version that was tested."""
    name, bounds = _split(requirement)
    fix = f"pip install '{requirement}'"
    try:
        installed_version = installed(name)
    except PackageNotFoundError:
        return Check(name, False, "not installed", fix)
    wrong = [bound for bound in bounds if not _satisfies(installed_version, bound)]
    detail = (
        f"{installed_version}, but {' and '.join(wrong)} is needed"
        if wrong
        else installed_version
    )
    return Check(name, not wrong, detail, fix)


def ptx_check(requirement: str, installed: Callable[[str], str] = version) -> Check:
    """Whether there is what `backend="cuda"` makes PTX by, which takes no GPU."""
    found = package_check(requirement, installed)
    return replace(found, fix="pip install 'dycl[cuda]'", optional=True)


def native_check() -> Check:
    """Whether torch-mlir's LLVM turns text into code that runs here."""
    if find_spec("torch_mlir") is None:
        return Check("native code", False, "needs torch-mlir")
    command = [sys.executable, "-m", "dycl.tools.cli_doctor"]
    fix = "pip install --force-reinstall 'dycl[compile]'"
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=_SMOKE_SECONDS, check=False
        )
    except subprocess.TimeoutExpired:
        return Check("native code", False, f"no answer in {_SMOKE_SECONDS} s", fix)
    if done.returncode == 0:
        return Check("native code", True, "compiled and ran a function")
    lines = done.stderr.strip().splitlines() or [f"exit status {done.returncode}"]
    return Check("native code", False, lines[-1], fix)


def compiler_check() -> Check:
    """A C compiler: for the host in C, and to save networks."""
    from dycl.toolchain import INSTALL, find_compiler

    compiler = find_compiler()
    without = "networks run with a Python host, and cannot be saved; loading needs none"
    detail = without if compiler is None else str(compiler)
    return Check("C compiler", compiler is not None, detail, INSTALL, optional=True)


def plugins_check() -> Check:
    """Whether what packages plug in can be loaded: passes, backends, lowerings."""
    from dycl.backends import class_of, installed
    from dycl.diag import CodedError
    from dycl.lowerings import BrokenLowerings, load_installed
    from dycl.universe import everything

    fix = "repair the package, or uninstall it"
    try:
        everything()
        backends = sorted(installed())
        for name in backends:
            class_of(name)
        load_installed()
    except (CodedError, BrokenLowerings) as error:
        reason = error.what if isinstance(error, CodedError) else str(error)
        return Check("plug-ins", False, reason, fix)
    return Check("plug-ins", True, f"kernel backends: {', '.join(backends)}")


def native_smoke() -> None:
    """Compile 2 + 40 to native code and run it. RuntimeError: it gives another sum."""
    ir: Any = import_module("torch_mlir.ir")
    passes: Any = import_module("torch_mlir.passmanager")
    execution: Any = import_module("torch_mlir.execution_engine")
    with ir.Context():
        module = ir.Module.parse(_ADD)
        passes.PassManager.parse(_TO_LLVM).run(module.operation)
        engine = execution.ExecutionEngine(module)
        terms = (ctypes.c_int64(2), ctypes.c_int64(40), ctypes.c_int64(0))
        engine.invoke("add", *map(ctypes.pointer, terms))
    if terms[-1].value != 42:
        raise RuntimeError(f"2 + 40 gives {terms[-1].value} in native code")


def _split(requirement: str) -> tuple[str, list[str]]:
    """`torch>=2.11,<2.14` -> ("torch", [">=2.11", "<2.14"])."""
    end = re.search(r"[=<>!~\[]|$", requirement)
    at = end.start() if end else len(requirement)
    bounds = requirement[at:].split(",") if at < len(requirement) else []
    return requirement[:at], sorted(bounds, reverse=True)


def _satisfies(found: str, bound: str) -> bool:
    """Whether a version keeps one bound of the kinds that pyproject.toml uses."""
    match = re.fullmatch(r"(==|>=|<)([\d.]+?)(\.\*)?", bound)
    if match is None:
        raise ValueError(f"a version bound of a kind that is not used here: {bound}")
    have, want = _numbers(found), _numbers(match[2])
    if match[1] == ">=":
        return have >= want
    if match[1] == "<":
        return have < want
    return have[: len(want)] == want if match[3] else have == want


def _numbers(text: str) -> tuple[int, ...]:
    """`2.13.0+cpu` -> (2, 13, 0)."""
    leading = re.match(r"\d+(\.\d+)*", text)
    return tuple(map(int, leading[0].split("."))) if leading else ()


if __name__ == "__main__":
    native_smoke()
