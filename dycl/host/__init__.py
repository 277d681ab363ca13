"""From the host dialect to programs that people can read: `host.py`."""

from dycl.host.python import print_python

__all__ = ["print_python"]
