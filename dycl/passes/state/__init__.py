"""Attributes that `forward` sets become arguments and results: `dycl-lift-state`.

readiness   whether all accesses are in sight, and what they are
tensors     a write to a buffer sets the attribute that holds it
leaf_calls  modules of torch as functions of the parameters that are written to
attributes  reads and writes become values, along control flow
promotion   the same for a whole function; every return gives the state
no_value    attributes that no call has set yet
arguments   the state as arguments of the function
variants    state whose kind differs between calls: one body for each kind
sizes       tensors whose size differs between calls
kept_sizes  a `torch.Size` of dynamic sizes
"""
