"""Questions about the IR: each analysis returns a value and stores nothing in it.

`manager.py` keeps what they say for as long as the module stays as it is.

Their rooms, in the order in which a program needs them:

- `folding/`: what is known without the data
- `tensors/`: shapes, dtypes and kinds, by one walk
- `dynamic_sizes/`: sizes that the data decides
- `tracing/`: the `torch.aten` ops that an op of the program is
- `memory/`: what shares memory and what is written to
- `control/`: decisions, edges, runs, launches
"""
