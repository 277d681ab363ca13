"""What depends on weights alone: computed once for each set of weights, not per call.

`origins.py` finds those values, `split_weights.py` moves them to a function of their
own, and `recipes.py` says which of the results kernels may share. What is equal in the
functions of many kernels is compiled once (`part_preparations.py`).
"""
