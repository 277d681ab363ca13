"""What `dycl-form-graph` is made of.

reasons   why a host function cannot be one graph
jumps     where jumps lead, and what they have to tell on the way
places    the memory and the slots of the tree, for the values of the host
numbers   the ops on numbers that one thread computes
tree      nodes, op by op
ways      what jumps hand over, and where they lead
control   ifs, scopes, loops and jumps
segments  a part of a host function as a function of its own
"""
