"""Attention as one kernel: its scores are never all in memory.

`definition.py` reads what a kernel asks for, `attention_loops.py` has the loops;
`dycl.schedules.attention` says where it is worth it.
"""
