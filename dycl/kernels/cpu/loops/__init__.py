"""Everything else that runs over elements: fused chains, orders of loops, mathematics.

`accesses.py` and `flat_access.py` say what an op of linalg reads and writes.
"""
