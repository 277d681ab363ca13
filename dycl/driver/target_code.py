"""The code of a program for one processor: its kernels, and the host in C.

The kernels are compiled by the backend, or by those that they ask for; the host is
linked with them, unless its decisions run in Python.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.dialects.func import FuncOp

from dycl.backends import (
    backend_of,
    check_name,
    chosen_name,
    default_name,
    left_out,
)
from dycl.diag import (
    CompileError,
    CompileErrors,
    PassFailed,
    in_order,
    remark,
)
from dycl.driver.compilation import Compilation
from dycl.driver.graphs import use_graphs
from dycl.driver.ir_dump import printed
from dycl.driver.kernel_steps import KernelSteps
from dycl.driver.lowering_checks import late_refusals
from dycl.ir.cloning import clone
from dycl.ir.functions import BACKEND
from dycl.ir.host.memories import COPY, GPU, given_memory
from dycl.ir.host.memory import set_memory
from dycl.ir.host.workspaces import set_workspace
from dycl.options import CompileOptions
from dycl.pipelines import Pipeline
from dycl.support.store import default_store

if TYPE_CHECKING:
    from dycl.artifact import NativeCode, TargetCode
    from dycl.host.native import Preparation
    from dycl.kernels import KernelLibrary, Progress
    from dycl.runtime.engines import EngineKernel

_Native = tuple["NativeCode | None", str]
"""The host in C, or why there is none."""


def code_of(
    module: ModuleOp, backend: Any, run: Compilation, shown: bool = True
) -> "tuple[TargetCode, str]":
    """Kernels and host for one processor; why its decisions run in Python, or "".

    The memory of the module is planned anew, with what the kernels need for a call;
    `shown`: as a level of the program.
    """
    from dycl.artifact import TargetCode
    from dycl.host import weights_read

    library = _library(module, backend, run)
    if _note_workspaces(module, library):
        again = Pipeline.parse("workspaces").expanded(left_out(run.options))
        run.phase("host", again, module, shown)
    use_graphs(module, library, run)
    native, why = _native(module, library, backend.target, run)
    if native is not None:
        library.use_linked(native.code)
    read = weights_read(module, _preparations(library))
    return TargetCode(backend.target, library, native, read), why


def _library(module: ModuleOp, backend: Any, run: Compilation) -> "KernelLibrary":
    """The kernels of a module. CompileErrors, CompileError: some cannot be compiled."""
    with run.stage("kernels") as stage:
        steps = KernelSteps(run.listener)
        groups = _by_backend(module, backend, run.options)
        library = _of_groups(module, groups, steps.done)
        names = " and ".join(name for name, _, _ in groups)
        stage.detail = steps.told(library, names, backend.target)
    return library


def compile_kernels(
    module: ModuleOp,
    backend: Any,
    options: CompileOptions,
    progress: "Progress | None" = None,
) -> "KernelLibrary":
    """The kernels of a module: each by `backend`, or by the one that it asks for.

    CompileErrors, CompileError: some cannot be compiled. PassFailed: a kernel asks for
    a backend that is not there.
    """
    groups = _by_backend(module, backend, options)
    return _of_groups(module, groups, progress)


def kernels_text(module: ModuleOp) -> str | None:
    """What the backend is given of a module; None: some kernels ask for others."""
    kernels = _kernels(module)
    if any(BACKEND in kernel.attributes for kernel in kernels):
        return None
    return printed(_alone(kernels), locations=True)


_Group = tuple[str, Any, list[FuncOp]]
"""A backend, by its name, and its kernels."""


def _of_groups(
    module: ModuleOp, groups: Sequence[_Group], progress: "Progress | None"
) -> "KernelLibrary":
    count = sum(len(kernels) for _, _, kernels in groups)
    libraries: dict[str, KernelLibrary] = {}
    for name, chosen, kernels in groups:
        before = sum(len(library.specs) for library in libraries.values())
        step = None if progress is None else _counted(progress, before, count)
        libraries[name] = _compiled(kernels, chosen, step)
    if len(libraries) == 1:
        return next(iter(libraries.values()))
    order = [kernel.sym_name.data for kernel in _kernels(module)]
    if GPU in libraries:
        from dycl.kernels.cuda.mixed import MixedLibrary

        _check_memories(module)
        return MixedLibrary(order, libraries)
    from dycl.kernels.joined import JoinedLibrary

    return JoinedLibrary(order, libraries)


def _check_memories(module: ModuleOp) -> None:
    """PassFailed (DY501): a kernel of a GPU would be given memory of the processor."""
    for kernel in _kernels(module):
        entries = [*(kernel.arg_attrs or ()), *(kernel.res_attrs or ())]
        if any(given_memory(entry) for entry in entries):
            return
    raise PassFailed(
        "some kernels are for a GPU and others are not, and no tensor says in which "
        "memory it is: run dycl-place-copies",
        code="DY501",
    )


def _by_backend(
    module: ModuleOp, backend: Any, options: CompileOptions
) -> list[_Group]:
    """The kernels by their backend: the one that each asks for, or `backend`.

    What a backend cannot take goes to the default one, with a remark. PassFailed: a
    kernel asks for a backend that is not there.
    """
    from dycl.kernels.copies import CopyBackend

    own = chosen_name(options)
    made: dict[str, Any] = {own: backend, COPY: CopyBackend()}
    groups: dict[str, list[FuncOp]] = {}

    def of(name: str) -> Any:
        if name not in made:
            made[name] = backend_of(name, backend.target, options)
        return made[name]

    for kernel in _kernels(module):
        attribute = kernel.attributes.get(BACKEND)
        name = attribute.data if isinstance(attribute, StringAttr) else own
        if name != COPY:
            check_name(name, kernel)
        cannot = getattr(of(name), "cannot", None)
        if cannot is not None and (reason := cannot(kernel)) is not None:
            at, why = reason
            remark(at, f"not for {name}", why)
            name = default_name()
        groups.setdefault(name, []).append(kernel)
    return [
        (name, of(name), kernels) for name, kernels in (groups or {own: []}).items()
    ]


def _counted(progress: "Progress", before: int, total: int) -> "Progress":
    """Progress of some of the kernels as progress of all."""
    return lambda done, _, name, cached: progress(before + done, total, name, cached)


def _compiled(
    kernels: Sequence[FuncOp], backend: Any, progress: "Progress | None"
) -> "KernelLibrary":
    alone = _alone(kernels)
    try:
        return backend.compile(printed(alone, locations=True), progress=progress)
    except CompileError as refused:
        if (
            isinstance(refused, CompileErrors)
            or refused.hint
            or not (late := late_refusals(alone, backend.check_each))
        ):
            raise  # With a hint it says what to do, or is a bug of ours.
        raise CompileErrors(in_order(late)) from refused


def _native(
    module: ModuleOp, library: "KernelLibrary", target: str, run: Compilation
) -> "_Native":
    """The host in C, linked with the kernels; or why there is none.

    CompileError (DY503): it is asked for, and cannot be made.
    """
    from dycl.host import CannotPrint
    from dycl.kernels import NoObjectCode
    from dycl.toolchain import LinkError

    if run.options.host == "python":
        return None, "it was asked for"
    with run.stage("native host") as stage:
        try:
            native = _native_code(module, library, target, run)
        except (CannotPrint, LinkError, NoObjectCode) as error:
            why = error.what if isinstance(error, NoObjectCode) else str(error)
            if run.options.host == "native":
                raise CompileError(
                    "DY503",
                    f"there is no native host for this network: {why}",
                    hint="host='auto' runs its decisions in Python",
                ) from error
        else:
            return native, ""
        stage.detail = f"none: {why}"
    return None, why


def _native_code(
    module: ModuleOp, library: "KernelLibrary", target: str, run: Compilation
) -> "NativeCode":
    """The host as code. CannotPrint, LinkError."""
    from dycl.artifact import build_native
    from dycl.host import print_native
    from dycl.toolchain import BOUND

    objects = library.objects()  # At first: where there are none, nothing is printed.
    options, preparations = run.options, _preparations(library)
    limit, threads = options.max_iterations, options.threads
    gpu: Any = getattr(library, "beside_native", None)
    asked_for = getattr(library, "asked_for", ())
    program = print_native(module, limit, preparations, threads, asked_for)
    store = default_store("hosts", BOUND) if options.cache else None
    native = build_native(program, objects, library.symbols, target, store)
    return replace(native, engines=_in_engines(library), gpu=gpu)


def _note_workspaces(module: ModuleOp, library: "KernelLibrary") -> bool:
    """Say on each kernel what memory it needs during a call; whether any needs some."""
    result = False
    for op in module.body.ops:
        if isinstance(op, FuncOp) and "dycl.kernel" in op.attributes:
            size = library[op.sym_name.data].workspace
            if size:
                set_workspace(op, size)
                result = True
            kernel = library[op.sym_name.data]
            if memory := getattr(kernel, "memory", ""):
                set_memory(op, memory, kernel.inputs_left)
                result = True
    return result


def _preparations(library: "KernelLibrary") -> "dict[str, Preparation]":
    """What each kernel wants to be made of its weights, for the host's printer."""
    from dycl.host.native import Preparation
    from dycl.runtime.engines import EngineKernel

    result: dict[str, Preparation] = {}
    for spec in library.specs:
        kernel = library[spec.name]
        if kernel.prepared is not None:
            outputs = [
                (output.dtype, output.shape) for output in kernel.prepared.outputs
            ]
            recipes: Any = kernel.prepared.recipes
            is_session = isinstance(kernel, EngineKernel)
            if is_session:
                # Of its own: kernels with the same weights share no session.
                digest = hashlib.sha256(spec.name.encode()).hexdigest()
                recipes = [(digest, range(len(kernel.prepared.weights)))]
            result[spec.name] = Preparation(
                kernel.prepared.weights,
                kernel.inputs_left,
                outputs,
                recipes,
                is_session,
            )
    return result


def _in_engines(library: "KernelLibrary") -> "dict[str, EngineKernel]":
    """The kernels that engines run, by name."""
    from dycl.runtime.engines import EngineKernel

    found = {spec.name: library[spec.name] for spec in library.specs}
    return {n: one for n, one in found.items() if isinstance(one, EngineKernel)}


def _kernels(module: ModuleOp) -> list[FuncOp]:
    return [
        op
        for op in module.body.ops
        if isinstance(op, FuncOp) and "dycl.kernel" in op.attributes
    ]


def _alone(kernels: Sequence[FuncOp]) -> ModuleOp:
    """Copies of kernels as a module of their own."""
    copies = [clone(kernel) for kernel in kernels]
    for copy in copies:
        copy.attributes.pop(BACKEND, None)  # It does not decide what one computes.
    return ModuleOp(list(copies))
