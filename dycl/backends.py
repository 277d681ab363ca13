"""The kernel backends that are installed: entry points of the group `dycl.backends`.

An entry point names a class that is made with the keywords `target`, `cache`,
`threads`, `without`, `narrow` and `timeout`, and is a `dycl.kernels.KernelBackend`.
One whose `MATMUL_DTYPES` has more than "f32" is made with `matmul_dtype`, too, and one
with a true `TUNES` with `tuning`, the path of a file, if there is one:

    [project.entry-points."dycl.backends"]
    mine = "my_package:MyBackend"

`backend="mine"` chooses one for a compilation, `dycl.backend = "mine"` on a kernel of
the IR, written by hand or by a pass, for that kernel. `backend="cuda,cpu"` compiles
for the GPU and for the processor; what is there decides when the network is loaded.
`backend="cuda+onnxruntime"` divides one network: each kernel, or each op of one, goes
to the first backend that takes it, and what none takes to our own.
"""

from collections.abc import Callable
from functools import cache
from importlib import import_module
from importlib.metadata import entry_points
from typing import Any

from xdsl.ir import Operation

from dycl.diag import PassFailed
from dycl.ir.claims import Claims
from dycl.ir.functions import BACKEND, OURS
from dycl.options import AUTO, CompileOptions
from dycl.pipelines import Pipeline, suggestion

_OURS = {
    "cpu": "dycl.kernels.cpu:CpuBackend",
    "cuda": "dycl.kernels.cuda:CudaBackend",
    "reference": "dycl.kernels.reference:ReferenceBackend",
    "onnxruntime": "dycl.kernels.onnxruntime:OnnxRuntimeBackend",
    "openvino": "dycl.kernels.openvino:OpenVinoBackend",
    "iree": "dycl.kernels.iree:IreeBackend",
}
"""As in pyproject.toml, for a checkout that is not installed."""

_ASKS = "dycl-annotate-backends"
GPU = "cuda"
"""The backend whose code may lie beside ours in one network."""
BESIDE = "+"
"""Between the names of backends that divide one network."""

Factory = Callable[..., Any]
"""Makes a backend, by the keywords that the head of this file lists."""


@cache
def installed() -> dict[str, Callable[[], Factory]]:
    """Name -> what loads the class of a backend. PassFailed: two have one name."""
    result: dict[str, Callable[[], Factory]] = {}
    origins = dict(_OURS)
    for name, where in _OURS.items():
        result[name] = lambda where=where: _load(where)
    for point in entry_points(group="dycl.backends"):
        if origins.setdefault(point.name, point.value) != point.value:
            raise PassFailed(
                f"two kernel backends are called '{point.name}': "
                f"{origins[point.name]} and {point.value}",
                hint="uninstall one of the packages",
                code="DY292",
            )
        result.setdefault(point.name, point.load)
    return result


def _load(where: str) -> Factory:
    module, name = where.split(":")
    return getattr(import_module(module), name)


def each_backend(options: CompileOptions) -> list[CompileOptions]:
    """The options for each backend that is asked for, a GPU's first.

    PassFailed: there is none of a name, or two that do not go together: each has its
    own code in the file, and only that for a GPU lies beside ours.
    """
    names = list(dict.fromkeys(name.strip() for name in options.backend.split(",")))
    if len(names) == 1:
        for name in divided_among(options) or names:
            if options.backend != AUTO:
                check_name(name)
        return [options]
    for name in names:
        check_name(name)
    if sorted(names) != sorted([GPU, OURS]):
        raise PassFailed(
            f"the backends {' and '.join(names)} do not go into one network",
            hint=f"backend='{GPU},{OURS}' is code for a GPU and for processors; "
            f"backend='{'+'.join(names)}' divides the kernels among them",
        )
    host = "auto" if options.host == "native" else options.host  # a GPU has none in C
    return [
        options.with_changes(backend=GPU, host=host),
        options.with_changes(backend=OURS, whole_graph=False, tuning=None),
    ]


def divided_among(options: CompileOptions) -> tuple[str, ...]:
    """The backends among which the kernels of a network are divided, the most wanted
    first, without our own, which takes the rest; (): it is not divided so."""
    names = [name.strip() for name in options.backend.split(BESIDE)]
    return tuple(n for n in dict.fromkeys(names) if n != OURS) if names[1:] else ()


def backends_for(options: CompileOptions) -> list[Any]:
    """The backend that is asked for, for each target, the best first; one for a GPU is
    there once.

    PassFailed: there is none, or it cannot run.
    """
    made = [_backends_of(one) for one in each_backend(options)]
    if len(made) == 2:
        made[0] = made[0][:1]
    return [backend for some in made for backend in some]


def _backends_of(options: CompileOptions) -> list[Any]:
    chosen = chosen_name(options)
    check_name(chosen)
    if options.tuning is not None and not getattr(class_of(chosen), "TUNES", False):
        raise PassFailed(
            f"the kernel backend '{chosen}' reads no tuning file",
            hint=f"leave out tuning, or compile with backend='{GPU}'",
        )
    # Later than the rest: `dycl-opt` starts without NumPy.
    from dycl.runtime.targets import NATIVE, why_no_bf16, why_not_here

    for target in options.targets:
        if options.matmul_dtype == "bf16" and (why := why_no_bf16(target)):
            raise PassFailed(
                f"code for '{target}' has no products of bf16: {why}",
                hint=f"leave out matmul_dtype, or compile for '{NATIVE}' on a "
                "processor that has them",
            )
        if why := why_not_here(target):
            raise PassFailed(
                f"code for '{target}' cannot run here: {why}",
                hint=f"compile for '{NATIVE}', or on a machine that has them",
            )
    return [backend_of(chosen, target, options) for target in options.targets]


def chosen_name(options: CompileOptions) -> str:
    """The name of the backend of all kernels that ask for no other one.

    Of two, that for a GPU: passes lower for both alike.
    """
    if options.backend == AUTO or divided_among(options):
        return default_name()
    return each_backend(options)[0].backend


def optional_steps() -> frozenset[str]:
    """The steps that may be left out, of all backends that can be loaded."""
    result: set[str] = set()
    for load in installed().values():
        try:
            result |= {*getattr(load(), "OPTIONAL_STEPS", ())}
        except Exception:  # `backend_of` tells why, if it is asked for.
            continue
    return frozenset(result)


def left_out(options: CompileOptions) -> tuple[str, ...]:
    """The passes that do not run: by the user's wish, or that of the backend."""
    name = chosen_name(options)
    own: tuple[str, ...] = ()
    if name in installed() and name != default_name():
        own = getattr(class_of(name), "WITHOUT", ())
    return (*options.without, *own)


def claims_for(options: CompileOptions) -> Claims:
    """What passes ask backends by: each is made once, and must be installed."""

    @cache
    def backend(name: str) -> Any:
        check_name(name)
        return backend_of(name, options.targets[0], options)

    return backend


def claims_key(pipeline: Pipeline, claims: Claims) -> str | None:
    """What decides the answers of the backends that a pipeline asks: their `key`s.

    None: one of them has none, so its answers may be others tomorrow.
    """
    keys: list[str] = []
    for item in pipeline.items:
        if item.name != _ASKS:
            continue
        for name in item.parameters.get("backends", ()):
            backend = claims(str(name))
            if hasattr(backend, "cannot_take"):
                if (key := getattr(backend, "key", None)) is None:
                    return None
                keys.append(str(key))
    return "\0".join(keys)


def asking(pipeline: Pipeline, options: CompileOptions) -> Pipeline:
    """A pipeline that asks the chosen backend which ops it takes, if it takes not all.

    Such a backend takes images in rows.
    """
    if names := divided_among(options):
        return pipeline.with_option(_ASKS, "backends", *names)
    name = chosen_name(options)
    if name == GPU:
        return pipeline.with_option("dycl-place-copies", "backend", GPU)
    if name not in installed() or not hasattr(class_of(name), "cannot_take"):
        return pipeline
    pipeline = pipeline.with_option(_ASKS, "backends", name)
    return pipeline.with_option("dycl-assign-layouts", "backend", name)


def candidate_names() -> list[str]:
    """The backends that "auto" may choose for a kernel besides our own, in order.

    Their classes have a true `CANDIDATE`; what cannot be loaded is none.
    """
    found: list[str] = []
    for name in installed():
        try:
            if getattr(class_of(name), "CANDIDATE", False):
                found.append(name)
        except PassFailed:
            continue
    return sorted(found)


def default_name() -> str:
    """The name of the backend that takes what others leave."""
    return OURS


def check_name(name: str, kernel: Operation | None = None) -> None:
    """PassFailed: no backend is called so; `kernel` asks for it."""
    known = installed()
    if name in known:
        return
    asks = "" if kernel is None else f", which this kernel asks for by `{BACKEND}`"
    raise PassFailed(
        f"there is no kernel backend '{name}'{asks}{suggestion(name, known)}",
        kernel,
        hint=f"use one of: {', '.join(sorted(known))}; "
        "other backends are installed with pip",
    )


def backend_of(name: str, target: str, options: CompileOptions) -> Any:
    """The backend of that name, which is installed, for a target. PassFailed (DY292):
    it cannot be loaded, or cannot multiply what is asked for."""
    made = class_of(name)
    more = {}
    if options.matmul_dtype in getattr(made, "MATMUL_DTYPES", ()):
        more["matmul_dtype"] = options.matmul_dtype
    elif options.matmul_dtype != "f32":
        raise PassFailed(
            f"the kernel backend '{name}' has no products of {options.matmul_dtype}",
            hint="leave out matmul_dtype, or compile with "
            f"backend='{GPU if options.matmul_dtype == 'tf32' else OURS}'",
        )
    if options.tuning is not None and getattr(made, "TUNES", False):
        more["tuning"] = str(options.tuning)
    return made(
        target=target,
        cache=options.cache,
        threads=options.threads,
        without=options.without,
        narrow=options.weight_dtype == "bf16",
        timeout=options.kernel_timeout,
        **more,
    )


def class_of(name: str) -> Factory:
    """What makes the backend of that name, which is installed. PassFailed (DY292)."""
    try:
        return installed()[name]()
    except Exception as error:
        raise PassFailed(
            f"the kernel backend '{name}' cannot be loaded: "
            f"{type(error).__name__}: {error}",
            hint="dycl doctor says what is missing",
            code="DY292",
        ) from error


def machine_of(backend: str, target: str) -> str:
    """What kernels are compiled for, in words."""
    from dycl.runtime.targets import NATIVE

    return backend if target == NATIVE else f"{backend} {target}"
