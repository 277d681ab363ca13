"""`dycl tune` through the driver without a GPU, with a clock that counts threads."""

import json

import pytest
import torch
from fake_driver import FakeDriver
from torch import nn
from torch.nn import functional as F

import dycl
from dycl.diag import CompileError, PassFailed
from dycl.kernels.cuda.tuning import Effort, tune
from dycl.runtime.cuda import CudaError, driver
from dycl.schedules.cuda_products import Sizes, best_plans, dot_plan
from dycl.schedules.cuda_tuning import Ranked, timings_of
from dycl.tools import cli

pytest.importorskip("triton")

DEEP = Sizes(1, 2, 20, 300, False)
EFFORT = Effort(plans=4, launches=2, rounds=1)


class Net(nn.Module):
    """A product whose depth may be split, used twice, and one that is none."""

    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Linear(300, 20), nn.Linear(300, 20)

    def forward(self, x):
        y = self.first(x).relu()
        if y.sum() > 1000:
            return y
        return y + self.second(x)


@pytest.fixture
def gpu(library, monkeypatch):
    monkeypatch.setattr(driver, "LIBRARY", str(library))
    driver.device.cache_clear()
    made = FakeDriver(library, 1 << 21)
    made.seconds = 0.0
    run = made._run

    def counted(kernel, name, gx, bx, given, shared):
        # A device on which large blocks are slow, unlike that of the model.
        made.seconds += 1e-6 * bx
        return run(kernel, name, gx, bx, given, shared)

    made._run = counted
    yield made
    driver.device.cache_clear()


def clock_of(gpu):
    return lambda: gpu.seconds


@pytest.fixture
def model():
    torch.manual_seed(0)
    return Net().eval()


X = torch.arange(600.0).reshape(2, 300).remainder(7) / 9


def test_the_fastest_plan_is_written_read_and_used(gpu, model, tmp_path) -> None:
    text = dycl.compile(model, (X,), backend="cuda").kernel_stages["torch"]
    told = []
    timings = tune(
        text, driver.device(), EFFORT, clock_of(gpu), lambda *one: told.append(one)
    )
    (timing,) = timings.products
    assert timing.sizes == DEEP
    assert timing.plan in best_plans(DEEP, EFFORT.plans)
    assert timing.plan != dot_plan(DEEP), "the model has another order than the clock"
    assert 0 < timing.microseconds < timing.usual
    assert told[-1][:2] == (EFFORT.plans, EFFORT.plans)
    file = tmp_path / "tuning.json"
    file.write_text(timings.to_json())
    assert json.loads(file.read_text())["products"][0]["depth"] == 300
    assert timings_of(file.read_text()).to_json() == timings.to_json()
    net = dycl.compile(model, (X,), backend="cuda", tuning=file)
    plan = timing.plan
    shape = f"acc = tl.zeros(({plan.rows}, {plan.columns}), tl.float32)"
    assert shape in net.kernel_stages["tile"]
    torch.testing.assert_close(net(X), model(X))


def test_the_command_writes_a_file(gpu, tmp_path, monkeypatch, capsys) -> None:
    source = tmp_path / "tuned_network.py"
    source.write_text(
        "import torch\n\ndef build():\n    return torch.nn.Linear(20, 5).eval()\n"
    )
    file = tmp_path / "tuning.json"
    asked = ["tune", f"{source}:build", "-i", "f32[2,20]", "-o", str(file), "--plans"]
    assert cli.run([*asked, "0"]) == 2
    assert cli.run([*asked, "1"]) == 0
    assert f"written    {file}" in capsys.readouterr().out
    assert timings_of(file.read_text()).device == driver.device().name
    monkeypatch.setattr(driver, "LIBRARY", "libnone.so")
    driver.device.cache_clear()
    assert cli.run([*asked, "1"]) == 1
    assert "there is no NVIDIA driver here" in capsys.readouterr().err


def entry(**changes):
    plan = dot_plan(DEEP)
    one = {"batch": 1, "rows": 2, "columns": 20, "depth": 300, "half": False}
    one |= {"windows": False, "tile": [plan.rows, plan.columns, plan.depth]}
    one |= {"splits": plan.splits, "warps": plan.launch.warps, "usual": 2.0}
    one |= {"stages": plan.launch.stages, "microseconds": 1.0}
    return {**one, **changes}


def data(*products, **changes):
    head = {"format": 1, "device": "a GPU", "capability": 90}
    return {**head, "products": list(products), **changes}


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("{", "it is no JSON"),
        ("[]", "it holds no object"),
        (data(format=2), "its format is not 1"),
        (data(device=3), "it names no device"),
        (data(7), "product 1 is no object"),
        (data(entry(), entry(rows=0)), "product 2 has 0 where a number above zero"),
        (data(entry(rows=True)), "has True where a number"),
        (data(entry(half=None)), "has None for 'half', not true or false"),
        (data(entry(tile=[16, 16])), "has not three sizes"),
        (data(entry(tile=[7, 16, 16])), "has a plan that is none for its sizes"),
        (data(entry(splits=999)), "has a plan that is none for its sizes"),
        (data(entry(usual="fast")), "has 'fast' for a time"),
    ],
)
def test_what_is_no_tuning_file_is_refused_in_words(text, why) -> None:
    with pytest.raises(ValueError, match=why):
        timings_of(text if isinstance(text, str) else json.dumps(text))
    assert timings_of(json.dumps(data(entry()))).products[0].plan == dot_plan(DEEP)


def compiled_with(file):
    return dycl.compile(F.relu, (X,), backend="cuda", tuning=file)


def test_a_file_that_does_not_fit_is_an_error_with_a_code(gpu, tmp_path) -> None:
    file = tmp_path / "tuning.json"
    for text, why in (
        (None, "no such file"),
        ("{}", "its format is not 1"),
        (json.dumps(data()), "it is of 'a GPU', and this machine has"),
    ):
        if text is not None:
            file.write_text(text)
        with pytest.raises(CompileError, match=why) as caught:
            compiled_with(file)
        assert caught.value.code == "DY508"
        assert "dycl tune" in (caught.value.hint or "")
    with pytest.raises(PassFailed, match="'cpu' reads no tuning file"):
        dycl.compile(F.relu, (X,), tuning=file)


def test_without_a_gpu_a_file_of_another_machine_is_taken(tmp_path, monkeypatch):
    monkeypatch.setattr(driver, "LIBRARY", "libnone.so")
    driver.device.cache_clear()
    file = tmp_path / "tuning.json"
    file.write_text(json.dumps(data()))
    assert compiled_with(file).kernel_stages["tile"]
    driver.device.cache_clear()


def test_what_the_device_does_not_take_is_said(gpu, model) -> None:
    text = dycl.compile(model, (X,), backend="cuda").kernel_stages["torch"]
    gpu.fails = {"cuModuleLoadDataEx": 218}
    with pytest.raises(CudaError, match="compile the network again"):
        tune(text, driver.device(), EFFORT, clock_of(gpu))


def test_places_are_those_on_paper() -> None:
    assert [Ranked(n)(DEEP) for n in range(3)] == list(best_plans(DEEP, 3))
    many = len(best_plans(DEEP, 10_000))
    assert Ranked(many + 5)(DEEP) == best_plans(DEEP, many)[-1]
