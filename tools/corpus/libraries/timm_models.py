"""timm: the smallest model of every family, on inputs as small as it allows.

A family is a module of `timm.models`; of one that holds several architectures, `_MORE`
names others. Weights are as drawn.
"""

import re
from functools import cache, partial

import torch

from tools.corpus.libraries.native_ops import import_torchvision
from tools.corpus.programs import Program

_MOST = 40e6
"""Families whose smallest model has more parameters than this are left out."""
_LARGE = re.compile(r"(^|_)(base|[bgh]|so\d+m|x*l|x*large|huge|giant|gigantic)(_|\d|$)")
"""Words in names that are not looked at where a family has others."""
_MORE = {
    "byoanet": ("halonet", "lambda"),
    "byobnet": ("mobileone", "regnetz", "repvgg"),
    "efficientnet": ("mixnet", "mnasnet", "mobilenetv2"),
    "maxxvit": ("coatnet",),
    "metaformer": ("convformer",),
    "mlp_mixer": ("gmlp", "resmlp"),
    "mobilenetv3": ("lcnet",),
    "resnet": ("ecaresnet",),
}
"""More architectures of a module: how their names begin."""


def programs(folder):
    """One model per family: a module of `timm.models` that registers some."""
    del folder
    import_torchvision()
    import timm

    for family in timm.list_modules():
        names = tuple(timm.list_models(module=family))
        if names:
            yield Program("timm", family, partial(_make, names))
        for word in _MORE.get(family, ()):
            some = tuple(name for name in names if name.startswith(word))
            yield Program("timm", f"{family} {word}", partial(_make, some))


def _make(names):
    import timm

    name = _smallest(names)
    torch.manual_seed(0)
    model = timm.create_model(name)
    shape = model.pretrained_cfg.get("input_size", (3, 224, 224))
    if not model.pretrained_cfg.get("fixed_input_size") and shape[-1] > 64:
        for side in (64, 96, 128, 160):
            if _runs(model, (1, shape[0], side, side)):
                shape = (shape[0], side, side)
                break
    return model, (torch.rand(1, *shape),), {}


@cache
def _smallest(names):
    """The model of fewest parameters; RuntimeError: that are too many."""
    names = [name for name in names if not _LARGE.search(name)] or names
    sizes = {name: _size(name) for name in names}
    name = min(sizes, key=sizes.get)
    if sizes[name] > _MOST:
        raise RuntimeError(f"{name}, the smallest one, is too large")
    return name


def _size(name):
    """How many parameters a model has; none is made."""
    import timm

    with torch.device("meta"):
        try:
            return sum(p.numel() for p in timm.create_model(name).parameters())
        except Exception:
            return float("inf")


def _runs(model, shape):
    try:
        with torch.no_grad():
            model.eval()(torch.rand(shape))
    except Exception:
        return False
    return True
