"""What a function of ours does not do, and the library's does.

A function raises `NotCompiled` where the library's gives a result: no run may get
there, so `dycl-check-typed` refuses the user's line with its two texts. What the
library raises is raised as that.
"""


class NotCompiled(NotImplementedError):
    """Of two texts: what is not compiled, and what to write instead."""
