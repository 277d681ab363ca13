"""From the host dialect to programs that people can read: `host.py`."""

from dycl.host.outputs import describe_outputs
from dycl.host.python import print_python

__all__ = ["describe_outputs", "print_python"]
