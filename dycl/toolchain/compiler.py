"""Finding a C compiler: the machine's, or the one in the package `ziglang`."""

import os
import shlex
import shutil
import sys
from dataclasses import dataclass
from importlib.metadata import version
from importlib.util import find_spec

INSTALL = "install gcc or clang, or: pip install 'dycl[cc]'"
"""What to do where there is no C compiler."""

_PACKAGE = "ziglang"


@dataclass(frozen=True)
class CCompiler:
    """A C compiler that can link, too."""

    command: tuple[str, ...]
    """What to run; options follow."""
    is_zig: bool = False
    """Whether it is the one of the package `ziglang`: clang and lld."""

    def __str__(self) -> str:
        """How a shell would run it."""
        return shlex.join(self.command)

    @property
    def identity(self) -> tuple[object, ...]:
        """What tells it from others, and from itself after an update."""
        if self.is_zig:
            return _PACKAGE, version(_PACKAGE)
        result: list[object] = [self.command]
        for word in self.command:
            if (path := shutil.which(word)) is not None:
                about = os.stat(path)
                result += [os.path.realpath(path), about.st_size, about.st_mtime_ns]
        return tuple(result)

    def options_for(self, target: str | None) -> list[str]:
        """The options that choose a processor, one of `dycl.runtime.targets`.

        None: the code is to run on any of its kind.
        """
        if not self.is_zig:
            return [] if target is None else [f"-march={target}"]
        # Zig spells names with underscores, takes this machine's processor unless it
        # is told another, and checks for undefined behavior unless it is told not to.
        name = "baseline" if target is None else target.replace("-", "_")
        return [f"-mcpu={name}", "-fno-sanitize=undefined"]


def find_compiler() -> CCompiler | None:
    """`$CC`, or `cc`, `gcc` or `clang`, or that of `ziglang`, if it is installed.

    None: there is no C compiler.
    """
    if words := shlex.split(os.environ.get("CC", "")):
        return CCompiler(tuple(words))
    for name in ("cc", "gcc", "clang"):
        if path := shutil.which(name):
            return CCompiler((path,))
    if find_spec(_PACKAGE) is not None:
        return CCompiler((sys.executable, "-m", _PACKAGE, "cc"), is_zig=True)
    return None
