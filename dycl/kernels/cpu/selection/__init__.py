"""`topk` by eager's own algorithms, for equal elements too.

`select_topk.py`: the step. `topk_text.py`: the function that it calls.
`order_text.py`: the parts of that function that compare and move elements.
"""
