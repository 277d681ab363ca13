"""Names that some path leaves without a value: their reads raise, or are refused."""

import pytest
import torch
from torch import nn

import dycl


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.eval()


class Deleted(Net):
    def forward(self, x):
        items = [x, x]
        if x.sum() > 0:
            items.append(x)
            del items
        return items + items


class DeletedInALoop(Net):
    def forward(self, x):
        items = [x, x]
        if x.sum() > 0:
            for _ in range(2):
                items.append(x)
            else:
                del items
        return [t + i for i, t in enumerate(items)]


class ALength(Net):
    def forward(self, x):
        if x.sum() > 0:
            items = [x, x]
        return len(items)


class AShape(Net):
    def forward(self, x):
        if x.sum() > 0:
            y = x * 2
        return y.shape[1] + 1


class AKind(Net):
    def forward(self, x):
        if x.sum() > 0:
            y = x
        return isinstance(y, torch.Tensor), y is None


class AKey(Net):
    def forward(self, x):
        if x.sum() > 0:
            named = {"a": x}
        return "a" in named


NETS = (Deleted, DeletedInALoop, ALength, AShape, AKind, AKey)


def refusal(make):
    with pytest.raises(dycl.CompileErrors) as caught:
        dycl.compile(make(), (torch.ones(1, 4),), backend="reference", host="python")
    return str(caught.value)


@pytest.mark.parametrize("make", NETS)
def test_what_is_known_of_a_value_is_not_known_of_a_name_without_one(make):
    with pytest.raises(UnboundLocalError):
        make()(torch.ones(1, 4) if "Deleted" in make.__name__ else -torch.ones(1, 4))
    text = refusal(make)
    if "Deleted" not in make.__name__:
        assert "is read here, but may have no value" in text
    else:
        assert "DY205" in text


class OnTheSamePaths(Net):
    def forward(self, x):
        is_large = x.sum() > 0
        if is_large:
            y = x * 2
        z = x
        if is_large:
            z = z + y.shape[1]
        return z


class LaterAlways(Net):
    flag = True

    def forward(self, x):
        if self.flag:
            items = [x]
        if x.sum() > 0:
            items.append(x)
        return torch.cat(items), len(items)


@pytest.mark.parametrize("make", [OnTheSamePaths, LaterAlways])
def test_a_name_with_a_value_wherever_it_is_read(make):
    model = make()
    x = torch.ones(1, 4)
    net = dycl.compile(model, (x,), backend="reference", host="python")
    for given in (x, -x):
        torch.testing.assert_close(net(given), model(given))
