"""One operator: its calls in one model, without those that are refused, and eager."""

import importlib.util
import re
import sys
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

import dycl
from dycl.diag import CompileErrors
from tools.operators.samples import difference, evaluated, leaves, lines_of

_HEAD = 3
"""Lines of the model's file before the first call."""


@dataclass
class Verdict:
    """What became of the calls of one operator."""

    same: int = 0
    refused: dict[str, str] = field(default_factory=dict)
    """The call -> the first line of what is said."""
    wrong: dict[str, str] = field(default_factory=dict)
    """The call -> how it differs from eager."""


def judge(op, dtype):
    """Compile what can be compiled of the operator's samples, and compare."""
    lines = lines_of(op, dtype)
    verdict = Verdict()
    with TemporaryDirectory() as folder:
        net, calls, given = _compiled(Path(folder), lines, verdict)
        if net is None:
            return verdict
        for call, ours in zip(calls, net(*given), strict=True):
            eager = leaves(evaluated(call, lines.tensors))
            ours = leaves(ours)
            differ = [difference(a, b) for a, b in zip(ours, eager, strict=False)]
            if len(ours) != len(eager):
                differ.append(f"{len(ours)} results, not {len(eager)}")
            if found := next(filter(None, differ), ""):
                verdict.wrong[call] = found
            else:
                verdict.same += 1
    return verdict


def _compiled(folder, lines, verdict):
    """The network of the calls that are not refused, the calls, and its inputs."""
    calls = list(lines.calls)
    for attempt in range(len(calls)):
        named = sorted({int(n) for c in calls for n in re.findall(r"\bt(\d+)\b", c)})
        path = folder / f"calls_{attempt}.py"
        path.write_text(_source(calls, named))
        given = tuple(lines.tensors[n].clone() for n in named)
        try:
            return dycl.compile(_model(path), given, cache=False), calls, given
        except CompileErrors as errors:
            refused = _refused(errors, path.name)
        if not refused.keys() <= set(range(len(calls))):
            # What is returned is refused, and nobody says whose it is.
            refused = dict.fromkeys(range(len(calls)), "its result cannot be returned")
        if not refused:
            raise RuntimeError("a refusal says no line of the model")
        for place, words in refused.items():
            verdict.refused[calls[place]] = words
        calls = [call for i, call in enumerate(calls) if i not in refused]
        if not calls:
            break
    return None, [], ()


def _source(calls, named):
    arguments = ", ".join(f"t{n}" for n in named)
    body = [f"        r{i} = {call}" for i, call in enumerate(calls)]
    results = "".join(f"r{i}, " for i in range(len(calls)))
    return "\n".join(
        [
            "import torch",
            "class Calls(torch.nn.Module):",
            f"    def forward(self, {arguments}):",
            *body,
            f"        return ({results})",
            "",
        ]
    )


def _model(path):
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    return module.Calls().eval()


def _refused(errors, file):
    """Which calls are refused, by position, and what is said of each."""
    found = {}
    for error in errors.errors:
        place = re.search(rf"{re.escape(file)}:(\d+)", str(error))
        if place is not None:
            found[int(place[1]) - _HEAD - 1] = f"{error.code} {error.what}"
    return found
