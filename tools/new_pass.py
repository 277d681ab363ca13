"""Scaffold of a pass: `python tools/new_pass.py merge-equal-branches`.

Writes the pass file, its line in the table and two lit tests. `does-it.mlir` passes
as it stands and pins that nothing happens yet; make it say what the pass does first.
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

PASS = '''\
"""`dycl-{name}`: <what it does to the program, one line>.

Before                               After
------                               -----
<at most eight lines of IR>          <at most eight lines of IR>

Needs:  <what must already hold; name the phase or check pass>.
Leaves: <what holds afterwards, as a later pass may rely on it>.
Skips:  <what it leaves alone, and why that is right>.
"""

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import (
    PatternRewriter,
    RewritePattern,
    op_type_rewrite_pattern,
)

from dycl.diag import remark
from dycl.ir import IfOp
from dycl.ir.rewriting import apply_patterns


@dataclass(frozen=True)
class {cls}(ModulePass):
    """<The one line again; `--list-passes` prints it>."""

    name = "dycl-{name}"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Rewrite the module in place; raises nothing."""
        apply_patterns(op, OneIdea(), kinds=(IfOp,))


class OneIdea(RewritePattern):
    """<What becomes of one op. A second idea is a second pattern.>

    What the rewriter inserts takes location and name from the op that is matched; where
    values come from and go to is asked of the op (`dycl.ir.interfaces`).
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: IfOp, rewriter: PatternRewriter) -> None:
        if (why := _cannot(op)) is not None:
            remark(op, "not <done>", why)
            return
        # rewriter.replace(op, new_op), rewriter.insert(new_op), rewriter.erase(op)


def _cannot(op: IfOp) -> str | None:
    """The reason to leave this op alone, or None."""
    return f"'{{op.name}}' is not handled yet"
'''

DOES_IT = """\
// RUN: dycl-opt --dycl-{name} %s | filecheck %s

// <One sentence: the rule this file pins.>

// CHECK-LABEL: func.func @f
// CHECK-NEXT:    %z = dycl.if %p
func.func @f(%p: !dycl.value, %x: !dycl.value) -> !dycl.value {{
  %z = dycl.if %p -> (!dycl.value) {{
    %a = "test.op"(%x) : (!dycl.value) -> !dycl.value
    dycl.yield %a
  }} else {{
    dycl.yield %x
  }}
  dycl.return %z
}}
"""

SKIPS = """\
// RUN: dycl-opt --dycl-{name} --verify-diagnostics %s | filecheck %s

// <One sentence: what is left alone; one file for each reason in `_cannot`.>

// CHECK-LABEL: func.func @f
func.func @f(%p: !dycl.value, %x: !dycl.value) -> !dycl.value {{
  // expected-remark@+1 {{{{is not handled yet}}}}
  %z = dycl.if %p -> (!dycl.value) {{
    dycl.yield %x
  }} else {{
    dycl.yield %p
  }}
  dycl.return %z
}}
"""


def main(args: list[str], root: Path = ROOT) -> int:
    """Make the files of one pass below `root`. The exit status: 2 on a wrong name."""
    if len(args) != 1 or not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)+", args[0]):
        print("usage: python tools/new_pass.py <verb>-<object>", file=sys.stderr)
        return 2
    name = args[0]
    if name.startswith("dycl-"):
        print("leave the dycl- off: it is put in front", file=sys.stderr)
        return 2
    words = name.split("-")
    module = "_".join(words)
    cls = "".join(word.title() for word in words) + "Pass"
    passes = root / "dycl" / "passes"
    lit = root / "test" / "lit" / "passes" / name
    files = {
        passes / f"{module}.py": PASS.format(name=name, cls=cls),
        lit / "does-it.mlir": DOES_IT.format(name=name),
        lit / "skips-reason.mlir": SKIPS.format(name=name),
    }
    if taken := [path for path in files if path.exists()]:
        print(f"{taken[0]} exists already", file=sys.stderr)
        return 2
    for path, text in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        print(path.relative_to(root))
    table = passes / "__init__.py"
    table.write_text(
        add_line(table.read_text(encoding="utf-8"), f"dycl-{name}", f"{module}:{cls}"),
        encoding="utf-8",
    )
    print(f"{table.relative_to(root)} (one line)")
    print("next: Before/After in the pass file, then the lit tests, then a phase")
    return 0


def add_line(text: str, name: str, where: str) -> str:
    """The table with one more line, still in alphabetical order."""
    lines = re.findall(r'^    "dycl-.*\n(?:        .*\n)*', text, re.MULTILINE)
    line = f'    "{name}": "{where}",\n'
    return text.replace("".join(lines), "".join(sorted([*lines, line])))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
