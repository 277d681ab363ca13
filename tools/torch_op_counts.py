"""Write `dycl/ir/torch/op_names.txt`: torch-mlir's operations, operands, results.

    python tools/torch_op_counts.py

A line is a name, how many operands and how many results the operation has; `-` stands
for any number. Asked of the installed torch-mlir, to be run after an update of it.
"""

import importlib.util
import re
from pathlib import Path
from typing import Any

FILE = Path(__file__).resolve().parents[1] / "dycl" / "ir" / "torch" / "op_names.txt"
_MOST = 40
"""More operands than any operation has."""
_WORDS = {"zero": 0, "one": 1, "a single": 1}
_COUNT = re.compile(r"(?:requires|expected) (zero|one|a single|\d+) (operand|result)s?")


def installed_names() -> list[str]:
    """The operations of the installed torch-mlir, sorted; empty if there is none."""
    spec = importlib.util.find_spec("torch_mlir")
    if spec is None or not spec.submodule_search_locations:
        return []
    folder = Path(next(iter(spec.submodule_search_locations)))
    text = (folder / "dialects" / "_torch_ops_gen.py").read_text(encoding="utf-8")
    return sorted(set(re.findall(r'OPERATION_NAME = "([^"]+)"', text)))


def lines() -> list[str]:
    """The lines of the file."""
    from torch_mlir import ir
    from torch_mlir.dialects import torch

    context: Any = ir.Context()
    context.allow_unregistered_dialects = True
    torch.register_dialect(context)
    return [" ".join((name, *_counts(name, context))) for name in installed_names()]


def _counts(name: str, context: Any) -> tuple[str, str]:
    """Operands and results, found by giving the operation too many."""
    results = _asked("result", name, _MOST, _MOST, context)
    given = _MOST if results == "-" else int(results)
    return _asked("operand", name, _MOST, given, context), results


def _asked(what: str, name: str, operands: int, results: int, context: Any) -> str:
    from torch_mlir import ir

    many = ", ".join(["!torch.any"] * _MOST)
    given = ", ".join(f"%0#{i}" for i in range(operands))
    types = ", ".join(["!torch.any"] * operands)
    returned = ", ".join(["!torch.any"] * results)
    text = (
        f'"builtin.module"() ({{ %0:{_MOST} = "test.many"() : () -> ({many})\n'
        f'{f"%1:{results} = " if results else ""}"{name}"({given}) : ({types}) -> '
        f"({returned}) }}) : () -> ()"
    )
    try:
        ir.Operation.parse(text, context=context)
    except ir.MLIRError as error:
        found = _COUNT.search(str(error))
        if found is not None and found[2] == what:
            return str(_WORDS.get(found[1], found[1]))
    return "-"


if __name__ == "__main__":
    FILE.write_text("\n".join(lines()) + "\n", encoding="utf-8")
