"""What the host shares with the levels before it, and what only it has."""

import pytest

from dycl.ir import Dycl
from dycl.ir.dialect.syntax import RunsOnHost
from dycl.ir.host import Host
from dycl.ir.host.convert import ABOUT_MEMORY


def short_names(operations):
    return {op.name.partition(".")[2]: op for op in operations}


def test_only_ops_on_memory_have_a_form_in_both_dialects():
    before, after = map(short_names, (Dycl.operations, Host.operations))
    both = before.keys() & after.keys()
    assert both == {"cast", "launch", "param", "view"}
    assert {before[name] for name in both} <= {*ABOUT_MEMORY}


@pytest.mark.parametrize("op", ABOUT_MEMORY, ids=lambda op: op.__name__)
def test_what_is_replaced_does_not_run_on_the_host(op):
    assert not op.has_trait(RunsOnHost)
