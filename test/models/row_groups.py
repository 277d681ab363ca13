"""Networks whose rows are always computed together."""

import pytest
import torch

import dycl
from dycl.passes import regroup_rows
from dycl.passes.rows.row_numbers import RowNumbers
from dycl.runtime.rows import Rows
from dycl.tools.same import value_difference

HOSTS = {"cpu": "native", "reference": "python"}


def in_groups(example):
    """What compiles the model of a class for a backend, once: by native code, or
    interpreted. `example`: the inputs."""
    made = {}

    def network(case, backend):
        if (case, backend) not in made:
            options = {"rows": True, "backend": backend, "host": HOSTS[backend]}
            with pytest.MonkeyPatch.context() as patch:
                numbers = RowNumbers(0, 4096)
                patch.setattr(regroup_rows, "row_numbers", lambda *_, **__: numbers)
                net = dycl.compile(case().eval(), example, cache=False, **options)
            assert net.rows.is_grouped
            made[case, backend] = net
        return made[case, backend]

    return network


def counts_of_calls_alone(monkeypatch):
    """How many rows each call from now on has computed one by one."""
    counts, one_by_one = [], Rows._one_by_one

    def counted(self, arrays, count):
        counts.extend([count] if count else ())
        return one_by_one(self, arrays, count)

    monkeypatch.setattr(Rows, "_one_by_one", counted)
    return counts


def outcome(call):
    try:
        with torch.no_grad():
            return call()
    except (ValueError, ZeroDivisionError, OverflowError) as error:
        return f"{type(error).__name__}: {error}"


def assert_parts_as_eager(net, case, x, i):
    """All rows, one, two, and none: eager's results, on two paths."""
    paths = set()
    for part in slice(None), slice(1), slice(2), slice(1, 2), slice(0):
        assert_as_eager(net, case, x[part], i[part])
        paths |= {tuple(d.taken for d in path) for path in net.paths}
    assert len(paths) == 2


def assert_as_eager(net, case, x, i):
    """The rows' results are eager's, or the error is that of the first that raises."""
    model, count = case(), len(x)
    wanted = [
        outcome(lambda r=r: model(x[r : r + 1], i[r : r + 1])) for r in range(count)
    ]
    found = outcome(lambda: net(x, i))
    errors = [one for one in wanted if isinstance(one, str)]
    if errors:
        assert found == errors[0]
        return
    parts = net.rows.split(found, count)
    for part, one in zip(parts, wanted, strict=True):
        assert value_difference(one, part, 1e-5) is None
