"""Fixed seeds, no time limits per example, and imports between the files here."""

import sys
from pathlib import Path

from hypothesis import HealthCheck, settings

sys.path.insert(0, str(Path(__file__).parent))

settings.register_profile(
    "same-answer",
    derandomize=True,
    database=None,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
settings.load_profile("same-answer")

sys.setrecursionlimit(20_000)  # xDSL clones and prints by recursion, as in `dycl-opt`
