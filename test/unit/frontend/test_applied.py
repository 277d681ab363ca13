"""`Function.apply` is known by what it is, whether torch writes it in Python or C."""

import torch

from dycl.frontend.autograd import Applied, applied


class Double(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @classmethod
    def other(cls, x):
        return x


class Own(Double):
    @classmethod
    def apply(cls, x):
        return x


def test_apply_of_a_function():
    assert applied(Double.apply) == Applied(Double)


def test_an_apply_of_the_users_own_is_a_method():
    assert applied(Own.apply) is None


def test_other_methods_are_none():
    assert applied(Double.other) is None
    assert applied(torch.ones(1).apply_) is None
    assert applied(torch.nn.ReLU().apply) is None
