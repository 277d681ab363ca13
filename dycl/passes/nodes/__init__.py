"""Nodes of trees; nothing here changes the program but for `dycl-match-nodes`.

members     the methods and properties of a node's class, and its base classes
enums       what a member of an enum is asked, by members
numbers     the number that a member of an enum is, where it is computed with
attributes  whether a node has an attribute at all
identity    whether two nodes are one, and which one a node is
special     `node[i]`, `for c in node`, `x in node` by methods of the node's class
keys        what a dict or named tuple is asked for by key or place
tables      what a dict is asked that an attribute of a node holds
kinds       what a value is used as that may be one of Python's own
narrowing   which constructors a node may be of at an op, by the tests around it
carried     None that a loop carries, or a recursion gives, beside nodes
optional    what Python says of None where a field may be None
"""
