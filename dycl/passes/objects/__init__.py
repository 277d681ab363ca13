"""Objects that the network makes become values: `dycl-promote-objects`.

effects   which ops may set or read attributes where nobody sees it
cells     what each attribute is, as far as it is known at a place
private   objects that were handed to nobody, of which no call knows
walk      reads become what was set; a branch or loop that sets gives it as a result
kept      an object that the model keeps, and that is always the same, is a constant
returned  an object that is returned is a record of what its attributes are there
"""
