"""From Triton functions to PTX, which the driver of any GPU compiles for itself.

Triton needs no GPU for that. It ends its process on what it does not expect, so it runs
in children. PTX is kept by the text of its function, so that only what is new is
compiled.
"""

import hashlib
import importlib
import json
import re
import runpy
import tempfile
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from dycl.diag import CompileError
from dycl.kernels import DEATH
from dycl.kernels.cpu.children import Children, Died
from dycl.kernels.cuda.tile.helpers import HELPERS
from dycl.kernels.cuda.tile.program import HEAD, Function
from dycl.runtime.machine import processors
from dycl.support.store import default_store

_PTX_VERSION = 80
"""PTX ISA 8.0: what drivers from CUDA 12.0 on take."""
_TRITON = "3.9.0"
_POINTERS = {
    "f64": "*fp64",
    "f32": "*fp32",
    "f16": "*fp16",
    "bf16": "*bf16",
    **{kind: f"*{kind}" for kind in ("i64", "i32", "i16", "i8", "i1")},
}


@dataclass(frozen=True)
class Ptx:
    """One function, compiled."""

    text: str
    entry: str
    """Its name in the text."""
    shared: int
    """Bytes of shared memory that a block needs."""
    warps: int


def _stored(data: bytes) -> Ptx:
    return Ptx(**json.loads(data))


def compiled(
    functions: Sequence[Function], architecture: int, *, use_cache: bool = True
) -> list[Ptx]:
    """The PTX of each function. Raises CompileError (DY292, DY502)."""
    _check_triton()
    keys = [_key(function, architecture) for function in functions]
    store = default_store("ptx") if use_cache else None
    known: dict[str, Ptx] = {}
    for key in dict.fromkeys(keys):
        if store is not None and (ptx := store.find(key, _stored)) is not None:
            known[key] = ptx
    missing = {k: f for k, f in zip(keys, functions, strict=True) if k not in known}
    jobs = [(_source(f), f.name, _signature(f), f.launch.warps, f.launch.stages,
             architecture) for f in missing.values()]  # fmt: skip
    with Children() as children:
        for number, result in children.each(_ptx_or_why, jobs, processors()):
            key, function = list(missing.items())[number]
            if not isinstance(result, Ptx):
                why = f"{DEATH} ({result.why})" if isinstance(result, Died) else result
                raise CompileError(
                    "DY502",
                    f"kernel @{function.name} cannot be built: {why}",
                    notes=[f"it computes {', '.join(function.places) or 'no line'}"],
                )
            result = replace(result, text=_with_tables(result, function))
            known[key] = result
            if store is not None:
                store.put(key, json.dumps(asdict(result)).encode())
    if store is not None and missing:
        store.trim()
    return [known[key] for key in keys]


def _check_triton() -> None:
    from importlib import metadata

    try:
        version = metadata.version("triton")
    except metadata.PackageNotFoundError:
        version = None
    if version != _TRITON:
        found = "it is not installed" if version is None else f"{version} is installed"
        raise CompileError(
            "DY292",
            f"the kernel backend 'cuda' makes PTX by Triton {_TRITON}, and {found}",
            hint="pip install 'dycl[cuda]'",
        )


def _source(function: Function) -> str:
    """A module with this function alone, and nothing that does not decide its code."""
    helpers = [f"@triton.jit\n{HELPERS[name]}\n" for name in function.helpers]
    names = ", ".join(p.name for p in function.parameters)
    body = "\n".join(function.lines)
    own = f"@triton.jit\ndef {function.name}({names}):\n{body}\n"
    return "\n".join([HEAD, *helpers, own])


def _key(function: Function, architecture: int) -> str:
    parts = (
        _TRITON,
        str(_PTX_VERSION),
        str(architecture),
        str(function.launch),
        str(sorted(_signature(function).items())),
        str([p.table.hex() for p in function.parameters]),
        _source(function),
    )
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


def _with_tables(ptx: Ptx, function: Function) -> str:
    """With tables of constants in the place of pointers to them."""
    text = ptx.text
    for number, buffer in enumerate(function.parameters):
        if not buffer.table:
            continue
        name = f"{ptx.entry}_param_{number}"
        text, gone = re.subn(rf"\n\s*\.param [^\n]*\b{name},(?=\n)", "", text)
        text, moved = re.subn(
            rf"ld\.param\.[ub]64(\s+%\w+), \[{name}\]",
            rf"mov.b64\1, {buffer.name}",
            text,
        )
        assert gone == 1, "tables stand before what is written"
        assert moved <= 1, "a pointer is read once"
        assert not re.search(rf"\b{name}\b", text), "pointers are read in one way"
        words = np.frombuffer(buffer.table + bytes(-len(buffer.table) % 4), "<u4")
        numbers = ", ".join(map(str, words))
        given = f".global .align 16 .b32 {buffer.name}[{len(words)}] = {{{numbers}}};"
        text = text.replace(".visible .entry", f"{given}\n\n.visible .entry", 1)
    return text


def _signature(function: Function) -> dict[str, str]:
    return {
        p.name: {"f64": "fp64", "i64": "i64", "i32": "i32", "i1": "i1"}[p.dtype]
        if p.is_scalar
        else _POINTERS[p.dtype]
        for p in function.parameters
    }


# What follows is done in children.


def _ptx_or_why(*given: Any) -> Ptx | str:
    """Triton's errors cannot leave their process; this is what they say."""
    try:
        return _compile(*given)
    except Exception as error:
        last = str(error).strip().splitlines() or ["no reason given"]
        return f"Triton takes it for wrong: {type(error).__name__}: {last[-1]}"


def _compile(
    source: str,
    name: str,
    signature: dict[str, str],
    warps: int,
    stages: int,
    architecture: int,
) -> Ptx:
    """One function by Triton's own steps, as far as PTX: `ptxas` has no part."""
    triton, compiler = _module("triton"), _module("triton.compiler")
    target = _module("triton.backends.compiler").GPUTarget("cuda", architecture, 32)
    triton.knobs.compilation.disable_line_info = True
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "kernels.py"
        path.write_text(source, encoding="utf-8")
        function = runpy.run_path(str(path))[name]
        pointers = [i for i, kind in enumerate(signature.values()) if kind[0] == "*"]
        aligned = {(i,): [["tt.divisibility", 16]] for i in pointers}
        backend = compiler.make_backend(target)
        options = backend.parse_options(
            {
                "num_warps": warps,
                "num_stages": stages,
                "ptx_version": _PTX_VERSION,
                "enable_fp_fusion": False,
                "enable_reflect_ftz": False,
            }
        )
        source_code = compiler.ASTSource(function, signature, {}, aligned)
        text, metadata = _lowered(source_code, backend, options)
    text = re.sub(r"^//.*\n", "", text, flags=re.MULTILINE).strip() + "\n"
    return Ptx(text, metadata["name"], metadata["shared"], metadata["num_warps"])


def _lowered(source: Any, backend: Any, options: Any) -> tuple[str, dict[str, Any]]:
    ir = _module("triton._C.libtriton").ir
    context = ir.context()
    ir.load_dialects(context)
    backend.load_dialects(context)
    metadata: dict[str, Any] = {**options.__dict__, "target": backend.target}
    stages: dict[str, Any] = {}
    backend.add_stages(stages, options, source.language)
    code = source.make_ir(
        backend.target,
        options,
        backend.get_codegen_implementation(options),
        backend.get_module_map(),
        context,
    )
    for stage in ("ttir", "ttgir", "llir", "ptx"):
        code = stages[stage](code, metadata)
    return code, metadata


def _module(name: str) -> Any:
    """Triton has no types."""
    return importlib.import_module(name)
