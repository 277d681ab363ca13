"""Attention as one kernel: its scores are never all in memory.

`definition.py` reads what a kernel asks for, `attention_text.py` prints the loops;
`dycl.schedules.attention` says where it is worth it.
"""
