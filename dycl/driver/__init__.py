"""From a model, or from IR text, to something that runs.

models.py           a PyTorch model through every level to a `CompiledModel`
importing.py        the functions that a model needs, found by normalising it
texts.py            the same from IR text of any level
explanation.py      what the compiler makes of a model, line by line
compilation.py      one compilation under way: phases, verification, progress
kernel_steps.py     how far its kernels are
finished.py         networks that were compiled before, but for machine code
target_code.py      the kernels and the host of one processor
lowering_checks.py  each torch op as a kernel of its own: which have no lowering
program_cache.py    programs that were compiled before
ir_dump.py          what `--keep` writes
inputs.py           what a model and its example inputs must be
parameters.py       weights as a compiled network is given them
unforeseen.py       what no check foresaw, as a refusal at the user's line
process.py          recursion and garbage collection while compiling
"""
