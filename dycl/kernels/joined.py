"""The kernels of one network by several backends, as one library."""

from collections.abc import Mapping, Sequence
from typing import Any

from dycl.kernels import Kernel, KernelLibrary, KernelSpec, PlainLoops
from dycl.toolchain import shared_object


class JoinedLibrary:
    """Each kernel is that of its own library; there is object code if all have some."""

    def __init__(self, order: Sequence[str], libraries: Mapping[str, KernelLibrary]):
        """`order`: the names of all kernels; `libraries`: by the name of a backend."""
        self._libraries = libraries
        self._homes = {
            spec.name: library
            for library in libraries.values()
            for spec in library.specs
        }
        specs = {s.name: s for one in libraries.values() for s in one.specs}
        self._specs = tuple(specs[name] for name in order)

    @property
    def specs(self) -> tuple[KernelSpec, ...]:
        """The specs of all kernels, in the order of the module."""
        return self._specs

    @property
    def plain(self) -> Sequence[PlainLoops]:
        """What no fast code was generated for."""
        return [
            plain for library in self._libraries.values() for plain in library.plain
        ]

    def __getitem__(self, name: str) -> Kernel:
        """The kernel called `name`. Raises KeyError if there is none."""
        return self._homes[name][name]

    @property
    def symbols(self) -> dict[str, str]:
        """What object code calls each kernel and preparation. NoObjectCode."""
        return {
            n: s
            for library in self._libraries.values()
            for n, s in library.symbols.items()
        }

    def objects(self) -> dict[str, bytes]:
        """By symbol an object file. NoObjectCode: a backend makes none."""
        return {
            n: code
            for library in self._libraries.values()
            for n, code in library.objects().items()
        }

    def shared_object(self) -> bytes:
        """A library with all kernels. LinkError, NoObjectCode."""
        return shared_object(self.objects())

    def use_linked(self, code: bytes) -> None:
        """Run the kernels of this shared object."""
        for library in self._libraries.values():
            library.use_linked(code)

    def engine_members(self) -> dict[str, bytes]:
        """What an artifact holds of kernels that engines run, by the engine's name."""
        result: dict[str, bytes] = {}
        for library in self._libraries.values():
            members: Any = getattr(library, "engine_members", dict[str, bytes])
            result |= members()
        return result

    @property
    def coded(self) -> "JoinedLibrary":
        """The kernels that no engine runs, which have to have object code."""
        libraries = {
            name: library
            for name, library in self._libraries.items()
            if not hasattr(library, "engine_members")
        }
        names = {s.name for library in libraries.values() for s in library.specs}
        return JoinedLibrary(
            [s.name for s in self._specs if s.name in names], libraries
        )

    def stages(self) -> dict[str, str]:
        """The text of each backend's kernels at each of its stages: `cpu-linalg`."""
        return {
            f"{backend}-{stage}": text
            for backend, library in self._libraries.items()
            for stage, text in library.stages().items()
        }
