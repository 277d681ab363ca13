"""Lists of numbers as indices, rows of tensors of any length, `max` and `index`."""

import torch
from torch import nn


class Net(nn.Module):
    """Base: two small layers that all networks may use."""

    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)
        self.gate = nn.Linear(4, 1)


class Rows(Net):
    """Over the rows of a tensor that has grown."""

    def forward(self, x):
        y = x
        while y.sum() < 4:
            y = torch.cat([y, y[-1:].abs() * 0.5 + 0.1])
        s = torch.zeros(4)
        for i, row in enumerate(y, 1):
            s = s * 0.5 + row * i
        for row in reversed(y):
            s = torch.sin(s) + row
        return s


class Filter(Net):
    """The published way to choose rows: a list of their numbers."""

    def forward(self, x):
        k = int(x.argmax()) + 1
        t = x[0][:k]
        inds = [i for i, v in enumerate(t) if v > 0.2]
        return inds, t[inds], self.fc.weight[inds], self.fc.weight[:, inds].sum()


class FilterOfFew(Net):
    """Over rows that are known: each path has its own list."""

    def forward(self, x):
        y = self.fc(x)[0, :3]
        inds = [i for i, v in enumerate(y) if v > 0]
        return y[inds], inds


class Chosen(Net):
    """Elements by ints that the data decides, from the end too."""

    def forward(self, x):
        k = int(x.argmax())
        y = self.fc(x)
        z = self.fc.weight[: k + 1]
        return y[0, k], y[:, -1 - k], z[k], z[-k], z[:, k]


class TopK(Net):
    """As many as the data wants, and where they stand."""

    def forward(self, x):
        k = int(x.argmax()) + 1
        values, places = self.fc(x).view(-1).topk(k, 0, True, True)
        return values, places // 2, places % 2, self.fc.weight[places]


class Listed(Net):
    """Numbers of a tensor of any size, as nested lists; one of them."""

    def forward(self, x):
        k = int(x.argmax()) + 1
        lists = self.fc.weight[:k].tolist()
        return (
            x[0][:k].tolist(),
            lists,
            lists[k - 1],
            (x > 0)[:, :k].tolist(),
            len(lists),
        )


class Gathered(Net):
    """Rows and lists of numbers, at the end of lists that the data fills."""

    def forward(self, x):
        rows, numbers = list(), []
        while x.sum() < 3:
            x = x.abs() + 0.4
            k = int(x.argmax()) + 1
            rows.extend(self.fc(x)[0][:k])
            numbers.extend(self.fc.weight[:k].tolist())
        return rows, numbers


class Best(Net):
    """The best of many, the first of them, and its place."""

    def forward(self, x):
        scores, counts, y = [], [], x
        while True:
            y = y.abs() * 0.9 + 0.3
            scores.append(self.gate(torch.sin(y * 3)).view([]))
            counts.append(int(y.sum() * 2) % 3)
            if y.sum() > 3:
                break
        i = scores.index(max(scores))
        least = min(counts)
        return i, scores[i], max(counts), least, counts.index(least), 1 in counts


class FromNothing(Net):
    """`max` of nothing, and a number that is not there, raise what Python says."""

    def forward(self, x):
        counts = []
        for i in range(int(x.argmax())):
            counts.append(i * 2)
        return max(counts), counts.index(2)


class Remaining(Net):
    """The rows that are not in a list: sets of few small numbers keep their order."""

    def forward(self, x):
        t = x[0][: int(x.argmax()) + 1]
        inds = [i for i, v in enumerate(t) if v > 0.2]
        rest = list(set(range(len(t))) - set(inds))
        return rest, sorted(set(range(len(t))) - set(inds)), t[rest], 2 in rest


class Cells(Net):
    """Recurrent cells whose batch shrinks."""

    def __init__(self):
        super().__init__()
        self.lstm, self.gru = nn.LSTMCell(4, 4), nn.GRUCell(4, 4)
        self.rnn = nn.RNNCell(4, 4)

    def forward(self, x):
        y = torch.cat([x, x * 0.5, -x, x + 1])
        h, c = self.lstm(y)
        steps = 0
        while len(h) > 1 and steps < 4:
            keep = [i for i, row in enumerate(h) if row.sum() > -0.3 + steps * 0.2]
            if len(keep) == 0:
                break
            y, h, c = y[keep], h[keep], c[keep]
            h, c = self.lstm(y, (h, c))
            y = self.rnn(self.gru(y, h), h) + y
            steps += 1
        return y, h, c, steps


class Beam(Net):
    """What ends leaves the beam, with its score; the best of all is the answer."""

    def forward(self, x):
        done, scores = [], []
        k, step = 4, 1
        y = x[0]
        while True:
            ended = [i for i, v in enumerate(y) if v > 0.6]
            rest = list(set(range(len(y))) - set(ended))
            if len(ended) > 0:
                done.extend(torch.stack([y, y * step], 1)[ended].tolist())
                scores.extend(y[ended])
            k -= len(ended)
            if k == 0:
                break
            y = y[rest] * 0.5 + 0.31
            if step > 4:
                break
            step += 1
        if len(scores) == 0:
            return done, scores, k
        i = scores.index(max(scores))
        return done[i], scores[i], k


class Kept(Net):
    """Six known items, of which the data keeps some, twice: no path for each choice."""

    def forward(self, x):
        kept = [x + i * 0.2 - 0.5 for i in range(6)]
        for i in range(2):
            kept = [torch.sin(y) for y in kept if y.sum() > i * 0.5]
        total = x
        for y in kept:
            total = total * 0.5 + y
        return total, len(kept)


class HeapValues(Net):
    """A list that grows in a loop inside a loop, each of which the data ends."""

    def forward(self, x):
        found = []
        for i in range(3):
            for j in range(3):
                if x.sum() > 0.2 * i - j:
                    break
                found.append(x + j)
            x = torch.sin(self.fc(x))
        return torch.stack(found).sum() if len(found) > 0 else x.sum()


class Longer(Net):
    """The first item has a known size, the others none."""

    def forward(self, x):
        found, y, i = [x], x, 0
        while i < 3 and x[0, i] > -0.5:
            i += 1
            y = torch.cat([y, x], 1)
            found.append(y)
        return torch.cat(found, 1), found


class InFront(Net):
    """The last comes first: the order in which a decoder takes what was kept."""

    def forward(self, x):
        skips, counts, i = [x], [], 0
        while i < 3 and x[0, i] > -0.5:
            i += 1
            x = torch.sin(self.fc(x))
            skips.insert(0, x)
            counts.insert(0, i)
            if x.sum() > 0:
                counts.append(-i)
        for skip in skips:
            x = x * 0.5 + skip
        counts.insert(0, len(skips))
        return x, skips, counts


class ComparedShapes(Net):
    """Sizes of a run in tuples, beside tuples of constants."""

    def forward(self, x):
        y, z = x[0][x[0] > 0.5], x[0][x[0] <= 0.5]
        if y.shape == z.shape:
            return y + z
        if y.size() == torch.Size([4]):
            return x
        if y.shape[-1:] >= (3,):
            return x * 2
        if (len(y), x.shape[1]) != (0, 4):
            return x * 3
        return x + 1


PROGRAMS = (
    ComparedShapes,
    InFront,
    Kept,
    HeapValues,
    Longer,
    Rows,
    Filter,
    FilterOfFew,
    Chosen,
    TopK,
    Listed,
    Gathered,
    Best,
    FromNothing,
    Remaining,
    Cells,
    Beam,
)
