"""Calls that mean something which is not compiled, in the user's words."""

import re

from dycl.ir.values import ObjectRef

HELP = "make it a plain method of the class, or a function of the file"
OF_LIBRARY = "call it before the network is compiled"
"""Of a method that torch's own class has: `train()`, `append(layer)`."""
_SUPER = re.compile(r"'super\(.*\)\.(\w+)'")


class Refused(Exception):
    """The call means something that is not compiled."""

    def __init__(self, code: str, what: str, help: str):
        super().__init__(what)
        self.code, self.what, self.help = code, what, help


def missing_attribute(why: AttributeError) -> tuple[str, str, str]:
    """Code, text and help for an attribute that the object of a call has not."""
    match = _SUPER.search(str(why))
    if match is None:
        return "DY201", str(why), "define it in the class of the module"
    what = f"`super().{match[1]}` is no function of your own classes"
    help_ = "keep the torch module in an attribute of the model, and call that"
    return "DY119", what, help_


def name_of(ref: ObjectRef) -> str:
    """How the user reaches an object."""
    if ref.path.startswith("class "):
        return f"`{ref.path.rpartition('.')[2]}`"
    return f"`self.{ref.path}`" if ref.path else "the model"
