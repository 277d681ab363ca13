"""Many clients, one row each, and a network that is called for all of them."""

import asyncio
import os
import signal
import threading

import numpy as np
import pytest
import torch
from torch import nn

import dycl
from dycl.runtime import InputError
from dycl.serve import Batcher, Busy, Closed, Sessions

CLIENTS, REQUESTS = 64, 20


class Chosen(nn.Module):
    """One of three layers, by the first number; no other number has a layer."""

    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(8, 4) for _ in range(3))

    def forward(self, x):
        chosen = int(x[0, 0])
        y = self.layers[chosen](x)
        if y.sum() > 0:
            y = -y
        return {"y": y, "layers": [chosen, y.sum()], "kind": "chosen"}


class Exits(nn.Module):
    """Results of two shapes."""

    def forward(self, x):
        if x.sum() > 0:
            return x[:, :3]
        return x


@pytest.fixture(scope="module")
def net():
    torch.manual_seed(0)
    return dycl.compile(Chosen().eval(), (torch.zeros(1, 8),), rows=True)


def row(seed, chosen=None):
    generator = np.random.default_rng(seed)
    x = generator.standard_normal((1, 8), np.float32)
    x[0, 0] = seed % 3 if chosen is None else chosen
    return x


def agree(found, x, net):
    """Whether an answer is what a call with this row alone gives."""
    wanted = net.rows.split(net(x), 1)[0]
    assert found["kind"] == "chosen"
    assert found["layers"][0] == wanted["layers"][0] == int(x[0, 0])
    assert found["y"].shape == (1, 4)
    np.testing.assert_allclose(found["y"], wanted["y"], rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(found["layers"][1], wanted["layers"][1], atol=1e-4)


def test_64_clients_get_what_is_theirs_in_order(net, watched):
    order = []

    async def client(batcher, number):
        answers = []
        for request in range(REQUESTS):
            x = row(number * REQUESTS + request)
            answers.append((x.copy(), asyncio.ensure_future(batcher(x))))
            await asyncio.sleep(0)
            x[:] = 0  # the batcher has its own
            if request % 4 == 3:
                for _, answer in answers[-4:]:
                    await answer
                    order.append((number, len(order)))
        return [(x, answer.result()) for x, answer in answers]

    async def main():
        async with Batcher(watched, max_rows=16, max_delay=0.01) as batcher:
            return await asyncio.gather(*(client(batcher, n) for n in range(CLIENTS)))

    for answers in asyncio.run(main()):
        assert len(answers) == REQUESTS
        for x, found in answers:
            agree(found, x, net)
    assert sum(watched.calls) == len(order) == CLIENTS * REQUESTS
    assert max(watched.calls) == 16
    assert len(watched.calls) < CLIENTS * REQUESTS / 8


def test_answers_come_in_the_order_of_requests(watched):
    done = []

    async def ask(batcher, number):
        await batcher(row(number))
        done.append(number)

    async def main():
        async with Batcher(watched, max_rows=4) as batcher:
            before = batcher.statistics
            await asyncio.gather(*(ask(batcher, n) for n in range(30)))
        return before, batcher.statistics

    before, after = asyncio.run(main())
    assert done == list(range(30))
    assert watched.calls == [4] * 7 + [2]
    assert before == (0, 0, 0, 0, 0, 0)
    assert (after.requests, after.calls) == (30, 8)
    assert 0 < after.p50 <= after.p90 <= after.p99 <= after.longest


def test_a_request_waits_no_longer_than_the_delay(watched):
    async def main():
        async with Batcher(watched, max_rows=1000, max_delay=0.01) as batcher:
            await asyncio.wait_for(batcher(row(1)), 30)

    asyncio.run(main())
    assert watched.calls == [1]


def test_an_error_is_for_the_one_whose_row_raises(net, watched):
    async def main():
        async with Batcher(watched, max_rows=8) as batcher:
            rows = [row(n, chosen=9 if n == 2 else None) for n in range(5)]
            asked = [batcher(x) for x in rows]
            return rows, await asyncio.gather(*asked, return_exceptions=True)

    rows, answers = asyncio.run(main())
    assert isinstance(answers[2], IndexError)
    for number in (0, 1, 3, 4):
        agree(answers[number], rows[number], net)
    assert watched.calls == [5, 1, 1, 1, 1, 1]


@pytest.mark.parametrize(
    "wrong", [(), (row(0), row(0)), (row(0)[0],), (row(0).astype("f8"),), (3,)]
)
def test_what_is_no_row_is_refused_at_once(watched, wrong):
    async def main():
        async with Batcher(watched) as batcher:
            asked = batcher(row(1)), batcher(*wrong)
            return await asyncio.gather(*asked, return_exceptions=True)

    right, refused = asyncio.run(main())
    assert right["kind"] == "chosen"
    assert isinstance(refused, InputError)
    assert watched.calls == [1]


def test_a_request_that_is_given_up_is_not_run(net, watched):
    async def main():
        async with Batcher(watched, max_rows=3, max_delay=30) as batcher:
            asked = [asyncio.ensure_future(batcher(row(n))) for n in range(2)]
            await asyncio.sleep(0.01)
            asked[0].cancel()
            await asyncio.sleep(0)
            last = asyncio.ensure_future(batcher(row(2)))
            return await asyncio.gather(*asked, last, return_exceptions=True)

    given_up, second, third = asyncio.run(main())
    assert isinstance(given_up, asyncio.CancelledError)
    agree(second, row(1), net)
    agree(third, row(2), net)
    assert watched.calls == [2]


def test_closing_answers_what_has_come(net, watched):
    async def main():
        batcher = Batcher(watched, max_rows=4, max_delay=30)
        asked = [asyncio.ensure_future(batcher(row(n))) for n in range(6)]
        await asyncio.sleep(0)
        await batcher.close()
        answers = [answer.result() for answer in asked]
        with pytest.raises(Closed):
            await batcher(row(1))
        await batcher.close()
        return answers

    for number, answer in enumerate(asyncio.run(main())):
        agree(answer, row(number), net)
    assert watched.calls == [4, 2]


def test_64_clients_some_of_which_fail_give_up_or_come_too_late(net, watched):
    """The batcher is closed while requests wait: each has its answer, or its error."""
    outcomes = {}

    async def client(batcher, number):
        for request in range(REQUESTS):
            name = number, request
            x = row(number * REQUESTS + request, 7 if number % 8 == 1 else None)
            asked = asyncio.ensure_future(batcher(x))
            await asyncio.sleep(0)
            if number % 8 == 2 and request % 3 == 1:
                asked.cancel()
            (outcomes[name],) = await asyncio.gather(asked, return_exceptions=True)

    async def main():
        batcher = Batcher(watched, max_rows=16, max_delay=0.001)
        clients = [asyncio.ensure_future(client(batcher, n)) for n in range(CLIENTS)]
        while len(outcomes) < CLIENTS * REQUESTS // 2:
            await asyncio.sleep(0)
        await batcher.close()
        await asyncio.gather(*clients)

    asyncio.run(asyncio.wait_for(main(), 60))
    assert len(outcomes) == CLIENTS * REQUESTS
    answered = 0
    for (number, request), found in outcomes.items():
        if isinstance(found, Closed):
            continue
        answered += 1
        if number % 8 == 1:
            assert isinstance(found, IndexError)
        elif number % 8 == 2 and request % 3 == 1:
            assert isinstance(found, asyncio.CancelledError)
        else:
            agree(found, row(number * REQUESTS + request), net)
    assert CLIENTS * REQUESTS // 2 <= answered < CLIENTS * REQUESTS


def test_a_second_loop_is_refused_and_one_after_the_first_is_served(net):
    batcher = Batcher(net)
    first, x = asyncio.new_event_loop(), row(1)
    agree(first.run_until_complete(batcher(x)), x, net)
    with pytest.raises(RuntimeError, match="another event loop"):
        asyncio.run(batcher(x))
    for task in asyncio.all_tasks(first):
        task.cancel()
    first.run_until_complete(asyncio.sleep(0.01))
    first.close()
    for _ in range(2):
        agree(asyncio.run(batcher(x)), x, net)
    asyncio.run(batcher.close())
    with pytest.raises(Closed):
        asyncio.run(batcher(x))


def test_when_all_tasks_are_cancelled_nobody_waits_for_ever(net):
    async def main():
        batcher = Batcher(net, max_delay=30)
        asked = asyncio.ensure_future(batcher(row(1)))
        await asyncio.sleep(0.01)
        for task in asyncio.all_tasks():
            if task.get_coro().__qualname__ == "Batcher._run":
                task.cancel()
        with pytest.raises(Closed, match="cancelled"):
            await asyncio.wait_for(asked, 30)
        asked = asyncio.ensure_future(batcher(row(2)))
        await asyncio.sleep(0)
        await asyncio.wait_for(batcher.close(), 30)
        agree(await asked, row(2), net)

    asyncio.run(main())


def test_what_has_come_is_answered_though_nobody_waits_for_closing(watched):
    async def main():
        batcher = Batcher(watched, max_rows=2, max_delay=30)
        asked = [asyncio.ensure_future(batcher(row(n))) for n in range(6)]
        await asyncio.sleep(0)
        closing = asyncio.ensure_future(batcher.close())
        await asyncio.sleep(0)
        closing.cancel()
        return await asyncio.wait_for(asyncio.gather(*asked), 30)

    assert len(asyncio.run(main())) == 6
    assert watched.calls == [2, 2, 2]


def test_no_more_wait_than_may(watched):
    async def main():
        async with Batcher(watched, max_rows=8, max_delay=30, max_waiting=3) as batcher:
            asked = [asyncio.ensure_future(batcher(row(n))) for n in range(5)]
            await asyncio.sleep(0)
            asked[0].cancel()
            await asyncio.sleep(0)
            asked.append(asyncio.ensure_future(batcher(row(5))))
            await asyncio.sleep(0)
            closing = asyncio.ensure_future(batcher.close())
            found = await asyncio.gather(*asked, return_exceptions=True)
            await closing
            return [type(one) for one in found]

    assert asyncio.run(main()) == [asyncio.CancelledError, dict, dict, Busy, Busy, dict]
    assert watched.calls == [3]


def test_inputs_by_name(net):
    async def main():
        async with Batcher(net) as batcher:
            agree(await batcher(x=row(1)), row(1), net)
            for wrong in ({"y": row(1)}, {"x": row(1), "y": row(1)}):
                with pytest.raises(InputError, match="it takes 1 input "):
                    await batcher(**wrong)

    asyncio.run(main())


class Sums(nn.Module):
    """Of any number of steps; with a state, what the last rows gave."""

    def __init__(self):
        super().__init__()
        self.last = torch.zeros(1, 3)

    def forward(self, x):
        y = x.sum(1)
        if y.sum() > 0:
            return y
        return y * 2


class Running(Sums):
    """Each row goes on from the last one."""

    def forward(self, x):
        self.last = self.last * 0.5 + super().forward(x)
        return self.last


@pytest.mark.parametrize("make", [Sums, Running])
def test_rows_of_dynamic_sizes(make):
    sizes = {"x": {1: dycl.Dim("n", min=1, max=16)}}
    example = (torch.zeros(1, 5, 3),)
    net = dycl.compile(make().eval(), example, rows=True, dynamic_shapes=sizes)
    counts = [1, 5, 16, 5, 3, 5, 1, 17, 0]
    xs = [torch.randn(1, n, 3, generator=torch.manual_seed(n)) for n in counts]
    xs = [x if n % 3 else -x for n, x in enumerate(xs)]
    model, sessions = make().eval(), Sessions(net) if make is Running else None

    async def main():
        async with Batcher(net, max_delay=30, max_rows=7, sessions=sessions) as batcher:
            asked = [batcher(x, session="ann") for x in xs]
            found = await asyncio.gather(*asked, return_exceptions=True)
            with pytest.raises(InputError, match=r"\[1, n, 3\], n = 1\.\.16"):
                await batcher(torch.zeros(1, 5, 4))
            return found, batcher.statistics

    found, statistics = asyncio.run(main())
    for x, y in zip(xs[:7], found[:7], strict=True):
        torch.testing.assert_close(y, model(x))
    assert [type(y) for y in found[7:]] == [InputError] * 2
    assert statistics.requests == 7
    assert statistics.calls == (4 if make is Sums else 7)


def test_torch_gets_torch_and_shapes_may_differ():
    net = dycl.compile(Exits().eval(), (torch.zeros(1, 8),), rows=True)

    async def main():
        async with Batcher(net) as batcher:
            asked = [torch.ones(1, 8), -np.ones((1, 8), np.float32)]
            return await asyncio.gather(*map(batcher, asked))

    first, second = asyncio.run(main())
    assert torch.equal(first, torch.ones(1, 3))
    assert isinstance(second, np.ndarray)
    assert second.shape == (1, 8)


def test_networks_that_clients_cannot_share(net):
    x = torch.zeros(1, 8)
    with pytest.raises(TypeError, match="not compiled with rows"):
        Batcher(dycl.compile(Exits().eval(), (x,)))
    with pytest.raises(ValueError, match="at least"):
        Batcher(net, max_rows=0)
    with pytest.raises(ValueError, match="at least"):
        Batcher(net, max_waiting=0)
    with pytest.raises(ValueError, match="at least"):
        Batcher(net, max_delay=float("nan"))


def test_a_call_under_way_that_is_cancelled_loses_no_later_request(net):
    """As Ctrl-C does: asyncio cancels all tasks, while the network runs in a thread."""
    runs, goes_on = threading.Event(), threading.Event()

    class Slow:
        """The network; its first call waits until it may go on."""

        def __getattr__(self, name):
            return getattr(net, name)

        def __call__(self, *args):
            runs.set()
            assert goes_on.wait(60)
            return net(*args)

    batcher = Batcher(Slow(), max_rows=2, max_delay=0)

    async def interrupted():
        asked = [asyncio.ensure_future(batcher(row(n))) for n in range(3)]
        await asyncio.to_thread(runs.wait, 60)
        for task in asyncio.all_tasks() - {asyncio.current_task()}:
            task.cancel()
        return await asyncio.wait_for(
            asyncio.gather(*asked, return_exceptions=True), 30
        )

    stopped = asyncio.CancelledError, Closed
    assert all(isinstance(one, stopped) for one in asyncio.run(interrupted()))
    goes_on.set()
    x = row(4)
    agree(asyncio.run(batcher(x)), x, net)


def test_a_forked_child_has_a_batcher_of_its_own(net):
    """The parent's task and thread are not there: the child begins anew."""
    batcher, x = Batcher(net), row(1)

    async def forking():
        agree(await batcher(x), x, net)
        child = os.fork()
        if child == 0:
            os._exit(in_new_loop())
        agree(await batcher(x), x, net)
        return child

    def in_new_loop():
        """In a thread without a running loop, which is the child's own."""
        signal.alarm(60)
        codes = []
        thread = threading.Thread(target=lambda: codes.append(answered()))
        thread.start()
        thread.join()
        return codes[0] if codes else 3

    def answered():
        agree(asyncio.run(batcher(x)), x, net)
        return 0

    child = asyncio.run(forking())
    assert os.waitpid(child, 0)[1] == 0
