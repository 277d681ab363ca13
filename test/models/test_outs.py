"""`out=` of a tensor that was made for it says the dtype, and is otherwise left out."""

import pytest
import torch

import dycl


class Filled(torch.nn.Module):
    def forward(self, lengths):
        longest = int(lengths[0])
        made = torch.arange(0, longest, out=lengths.new(longest).long())
        positions = lengths.new(longest)
        positions = torch.arange(longest, out=positions).unsqueeze(0)
        floats = torch.arange(1, 6, 2, out=torch.FloatTensor())
        if lengths.sum() > 4:
            return made.unsqueeze(1) < lengths, positions
        return floats, torch.arange(3, out=torch.empty(0, dtype=torch.int32))


class OfTwoNames(torch.nn.Module):
    def forward(self, lengths):
        filled = torch.LongTensor(3)
        result = torch.arange(0, 3, out=filled)
        result += lengths
        return result, filled


class OfSharedMemory(torch.nn.Module):
    """`torch.LongTensor(t)` shares the memory of `t`, which is overwritten."""

    def forward(self, lengths):
        longest = lengths.max()
        return torch.arange(0, longest, out=torch.LongTensor(longest)), longest


def test_equals_eager():
    model = Filled().eval()
    net = dycl.compile(model, (torch.tensor([3, 2, 1]),))
    for given in ([3, 2, 1], [1, 2, 0], [0, 4, 4], [0, 0, 0], [9, 9, 9]):
        lengths = torch.tensor(given)
        for ours, wanted in zip(net(lengths), model(lengths), strict=True):
            assert ours.dtype == wanted.dtype
            torch.testing.assert_close(ours, wanted)


@pytest.mark.parametrize("make", [OfTwoNames, OfSharedMemory])
def test_a_tensor_with_another_name_is_refused(make):
    with pytest.raises(dycl.CompileErrors, match="out="):
        dycl.compile(make().eval(), (torch.tensor([3, 2, 1]),))
