"""Nodes of trees; nothing here changes the program but for `dycl-match-nodes`.

members   the methods and properties of a node's class, and its base classes
"""
