"""What `dycl-expand-modules` writes, by what it writes.

The pass itself says which op is expanded by what; nothing here looks at the program as
a whole. An op is first a `Job`, then one of the others replaces it:

    jobs             one op, and what was known of it before anything was changed
    values           what leaves of structures have become, and how an op is replaced
    emission         traces of torch as `torch.aten` ops; parameters, literals, numbers
    slices           subscripts whose bounds the data decides
    numbers          reads of tensors, and arithmetic on what is read
    sizes            sizes that a run decides, and relations between them
    relation_words   such a relation as a sentence, with the user's names
    size_messages    what a run says where sizes are not as they have to be
    lists            ops on lists whose length the data decides
    effects          prints, logs, warnings, exceptions, and their texts
    returns          what `forward` returns
    run_time_checks  operands that are there only if what was assumed of them holds
    remedies         what a refusal tells the user to do instead
    number_as_tensor  a number as a tensor (`dycl-expand-number-tensors`, stores)
"""
