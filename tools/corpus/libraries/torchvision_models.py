"""torchvision: every model for images, segments, videos and optical flow.

Weights are as drawn, inputs as small as a model allows.
"""

from functools import partial

import torch

from tools.corpus.libraries.native_ops import import_torchvision
from tools.corpus.programs import Program

_SIZES = {"inception_v3": 96, "alexnet": 64, "maxvit_t": 224}
"""The side of an image, where 64 is too little or a size is fixed."""
_VIDEO = {"s3d": (16, 224), "mvit_v1_b": (16, 224), "mvit_v2_s": (16, 224)}


def programs(folder):
    """All models but those that detect, which are made of several."""
    del folder
    models = import_torchvision().models
    for part, inputs in (
        (models, _image),
        (models.segmentation, _image),
        (models.video, _video),
        (models.optical_flow, _flow),
    ):
        for name in models.list_models(module=part):
            title = f"{part.__name__.rpartition('.')[2]}.{name}"
            make = partial(_make, part, name, inputs)
            yield Program("torchvision", title, make)


def _make(part, name, inputs):
    options = {"weights": None}
    if part.__name__.endswith("segmentation"):
        options["weights_backbone"] = None
    if name in ("googlenet", "inception_v3"):
        options |= {"init_weights": False}
    torch.manual_seed(0)
    return getattr(part, name)(**options), inputs(name), {}


def _image(name):
    side = 224 if name.startswith("vit_") else _SIZES.get(name, 64)
    return (torch.rand(1, 3, side, side),)


def _video(name):
    frames, side = _VIDEO.get(name, (4, 32) if "swin" not in name else (4, 64))
    return (torch.rand(1, 3, frames, side, side),)


def _flow(name):
    del name
    return torch.rand(1, 3, 128, 128), torch.rand(1, 3, 128, 128)
