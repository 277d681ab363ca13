"""`topk` and `kthvalue` by eager's own algorithms, for equal elements too.

`select_topk.py`: the step. `topk_text.py`, `kthvalue_text.py`: the functions that it
calls. `heap_text.py`: what they have of heaps.
`order_text.py`: the parts of that function that compare and move elements.
"""
