"""What the data chooses from: parts of `dycl-select-elements`.

choices  the elements, and how the key says which of them (changes nothing)
arms     the branches that are written, one for each element
"""
