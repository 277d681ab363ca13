"""A saved network takes inputs of any size in range, from Python and from C."""

import json
import subprocess
import zipfile

import numpy as np
import pytest
import torch
from torch import nn

import dycl
from dycl.runtime import InputError, SizeRange
from dycl.toolchain import find_compiler

CC = find_compiler()

PROGRAM = r"""
#include <dycl.h>
#include <stdio.h>
#include <stdlib.h>

int main(int count, char **words)
{
    int64_t rows = atoi(words[1]), others = atoi(words[2]);
    dycl_net *net = dycl_open("net/weights.safetensors");
    dycl_tensor *x[2];
    int64_t sizes[2][2] = {{rows, 4}, {others, 5}};
    for (int i = 0; i < 2; i++) {
        float *data = aligned_alloc(64, 4096);
        for (int64_t k = 0; k < sizes[i][0] * sizes[i][1]; k++)
            data[k] = (float)(k % 7) - 3;
        x[i] = malloc(sizeof **x + 2 * sizeof(int64_t));
        x[i]->data = data;
        x[i]->sizes[0] = sizes[i][0];
        x[i]->sizes[1] = sizes[i][1];
        net->inputs[i].sized = x[i];
    }
    if (count != 3 || dycl_run(net) != DYCL_OK) {
        printf("%s\n", dycl_error(net));
        return 1;
    }
    const dycl_tensor *y = net->outputs[0].sized;
    printf("%d %d", (int)y->sizes[0], (int)y->sizes[1]);
    for (int64_t k = 0; k < y->sizes[0] * y->sizes[1]; k++)
        printf(" %.9g", ((const float *)y->data)[k]);
    dycl_destroy(net);
    return 0;
}
"""


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 5)

    def forward(self, x, y):
        if x.size(0) > 3:
            return torch.relu(self.fc(x)) + y
        return self.fc(x) - y


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    at = tmp_path_factory.mktemp("sizes")
    torch.manual_seed(0)
    rows = dycl.Dim("rows", max=8)
    shapes = {"x": {0: rows}, "y": {0: rows}}
    example = torch.zeros(3, 4), torch.zeros(3, 5)
    model = Net().eval()
    net = dycl.compile(model, example, dynamic_shapes=shapes)
    net.save(at / "net", folder=True)
    net.save(at / "net.dycl")
    return at, model


def arrays(rows, others):
    shapes = (rows, 4), (others, 5)
    return [
        (np.arange(np.prod(s), dtype=np.float32) % 7 - 3).reshape(s) for s in shapes
    ]


@pytest.mark.parametrize("host", ["auto", "python"])
def test_a_loaded_network_takes_any_size(folder, host):
    at, model = folder
    net = dycl.load(at / "net.dycl", host=host)
    assert net.sizes == (SizeRange("rows", 0, 8),)
    assert [str(spec) for spec in net.inputs] == [
        "float32[rows, 4]",
        "float32[rows, 5]",
    ]
    for rows in range(9):
        x, y = map(torch.from_numpy, arrays(rows, rows))
        with torch.no_grad():
            torch.testing.assert_close(net(x, y), model(x, y))
        [decision] = net.path
        assert decision.taken == (rows > 3)
    with pytest.raises(InputError, match="size 4 in dimension 0, where rows is 3 in"):
        net(*arrays(3, 4))


def test_the_manifest_says_the_sizes(folder):
    at, _ = folder
    with zipfile.ZipFile(at / "net.dycl") as archive:
        manifest = json.loads(archive.read("manifest.json"))
    assert manifest["sizes"] == [{"name": "rows", "min": 0, "max": 8}]
    assert manifest["inputs"][0]["shape"] == ["rows", 4]


@pytest.mark.skipif(CC is None, reason="there is no C compiler")
def test_from_c(folder):
    at, model = folder
    (at / "run.c").write_text(PROGRAM)
    command = [*CC.command, "-Wall", "-Wextra", "-Inet", "run.c", "net/model.so"]
    command += [f"-Wl,-rpath,{at / 'net'}", "-o", "run"]
    subprocess.run(command, cwd=at, check=True)

    def run(*sizes):
        words = [at / "run", *map(str, sizes)]
        return subprocess.run(words, cwd=at, capture_output=True, text=True)

    for rows in (0, 1, 3, 4, 8):
        done = run(rows, rows)
        assert done.returncode == 0, done
        shape, found = done.stdout.split()[:2], done.stdout.split()[2:]
        assert shape == [str(rows), "5"]
        with torch.no_grad():
            wanted = model(*map(torch.from_numpy, arrays(rows, rows)))
        ours = torch.tensor([float(word) for word in found]).view(rows, 5)
        torch.testing.assert_close(ours, wanted)
    for sizes in ((9, 9), (3, 4)):
        done = run(*sizes)
        assert done.returncode == 1
        words = (
            "the sizes of the inputs do not fit: rows = 0..8 is dimension 0 of `x`, "
        )
        assert words + "dimension 0 of `y`" in done.stdout
