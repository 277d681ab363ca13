"""Tensors made of Python's numbers and of tensors: each must equal eager.

All take `x`, 1x4 float32; every decision goes both ways over the test's inputs.
"""

import torch
from torch import nn


class Literals(nn.Module):
    """A model whose forward is a function of `x`."""

    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, x):
        return self.function(x)


def rows_of_a_number(x):
    k = x.argmax().item()
    t = torch.tensor([[k, k + 1], [0, 1]], dtype=torch.float64)
    if k > 1:
        return t, torch.tensor([[[k]]])
    return t, torch.as_tensor([[1.5, k]])


def numbers_of_two_kinds(x):
    k, v = x.argmax().item(), x.max().item()
    if v > 0.5:
        return torch.tensor((v, k)), torch.tensor([[k], [2]])
    return torch.tensor([[v], [2.0]]), torch.tensor([[k, k]], dtype=torch.float32)


def truths(x):
    found = (x.max() > 1).item()
    if x.sum() > 0:
        return torch.tensor([found, True]), torch.tensor([[found]])
    return torch.tensor(found), torch.tensor([found, 2])


def classes_of_old(x):
    k = x.argmax().item()
    if k > 1:
        return torch.LongTensor([k]), torch.FloatTensor([[k, 1.5]])
    return torch.IntTensor([[k], [1]]), torch.BoolTensor([k, 0])


def methods_of_a_tensor(x):
    k = x.argmax().item()
    if k > 1:
        return x.new_tensor([[k, 1]]), x.new_full((2,), k)
    return x.long().new_tensor([k]), torch.full((2, 2), k)


def numbers_beside_tensors(x):
    k = x.argmax().item()
    if x.sum() > 0:
        return torch.tensor([[x.max(), k], [x.sum(), True]])
    return torch.tensor([x.argmax(), k, 7])


def tensors_alone(x):
    if x.sum() > 0:
        return torch.tensor([x.max(), x.sum().double()]), torch.tensor([[x.argmax()]])
    return torch.tensor([x.argmax(), 1.5], dtype=torch.int32), torch.as_tensor(
        [x[0, 0]]
    )


PROGRAMS = [
    rows_of_a_number,
    numbers_of_two_kinds,
    truths,
    classes_of_old,
    methods_of_a_tensor,
    numbers_beside_tensors,
    tensors_alone,
]


def no_scalars(x):
    return torch.tensor([x[0], x[0]])


def rows_of_two_lengths(x):
    return torch.tensor([[x.max(), 1.0], [x.sum()]])


REFUSED = {
    no_scalars: "only one element tensors can be converted to Python scalars",
    rows_of_two_lengths: "the rows of a tensor are of different length",
}
