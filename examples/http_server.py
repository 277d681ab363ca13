"""An HTTP server in which many clients share the calls of one network.

Each request is one row, `POST /predict` with `{"x": [8 numbers]}`; those that come at
about the same time are answered by one call, in which each row goes its own way.
`GET /latency` says how long the last requests took. Needs aiohttp.

    python -m examples.http_server --port 8080
    curl -d '{"x": [1, 0, 0, 0, 0, 0, 0, 0]}' localhost:8080/predict
"""

import argparse
from collections.abc import AsyncIterator
from typing import Any

import numpy as np
import torch
from aiohttp import web
from torch import nn

import dycl
from dycl.runtime import InputError
from dycl.serve import Batcher, Busy

FEATURES = 8
BATCHER = web.AppKey("batcher", Batcher)


class Exits(nn.Module):
    """Two layers, and an exit behind the first for rows that are clear."""

    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Linear(FEATURES, 32), nn.Linear(32, 32)
        self.early, self.late = nn.Linear(32, 3), nn.Linear(32, 3)

    def forward(self, x):
        h = torch.relu(self.first(x))
        p = self.early(h).softmax(-1)
        if p.max() > 0.4:
            return {"p": p, "layers": 1}
        h = torch.relu(self.second(h))
        return {"p": self.late(h).softmax(-1), "layers": 2}


def build(seed=0):
    """Return the network in eval mode, with seeded random weights."""
    torch.manual_seed(seed)
    return Exits().eval()


def compiled(model):
    """Compile the network for rows. A server loads what `dycl compile` has written."""
    return dycl.compile(model, (torch.zeros(1, FEATURES),), rows=True)


async def predict(request: web.Request) -> web.Response:
    """Answer one row; 400 for what is none, 503 if too many wait."""
    try:
        x = np.array([(await request.json())["x"]], np.float32)
        answer = await request.app[BATCHER](x)
    except (InputError, LookupError, TypeError, ValueError, OverflowError) as error:
        return web.json_response({"error": str(error)}, status=400)
    except Busy as error:
        return web.json_response({"error": str(error)}, status=503)
    return web.json_response({"p": answer["p"][0].tolist(), "layers": answer["layers"]})


async def latency(request: web.Request) -> web.Response:
    """How long the last requests took, in milliseconds."""
    found = request.app[BATCHER].statistics
    times = {f"p{n}_ms": getattr(found, f"p{n}") * 1e3 for n in (50, 90, 99)}
    return web.json_response(
        {"requests": found.requests, "calls": found.calls, **times}
    )


def make_app(
    net: Any, max_rows: int = 32, max_delay: float = 0.002, max_waiting: int = 1000
) -> web.Application:
    """The application; the network answers from its start to its end."""

    async def batching(app: web.Application) -> AsyncIterator[None]:
        async with Batcher(
            net, max_rows, max_delay, max_waiting=max_waiting
        ) as batcher:
            app[BATCHER] = batcher
            yield

    app = web.Application()
    app.cleanup_ctx.append(batching)
    app.add_routes([web.post("/predict", predict), web.get("/latency", latency)])
    return app


def main():
    """Serve until Ctrl-C."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, default=8080)
    web.run_app(make_app(compiled(build())), port=parser.parse_args().port)


if __name__ == "__main__":
    main()
