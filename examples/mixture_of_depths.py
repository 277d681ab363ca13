"""Mixture of depths: each token goes through a block or around it.

Input: token ids 1x6 int64; result: logits 1x6x20 and how many times a token went
through a block. In every second layer a predictor looks at each token alone, as in
sampling, where the routers' top-k cannot look ahead. Raposo et al., 2024.
"""

import torch
from torch import nn


class Attention(nn.Module):
    """Causal self-attention of one head."""

    def __init__(self, dim):
        super().__init__()
        self.qkv, self.out = nn.Linear(dim, 3 * dim), nn.Linear(dim, dim)
        self.norm = nn.LayerNorm(dim)

    def forward(self, x):
        q, k, v = self.qkv(self.norm(x)).chunk(3, dim=-1)
        scores = q @ k.transpose(1, 2) / x.shape[-1] ** 0.5
        future = torch.triu(torch.ones(x.shape[1], x.shape[1]), diagonal=1).bool()
        scores = scores.masked_fill(future, float("-inf"))
        return x + self.out(scores.softmax(dim=-1) @ v)


class FeedForward(nn.Module):
    """A feed-forward net with a residual."""

    def __init__(self, dim):
        super().__init__()
        self.norm, self.up = nn.LayerNorm(dim), nn.Linear(dim, 4 * dim)
        self.down = nn.Linear(4 * dim, dim)

    def forward(self, x):
        return x + self.down(torch.relu(self.up(self.norm(x))))


class RoutedFeedForward(nn.Module):
    """Only the tokens that the predictor chooses are worked on."""

    def __init__(self, dim):
        super().__init__()
        self.block = FeedForward(dim)
        self.router = nn.Linear(dim, 1)
        self.predictor = nn.Linear(dim, 1)

    def forward(self, x):
        tokens, processed = [], 0
        for position in range(x.shape[1]):
            token = x[:, position]
            if torch.sigmoid(self.predictor(token)) > 0.5:
                weight = torch.sigmoid(self.router(token))
                token = token + weight * (self.block(token) - token)
                processed += 1
            tokens.append(token)
        return torch.stack(tokens, dim=1), processed


class MixtureOfDepths(nn.Module):
    """Embedding, layers of which every second one is routed, a head."""

    def __init__(self, layers=4, dim=16, vocabulary=20):
        super().__init__()
        self.embed = nn.Embedding(vocabulary, dim)
        self.attention = nn.ModuleList(Attention(dim) for _ in range(layers))
        self.mlps = nn.ModuleList(
            RoutedFeedForward(dim) if i % 2 else FeedForward(dim) for i in range(layers)
        )
        self.head = nn.Linear(dim, vocabulary)

    def forward(self, ids):
        x, total = self.embed(ids), 0
        for attention, mlp in zip(self.attention, self.mlps, strict=True):
            x = attention(x)
            if isinstance(mlp, RoutedFeedForward):
                x, processed = mlp(x)
                total += processed
            else:
                x = mlp(x)
        return self.head(x), total


def build(seed=0):
    """Return the network in eval mode, with seeded random weights."""
    torch.manual_seed(seed)
    return MixtureOfDepths().eval()


def example_inputs(seed=0):
    """Return six random tokens."""
    generator = torch.Generator().manual_seed(seed)
    return (torch.randint(20, (1, 6), generator=generator),)


def cases():
    """Return [(model, list of inputs)]; together they take each decision both ways."""
    return [(build(), [example_inputs(seed) for seed in range(40)])]
