"""torchvision without its native code: its wheels are built for one build of torch."""

import sys

import torch

_KEPT = []
"""What is declared lives as long as its library."""


def import_torchvision():
    """torchvision, with or without its native code; ImportError: it is not there.

    A wheel for CUDA cannot load its code beside torch for the CPU, and its Python fails
    at the first operator that it gives a second implementation. What is declared here
    lets the import succeed, and cannot be run.
    """
    try:
        import torchvision
    except RuntimeError:
        library = torch.library.Library("torchvision", "FRAGMENT")
        for name in ("nms", "qnms"):
            library.define(f"{name}(Tensor d, Tensor s, float threshold) -> Tensor")
        _KEPT.append(library)
        for name in [name for name in sys.modules if name.startswith("torchvision")]:
            del sys.modules[name]
        import torchvision
    return torchvision
