"""What `dycl-expand-builtins` writes for calls of Python's builtins.

items          what the others share: the items of a value, and loops and ifs over them
arguments      `min(*v, x)` of such lists as `folds` is for
alike          `torch.equal` and `torch.allclose`
values         `sum`, `list`, `dict`, `filter`, `divmod`, `pow`, `tolist`
iterators      `next`, of iterators that are kept
reshaping      `unsqueeze_` and its like, of tensors without another name
indices        ranges, lists and known masks as indices of tensors
sizes          sizes that a program keeps in tensors of one element
outs           `out=` of a tensor that is made for it
parts          `split` and `narrow` by lengths that the data decides
even_parts     `chunk`, `split` by one size and `unbind` of dims that the data decides
ordered_dicts  an `OrderedDict` that is used as a dict
orders         `min`, `max` and `sorted`, also by a key
tests          `any`, `all`, `in`, comparisons of lists and tuples
folds          `sum`, `any`, `all` of lists whose length the data decides, as loops
run_time_lists  functions of such lists that the prelude has in Python
sequences      `min`, `max`, `index`, `in`, differences of sets: of such lists
texts          `%` of a text
slices         `l[1:]` of such lists
single         `item`, `if` and `squeeze` of tensors that may have one element
"""
