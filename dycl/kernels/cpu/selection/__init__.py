"""`topk` and `kthvalue` by eager's own algorithms, for equal elements too.

`select_topk.py`: the step. `topk.py`, `kthvalue.py`: the functions that it calls.
`heaps.py`, `moves.py`: what they have of heaps, and of moving elements.
`order.py`: rows of elements, and how two are compared.
"""
