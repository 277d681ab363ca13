"""What `dycl-inline-calls` and its like find besides plain calls of functions.

The pass puts bodies in the place of calls. What a call means is found here:

    implicit      what else is a call, one rewrite after the other
    attributes    properties, `getattr` and `setattr` by name, hooks
    partials      partial functions of functools
    operators     `a + b` of the user's classes is a method call
    contexts      context managers that change no value
    iterables     objects that are gone over, by `__iter__` or by number
    containers    objects that are dicts or lists, read by methods of the base class
    records       reads of dataclasses and named tuples (`dycl-scalarize-records` too)
    made_modules  modules that `forward` makes, such as `nn.Softmax(dim=-1)`
    module_methods  methods of torch.nn.Module that change nothing
    complex_weights  records in the place of complex parameters and buffers
    callees       which function a call runs; an nn.Sequential and torch's own modules
    construction  a call of a class makes a record, or an object of its own
    dataclass_objects  dataclasses that are changed: objects in the place of records
    enums         a call of an enum's class is the member with the value
    generators    loops over generator functions
    hooks         a module with forward hooks: what `Module.__call__` does
    torch_forwards  `forward` of modules of torch that users subclass
    mappings      records that are dicts of their fields that are not None
    notices       what libraries tell the user once, by methods of loggers
    signatures    the names of a function's parameters, by `inspect.signature`
    readings      lists and dicts that a function only reads
    recursion     which call inside the body of its own function is inlined, and when
    undecided     where the data ends a recursion, as nothing else decides in it
    specializations  which calls a local function is for
    none_results  whether local functions give something, where some paths give None
    items         tuples and dicts that local functions give, item by item
    memoised      functions under `functools.cache`, inlined at each call
    kept          functions that are not inlined, and the program from before
    binding       the arguments of a call, in the order of the parameters
    refusals      what is not compiled, in the user's words
"""
