"""What decides a kernel's code besides its text."""

from dataclasses import dataclass

from dycl.runtime.targets import NATIVE


@dataclass(frozen=True)
class Settings:
    """What decides a kernel's code besides its text; its `str` says all of it."""

    opt_level: int = 2
    """LLVM's level. 3 takes longer and is slower on convolutions."""
    target: str = NATIVE
    """The processor, by its name in `dycl.runtime.targets`."""
    threads: int = 1
    """How many threads may share a nest."""
    without: tuple[str, ...] = ()
    """Steps to leave out, sorted."""
    narrow: bool = False
    """Whether weights may be kept as bf16: see `cpu-narrow-weights`."""
    matmul_dtype: str = "f32"
    """From what products with weights are computed: see `cpu-narrow-products`."""

    def flags(self) -> list[str]:
        """The same for `dycl-kernel-opt`, where LLVM has no part."""
        flags = [] if self.target == NATIVE else ["--target", self.target]
        flags += [] if self.threads == 1 else ["--threads", str(self.threads)]
        flags += ["--narrow"] if self.narrow else []
        if self.matmul_dtype != "f32":
            flags += ["--matmul-dtype", self.matmul_dtype]
        return flags + [word for step in self.without for word in ("-d", step)]
