"""Networks whose rows are always computed together."""

import pytest

import dycl
from dycl.passes import regroup_rows
from dycl.passes.rows.row_numbers import RowNumbers

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
