"""Distributions of torch as what they were made of: densities, entropies, divergences.

torch's are objects with attributes that are computed when they are first read. Here one
is a record, and computes what it is asked for. Arguments are checked as torch checks
them, where `validate_args` says so or nothing: it raises ValueError, with a text that
does not show the elements. A sample draws random numbers, which is refused as anywhere.

The fields are the attributes that torch's have when they have been made, in the same
order, so that one that is returned is one of torch's; what begins with `_dycl_` is
called otherwise there (`dycl.prelude.ATTRIBUTES`). `distribution_classes` has the bases
of the user's own distributions.
"""

import math
from dataclasses import dataclass
from typing import Any

import torch

from dycl.prelude.refusals import NotCompiled

_HALF_LOG_TAU = math.log(math.sqrt(2 * math.pi))


class Distribution:
    """`torch.distributions.Distribution`, for who asks what one is."""


class ExponentialFamily(Distribution):
    """`torch.distributions.ExponentialFamily`, likewise."""


class NormalMethods(ExponentialFamily):
    """What a normal distribution is asked for."""

    loc: Any
    scale: Any
    _dycl_is_checked: bool

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
        return self.stddev.pow(2)

    def log_prob(self, value: Any) -> Any:
        if self._dycl_is_checked and not (value == value).all():
            raise ValueError(_OUTSIDE.format("Normal"))
        squares = (value - self.loc) ** 2
        return -squares / (2 * self.scale**2) - self.scale.log() - _HALF_LOG_TAU

    def cdf(self, value: Any) -> Any:
        if self._dycl_is_checked and not (value == value).all():
            raise ValueError(_OUTSIDE.format("Normal"))
        distance = (value - self.loc) * self.scale.reciprocal() / math.sqrt(2)
        return 0.5 * (1 + torch.erf(distance))

    def entropy(self) -> Any:
        return 0.5 + 0.5 * math.log(2 * math.pi) + torch.log(self.scale)

    def sample(self, sample_shape: Any = ()) -> Any:
        return torch.normal(self.loc, self.scale)

    def rsample(self, sample_shape: Any = ()) -> Any:
        return torch.normal(self.loc, self.scale)


class CategoricalMethods(Distribution):
    """What a categorical one is asked for; of probs and logits one is None."""

    _dycl_probs: Any
    _dycl_logits: Any
    _dycl_is_checked: bool

    @property
    def probs(self) -> Any:
        if self._dycl_probs is None:
            return torch.softmax(self._dycl_logits, -1)
        return self._dycl_probs

    @property
    def logits(self) -> Any:
        if self._dycl_probs is None:
            return self._dycl_logits
        eps = torch.finfo(self._dycl_probs.dtype).eps
        return self._dycl_probs.clamp(min=eps, max=1 - eps).log()

    @property
    def mode(self) -> Any:
        return self.probs.argmax(dim=-1)

    def log_prob(self, value: Any) -> Any:
        logits = self.logits
        if self._dycl_is_checked:
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


class BernoulliMethods(ExponentialFamily):
    """What a Bernoulli distribution is asked for; of probs and logits one is None."""

    _dycl_probs: Any
    _dycl_logits: Any
    _dycl_is_checked: bool

    @property
    def probs(self) -> Any:
        if self._dycl_probs is None:
            return torch.sigmoid(self._dycl_logits)
        return self._dycl_probs

    @property
    def logits(self) -> Any:
        if self._dycl_probs is None:
            return self._dycl_logits
        eps = torch.finfo(self._dycl_probs.dtype).eps
        probs = self._dycl_probs.clamp(min=eps, max=1 - eps)
        return torch.log(probs) - torch.log1p(-probs)

    @property
    def mean(self) -> Any:
        return self.probs

    @property
    def mode(self) -> Any:
        probs = self.probs
        return torch.where(probs == 0.5, math.nan, (probs >= 0.5).to(probs.dtype))

    @property
    def variance(self) -> Any:
        return self.probs * (1 - self.probs)

    def log_prob(self, value: Any) -> Any:
        if self._dycl_is_checked and not ((value == 0) | (value == 1)).all():
            raise ValueError(_OUTSIDE.format("Bernoulli"))
        logits, value = torch.broadcast_tensors(self.logits, value)
        return -torch.nn.functional.binary_cross_entropy_with_logits(
            logits, value, reduction="none"
        )

    def entropy(self) -> Any:
        return torch.nn.functional.binary_cross_entropy_with_logits(
            self.logits, self.probs, reduction="none"
        )

    def sample(self, sample_shape: Any = ()) -> Any:
        return torch.bernoulli(self.probs)


@dataclass(frozen=True)
class Normal(NormalMethods):
    """`torch.distributions.Normal`."""

    loc: Any
    scale: Any
    _batch_shape: Any
    _event_shape: Any
    _dycl_validate_args: Any
    _dycl_is_checked: bool


@dataclass(frozen=True)
class Categorical(CategoricalMethods):
    """`torch.distributions.Categorical`, of `probs` or of `logits`."""

    _dycl_probs: Any
    _dycl_logits: Any
    _param: Any
    _num_events: Any
    _batch_shape: Any
    _event_shape: Any
    _dycl_validate_args: Any
    _dycl_is_checked: bool


@dataclass(frozen=True)
class Bernoulli(BernoulliMethods):
    """`torch.distributions.Bernoulli`, of `probs` or of `logits`."""

    _dycl_probs: Any
    _dycl_logits: Any
    _param: Any
    _batch_shape: Any
    _event_shape: Any
    _dycl_validate_args: Any
    _dycl_is_checked: bool


_OUTSIDE = (
    "Expected value argument to be within the support of the distribution {}, but "
    "found invalid values"
)
_WRONG = (
    "Expected parameter {} of distribution {} to satisfy its constraint, but found "
    "invalid values"
)
_ONE_OF = "Either `probs` or `logits` must be specified, but not both."


def is_checked(validate_args: Any) -> Any:
    """Whether arguments are checked."""
    return validate_args is None or validate_args


def normal_parameters(loc: Any, scale: Any, validate_args: Any) -> Any:
    """`loc` and `scale` as tensors of one shape. ValueError: out of their ranges."""
    if isinstance(loc, torch.Tensor):
        if not isinstance(scale, torch.Tensor):
            scale = torch.tensor(scale, dtype=loc.dtype)
    elif isinstance(scale, torch.Tensor):
        loc = torch.tensor(loc, dtype=scale.dtype)
    else:
        loc, scale = torch.tensor(float(loc)), torch.tensor(float(scale))
    loc, scale = torch.broadcast_tensors(loc, scale)
    if is_checked(validate_args):
        if not (loc == loc).all():
            raise ValueError(_WRONG.format("loc", "Normal"))
        if not (scale > 0).all():
            raise ValueError(_WRONG.format("scale", "Normal"))
    return loc, scale


def categorical_parameters(probs: Any, logits: Any, validate_args: Any) -> Any:
    """`probs` or `logits`, normalised; the other is None. ValueError: wrong ones."""
    if (probs is None) == (logits is None):
        raise ValueError(_ONE_OF)
    if probs is None:
        logits = logits - logits.logsumexp(dim=-1, keepdim=True)
        if is_checked(validate_args) and not (logits == logits).all():
            raise ValueError(_WRONG.format("logits", "Categorical"))
    else:
        probs = probs / probs.sum(-1, keepdim=True)
        if is_checked(validate_args):
            is_one = (probs.sum(-1) - 1).abs() < 1e-6
            if not ((probs >= 0).all(-1) & is_one).all():
                raise ValueError(_WRONG.format("probs", "Categorical"))
    return probs, logits


def bernoulli_parameters(probs: Any, logits: Any, validate_args: Any) -> Any:
    """`probs` or `logits` as a tensor; the other is None. ValueError: wrong ones."""
    if (probs is None) == (logits is None):
        raise ValueError(_ONE_OF)
    if probs is None:
        if not isinstance(logits, torch.Tensor):
            logits = torch.tensor(float(logits))
        if is_checked(validate_args) and not (logits == logits).all():
            raise ValueError(_WRONG.format("logits", "Bernoulli"))
    else:
        if not isinstance(probs, torch.Tensor):
            probs = torch.tensor(float(probs))
        if is_checked(validate_args) and not ((probs >= 0) & (probs <= 1)).all():
            raise ValueError(_WRONG.format("probs", "Bernoulli"))
    return probs, logits


def normal(loc: Any, scale: Any, validate_args: Any = None) -> Any:
    """`torch.distributions.Normal(loc, scale)`."""
    loc, scale = normal_parameters(loc, scale, validate_args)
    checked = is_checked(validate_args)
    return Normal(loc, scale, loc.size(), (), validate_args, checked)


def categorical(
    probs: Any = None, logits: Any = None, validate_args: Any = None
) -> Any:
    """`torch.distributions.Categorical(probs)`, or of `logits`."""
    probs, logits = categorical_parameters(probs, logits, validate_args)
    param = logits if probs is None else probs
    shape = param.size()
    checked = is_checked(validate_args)
    return Categorical(
        probs, logits, param, shape[-1], shape[:-1], (), validate_args, checked
    )


def bernoulli(probs: Any = None, logits: Any = None, validate_args: Any = None) -> Any:
    """`torch.distributions.Bernoulli(probs)`, or of `logits`."""
    probs, logits = bernoulli_parameters(probs, logits, validate_args)
    param = logits if probs is None else probs
    checked = is_checked(validate_args)
    return Bernoulli(probs, logits, param, param.size(), (), validate_args, checked)


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
