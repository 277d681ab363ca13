"""The HTTP server of the examples, under 64 clients."""

import asyncio

import numpy as np
import pytest
import torch
from aiohttp.test_utils import TestClient, TestServer

from examples import http_server

CLIENTS, REQUESTS = 64, 10


@pytest.fixture(scope="module")
def model():
    return http_server.build()


@pytest.fixture(scope="module")
def net(model):
    return http_server.compiled(model)


def row(seed):
    return np.random.default_rng(seed).standard_normal(http_server.FEATURES)


def served(net, talk, **limits):
    """What `talk` gives, a coroutine that is handed a client of the server."""

    async def main():
        server = TestServer(http_server.make_app(net, **limits))
        async with TestClient(server) as client:
            return await talk(client)

    return asyncio.run(main())


def test_64_clients_get_what_eager_gives(model, net, watched):

    async def one(client, number):
        answers = []
        for request in range(REQUESTS):
            x = row(number * REQUESTS + request)
            async with client.post("/predict", json={"x": x.tolist()}) as answer:
                assert answer.status == 200
                answers.append(await answer.json())
        return answers

    async def talk(client):
        found = await asyncio.gather(*(one(client, n) for n in range(CLIENTS)))
        async with client.get("/latency") as answer:
            return found, await answer.json()

    found, times = served(watched, talk, max_rows=16, max_delay=0.01)
    layers = set()
    for number, answers in enumerate(found):
        assert len(answers) == REQUESTS
        for request, answer in enumerate(answers):
            x = torch.tensor(row(number * REQUESTS + request)).float()[None]
            with torch.no_grad():
                wanted = model(x)
            layers.add(answer["layers"])
            assert answer["layers"] == wanted["layers"]
            torch.testing.assert_close(
                torch.tensor([answer["p"]]), wanted["p"], rtol=1e-4, atol=1e-5
            )
    assert layers == {1, 2}
    assert sum(watched.calls) == CLIENTS * REQUESTS
    assert 1 < max(watched.calls) <= 16
    assert times["requests"] == CLIENTS * REQUESTS
    assert times["calls"] == len(watched.calls)
    assert 0 < times["p50_ms"] <= times["p90_ms"] <= times["p99_ms"]


NO_ROWS = ['{"x": [1, 2]}', '{"y": 3}', "[]", "{", '{"x": "a"}']
NO_ROWS += [f'{{"x": [{"9" * digits}, 0, 0, 0, 0, 0, 0, 0]}}' for digits in (400, 5000)]


@pytest.mark.parametrize("body", NO_ROWS)
def test_what_is_no_row_is_that_clients_error(net, body):
    async def talk(client):
        good = {"x": row(1).tolist()}
        posts = client.post("/predict", data=body), client.post("/predict", json=good)
        bad, other = await asyncio.gather(*posts)
        return bad.status, "error" in await bad.json(), other.status

    assert served(net, talk) == (400, True, 200)


def test_who_comes_when_too_many_wait_is_told_so(net):
    async def talk(client):
        good = {"x": row(1).tolist()}
        posts = [
            asyncio.ensure_future(client.post("/predict", json=good)) for _ in range(8)
        ]
        while sum(post.done() for post in posts) < 6:
            await asyncio.sleep(0.01)
        refused = [post.result() for post in posts if post.done()]
        for post in posts:
            post.cancel()
        await asyncio.gather(*posts, return_exceptions=True)
        return [answer.status for answer in refused]

    assert served(net, talk, max_rows=8, max_delay=30, max_waiting=2) == [503] * 6
