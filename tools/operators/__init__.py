"""Every operator of torch, on the samples that torch tests it with, against eager.

`python -m tools.operators` makes of each sample a line of a model's `forward`. What is
refused is counted; what is compiled must give what eager gives, in shape, dtype and
elements. What was found is kept line by line (`--results`), so that a run that ended
early goes on (`--resume`), and `--write` makes `docs/operators.md` of it. The samples
are in `torch.testing._internal`, which asks for `expecttest`.
"""
