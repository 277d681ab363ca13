"""Kernels in linalg on tensors as Triton functions: `python -m dycl.kernels.cuda.opt`.

    python -m dycl.kernels.cuda.opt softmax.mlir          from linalg
    python -m dycl.kernels.cuda.opt --torch softmax.mlir  from the torch dialect

Exit status: 0 done; 1 the text has an error, or an op without a template.
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path


def main(argv: Sequence[str] | None = None) -> int:
    """Run the tool; the exit status."""
    parser = argparse.ArgumentParser("dycl.kernels.cuda.opt")
    parser.add_argument("file", help="text in linalg on tensors, named ops or loops")
    parser.add_argument("--torch", action="store_true", help="it is in torch's dialect")
    arguments = parser.parse_args(argv)
    from dycl.kernels.cpu.lower import LoweringFailed
    from dycl.kernels.cpu.mlir import MLIRError, functions, parse, run_passes
    from dycl.kernels.cuda.lower import to_linalg, to_tiles
    from dycl.kernels.cuda.tile.program import module_text

    try:
        text = Path(arguments.file).read_text(encoding="utf-8")
        module = parse(text, of_any_stage=True)
        if arguments.torch:
            to_linalg(module)
        else:
            run_passes(module, "linalg-generalize-named-ops")
        print(module_text([to_tiles(f) for f in functions(module)]), end="")
    except LoweringFailed as failure:
        place = getattr(failure.cause, "place", None)
        where = "" if place is None else f"{place}: "
        print(f"error: {where}the op {failure.cause}", file=sys.stderr)
        return 1
    except (OSError, MLIRError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
