"""Variables of the process's environment, read as a function is lowered.

    if os.environ.get("LIBRARY_FORCES_IT", "0") == "1":     # the constant False

Libraries choose so among ways to compute the same. Like a global of a module, a
variable has the value that it has when the network is compiled, and like a global it
becomes part of the program's text: a program that is kept from a process with another
environment is not taken for this one. Only what is asked for by a known name gets
there, never the environment as a whole, which holds secrets. All else is refused
(DY114).
"""

import os


def reads_environment(function: object) -> bool:
    """Whether it is `os.getenv` or `os.environ.get`."""
    if function is os.getenv:
        return True
    owner, name = (getattr(function, a, None) for a in ("__self__", "__name__"))
    return owner is os.environ and name == "get"
