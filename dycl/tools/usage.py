"""What is wrong with a command line, or with the files that it names."""

from __future__ import annotations

import argparse
import re
from importlib.metadata import PackageNotFoundError, version
from typing import Any, NoReturn


class UsageError(Exception):
    """The command line asks for something that does not exist; exit status 2."""


class UserError(Exception):
    """The user's own file fails; exit status 1. The message is all there is to say."""


def has_code(error: Exception) -> bool:
    """Whether an error of a run has a code of ours, so that its text is all there is to
    say: there is no GPU, say, or an engine has failed."""
    code = getattr(error, "code", None)
    return isinstance(code, str) and code.startswith("DY")


class Parser(argparse.ArgumentParser):
    """A parser that says which command or option was meant."""

    def error(self, message: str) -> NoReturn:
        """Say what is wrong, and leave with status 2."""
        super().error(message + self._hint(message))

    def _hint(self, message: str) -> str:
        from dycl.runtime.keywords import closest  # `dycl-opt` starts without NumPy.

        unknown = re.search(r"unrecognized arguments: (-[\w-]+)", message)
        if unknown is not None:
            return closest(unknown[1], self._option_string_actions)
        choice = re.search(r"invalid choice: '([^']*)' \(choose from (.*)\)", message)
        if choice is None:
            return ""
        return closest(choice[1], re.findall(r"[\w-]+", choice[2]))

    def parse_args(  # pyright: ignore[reportIncompatibleMethodOverride]
        self, args: Any = None, namespace: Any = None
    ) -> Any:
        """As argparse has it; what a command does not know, its own parser refuses."""
        found, rest = self.parse_known_args(args, namespace)
        if rest:
            parser: argparse.ArgumentParser = getattr(found, "parser", self)
            parser.error(f"unrecognized arguments: {' '.join(rest)}")
        return found


def installed_version() -> str:
    """Of DyCL; in a source tree that is not installed, "unknown"."""
    try:
        return version("dycl")
    except PackageNotFoundError:
        return "unknown"
