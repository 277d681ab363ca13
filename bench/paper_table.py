"""What DyCL makes of the networks of the paper, as a table.

    python -m bench.paper_table [name ...]

Each network is compiled at its published size, run once beside eager, and counted:
decisions, kernels before and after equal ones are shared, lines of IR by level,
seconds to compile. `name/original` is the published `forward`.
"""

import importlib
import sys
import time

import torch

import dycl
from dycl.checking.values import largest_relative

PAPER = {
    "shallow_deep_mobilenet": ("1", 26, 40),
    "shallow_deep_vgg": ("2", 28, 43),
    "shallow_deep_resnet": ("3", 54, 82),
    "shallow_deep_wideresnet": ("4", 30, 46),
    "skipnet_rnn": ("5", 36, 109),
    "skipnet": ("6", 37, 112),
    "captioning": ("7", 10, 21),
    "captioning_resnet": ("8", 10, 21),
    "blockdrop": ("9", 54, 163),
    "ranet": ("R", None, None),
}
"""Network -> its number, logic nodes and sub-networks in the original tool."""

LEVELS = ("source", "normal", "typed", "hcfg", "host")


def model_of(name):
    """The network at its published size, and one tuple of inputs."""
    name, _, form = name.partition("/")
    stem = "captioning" if name == "captioning_resnet" else name
    module = importlib.import_module(f"examples.{stem}")
    build = module.build if stem == name else module.build_resnet
    model, inputs = build(), module.example_inputs()
    if form == "original":
        model, inputs = original(name, model, inputs)
    return model, inputs


def original(name, network, inputs):
    """The published `forward` over the layers of a network."""
    if name.startswith("shallow_deep"):
        from examples.original import shallow_deep

        module = importlib.import_module(f"examples.{name}")
        return shallow_deep.early_exit(network, module), inputs
    if name.startswith("captioning"):
        from examples.original import captioning

        captioning.say_words(network, inputs, end=17.0)
        return captioning.BeamSearch(network).eval(), (inputs[0][0],)
    if name == "skipnet_rnn":
        from examples.original import skipnet

        return skipnet.RecurrentSkipNet(network).eval(), inputs
    module = importlib.import_module(f"examples.original.{name}")
    cls = {"skipnet": "SkipNet", "blockdrop": "BlockDrop", "ranet": "RANet"}[name]
    if name == "blockdrop":
        probs, _ = network.policy(*inputs)
        inputs = (*inputs, (probs[0] > 0.5).float())
    return getattr(module, cls)(network).eval(), inputs


@torch.no_grad()
def row(name):
    """The cells of one network."""
    model, inputs = model_of(name)
    started = time.perf_counter()
    net = dycl.compile(model, inputs)
    seconds = time.perf_counter() - started
    error = largest_relative(net(*inputs), model(*inputs))
    lines = [str(net.stages[s].count("\n")) for s in LEVELS]
    number, nodes, subs = PAPER[name.partition("/")[0]]
    before = net.stages["hcfg"].count("dycl.launch @")
    cells = [number, name, len(net.decisions), nodes or "-", before]
    cells += [len(net.library.specs), subs or "-", " / ".join(lines)]
    return [*map(str, cells), f"{seconds:.0f}", f"{error:.0e}"]


def main(names):
    """Print the table, a row as soon as it is known."""
    torch.set_num_threads(1)
    head = "ID,network,decisions,logic nodes of the paper's tool,kernels before sharing"
    head += ",after,its sub-networks,IR lines: source / normal / typed / hcfg / host"
    head += ",compile s,error"
    print("|", head.replace(",", " | "), "|")
    print("|" + " --- |" * 10)
    for name in names or [*PAPER, *(f"{name}/original" for name in PAPER)]:
        print("|", " | ".join(row(name)), "|", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
