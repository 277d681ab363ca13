"""What `--keep` writes, in numbered files: `ls` tells how a model was compiled.

10-source.mlir
11-dycl-inline-calls.mlir ...       only passes that changed something
20-normal.mlir  30-typed.mlir  40-hcfg.mlir  40-hcfg.dot  40-hcfg.mmd  40-hcfg.svg
50-kernels/{torch,linalg,memref,llvm}.mlir
60-host.mlir  60-host.py  60-host.c
"""

from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING

from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from dycl.analysis.manager import same, state
from dycl.ir.printer import FastPrinter, Texts
from dycl.ir.walking import walk

if TYPE_CHECKING:
    from dycl.compiled import CompiledModel

_NUMBERS = {"source": 10, "normal": 20, "typed": 30, "hcfg": 40, "host": 60}


def printed(
    module: ModuleOp, *, locations: bool = False, texts: Texts | None = None
) -> str:
    """The text of a module; `locations` adds each op's location.

    `texts` are those of attributes that were printed before.
    """
    out = StringIO()
    known = Texts() if texts is None else texts
    FastPrinter(out, print_debuginfo=locations, texts=known).print_op(module)
    return out.getvalue() + "\n"


def _shown(module: ModuleOp) -> list[object]:
    """The objects of which a module's text is made: also locations and names."""
    parts = state(module)
    for op in walk(module):
        parts.append(op.location)
        parts += [result.name_hint for result in op.results]
        for region in op.regions:
            for block in region.blocks:
                for argument in block.args:
                    parts.append(argument.name_hint)
                    parts.append(argument.location)
    return parts


class IRDump:
    """Writes files into a folder, or nothing when there is no folder."""

    def __init__(self, folder: Path | str | None):
        """ValueError: `folder` is a file."""
        folder = None if folder is None else Path(folder)
        self._folder = folder
        self._number = _NUMBERS["source"]
        self._step = 0
        self._before = ""
        self._objects: list[object] = []
        """What the program consisted of that is printed there."""
        if folder is not None:
            if folder.is_file():
                raise ValueError(f"'{folder}' is a file, not a folder")
            folder.mkdir(parents=True, exist_ok=True)

    def write_level(self, level: str, module: ModuleOp) -> None:
        """The program at a level, with the user's locations."""
        if self._folder is None:
            return
        text = printed(module, locations=True)
        self._number, self._step = _NUMBERS[level], 0
        self._write(f"{self._number}-{level}.mlir", text)
        self._before, self._objects = text, _shown(module)

    def write_pass(self, name: str, module: ModuleOp) -> None:
        """The program after a pass, if the pass changed it."""
        if self._folder is None:
            return
        # Most passes change nothing, which is quicker to see than to print.
        now = _shown(module)
        if same(now, self._objects):
            return
        self._objects = now
        text = printed(module, locations=True)
        if text != self._before:
            self._step += 1
            self._before = text
            self._write(f"{self._number + 1}-{self._step:03}-{name}.mlir", text)

    def write_inner(self, done: ModulePass, module: ModuleOp, number: int) -> None:
        """The program after a pass inside a `dycl-repeat`, if the pass changed it."""
        self.write_pass(f"{done.name}-round-{number}", module)

    def write_result(self, compiled: "CompiledModel") -> None:
        """Pictures, kernels, and the host program."""
        if self._folder is None:
            return
        for form in ("dot", "mmd", "svg"):
            self._write(f"40-hcfg.{form}", compiled.hcfg(form))
        kernels = self._folder / "50-kernels"
        kernels.mkdir(exist_ok=True)
        for stage, text in compiled.kernel_stages.items():
            (kernels / f"{stage}.mlir").write_text(text, encoding="utf-8")
        self._write("60-host.py", compiled.host_source)
        if compiled.native is not None:
            self._write("60-host.c", compiled.native.program.source)

    def _write(self, name: str, text: str) -> None:
        if self._folder is not None:
            (self._folder / name).write_text(text, encoding="utf-8")
