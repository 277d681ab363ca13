"""Passes from their names and options."""

from dataclasses import MISSING, fields

from xdsl.passes import ModulePass
from xdsl.utils.arg_spec import ArgSpec


def made(cls: type[ModulePass], spec: ArgSpec) -> ModulePass:
    """A pass with the options of `spec`. ValueError: it has none of a name, or of
    another type.

    xDSL's `from_spec` evaluates the annotations of a pass each time, which takes longer
    than many a pass; a compilation makes a hundred, nearly all without options.
    """
    if spec.parameters or not _is_plain(cls) or spec.name != cls.name:
        return cls.from_spec(spec)
    return cls()


def _is_plain(cls: type[ModulePass]) -> bool:
    """Whether `cls()` is what `from_spec` makes where no option is given."""
    if cls.from_spec.__func__ is not ModulePass.from_spec.__func__:
        return False
    return all(
        field.default is not MISSING or field.default_factory is not MISSING
        for field in fields(cls)
        if field.init
    )
