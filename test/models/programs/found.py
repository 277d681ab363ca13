"""What programs of other people do: each model decides on its input."""

import random

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn


class Base(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)


# ---- NumPy, of numbers that are known


class NumpyNumbers(Base):
    """A number of NumPy's has a dtype, which the tensor that is made of it has too."""

    def __init__(self):
        super().__init__()
        self.scale, self.count, self.half = np.sqrt(4.0), np.int64(3), np.float32(0.1)

    def forward(self, x):
        n = np.prod(x.shape)
        n += 1
        y = self.fc(x) / np.sqrt(x.shape[1]) * self.count + self.half
        made = torch.tensor(self.scale), torch.tensor([1.0, np.sqrt(2.0)])
        kinds = isinstance(self.count, int), isinstance(self.scale, float)
        if y.max() > self.scale:
            return y.view(-1, n - 1), *made, f"{self.count} {n}", kinds
        return y.view(self.count // 3, 4) ** self.scale, *made, int(n), kinds


class NumpyArrays(Base):
    def __init__(self):
        super().__init__()
        self.weights = np.array([1.0, 2.0, 3.0, 4.0])
        self.shape = np.array([2, -1])

    def forward(self, x):
        axes = np.unique(list(range(1, x.dim()))).astype(int)
        ranges = [np.linspace(-1, 1, n) for n in np.array(x.shape)]
        mesh = np.stack(np.meshgrid(*ranges, indexing="ij"))[[1, 0]]
        y = x * torch.from_numpy(self.weights).float() + torch.tensor(self.weights)
        for axis in axes:
            y = y + x.sum(int(axis), keepdim=True)
        if y.sum() > self.weights.mean():
            return y.view(*self.shape), torch.as_tensor(mesh)
        return y.view(tuple(self.shape)), torch.tensor(mesh, dtype=torch.float32)


class StoresIntoArray(Base):
    def forward(self, x):
        weights = np.zeros(4)
        weights[1] = 2.0
        return x * torch.tensor(weights)


class ChangesArray(Base):
    def __init__(self):
        super().__init__()
        self.weights = np.zeros(4)

    def forward(self, x):
        weights = self.weights
        weights += 1
        return x * torch.tensor(weights)


class CountsInNumpy(Base):
    """Numbers of 64 bits are state as Python's are."""

    def __init__(self):
        super().__init__()
        self.count, self.scale = np.int64(0), np.float64(1.0)

    def forward(self, x):
        self.count += 1
        self.scale = self.scale * 0.5
        return x * self.count if x.sum() > 0 else x * self.scale


class Narrow(Base):
    """NumPy rounds the product to float32, whichever the factor is."""

    def __init__(self):
        super().__init__()
        self.scale = np.float32(0.1)

    def forward(self, x):
        scale = self.scale if x.sum() > 0 else np.float32(0.3)
        return x * (scale * 0.7)


class TensorOfNumpy(Base):
    """Eager makes a tensor of float64."""

    def forward(self, x):
        return torch.tensor(np.exp(x.max().item()))


# ---- random numbers


class DrawsInTraining(Base):
    def forward(self, x):
        draws = (np.random.random(), np.random.uniform(0, 1), random.random())
        if self.training and (draws[0] < 0.5 or draws[1] < random.uniform(0, 1)):
            return x
        return x if x.sum() > 0 else self.fc(x)


class DropsNothing(Base):
    """Dropout of nothing, or of all, in training."""

    def forward(self, x):
        y = F.dropout(F.alpha_dropout(x, 0.0, training=True), 0)
        if y.sum() > 0:
            return F.dropout(self.fc(y), p=1.0)
        return F.dropout(y + 1, 0.0, inplace=True)


class Draws(Base):
    def forward(self, x):
        return x * random.random()


# ---- modules that are made while the network runs


class Positions(nn.Module):
    """Nothing of it is drawn; it is in training, as all that is new."""

    def __init__(self, factor=1.0):
        super().__init__()
        self.factor = factor
        self.act = nn.Sequential(nn.ReLU(), nn.Tanh())

    def shifted(self, x):
        return x + torch.arange(x.shape[1]) * self.factor

    def forward(self, x):
        if x.sum() > 0:
            return self.act(self.shifted(x))
        return self.shifted(x) * (2 if self.training else 3)


class Affine(nn.Module):
    def __init__(self, weight, bias):
        super().__init__()
        self.weight, self.bias = weight, bias

    def forward(self, x):
        return x @ self.weight + self.bias


class MadeModulesOfOwn(Base):
    def forward(self, x):
        layer = Affine(self.fc.weight * 2, self.fc(x))
        y = Positions()(x) + Positions(factor=2.0)(x)
        return layer(y), isinstance(layer, nn.Module)


class Weighted(Positions):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)


class MadeWithWeights(Base):
    def forward(self, x):
        return Weighted()(x)


class MadeAndReturned(Base):
    def forward(self, x):
        return Affine(x, x)


class Asked(Positions):
    def forward(self, x):
        return x * len(self._modules)


class AsksForChildren(Base):
    """What `__init__` gives the module is not known to its tables."""

    def forward(self, x):
        return Asked()(x)


# ---- what classes of the user's have from others


class Options(dict):
    __getattr__ = dict.__getitem__


class ReadsOptions(Base):
    def __init__(self):
        super().__init__()
        self.options = Options(factor=3, is_open=False)
        self.steps, self.add = range(1, 4), torch.ao.nn.quantized.FloatFunctional()

    def forward(self, x):
        for step in self.steps:
            x = self.add.add_relu(x, self.fc(x) * step)
        if not self.options.is_open and x.sum() > len(self.steps):
            return self.add.cat([x, x * self.options.factor], dim=1)
        return self.add.mul_scalar(x, 2.0) if 3 in self.steps else x


PROGRAMS = [
    DrawsInTraining,
    DropsNothing,
    MadeModulesOfOwn,
    NumpyArrays,
    NumpyNumbers,
    ReadsOptions,
]

REFUSED = {
    AsksForChildren: (
        "DY206",
        "a table of a module that is made while",
        "self._modules",
    ),
    ChangesArray: ("DY309", "an array of NumPy's is changed", "weights += 1"),
    Draws: ("DY306", "`random.random` draws random numbers", "random.random()"),
    MadeAndReturned: ("DY301", "a module that is made while the network runs", "def"),
    MadeWithWeights: ("DY201", "made while the network runs, with new", "nn.Linear"),
    Narrow: ("DY309", "this is computed in fewer bits", "(scale * 0.7)"),
    StoresIntoArray: ("DY301", "an item of a tensor, list or dict is set", "weights[1"),
    TensorOfNumpy: ("DY309", "with a NumPy number, the tensor is of", "torch.tensor"),
}
