"""The artifacts that mutants are made of, and arguments for their networks."""

import numpy as np

COUNT = 4
"""Calls of each; they take several paths."""


def make_native(folder):
    """A native host: prepared weights, an index, a list, state of no kind."""
    import torch
    from torch import nn

    import dycl

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.embedding = nn.Embedding(6, 16)
            self.register_buffer("order", torch.tensor([3, 1, 2, 0, 5, 4]))
            self.conv = nn.Conv2d(3, 16, 3, bias=False)
            self.norm = nn.BatchNorm2d(16)
            self.fc = nn.Linear(16, 16)
            self.tied = nn.Linear(16, 16)
            self.tied.weight = self.fc.weight

        def forward(self, batch, n: int, scale=None):
            image, (index, _) = batch["image"], batch["rest"]
            y = self.norm(self.conv(image)).relu().mean((2, 3))
            y = y + self.embedding(self.order[index])
            found = []
            for _ in range(n):
                y = self.fc(y)
                if y.sum() > 0:
                    y = self.tied(y).tanh()
                found.append(y)
            return {"y": y, "all": found, "n": n}

    torch.manual_seed(0)
    batch = {"image": torch.randn(1, 3, 6, 6), "rest": (torch.tensor([1]), "a")}
    net = dycl.compile(Net().eval(), (batch, 2))
    assert net.host == "native"
    return _saved(net, folder / "native.dycl", raw_weights=False)


def make_python(folder):
    """A Python host, with state."""
    import torch
    from torch import nn

    import dycl

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.fc = nn.Linear(8, 8)
            self.hidden = torch.zeros(1, 8)
            self.count = 0

        def forward(self, x):
            self.hidden = torch.tanh(self.fc(x) + self.hidden)
            self.count += 1
            if self.hidden.sum() > 0:
                return self.hidden, self.count
            return -self.hidden, self.count

    torch.manual_seed(0)
    net = dycl.compile(Net().eval(), (torch.randn(1, 8),), host="python")
    return _saved(net, folder / "python.dycl")


SUBJECTS = (make_native, make_python)


def _saved(net, path, **how):
    net.save(path, **how)
    return path


def arguments_of(net):
    """Arguments by position for some calls of a loaded network, drawn at random."""
    draw = np.random.default_rng(0)
    calls = []
    for number in range(COUNT):
        inputs = tuple(_drawn(spec, draw, number) for spec in net.inputs)
        if net.signature is not None:
            inputs, by_name = net.signature.call(inputs)
            assert not by_name, "arguments by name"
        calls.append(inputs)
    return calls


def _drawn(spec, draw, number):
    if spec.shape is None:
        return {"int": number, "float": number / 2, "bool": number % 2 > 0}[spec.dtype]
    if spec.dtype.startswith("float"):
        return draw.standard_normal(spec.shape).astype(spec.dtype)
    return draw.integers(0, 2, spec.shape).astype(spec.dtype)
