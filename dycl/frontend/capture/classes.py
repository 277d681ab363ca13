"""What a class is called, where it is, and whose it is."""

from typing import Any

from xdsl.dialects.builtin import FileLineColLoc, IntAttr, StringAttr

from dycl.frontend.source import NoSource, library_line, read, shown_path


def class_name(cls: type) -> str:
    """The full name of a class."""
    return f"{cls.__module__}.{cls.__qualname__}"


def class_location(cls: Any) -> FileLineColLoc:
    """Where a class is: its `forward` or `__init__`, whichever has a source."""
    for name in ("forward", "__init__"):
        try:
            function = getattr(cls, name)
            if (location := library_line(function)) is not None:
                return location
            source = read(function)
        except (NoSource, AttributeError, TypeError):
            continue
        return source.location(source.node)
    return FileLineColLoc(
        StringAttr(shown_path(cls.__module__)), IntAttr(0), IntAttr(0)
    )


def is_torchs(cls: type) -> bool:
    """Whether a class is torch's."""
    return cls.__module__.partition(".")[0] == "torch"


def function_of(value: Any) -> Any:
    """The function that an attribute of a class is."""
    return value.__func__ if isinstance(value, staticmethod) else value


def is_static(value: object) -> bool:
    """Whether a function of a class is called without the object."""
    return isinstance(value, staticmethod)
