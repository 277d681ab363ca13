"""`python -m tools.size_sweep [PART OF A CALL]`: dynamic sizes against eager.

Each line of `calls.txt` is compiled once, for tensors with a dynamic size `n`, and run
at sizes that include 0 and 1. What differs is printed: refusals, results of other
values or shapes, and exceptions that only one of both raises. Exit status 1: there is a
result that is not eager's.
"""

import argparse
import importlib.util
import sys
import tempfile
from pathlib import Path

from dycl.diag import CodedError, CompileErrors
from dycl.tools.same import value_difference
from tools.size_sweep.comparing import SIZES, compiled, of_size, outcome

HEAD = "import torch\nimport torch.nn.functional as F\nfrom torch import nn\n"


def calls():
    """Each call with each shape that it is for, in which `n` is dynamic."""
    shapes: list[list[str]] = []
    for line in (Path(__file__).parent / "calls.txt").read_text().splitlines():
        if line.startswith("["):
            shapes = [shape.split(",") for shape in line.strip("[]").split()]
        elif line and not line.startswith("#"):
            for shape in shapes:
                yield line, tuple(int(n) if n.isdigit() else n for n in shape)


def functions(texts, folder):
    """The functions of these calls, in a file, whose source can be read."""
    path = Path(folder) / "sized_calls.py"
    bodies = (f"def call{i}(x):\n    return {t}\n" for i, t in enumerate(texts))
    path.write_text(HEAD + "\n".join(bodies))
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    return [getattr(module, f"call{i}") for i in range(len(texts))]


def differences(call, shape):
    """Sentences; those about wrong results begin with WRONG."""
    import torch

    torch.manual_seed(0)
    try:
        net = compiled(call, shape)
    except (CompileErrors, CodedError) as refused:
        yield f"refused: {str(refused).splitlines()[0]}"
        return
    for n in SIZES:
        x = of_size(shape, n)
        (wanted, theirs), (found, ours) = outcome(call, x.clone()), outcome(net, x)
        if theirs is None and ours is not None:
            yield f"n = {n}: raises {type(ours).__name__}: {ours}"
        elif ours is None and theirs is not None:
            yield f"WRONG at n = {n}: eager raises {type(theirs).__name__}: {theirs}"
        elif theirs is None:
            how = value_difference(wanted, found, 1e-3, "the result")
            if how is not None:
                yield f"WRONG at n = {n}: {how}"


def main(argv=None):
    """Print what differs; 1 if a result does."""
    import torch

    parser = argparse.ArgumentParser("python -m tools.size_sweep")
    parser.add_argument("wanted", nargs="?", default="", help="part of a call")
    wanted = parser.parse_args(argv).wanted
    chosen = [(text, shape) for text, shape in calls() if wanted in text]
    torch.set_num_threads(1)
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        made = functions([text for text, _ in chosen], folder)
        for (text, shape), call in zip(chosen, made, strict=True):
            for sentence in differences(call, shape):
                wrong += sentence.startswith("WRONG")
                size = ", ".join(map(str, shape))
                print(f"{text}, x: [{size}]: {sentence}", flush=True)
    print(f"{len(chosen)} networks, {wrong} results that are not eager's")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
