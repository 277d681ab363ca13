"""Fixed seeds, no time limits per example, and imports between the files here.

A failing program is shown as it was drawn; `SHRINK=1` makes it small first, which
takes minutes.
"""

import os
import sys
from pathlib import Path

from hypothesis import HealthCheck, Phase, settings

sys.path.insert(0, str(Path(__file__).parent))
sys.setrecursionlimit(20_000)  # xDSL clones and prints by recursion, as in `dycl-opt`

settings.register_profile(
    "same-answer",
    derandomize=True,
    database=None,
    deadline=None,
    phases=[Phase.generate, *[Phase.shrink] * ("SHRINK" in os.environ)],
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
settings.load_profile("same-answer")
