"""The example for Ray: a worker that is killed loses nothing. Skipped without Ray."""

import asyncio
import json
import os
import signal
import urllib.error
import urllib.request
from pathlib import Path

import numpy as np
import pytest
import torch

import dycl
from examples import http_server

ray = pytest.importorskip("ray")
pytest.importorskip("ray.serve")
pytest.importorskip("ray.data")

pytestmark = pytest.mark.filterwarnings(
    "ignore::DeprecationWarning",
    "ignore::ResourceWarning",
    "ignore::pytest.PytestUnraisableExceptionWarning",
)
"""Ray's own: it leaves logs open, and processes to end by themselves."""

CLIENTS, REQUESTS = 16, 10


class Exits(http_server.Exits):
    """Returns one tensor, as `Rows` wants it."""

    def forward(self, x):
        return super().forward(x)["p"]


@pytest.fixture(scope="module")
def model():
    torch.manual_seed(0)
    return Exits().eval()


@pytest.fixture(scope="module")
def file(model, tmp_path_factory):
    path = tmp_path_factory.mktemp("ray") / "net.dycl"
    net = dycl.compile(model, (torch.zeros(1, http_server.FEATURES),), rows=True)
    net.save(path)
    return str(path)


@pytest.fixture(scope="module", autouse=True)
def cluster():
    ray.init(num_cpus=4, include_dashboard=False, log_to_driver=False)
    yield
    ray.serve.shutdown()
    ray.shutdown()


def rows(count):
    return np.random.default_rng(0).standard_normal((count, http_server.FEATURES), "f4")


def wanted(model, x):
    with torch.no_grad():
        return np.concatenate([model(row[None]).numpy() for row in torch.from_numpy(x)])


def test_a_data_set_is_whole_though_a_worker_is_killed(model, file, tmp_path):
    from examples.ray_serving import Rows, predicted

    dead = tmp_path / "dead"

    class Killed(Rows):
        def __call__(self, batch):
            if batch["number"][0] >= 64 and not dead.exists():
                dead.touch()
                os.kill(os.getpid(), signal.SIGKILL)
            return super().__call__(batch)

    x = rows(300)
    data = ray.data.from_items([{"number": n, "x": row} for n, row in enumerate(x)])
    found = predicted(data, file, Killed).take_all()
    assert dead.exists()
    assert sorted(one["number"] for one in found) == list(range(300))
    y = np.stack([one["y"] for one in sorted(found, key=lambda one: one["number"])])
    np.testing.assert_allclose(y, wanted(model, x), rtol=1e-4, atol=1e-5)


def test_clients_are_answered_though_a_worker_is_killed(model, file):
    from examples.ray_serving import Predictor, ask

    class Named(Predictor.func_or_class):
        def process(self):
            return os.getpid()

    deployment = ray.serve.deployment(Named).options(num_replicas=2)
    handle = ray.serve.run(deployment.bind(file))
    x = rows(CLIENTS * REQUESTS)
    victim = handle.process.remote().result()

    async def client(number):
        answers = []
        for request in range(REQUESTS):
            if (number, request) == (0, 2):
                os.kill(victim, signal.SIGKILL)
            answers.append(await ask(handle, x[number * REQUESTS + request][None]))
        return answers

    async def main():
        return await asyncio.gather(*map(client, range(CLIENTS)))

    answers = [one for each in asyncio.run(main()) for one in each]
    assert not Path(f"/proc/{victim}").exists()
    y = np.concatenate(answers)
    np.testing.assert_allclose(y, wanted(model, x), rtol=1e-4, atol=1e-5)


def asked(body):
    """The status and the JSON that HTTP gives."""
    try:
        with urllib.request.urlopen(
            "http://localhost:8000/", body, timeout=60
        ) as reply:
            return reply.status, json.load(reply)
    except urllib.error.HTTPError as error:
        with error:
            return error.code, json.load(error)


def test_http_requests_are_answered(model, file):
    from examples.ray_serving import Predictor

    ray.serve.run(Predictor.bind(file))
    for x in rows(8):
        status, found = asked(json.dumps({"x": x.tolist()}).encode())
        assert status == 200
        y = np.array([found["y"]], "f4")
        np.testing.assert_allclose(y, wanted(model, x[None]), rtol=1e-4, atol=1e-5)
    for body in (b'{"x": [1, 2]}', b'{"y": 3}', b"[]", b"{", b'{"x": "a"}'):
        status, found = asked(body)
        assert (status, list(found)) == (400, ["error"])
