"""Attributes that `forward` sets become arguments and results: `dycl-lift-state`."""
