"""Random networks as Python source: eager, interpreted and compiled answers compared.

`python -m tools.fuzz --programs 2000 --seed 0` writes 2,000 modules, compares, and
makes each program that fails small. `python -m tools.fuzz --show 17` prints one.
"""

from .expressions import KINDS
from .reduce import reduce_source
from .verdict import Verdict, judge
from .writer import write_program

__all__ = ["KINDS", "Verdict", "judge", "reduce_source", "write_program"]
