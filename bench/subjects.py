"""The networks that are raced: each with one input for every path that is shown.

A subject is made once, by the process that leads the race, and pickled with eager's
answers; every contestant reads the same file. Paths are told apart by the
floating-point operations that eager does on them.
"""

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import torch

from bench import plain
from bench.work import Work, work_of


@dataclass
class Subject:
    """A model, and an input for each way through it that is shown."""

    name: str
    model: Any
    labels: list[str]
    inputs: list[tuple[Any, ...]]
    answers: list[Any]
    work: list[Work]


@dataclass(frozen=True)
class Recipe:
    """How a subject is made: its title, its rewrite's name, and its case."""

    title: str
    size: str
    """The geometric mean that it is in, "small", "large" or "plain", or "more"."""
    make: Callable[[], tuple[Any, list[tuple[Any, ...]]]]
    rewrite: str = ""
    """The module of `bench.rewrites` that has it written by hand; "": none."""
    way: str = "path"
    """What one way is called: of "exit" all are shown, of "path" three."""
    plain: bool = False
    """Whether it decides nothing: then its straight line is the network itself."""


def recipes() -> dict[str, Recipe]:
    """Name -> recipe, in the order of the tables."""
    found = {}
    for number, (stem, title, exits) in enumerate(
        (
            ("mobilenet", "Shallow-Deep MobileNet", 5),
            ("vgg", "Shallow-Deep VGG-16", 6),
            ("resnet", "Shallow-Deep ResNet-56", 6),
            ("wideresnet", "Shallow-Deep WRN-32-4", 6),
        ),
        start=1,
    ):
        found[f"{number}-sd-{stem}"] = Recipe(
            f"{number} {title}, 256x256",
            "large",
            _shallow_deep(f"examples.shallow_deep_{stem}", exits),
            "early_exit",
            "exit",
        )
    found["5-skipnet-rnn"] = Recipe(
        "5 SkipNet-38, recurrent gate",
        "small",
        case_of("examples.skipnet_rnn"),
        "skipnet_rnn",
    )
    found["6-skipnet"] = Recipe(
        "6 SkipNet-38", "small", case_of("examples.skipnet"), "skipnet"
    )
    for number, build, title in (
        (7, "build", "ResNeXt-50 and LSTM"),
        (8, "build_resnet", "ResNet-101 and LSTM"),
    ):
        found[f"{number}-caption"] = Recipe(
            f"{number} captioning: {title}, 256x256",
            "large",
            _captioner(build),
            "captioning",
        )
        found[f"{number}-decoder"] = Recipe(
            f"{number} the decoder of {title} alone",
            "more",
            _decoder(build),
            "captioning",
        )
    found["9-blockdrop"] = Recipe(
        "9 BlockDrop ResNet-110", "small", case_of("examples.blockdrop"), "blockdrop"
    )
    for name, title, way in (
        ("gated_resnet", "ResNet-38 with gates", "path"),
        ("vgg_exits", "VGG with exits", "exit"),
        ("short_caption", "a small captioner", "path"),
    ):
        made = case_of(f"bench.dynns.{name}")
        found[name] = Recipe(title, "more", made, name, way)
    for name, title, made in (
        ("resnet20-32", "ResNet-20, 32x32", partial(plain.resnet20, 32)),
        ("resnet20-256", "ResNet-20, 256x256", partial(plain.resnet20, 256)),
        ("encoder-1", "text encoder, 1 token", partial(plain.encoder, 1)),
        ("encoder-16", "text encoder, 16 tokens", partial(plain.encoder, 16)),
        ("encoder-128", "text encoder, 128 tokens", partial(plain.encoder, 128)),
        ("vit", "ViT-B/16, 224x224", plain.vit),
    ):
        found[name] = Recipe(title, "plain", made, plain=True)
    for name in (
        "branchynet",
        "msdnet",
        "ranet",
        "pabee",
        "layer_skip",
        "greedy_decoding",
    ):
        found[name] = Recipe(name, "more", case_of(f"examples.{name}"))
    return found


def make(name: str) -> Subject:
    """The subject, its paths found. KeyError: there is no such recipe."""
    return made_by(recipes()[name], name)


def made_by(recipe: Recipe, name: str = "") -> Subject:
    """What a recipe gives, its paths found."""
    model, inputs = recipe.make()
    with torch.no_grad():
        works = [work_of(model, arguments) for arguments in inputs]
    order = _by_cost([work.flops for work in works])
    if recipe.way == "exit":
        labels = [f"exit {number}" for number in range(1, len(order))] + ["the end"]
    else:
        order, labels = _three(order)
    with torch.no_grad():
        answers = [model(*inputs[index]) for index in order]
    return Subject(
        name,
        model,
        labels,
        [inputs[index] for index in order],
        answers,
        [works[index] for index in order],
    )


def save(subject: Subject, file: Path) -> None:
    """Write a subject for other processes."""
    file.parent.mkdir(parents=True, exist_ok=True)
    torch.save(subject, file)


def load(file: Path) -> Subject:
    """Read what `save` wrote: code of ours, so it is trusted."""
    return torch.load(file, weights_only=False)


def _by_cost(flops: list[int]) -> list[int]:
    """The index of the first input of each cost, the cheapest first."""
    first = {cost: index for index, cost in reversed(list(enumerate(flops)))}
    return [first[cost] for cost in sorted(first)]


def _three(order: list[int]) -> tuple[list[int], list[str]]:
    """The first, middle and last of an order, labelled."""
    if len(order) == 1:
        return order, ["all"]
    if len(order) == 2:
        return order, ["cheapest", "dearest"]
    return [order[0], order[len(order) // 2], order[-1]], [
        "cheapest",
        "middle",
        "dearest",
    ]


def case_of(module: str) -> Callable[[], Any]:
    """A module's case that takes every decision both ways."""

    def made() -> Any:
        cases = importlib.import_module(module).cases()
        return max(cases, key=lambda case: len(case[1]))

    return made


def _shallow_deep(module: str, exits: int) -> Callable[[], Any]:
    """A Shallow-Deep network as published, fitted so that each exit is taken."""

    def made() -> Any:
        from examples.shallow_deep import fitted_cases

        [case] = fitted_cases(importlib.import_module(module).build(), 256, exits)
        for stage in case[0].layers:
            if hasattr(stage, "output"):
                # Among 1000 classes, 8 is not yet sure: make it 16.
                stage.output.linear.weight.data.mul_(2)
        return case

    return made


def _captioner(build: str) -> Callable[[], Any]:
    """A captioning network as published, fitted to captions of each length."""

    def made() -> Any:
        from examples import captioning

        model = getattr(captioning, build)()
        images = [captioning.example_inputs(256, seed) for seed in range(11)]
        captioning.fit_ends(model, images)
        return model, images

    return made


def _decoder(build: str) -> Callable[[], Any]:
    """What a captioning network does with the features of its images."""
    whole = _captioner(build)

    def made() -> Any:
        model, images = whole()
        with torch.no_grad():
            features = [(model.encoder(*image).contiguous(),) for image in images]
        model.encoder = torch.nn.Identity().eval()
        return model, features

    return made
