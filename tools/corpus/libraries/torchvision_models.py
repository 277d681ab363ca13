"""torchvision: every model for images, segments, videos, optical flow and detection.

Weights are as drawn, zeros too, inputs as small as a model allows. What is drawn
detects nothing: the thresholds of detectors are such that some boxes stay, and others
go.
"""

from functools import partial

import torch

from tools.corpus.libraries.native_ops import import_torchvision
from tools.corpus.programs import Program

_SIZES = {"inception_v3": 96, "alexnet": 64, "maxvit_t": 224}
"""The side of an image, where 64 is too little or a size is fixed."""
_KEPT = {"fcos": 0.0706, "retinanet": 0.0101, "ssd": 0.21, "ssdlite320": 0.21}
"""The score above which a box counts, by the first word of a detector's name."""
_VIDEO = {"s3d": (16, 224), "mvit_v1_b": (16, 224), "mvit_v2_s": (16, 224)}


def programs(folder):
    """All models."""
    del folder
    models = import_torchvision().models
    for part, inputs in (
        (models, _image),
        (models.segmentation, _image),
        (models.video, _video),
        (models.optical_flow, _flow),
        (models.detection, _list),
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
    if part.__name__.endswith("detection"):
        options |= {"weights_backbone": None, "num_classes": 5, **_of_detector(name)}
    torch.manual_seed(0)
    model = getattr(part, name)(**options)
    for weight in model.parameters():
        if weight.dim() > 1 and not weight.any():  # the last layer of a ViT, say
            torch.nn.init.normal_(weight, std=0.02)
    return model, inputs(name), {}


def _of_detector(name):
    """How a detector is made: small images, few boxes."""
    kind = name.partition("_")[0].removesuffix("300").removesuffix("512")
    if kind in _KEPT:
        small = {} if kind.startswith("ssd") else {"min_size": 64, "max_size": 64}
        return {"score_thresh": _KEPT[kind], **small}
    few = {"rpn_pre_nms_top_n_test": 50, "rpn_post_nms_top_n_test": 20}
    return {"min_size": 64, "max_size": 64, "box_score_thresh": 0.0, **few}


def _list(name):
    side = {"ssd300_vgg16": 300, "ssdlite320_mobilenet_v3_large": 320}.get(name, 64)
    return ([torch.rand(3, side, side)],)


def _image(name):
    side = 224 if name.startswith("vit_") else _SIZES.get(name, 64)
    return (torch.rand(1, 3, side, side),)


def _video(name):
    frames, side = _VIDEO.get(name, (4, 32) if "swin" not in name else (4, 64))
    return (torch.rand(1, 3, frames, side, side),)


def _flow(name):
    del name
    return torch.rand(1, 3, 128, 128), torch.rand(1, 3, 128, 128)
