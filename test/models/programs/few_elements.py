"""What other people do with a few elements that the data selects: none, one or more.

Each model is given an f32[5] mask of numbers, of which those above zero are chosen.
"""

import torch
from torch import nn


def mask(*places):
    return torch.tensor([float(i in places) for i in range(5)])


MASKS = [mask(1, 3), mask(2), mask(0), mask(), mask(0, 1, 2, 3, 4), mask(4)]


class Rows(nn.Module):
    def __init__(self):
        super().__init__()
        self.table = nn.Parameter(torch.arange(20.0).view(5, 4).sin())
        self.vector = nn.Parameter(torch.arange(4.0).cos())

    @staticmethod
    def inputs():
        return MASKS


class Squeezed(Rows):
    """A row alone is no matrix."""

    def forward(self, m):
        i = torch.nonzero(m > 0).squeeze()
        y = self.table.clone()
        if i.numel() > 0:
            y[i] = self.table[i] * 2
        return i, y


class SqueezedByDim(Rows):
    """Each dim that is named, and is one."""

    def forward(self, m):
        x = self.table[m > 0].unsqueeze(1)
        return x.squeeze(0), torch.squeeze(x, 1), x.squeeze((0, 1)), x.squeeze(-2) + 1


class Alone(Rows):
    """One that is chosen is a number; of others that raises."""

    def forward(self, m):
        chosen = self.table[:, 0][m > 0]
        return chosen.item(), float(chosen)


class AloneIsTrue(Rows):
    """One that is chosen is a truth; of others that raises."""

    def forward(self, m):
        chosen = self.table[:, 0][m > 0]
        if not chosen:
            return m
        return m * 2


class UntilOneIsLeft(Rows):
    """The number is asked for where there is one."""

    def forward(self, m):
        kept, left = [], torch.nonzero(m > 0)[:, 0]
        while left.numel() > 0:
            if left.numel() == 1:
                kept.append(left.item())
                break
            kept.append(left[0].item())
            left = left[1:]
        return kept


class CutTwice(Rows):
    """What has been cut by a number is cut by tensors."""

    def forward(self, m):
        lengths = torch.stack([m.sum(), m[:3].sum()]).long()
        x = self.table[: lengths.max().item()]
        return [x[: lengths[i]].sum(0) for i in range(2)], x[lengths[1] :] @ self.vector


class InPairs(Rows):
    """Two rows are wanted."""

    @staticmethod
    def inputs():
        return [mask(1, 3), mask(0, 4), mask(0, 1)]

    def forward(self, m):
        return self.table[m > 0].view(2, 4), self.table[m > 0].reshape(4, 2)


class Least(Rows):
    """Python's `min` and `max` of what is chosen; of nothing they raise."""

    def forward(self, m):
        chosen = self.table[:, 0][m > 0]
        return max(chosen), self.table[:, 1][self.table[:, 0] > min(chosen)]


class Sums(Rows):
    """Python's `sum` of lists that the data fills: of nothing it is 0."""

    def forward(self, m):
        losses, counts, sizes = [], [], []
        for i in torch.nonzero(m > 0)[:, 0].tolist():
            losses.append((self.table[i] ** 2).sum())
            counts.append(i)
            sizes.append(i / 2)
        return sum(losses), sum(counts), sum(sizes)


class MissingColumns(Rows):
    """A path with an index that is too large raises where a run gets there."""

    def forward(self, m):
        rows = self.table[m > 0]
        if rows.shape[0] == 1:
            return rows[:, 7]
        return rows[:, 4:][:, 0] if m.sum() > 4 else rows


class ConstantTuples(Rows):
    """A tuple of constants on one side, of numbers on the other."""

    def forward(self, m):
        found = []
        for part in (m[:2], m[2:]):
            if part.sum() == 0:
                found.append((-1, 0.5))
                continue
            found.append((part.argmax().item(), part.mean().item()))
        return found


class RankOfSqueezed(nn.Module):
    """Which rank it is, is asked before anything else."""

    def forward(self, x):
        v = x[x > 0].unsqueeze(0).squeeze()
        if v.dim() == 0:
            return v * 2
        return v.sum() * 3, len(v)


class SparseOfOne(nn.Module):
    """One value, a tensor of rank 0, is one element of a sparse matrix."""

    def forward(self, x):
        x = x.view(2, 2)
        places = (x > 0).nonzero().t()
        values = x[places[0], places[1]].unsqueeze(0).squeeze()
        matrix = torch.sparse_coo_tensor(places, values, torch.Size([2, 2]))
        return torch.matmul(matrix, x)


class Copied(Rows):
    """Rows to places that are a number where one is chosen, by a mask of its own."""

    def forward(self, m):
        places = (m > 0).nonzero().squeeze()
        if places.numel() == 0:
            return m, places
        filled = self.table.index_fill(0, places, -1.0)
        return m.new_zeros(5).index_copy_(0, places, self.table[:, 0][m > 0]), filled


PROGRAMS = (
    Copied,
    *(Squeezed, SqueezedByDim, Alone, AloneIsTrue, UntilOneIsLeft),
    *(CutTwice, InPairs, Least, Sums, MissingColumns, ConstantTuples),
    RankOfSqueezed,
)
