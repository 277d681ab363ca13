"""Kernels that others run, in C: a function each, which asks whoever runs the host.

They are those of engines, which have sessions, and those of a GPU (`on_device.py`).
"""

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
    passed = [i for i in range(len(kinds)) if i != place]
    return _function(name, kinds, names, passed, "session")


def device_call(name: str, kinds: Sequence[str], session: int) -> list[str]:
    """The function of a kernel of a GPU: nonzero, if it has failed.

    `kinds`: the C types of what the kernel takes; `session` stands for it.
    """
    names = [f"a{i}" for i in range(len(kinds))]
    text = f"&(const int64_t){{{session}}}"
    return _function(name, kinds, names, range(len(kinds)), text)


def _function(
    name: str,
    kinds: Sequence[str],
    names: Sequence[str],
    passed: Sequence[int],
    session: str,
) -> list[str]:
    parameters = [declared(k, n) for k, n in zip(kinds, names, strict=True)]
    addresses = [
        f"{{.tensor = {names[i] if kinds[i].endswith('*') else f'&{names[i]}'}}}"
        for i in passed
    ]
    listed = ", ".join(["struct dycl_host *h", *parameters])
    head = f"static int {name}({listed})"
    body = [
        *filled("const dycl_value arguments[] = {", addresses, "};"),
        f"return dycl_call_engine(h, {session}, arguments);",
    ]
    return [head, "{", *indent(body), "}"]
