"""What comes with torch."""

import warnings

import torch

from bench.peers.keep import kept
from bench.rewrites import rewritten
from bench.subjects import Subject, recipes


def eager(subject: Subject, _threads, _folder):
    """The model as it is."""
    return subject.model


def script(subject: Subject, _threads, _folder):
    """TorchScript, optimised for inference where that works."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        scripted = torch.jit.script(subject.model)
        return torch.jit.optimize_for_inference(torch.jit.freeze(scripted))


def compiled(subject: Subject, _threads, _folder):
    """Defaults; run on all inputs twice, so that nothing is left to compile."""
    return _run_in(torch.compile(subject.model), subject)


def tuned(subject: Subject, _threads, _folder):
    """Weights frozen into the code, kernels chosen by measuring."""
    import torch._inductor.config as inductor

    inductor.freezing = True
    torch._dynamo.config.recompile_limit = 64
    mode = "max-autotune-no-cudagraphs"
    return _run_in(torch.compile(subject.model, mode=mode), subject)


def aot(subject: Subject, _threads, folder):
    """AOTInductor over the rewritten model.

    `layout_optimization=False`: at its defaults torch 2.13 is silently wrong where a
    convolution stands in a `torch.cond`.
    """
    model = rewritten(recipes()[subject.name].rewrite, subject.model)
    package = folder / "aot.pt2"

    def make():
        torch._inductor.aoti_compile_and_package(
            torch.export.export(model, subject.inputs[0]),
            package_path=str(package),
            inductor_configs={"layout_optimization": False, "freezing": True},
        )

    run = torch._inductor.aoti_load_package(str(kept(package, make)))
    return lambda *inputs: model.finish(*run(*inputs))


def _run_in(function, subject):
    with torch.no_grad():
        for inputs in [*subject.inputs, *subject.inputs]:
            function(*inputs)
    return function
