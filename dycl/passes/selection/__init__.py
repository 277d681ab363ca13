"""What the data chooses from: parts of `dycl-select-elements`.

elements    what is chosen: constants and values
choices     the elements, and how the key says which of them (changes nothing)
tuple_keys  the number of an entry that a tuple means
arms        the branches that are written, one for each element
"""
