"""LayerSkip: a decoder whose layers share one head, and a token may leave early.

Input: a prompt, token ids 1x4 int64; result: the prompt and what follows, 1x(5..16)
int64, and the number of layers that each new token took. Elhoushi et al., ACL 2024
(its early exit, without the self-speculation).
"""

import torch
from torch import nn

END = 0


class DecoderLayer(nn.Module):
    """Causal self-attention and a feed-forward net, layer norms in front."""

    def __init__(self, dim):
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(dim), nn.LayerNorm(dim)
        self.query, self.key, self.value = (nn.Linear(dim, dim) for _ in range(3))
        self.mlp = nn.Sequential(
            nn.Linear(dim, 2 * dim), nn.SiLU(), nn.Linear(2 * dim, dim)
        )

    def forward(self, x):
        y = self.norm1(x)
        scores = self.query(y) @ self.key(y).transpose(1, 2) / x.size(-1) ** 0.5
        length = x.size(1)
        future = torch.ones(length, length, dtype=torch.bool).triu(1)
        scores = scores.masked_fill(future, float("-inf"))
        x = x + torch.softmax(scores, dim=-1) @ self.value(y)
        return x + self.mlp(self.norm2(x))


class LayerSkip(nn.Module):
    """Greedy decoding; a layer that is sure of the next token is the last one."""

    def __init__(self, vocabulary=32, dim=24, layers=4, longest=16):
        super().__init__()
        self.threshold, self.longest = 0.6, longest
        self.embed = nn.Embedding(vocabulary, dim)
        self.position = nn.Embedding(longest, dim)
        self.layers = nn.ModuleList([DecoderLayer(dim) for _ in range(layers)])
        self.norm = nn.LayerNorm(dim)
        self.head = nn.Linear(dim, vocabulary, bias=False)

    def next_token(self, tokens):
        x = self.embed(tokens) + self.position(torch.arange(tokens.size(1)))
        for used, layer in enumerate(self.layers, 1):
            x = layer(x)
            probabilities = self.head(self.norm(x[:, -1])).softmax(dim=-1)
            if probabilities.max() >= self.threshold:
                break
        return probabilities.argmax(dim=-1, keepdim=True), used

    def forward(self, tokens):
        depths = []
        while tokens.shape[1] < self.longest:
            token, used = self.next_token(tokens)
            tokens = torch.cat([tokens, token], dim=1)
            depths.append(used)
            if token.item() == END:
                break
        return tokens, depths


def build(seed=0):
    """Return the network in eval mode, with seeded random weights."""
    torch.manual_seed(seed)
    model = LayerSkip().eval()
    model.head.weight.data *= 6
    return model


def example_inputs(seed=0):
    """Return one random prompt, 1x4 int64."""
    generator = torch.Generator().manual_seed(seed)
    return (torch.randint(1, 32, (1, 4), generator=generator),)


def cases():
    """Return [(model, list of inputs)]; together they take each decision both ways."""
    return [(build(seed=5), [example_inputs(seed) for seed in range(24)])]
