"""Which commit a tool's findings are of."""

import subprocess
from pathlib import Path


def commit():
    """The commit of the checkout, and whether files differ from it."""
    here = str(Path(__file__).parent)
    command = ("git", "-C", here, "describe", "--always", "--abbrev=8", "--dirty")
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.stdout.strip() or "no commit"
