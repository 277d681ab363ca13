"""What `dycl-form-graph` is made of.

reasons.py   why a host function cannot be one graph
jumps.py     where jumps lead, and what they have to tell on the way
places.py    the memory and the slots of the tree, for the values of the host
numbers.py   the ops on numbers that one thread computes
tree.py      nodes, op by op
control.py   ifs, scopes, loops and jumps
"""
