"""`topk` and `kthvalue` by eager's own algorithms, for equal elements too.

`keep_open_topk.py`, `select_topk.py`: the steps.
`topk.py`, `kthvalue.py`: the functions that are called.
`heaps.py`, `moves.py`: what they have of heaps, and of moving elements.
`order.py`: rows of elements, and how two are compared.
"""
