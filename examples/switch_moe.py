"""A mixture of experts as in Switch Transformer: each token goes to one expert.

Input: a sentence, token ids 1x6 int64; result: logits 1x3. In each layer a router
looks at every token and one of its experts works on it; `build_by_sentence` routes
the sentence as a whole: one expert a layer. Fedus et al., JMLR 2022.
"""

import torch
from torch import nn


class Expert(nn.Module):
    """A feed-forward net."""

    def __init__(self, dim):
        super().__init__()
        self.up, self.down = nn.Linear(dim, 2 * dim), nn.Linear(2 * dim, dim)

    def forward(self, x):
        return self.down(torch.relu(self.up(x)))


class SwitchFeedForward(nn.Module):
    """Experts, and the router that says which of them a token goes to."""

    def __init__(self, dim, experts):
        super().__init__()
        self.router = nn.Linear(dim, experts)
        self.experts = nn.ModuleList([Expert(dim) for _ in range(experts)])

    def route(self, token):
        gate, index = self.router(token).softmax(dim=-1).max(dim=-1)
        return gate * self.experts[index.item()](token)

    def forward(self, x):
        return torch.stack([self.route(token) for token in x.unbind(1)], dim=1)


class BySentence(SwitchFeedForward):
    """Routes the mean of the tokens: all of them go to one expert."""

    def forward(self, x):
        gate, index = self.router(x.mean(dim=1)).softmax(dim=-1).max(dim=-1)
        return gate * self.experts[index.item()](x)


class SwitchTransformer(nn.Module):
    """Embedding, layers that mix tokens and send them to experts, a classifier."""

    def __init__(self, feed_forward, layers=2, dim=16, experts=4, length=6):
        super().__init__()
        self.embed = nn.Embedding(40, dim)
        self.mix = nn.ModuleList([nn.Linear(length, length) for _ in range(layers)])
        self.norms = nn.ModuleList([nn.LayerNorm(dim) for _ in range(layers)])
        self.switches = nn.ModuleList(
            [feed_forward(dim, experts) for _ in range(layers)]
        )
        self.classifier = nn.Linear(dim, 3)

    def forward(self, ids):
        x = self.embed(ids)
        for mix, norm, switch in zip(self.mix, self.norms, self.switches, strict=True):
            x = x + mix(norm(x).transpose(1, 2)).transpose(1, 2)
            x = x + switch(x)
        return self.classifier(x.mean(dim=1))


def build(seed=0):
    """Return the network that routes each token, with seeded random weights."""
    torch.manual_seed(seed)
    return SwitchTransformer(SwitchFeedForward).eval()


def build_by_sentence(seed=0):
    """Return the network that routes the sentence."""
    torch.manual_seed(seed)
    return SwitchTransformer(BySentence).eval()


def example_inputs(seed=0):
    """Return one random sentence."""
    generator = torch.Generator().manual_seed(seed)
    return (torch.randint(40, (1, 6), generator=generator),)


def cases():
    """Return [(model, list of inputs)]; together they take each decision both ways."""
    inputs = [example_inputs(seed) for seed in range(150)]
    return [(build(), inputs), (build_by_sentence(), inputs)]
