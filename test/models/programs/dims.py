"""Operations along dimensions that are counted from the end."""

import torch
from torch import nn
from torch.nn import functional as F


def written(x):
    """What stores at indices; torch-mlir ended the process."""
    index = torch.tensor([[2, 0, 1], [0, 0, 2], [1, 1, 1]])
    row, order = index[1], torch.tensor([2, 0, 1])
    return [
        x.scatter(-1, index, x * 2),
        x.scatter(-2, index, 2.0),
        x.clone().scatter_(-1, index, x * 2),
        x.scatter_add(-1, index, x),
        x.clone().scatter_add_(-2, index, x),
        *(x.scatter_reduce(-1, index, x, how) for how in ("sum", "amax", "amin")),
        x.clone().scatter_reduce_(-2, index, x, "prod"),
        x.index_add(-1, row, x),
        x.clone().index_add_(-2, row, x),
        x.index_copy(-1, order, x),
        x.index_fill(-1, row, 3.0),
        x.select_scatter(x[0], -2, -1),
        x.slice_scatter(x[:, :1], -1, -1),
    ]


def read(x):
    """What reads at indices, sorts, or goes along a dimension."""
    index = torch.tensor([[2, 0, 1], [0, 0, 2], [1, 1, 1]])
    return [
        torch.gather(x, -1, index),
        torch.take_along_dim(x, index, -2),
        x.index_select(-1, index[1]),
        x.cumsum(-2),
        x.cumprod(-1),
        *x.sort(-2),
        x.argsort(-1, descending=True),
        *x.topk(2, -2),
        *x.max(-1),
        x.argmin(-2),
        x.sum((-1, -2)),
        x.amax((-2, -1)),
        torch.std(x, -1),
        x.softmax(-2),
        x.logsumexp(-1),
        x.renorm(2, -1, 1.0),
        F.normalize(x, dim=-2),
        torch.linalg.vector_norm(x, dim=-1),
        (x > 0).any(-1),
    ]


def moved(x):
    """What only moves elements, and what adds a dimension."""
    return [
        x.unsqueeze(-1),
        x.unsqueeze(-3),
        torch.stack([x, x * 2], -1),
        torch.cat([x, x * 2], -1),
        torch.cat([x.new_zeros(0), x.flatten()], -1),
        torch.diag_embed(x, 0, -2, -1),
        x.diagonal(1, -1, -2),
        x.flip(-1, -2),
        x.roll((1, 2), (-1, -2)),
        x.unfold(-1, 2, 1),
        x.flatten(-2, -1),
        x.permute(-1, -2),
        x.narrow(-1, 1, 2),
        x.select(-1, -1),
        x.repeat_interleave(2, -1),
        *x.split(2, -1),
        *x.unbind(-2),
    ]


def of_a_scalar(x):
    """What goes along the only dim of a tensor of rank 0; torch-mlir did not end."""
    s, order = x.sum(), torch.tensor(0)
    return [
        s.softmax(0),
        s.log_softmax(-1),
        s.cumsum(-1),
        s.cumprod(0),
        s.logsumexp(0),
        s.logsumexp(-1, keepdim=True),
        s.argmax(0),
        *s.max(-1),
        *s.min(0, keepdim=True),
        s.amax(0),
        s.prod(0),
        *s.topk(1),
        *s.sort(0),
        *s.kthvalue(1),
        s.gather(0, order),
        s.var(0, unbiased=False),
        s.sum(0),
        s.mean(-1),
        (s > 0).any(0),
        (s > 0).all(-1),
    ]


class Along(nn.Module):
    """A function on one side of a decision, and on the other of a half."""

    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, x):
        if x.sum() > 0:
            return self.function(x)
        return self.function(x * 0.5)


PROGRAMS = (written, read, moved, of_a_scalar)
INPUTS = [
    (torch.tensor([[0.5, -1.0, 2.0], [3.0, 0.25, -0.75], [1.0, 4.0, -2.0]]),),
    (torch.tensor([[-0.5, -1.0, 2.0], [-3.0, 0.0, -0.75], [1.0, -4.0, 0.0]]),),
    (torch.tensor([[1.0, float("nan"), 2.0], [-3.0, 0.0, 0.5], [9.0, -4.0, 1.0]]),),
]
