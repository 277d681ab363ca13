"""The IR of a network as a member of its artifact."""

import re
import zlib

_FILE = re.compile(r'"[^"\\\n]*[/\\](?P<name>[^"/\\\n]+)"(?=:\d+:\d+)')
"""The file of a location, with its folders."""


def packed_program(text: str) -> bytes:
    """The text, compressed; its locations name files without their folders."""
    return zlib.compress(_FILE.sub(r'"\g<name>"', text).encode(), 9)
