"""A network with rows in Ray: a deployment of Ray Serve, and batches of Ray Data.

Each worker loads the same file, which needs NumPy only, and each row goes its own way.
A worker may die: Ray starts another one, Ray Data runs its batches again, and `ask`
asks again. Needs `pip install dycl[ray]`.

    python -m examples.ray_serving net.dycl
    curl -d '{"x": [1, 0, 0, 0]}' localhost:8000
"""

import argparse
import asyncio
import contextlib
import time
from typing import Any

import numpy as np
import ray
from ray import serve
from ray.exceptions import RayActorError
from starlette.requests import Request
from starlette.responses import JSONResponse

import dycl
from dycl.runtime import InputError
from dycl.serve import Batcher

TRIES = 20
PAUSE = 0.5
"""Seconds until a request whose worker has died is tried again."""


@serve.deployment
class Predictor:
    """Answers requests of one row each; those that come together share a call."""

    def __init__(self, file: str):
        self.batcher = Batcher(dycl.load(file), max_rows=32, max_delay=0.002)

    async def __call__(self, x: Any) -> Any:
        """The result for one row, which is an array, or JSON of an HTTP request."""
        if not isinstance(x, Request):
            return await self.batcher(x)
        try:
            row = np.array([(await x.json())["x"]], np.float32)
            answer = await self.batcher(row)
        except (InputError, LookupError, TypeError, ValueError, OverflowError) as error:
            return JSONResponse({"error": str(error)}, 400)
        return JSONResponse({"y": answer[0].tolist()})


async def ask(handle: Any, x: Any) -> Any:
    """The answer for one row. What the network raises is raised; if the worker dies
    before it has answered, another one is asked."""
    for _ in range(TRIES - 1):
        try:
            return await handle.remote(x)
        except RayActorError:
            await asyncio.sleep(PAUSE)
    return await handle.remote(x)


class Rows:
    """For `map_batches`: adds `y`, what the network gives for each row of `x`."""

    def __init__(self, file: str):
        self.net = dycl.load(file)

    def __call__(self, batch: dict[str, Any]) -> dict[str, Any]:
        """One call for the whole batch, for a network that returns one tensor."""
        return {**batch, "y": self.net(np.ascontiguousarray(batch["x"]))}


def predicted(data: Any, file: str, worker: Any = Rows, workers: int = 2) -> Any:
    """A data set with `y` for each row of `x`; `worker` is made once in a process."""
    return data.map_batches(
        worker,
        fn_constructor_args=(file,),
        batch_size=32,
        compute=ray.data.ActorPoolStrategy(size=workers),
    )


def main():
    """Serve the network of a file, until Ctrl-C."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file")
    serve.run(Predictor.options(num_replicas=2).bind(parser.parse_args().file))
    with contextlib.suppress(KeyboardInterrupt):
        while True:
            time.sleep(60)


if __name__ == "__main__":
    main()
