"""What a run raises of sizes that do not fit is what eager raises."""

import pytest
import torch

import dycl


class AtPlaces(torch.nn.Module):
    def forward(self, x, mask):
        left = mask.nonzero()[:, 0]
        return x[left]


def raised(call):
    try:
        return None, call()
    except Exception as error:
        return type(error), None


@pytest.mark.parametrize("host", ["native", "python"])
def test_an_index_into_no_rows_is_an_index_error(host):
    model, n = AtPlaces().eval(), dycl.Dim("n")
    x, mask = torch.randn(4, 3), torch.tensor([True, False, True, True, False])
    shapes = {"x": {0: n}, "mask": {}}
    net = dycl.compile(model, (x, mask), dynamic_shapes=shapes, host=host)
    ends = set()
    for rows in 0, 1, 2, 4:
        for some in mask, ~mask, mask & False, mask | True:
            given = torch.randn(rows, 3), some
            wanted, result = raised(lambda: model(*given))
            ours, found = raised(lambda: net(*given))
            assert ours is wanted, (rows, some)
            ends.add(wanted)
            if wanted is None:
                torch.testing.assert_close(found, result)
    assert ends == {None, IndexError}
