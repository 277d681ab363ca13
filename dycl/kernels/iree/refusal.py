"""Why a kernel is not for IREE; reading it takes no MLIR."""

from dataclasses import dataclass

from dycl.kernels.cpu.errors import Problem


@dataclass(frozen=True)
class Refusal:
    """Why a kernel is not for IREE."""

    problem: Problem
