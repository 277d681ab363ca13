"""The bases of a user's own distributions: `class Fixed(torch.distributions.Normal)`.

An object that the network makes is one of its class, so the base has an `__init__` that
sets what torch's sets (`dycl.prelude.distributions` says under which names), and the
methods that the records of torch's own distributions have.
"""

from typing import Any

from dycl.prelude.distributions import (
    BernoulliMethods,
    CategoricalMethods,
    NormalMethods,
    bernoulli_parameters,
    categorical_parameters,
    is_checked,
    normal_parameters,
)


class NormalBase(NormalMethods):
    """`torch.distributions.Normal`."""

    def __init__(self, loc: Any, scale: Any, validate_args: Any = None) -> None:
        loc, scale = normal_parameters(loc, scale, validate_args)
        self.loc = loc
        self.scale = scale
        self._batch_shape = loc.size()
        self._event_shape = ()
        self._dycl_validate_args = validate_args
        self._dycl_is_checked = is_checked(validate_args)


class CategoricalBase(CategoricalMethods):
    """`torch.distributions.Categorical`."""

    def __init__(
        self, probs: Any = None, logits: Any = None, validate_args: Any = None
    ) -> None:
        probs, logits = categorical_parameters(probs, logits, validate_args)
        param = logits if probs is None else probs
        self._dycl_probs = probs
        self._dycl_logits = logits
        self._param = param
        self._num_events = param.size()[-1]
        self._batch_shape = param.size()[:-1]
        self._event_shape = ()
        self._dycl_validate_args = validate_args
        self._dycl_is_checked = is_checked(validate_args)


class BernoulliBase(BernoulliMethods):
    """`torch.distributions.Bernoulli`."""

    def __init__(
        self, probs: Any = None, logits: Any = None, validate_args: Any = None
    ) -> None:
        probs, logits = bernoulli_parameters(probs, logits, validate_args)
        param = logits if probs is None else probs
        self._dycl_probs = probs
        self._dycl_logits = logits
        self._param = param
        self._batch_shape = param.size()
        self._event_shape = ()
        self._dycl_validate_args = validate_args
        self._dycl_is_checked = is_checked(validate_args)
