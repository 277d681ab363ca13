"""Speculative decoding: a small model guesses ahead, the large one checks the guesses.

Input: a prompt, token ids 1x3 int64; result: 1x(4..19) int64, exactly what the large
model alone would write, and the number of its runs. Leviathan et al., ICML 2023, in
its greedy form.
"""

import torch
from torch import nn
from torch.nn import functional as F

END = 0


class CausalMixer(nn.Module):
    """A language model of causal convolutions: logits for the token after each one."""

    def __init__(self, vocabulary, dim, layers):
        super().__init__()
        self.embed = nn.Embedding(vocabulary, dim)
        self.mix = nn.ModuleList([nn.Conv1d(dim, dim, 3) for _ in range(layers)])
        self.head = nn.Linear(dim, vocabulary)

    def forward(self, tokens):
        x = self.embed(tokens).transpose(1, 2)
        for conv in self.mix:
            x = x + torch.tanh(conv(F.pad(x, (2, 0))))
        return self.head(x.transpose(1, 2))


class SpeculativeDecoder(nn.Module):
    """Guess `ahead` tokens, keep those that the large model wants, and one more."""

    def __init__(self, vocabulary=12, ahead=3, longest=16):
        super().__init__()
        self.ahead, self.longest = ahead, longest
        self.small = CausalMixer(vocabulary, 16, 1)
        self.large = CausalMixer(vocabulary, 16, 3)

    def forward(self, tokens):
        runs = 0
        while tokens.size(1) < self.longest:
            guess = tokens
            for _ in range(self.ahead):
                token = self.small(guess)[:, -1].argmax(dim=-1, keepdim=True)
                guess = torch.cat([guess, token], dim=1)
            wanted = self.large(guess).argmax(dim=-1)
            runs += 1
            start = tokens.size(1)
            agreed = guess[:, start:] == wanted[:, start - 1 : -1]
            kept = start + ((~agreed).cumsum(dim=1) < 1).sum().item()
            tokens = torch.cat([guess[:, :kept], wanted[:, kept - 1 : kept]], dim=1)
            if (tokens == END).any():
                break
        return tokens, runs


def build(seed=0):
    """Return the network in eval mode; the small model is near to the large one."""
    torch.manual_seed(seed)
    model = SpeculativeDecoder().eval()
    model.small.load_state_dict(model.large.state_dict(), strict=False)
    for conv in model.large.mix[1:]:
        conv.weight.data *= 0.5
    return model


def example_inputs(seed=0):
    """Return one random prompt, 1x3 int64."""
    generator = torch.Generator().manual_seed(seed)
    return (torch.randint(1, 12, (1, 3), generator=generator),)


def cases():
    """Return [(model, list of inputs)]; together they take each decision both ways."""
    return [(build(), [example_inputs(seed) for seed in range(24)])]
