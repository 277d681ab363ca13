"""What comes with torch."""

import os
import shutil
import warnings

import torch

from bench.peers.best import best
from bench.peers.folding import folded
from bench.peers.keep import kept, known
from bench.peers.lines import traces
from bench.rewrites import rewritten
from bench.subjects import Subject, recipes


def eager(subject: Subject, _threads, _folder):
    """The model as it is."""
    return subject.model


def eager_folded(subject: Subject, _threads, _folder):
    """Batch norms folded, inference mode, channels last where that is faster."""

    def in_layout(layout):
        model = folded(subject.model, subject.inputs).to(memory_format=layout)

        def run(*inputs):
            with torch.inference_mode():
                return model(*(_laid_out(each, layout) for each in inputs))

        return run

    layouts = {
        "channels last": torch.channels_last,
        "contiguous": torch.contiguous_format,
    }
    return best(
        {
            name: lambda layout=layout: in_layout(layout)
            for name, layout in layouts.items()
        },
        subject,
    )


def _laid_out(tensor, layout):
    return tensor.contiguous(memory_format=layout) if tensor.dim() == 4 else tensor


def script(subject: Subject, _threads, _folder):
    """TorchScript, frozen, and optimised for inference where that is faster."""
    return _frozen(subject, lambda make: make(torch.jit.script(subject.model)))


def script_lines(subject: Subject, _threads, folder):
    """TorchScript by tracing, a straight line for each path."""

    def lines(make):
        def opened(_path, line):
            traced = torch.jit.trace(line.program.module(), line.inputs)
            return make(traced)

        return traces(subject, folder, opened)

    return _frozen(subject, lines)


def _frozen(subject, runs):
    """What `runs` gives for the faster way to make a scripted module run fast."""

    def by(way):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return runs(way)

    def optimised(scripted):
        return torch.jit.optimize_for_inference(torch.jit.freeze(scripted.eval()))

    ways = {
        "optimised for inference": lambda: by(optimised),
        "frozen": lambda: by(lambda scripted: torch.jit.freeze(scripted.eval())),
    }
    return best(ways, subject)


def compiled(subject: Subject, threads, folder):
    """Defaults; run on all inputs twice, so that nothing is left to compile."""
    return _run_in(torch.compile(subject.model), subject, threads, folder)


def tuned(subject: Subject, threads, folder):
    """Weights frozen into the code, kernels chosen by measuring."""
    import torch._inductor.config as inductor

    inductor.freezing = True
    torch._dynamo.config.recompile_limit = 64
    function = torch.compile(subject.model, mode="max-autotune-no-cudagraphs")
    return _run_in(function, subject, threads, folder / "tuned")


def aot(subject: Subject, threads, folder):
    """AOTInductor over the rewritten model.

    `layout_optimization=False`: at its defaults torch 2.13 is silently wrong where a
    convolution stands in a `torch.cond`.
    """
    model = rewritten(recipes()[subject.name].rewrite, subject.model)
    # The number of threads is a literal in the code.
    package = folder / f"aot-{threads}.pt2"

    def make():
        _cache_in(folder / f"aot-{threads}", begun_anew=True)
        torch._inductor.aoti_compile_and_package(
            torch.export.export(model, subject.inputs[0]),
            package_path=str(package),
            inductor_configs={"layout_optimization": False, "freezing": True},
        )

    run = torch._inductor.aoti_load_package(str(kept(package, make)))
    return lambda *inputs: model.finish(*run(*inputs))


def aot_lines(subject: Subject, threads, folder):
    """AOTInductor, a straight line for each path: its own layouts are right there."""

    def opened(path, line):
        package = folder / f"aot-trace-{path}-{threads}.pt2"

        def make():
            _cache_in(folder / f"aot-trace-{path}-{threads}", begun_anew=True)
            torch._inductor.aoti_compile_and_package(
                line.program,
                package_path=str(package),
                inductor_configs={"freezing": True, "max_autotune": True},
            )

        return torch._inductor.aoti_load_package(str(kept(package, make)))

    return traces(subject, folder, opened)


def _run_in(function, subject, threads, folder):
    """A compiled function, whose code is found again in a cache in `folder`."""
    cache = folder / f"inductor-{threads}"
    note = cache / "cost.json"
    _cache_in(cache, begun_anew=not note.exists())

    def run_all():
        with torch.no_grad():
            for inputs in [*subject.inputs, *subject.inputs]:
                function(*inputs)

    known(note, run_all)
    return function


def _cache_in(folder, begun_anew):
    """Let inductor's cache be there; one that was broken off says nothing of costs."""
    if begun_anew:
        shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True, exist_ok=True)
    os.environ["TORCHINDUCTOR_CACHE_DIR"] = str(folder.resolve())
