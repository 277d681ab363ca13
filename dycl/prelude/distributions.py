"""Distributions of torch as what they were made of: densities, entropies, divergences.

torch's are objects with attributes that are computed when they are first read. Here one
is a record, and computes what it is asked for. Arguments are checked as torch checks
them, where `validate_args` says so or nothing: it raises ValueError, with a text that
does not show the elements. A sample draws random numbers, which is refused as anywhere.
"""

import math
from dataclasses import dataclass
from typing import Any

import torch

from dycl.prelude.refusals import NotCompiled

_HALF_LOG_TAU = math.log(math.sqrt(2 * math.pi))


@dataclass(frozen=True)
class Normal:
    """`torch.distributions.Normal`."""

    loc: Any
    scale: Any
    is_checked: bool

    @property
    def mean(self) -> Any:
        return self.loc

    @property
    def mode(self) -> Any:
        return self.loc

    @property
    def stddev(self) -> Any:
        return self.scale

    @property
    def variance(self) -> Any:
        return self.scale.pow(2)

    def log_prob(self, value: Any) -> Any:
        self._check(value)
        squares = (value - self.loc) ** 2
        return -squares / (2 * self.scale**2) - self.scale.log() - _HALF_LOG_TAU

    def cdf(self, value: Any) -> Any:
        self._check(value)
        distance = (value - self.loc) * self.scale.reciprocal() / math.sqrt(2)
        return 0.5 * (1 + torch.erf(distance))

    def entropy(self) -> Any:
        return 0.5 + 0.5 * math.log(2 * math.pi) + torch.log(self.scale)

    def sample(self, sample_shape: Any = ()) -> Any:
        return torch.normal(self.loc, self.scale)

    def rsample(self, sample_shape: Any = ()) -> Any:
        return torch.normal(self.loc, self.scale)

    def _check(self, value: Any) -> None:
        if self.is_checked and not (value == value).all():
            raise ValueError(_OUTSIDE.format("Normal"))


@dataclass(frozen=True)
class Categorical:
    """`torch.distributions.Categorical`, of `probs` or of `logits`; one is None."""

    given_probs: Any
    given_logits: Any
    is_checked: bool

    @property
    def probs(self) -> Any:
        if self.given_probs is None:
            return torch.softmax(self.given_logits, -1)
        return self.given_probs

    @property
    def logits(self) -> Any:
        if self.given_probs is None:
            return self.given_logits
        eps = torch.finfo(self.given_probs.dtype).eps
        return self.given_probs.clamp(min=eps, max=1 - eps).log()

    @property
    def mode(self) -> Any:
        return self.probs.argmax(dim=-1)

    def log_prob(self, value: Any) -> Any:
        logits = self.logits
        if self.is_checked:
            inside = (value % 1 == 0) & (value >= 0) & (value <= logits.size(-1) - 1)
            if not inside.all():
                raise ValueError(_OUTSIDE.format("Categorical"))
        places, found = torch.broadcast_tensors(value.long().unsqueeze(-1), logits)
        return found.gather(-1, places[..., :1]).squeeze(-1)

    def entropy(self) -> Any:
        logits = self.logits
        least = torch.finfo(logits.dtype).min
        return -(torch.clamp(logits, min=least) * self.probs).sum(-1)

    def sample(self, sample_shape: Any = ()) -> Any:
        return torch.multinomial(self.probs, 1)


_OUTSIDE = (
    "Expected value argument to be within the support of the distribution {}, but "
    "found invalid values"
)
_WRONG = (
    "Expected parameter {} of distribution {} to satisfy its constraint, but found "
    "invalid values"
)


def normal(loc: Any, scale: Any, validate_args: Any = None) -> Any:
    """`torch.distributions.Normal(loc, scale)`."""
    if isinstance(loc, torch.Tensor):
        if not isinstance(scale, torch.Tensor):
            scale = torch.tensor(scale, dtype=loc.dtype)
    elif isinstance(scale, torch.Tensor):
        loc = torch.tensor(loc, dtype=scale.dtype)
    else:
        loc, scale = torch.tensor(float(loc)), torch.tensor(float(scale))
    loc, scale = torch.broadcast_tensors(loc, scale)
    is_checked = validate_args is None or validate_args
    if is_checked:
        if not (loc == loc).all():
            raise ValueError(_WRONG.format("loc", "Normal"))
        if not (scale > 0).all():
            raise ValueError(_WRONG.format("scale", "Normal"))
    return Normal(loc, scale, is_checked)


def categorical(
    probs: Any = None, logits: Any = None, validate_args: Any = None
) -> Any:
    """`torch.distributions.Categorical(probs)`, or of `logits`."""
    if (probs is None) == (logits is None):
        raise ValueError("Either `probs` or `logits` must be specified, but not both.")
    is_checked = validate_args is None or validate_args
    if probs is None:
        logits = logits - logits.logsumexp(dim=-1, keepdim=True)
        if is_checked and not (logits == logits).all():
            raise ValueError(_WRONG.format("logits", "Categorical"))
    else:
        probs = probs / probs.sum(-1, keepdim=True)
        if is_checked:
            is_one = (probs.sum(-1) - 1).abs() < 1e-6
            if not ((probs >= 0).all(-1) & is_one).all():
                raise ValueError(_WRONG.format("probs", "Categorical"))
    return Categorical(probs, logits, is_checked)


def kl_divergence(p: Any, q: Any) -> Any:
    """`torch.distributions.kl_divergence` of two of one kind."""
    if isinstance(p, Normal) and isinstance(q, Normal):
        ratio = (p.scale / q.scale).pow(2)
        distance = ((p.loc - q.loc) / q.scale).pow(2)
        return 0.5 * (ratio + distance - 1 - ratio.log())
    if isinstance(p, Categorical) and isinstance(q, Categorical):
        parts = p.probs * (p.logits - q.logits)
        parts = torch.where((q.probs == 0).expand_as(parts), torch.inf, parts)
        parts = torch.where((p.probs == 0).expand_as(parts), 0.0, parts)
        return parts.sum(-1)
    raise NotCompiled(
        "the divergence of these distributions is not compiled",
        "write it out in operations on tensors",
    )
