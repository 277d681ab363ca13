"""Dynamic networks as their authors write them, made small.

Each function gives a model and the tuples of arguments to call it with.
"""

import math
from dataclasses import dataclass
from typing import NamedTuple

import torch
import torch.nn.functional as F
from torch import nn


def drawn(count, *shape, scale=1.0):
    generator = torch.Generator().manual_seed(0)
    return [(torch.randn(*shape, generator=generator) * scale,) for _ in range(count)]


# ---- early exits by entropy, with a record for a result


@dataclass
class HighwayOutput:
    logits: torch.Tensor
    exit_layer: int
    entropies: list[torch.Tensor] | None = None


def entropy(x):
    exp_x = torch.exp(x)
    a = torch.sum(exp_x, dim=1)
    b = torch.sum(x * exp_x, dim=1)
    return torch.log(a) - b / a


class SelfAttention(nn.Module):
    def __init__(self, size, heads):
        super().__init__()
        assert size % heads == 0
        self.heads, self.head_size = heads, size // heads
        self.qkv, self.out = nn.Linear(size, 3 * size), nn.Linear(size, size)

    def split(self, x: torch.Tensor) -> torch.Tensor:
        return x.view((*x.size()[:-1], self.heads, self.head_size)).transpose(1, 2)

    def forward(self, x, mask: torch.Tensor | None = None):
        q, k, v = [self.split(part) for part in self.qkv(x).chunk(3, dim=-1)]
        scores = q @ k.transpose(-1, -2) / math.sqrt(self.head_size)
        if mask is not None:
            scores = scores + mask
        context = (scores.softmax(-1) @ v).permute(0, 2, 1, 3).contiguous()
        return self.out(context.view(*context.size()[:-2], -1))


class EarlyExitEncoder(nn.Module):
    def __init__(self, layers=3, size=8, labels=3, thresholds=(0.6, 0.6, 0.6)):
        super().__init__()
        self.embeddings = nn.Embedding(20, size, padding_idx=0)
        self.layers = nn.ModuleList(SelfAttention(size, 2) for _ in range(layers))
        self.norms = nn.ModuleList(nn.LayerNorm(size) for _ in range(layers))
        self.highways = nn.ModuleList(nn.Linear(size, labels) for _ in range(layers))
        self.thresholds = list(thresholds)

    def forward(
        self, ids: torch.LongTensor, attention_mask: torch.Tensor | None = None
    ):
        if attention_mask is None:
            attention_mask = torch.ones(ids.size(), device=ids.device)
        extended = attention_mask[:, None, None, :].to(dtype=torch.float32)
        mask = (1.0 - extended) * torch.finfo(torch.float32).min
        hidden, entropies = self.embeddings(ids), []
        for i, (layer, norm) in enumerate(zip(self.layers, self.norms, strict=True)):
            hidden = norm(hidden + layer(hidden, mask))
            logits = self.highways[i](torch.tanh(hidden[:, 0])) * 3
            entropies.append(entropy(logits))
            if not self.training and entropies[-1] < self.thresholds[i]:
                return HighwayOutput(logits, exit_layer=i + 1, entropies=entropies)
        return HighwayOutput(logits, exit_layer=len(self.layers))


def early_exit_encoder():
    generator = torch.Generator().manual_seed(1)
    mask = torch.tensor([[1.0, 1, 1, 1, 0, 0]])
    rows = [torch.randint(1, 20, (1, 6), generator=generator) for _ in range(80)]
    return EarlyExitEncoder(), [(row, mask) for row in rows]


# ---- sparse mixture of experts


class MixtureOutput(NamedTuple):
    hidden: torch.Tensor
    router_logits: torch.Tensor


class SparseMixture(nn.Module):
    def __init__(self, size=4, experts=4, top_k=2):
        super().__init__()
        self.gate = nn.Linear(size, experts, bias=False)
        self.experts = nn.ModuleList(
            nn.Sequential(nn.Linear(size, 8), nn.SiLU(), nn.Linear(8, size))
            for _ in range(experts)
        )
        self.top_k = top_k

    def forward(self, hidden: torch.Tensor) -> MixtureOutput:
        batch, length, size = hidden.shape
        hidden = hidden.view(-1, size)
        router_logits = self.gate(hidden)
        weights = F.softmax(router_logits, dim=1, dtype=torch.float)
        weights, selected = torch.topk(weights, self.top_k, dim=-1)
        weights /= weights.sum(dim=-1, keepdim=True)
        final = torch.zeros((batch * length, size), dtype=hidden.dtype)
        masks = F.one_hot(selected, num_classes=len(self.experts)).permute(2, 1, 0)
        for number, expert in enumerate(self.experts):
            place, rows = torch.where(masks[number])
            if rows.shape[0] == 0:
                continue
            given = hidden[None, rows].reshape(-1, size)
            final.index_add_(0, rows, expert(given) * weights[rows, place, None])
        return MixtureOutput(final.reshape(batch, length, size), router_logits)


def sparse_mixture():
    return SparseMixture(), drawn(30, 1, 3, 4, scale=2)


# ---- a pondering cell


class PonderCell(nn.Module):
    def __init__(self, size=4, max_steps=4):
        super().__init__()
        self.gru, self.halting = nn.GRUCell(size, size), nn.Linear(size, 1)
        self.output, self.max_steps = nn.Linear(size, 1), max_steps

    def forward(self, x: torch.Tensor):
        h = self.gru(x, x.new_zeros(x.shape))
        unhalted, halted = h.new_ones((x.shape[0],)), h.new_zeros((x.shape[0],))
        probabilities, outputs = [], []
        for n in range(1, self.max_steps + 1):
            if n == self.max_steps:
                step = h.new_ones(h.shape[0])
            else:
                step = torch.sigmoid(self.halting(h))[:, 0]
            probabilities.append(unhalted * step)
            outputs.append(self.output(h)[:, 0])
            unhalted = unhalted * (1 - step)
            halted = halted + (step > 0.4).float() * (1 - halted)
            if n < self.max_steps and halted.sum() == x.shape[0]:
                break
            h = self.gru(x, h)
        return torch.stack(probabilities), torch.stack(outputs), n


def ponder_cell():
    return PonderCell(), drawn(200, 1, 4, scale=2)


# ---- a differential equation with steps of its own size


class AdaptiveSteps(nn.Module):
    rtol, atol = 1e-2, 1e-3

    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(3, 8), nn.Tanh(), nn.Linear(8, 3))

    def forward(self, y):
        t, dt, steps = 0.0, 0.5, 0
        while t < 1.0:
            dt = min(dt, 1.0 - t)
            k1 = self.net(y) + t
            k2 = self.net(y + dt * k1) + (t + dt)
            new = y + dt * 0.5 * (k1 + k2)
            error = (dt * 0.5 * (k2 - k1)).abs().max().item()
            scale = max(y.abs().max().item(), new.abs().max().item())
            allowed = self.atol + self.rtol * scale
            if error <= allowed:
                t, y = t + dt, new
            factor = 0.9 * (allowed / (error + 1e-12)) ** 0.5
            dt = dt * min(2.0, max(0.2, factor))
            steps += 1
        return y, steps


def adaptive_steps():
    return AdaptiveSteps(), drawn(20, 1, 3, scale=3)


# ---- paths chosen by a hash, for each row


class HashRouting(nn.Module):
    def __init__(self, size=4):
        super().__init__()
        self.register_buffer("projection", torch.randn(size, 2))
        self.register_buffer("powers", 2 ** torch.arange(2))
        self.paths = nn.ModuleList(nn.Linear(size, size) for _ in range(4))

    def forward(self, x):
        bits = (x @ self.projection > 0).long()
        bucket = (bits * self.powers).sum(-1)
        out = torch.zeros_like(x)
        for b in bucket.unique().tolist():
            mask = bucket == b
            out[mask] = self.paths[b](x[mask])
        return out, bucket


def hash_routing():
    return HashRouting(), drawn(30, 3, 4)


# ---- what is left of overlapping boxes


def overlaps(a, b):
    low = torch.max(a[:, None, :2], b[:, :2])
    high = torch.min(a[:, None, 2:], b[:, 2:])
    width, height = (high - low).clamp(min=0).unbind(-1)

    def area(boxes):
        return (boxes[:, 2] - boxes[:, 0]) * (boxes[:, 3] - boxes[:, 1])

    shared = width * height
    return shared / (area(a)[:, None] + area(b) - shared)


class Suppression(nn.Module):
    def __init__(self, threshold=0.3):
        super().__init__()
        self.head, self.threshold = nn.Linear(6, 5), threshold

    def forward(self, features):
        out = self.head(features)
        centers, sizes = out[:, :2].sigmoid(), out[:, 2:4].exp() * 0.3
        boxes = torch.cat([centers - sizes / 2, centers + sizes / 2], -1)
        boxes = boxes[torch.argsort(out[:, 4], descending=True)]
        overlap = overlaps(boxes, boxes)
        suppressed = [False] * len(boxes)
        kept = 0
        for i in range(len(boxes)):
            if suppressed[i]:
                continue
            kept += 1
            for j in range(i + 1, len(boxes)):
                if overlap[i, j] > self.threshold:
                    suppressed[j] = True
        return boxes, suppressed, kept


def suppression():
    return Suppression(), drawn(60, 3, 6)


# ---- child sums over a tree that the input describes


class ChildSums(nn.Module):
    def __init__(self, size=4):
        super().__init__()
        self.input, self.hidden = nn.Linear(size, 3 * size), nn.Linear(size, 3 * size)

    def node(self, x, children):
        h = torch.stack(children).sum(0) if len(children) else torch.zeros_like(x)
        i, o, u = torch.split(self.input(x) + self.hidden(h), x.size(-1), dim=-1)
        return torch.sigmoid(o) * torch.tanh(torch.sigmoid(i) * torch.tanh(u))

    def forward(self, x, parents):
        children = [[] for _ in range(len(x))]
        for i in range(len(x) - 1):
            state = self.node(x[i], children[i])
            children[parents[i].item()].append(state)
        return self.node(x[-1], children[-1])


def child_sums():
    generator = torch.Generator().manual_seed(2)
    trees = [(one, other) for one in range(3) for other in range(3)]
    return ChildSums(), [
        (torch.randn(3, 4, generator=generator), torch.tensor(tree)) for tree in trees
    ]


# ---- a cache that each step replaces, and states taken apart by zip


class CachedDecoder(nn.Module):
    def __init__(self, size=4, words=6, layers=2, stop=3):
        super().__init__()
        self.embedding, self.head = nn.Embedding(words, size), nn.Linear(size, words)
        self.cells = nn.ModuleList(nn.Linear(2 * size, size) for _ in range(layers))
        self.stop = stop

    def step(self, x, cache):
        steps = []
        for layer, cell in enumerate(self.cells):
            cache[layer]["h"] = torch.tanh(cell(torch.cat([x, cache[layer]["h"]], -1)))
            x = x + cache[layer]["h"]
            steps.append((x, cache[layer]["h"]))
        outputs, states = zip(*steps, strict=True)
        return self.head(outputs[-1]) + torch.stack(states).sum()

    @torch.no_grad()
    def forward(self, x):
        cache = [{"h": torch.zeros(1, 4)} for _ in self.cells]
        length = 0
        while length < 3:
            word = self.step(x, cache).argmax(-1)
            length += 1
            if word.item() == self.stop:
                break
            x = self.embedding(word) + 0.5 * x
        return word, length, cache[-1]["h"]


def cached_decoder():
    return CachedDecoder(), drawn(100, 1, 4, scale=2)


PROGRAMS = [
    early_exit_encoder,
    sparse_mixture,
    ponder_cell,
    adaptive_steps,
    hash_routing,
    suppression,
    child_sums,
    cached_decoder,
]
