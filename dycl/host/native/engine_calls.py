"""Kernels that engines run, in C: a function each, which asks whoever runs the host."""

from collections.abc import Sequence

from dycl.host.lines import indent
from dycl.host.native.layout import filled
from dycl.host.native.types import declared


def engine_call(name: str, kinds: Sequence[str], outputs: int) -> list[str]:
    """The function of a kernel: nonzero, if its engine has failed.

    `kinds`: the C types of what a kernel takes, which ends with its session and the
    `outputs`. The engine gets an address for each, that of a number as well.
    """
    place = len(kinds) - outputs - 1
    names = [f"a{i}" for i in range(len(kinds))]
    names[place] = "session"
    parameters = [declared(k, n) for k, n in zip(kinds, names, strict=True)]
    addresses = [
        f"{{.tensor = {name if kind.endswith('*') else f'&{name}'}}}"
        for i, (kind, name) in enumerate(zip(kinds, names, strict=True))
        if i != place
    ]
    listed = ", ".join(["struct dycl_host *h", *parameters])
    head = f"static int {name}({listed})"
    body = [
        *filled("const dycl_value arguments[] = {", addresses, "};"),
        "return dycl_call_engine(h, session, arguments);",
    ]
    return [head, "{", *indent(body), "}"]
