"""What torch's modules and functions give as users meet it, against eager."""

import torch

import dycl


def test_a_named_result_is_returned_as_such():
    x = torch.arange(12.0).reshape(3, 4).sin()
    net = dycl.compile(lambda x: {"best": x.topk(2, 1)}, (x,), cache=False)
    found, wanted = net(x)["best"], x.topk(2, 1)
    assert type(found) is type(wanted)
    assert torch.equal(found.values, wanted.values)
    assert torch.equal(found.indices, wanted.indices)
    by_name = net.with_python_host()(x.numpy())["best"]
    assert by_name.indices.tolist() == wanted.indices.tolist()


def test_all_that_a_pool_gives_is_returned():
    def pool(x):
        return torch.nn.functional.max_pool2d(x, 2, return_indices=True)

    x = torch.arange(16.0).reshape(1, 1, 4, 4).sin()
    values, places = dycl.compile(pool, (x,), cache=False)(x)
    assert torch.equal(values, pool(x)[0])
    assert torch.equal(places, pool(x)[1])
