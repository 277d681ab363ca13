"""`dycl example`: write a program that begins with DyCL into a folder."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

from dycl.tools.usage import UserError

_OURS = Path(__file__).resolve().parents[1]
EXAMPLES: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {
        "net": {"net.py": "tools/first_network.txt"},
        "c": {"run.c": "host/native/run.c"},
    }
)
"""What there is -> the files that it gets, and where they are in the package."""

_THEN = {
    "net": """\
dycl compile {at}/net.py:build -o net.dycl
dycl run net.dycl
dycl check net.dycl --against {at}/net.py:build""",
    "c": """\
dycl compile net.py:build -o net/
cc -Inet {at}/run.c net/model.so -Wl,-rpath,$PWD/net -o run
./run net/weights.safetensors < x.raw > y.raw""",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `dycl example`."""
    flag = parser.add_argument
    flag("what", choices=tuple(EXAMPLES), help="net: a network with an early exit, in "
         "Python; c: a program that runs a saved network")  # fmt: skip
    flag("folder", nargs="?", type=Path, default=Path(),
         help="where it is written (default: here)")  # fmt: skip
    flag("--force", action="store_true", help="replace files that are there")


def run(args: argparse.Namespace) -> int:
    """Write the files, and say what may be done with them. The exit status.

    UserError: one is there already. OSError: it cannot be written.
    """
    files = EXAMPLES[args.what]
    for name in files:
        if (args.folder / name).exists() and not args.force:
            raise UserError(f"'{args.folder / name}' is there; --force replaces it")
    args.folder.mkdir(parents=True, exist_ok=True)
    for name, source in files.items():
        content = (_OURS / source).read_bytes()
        (args.folder / name).write_bytes(content)
        print(f"written    {args.folder / name}")
    print()
    print(_THEN[args.what].format(at=args.folder).replace(" ./net.py", " net.py"))
    return 0
