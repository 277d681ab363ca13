"""The discardable attributes of a program: what they say, and of which ops.

An attribute that is not listed here is an op's own property, or a note that the CPU
backend leaves inside a kernel. The reference is generated from this table; a test
compares it with the sources.
"""

DISCARDABLE: dict[str, tuple[str, str]] = {
    "dycl.entry": ("func.func", "unit: the function that a model runs; there is one"),
    "dycl.kernel": ("func.func", "unit: a public, straight-line function to compile"),
    "dycl.backend": (
        "func.func, op of a kernel",
        "of a kernel: the backend that compiles it, instead of the network's; of an op "
        "of a kernel: the backend that is to compute it, until the kernel is parted",
    ),
    "dycl.composite": (
        "op of a kernel",
        "a pattern of the backend, and a number: it takes the ops that have it as one",
    ),
    "dycl.region": (
        "op of a kernel",
        "the number of its region: ops that are to be one kernel of their backend",
    ),
    "dycl.times": (
        "func.func",
        "microseconds of a launch of the kernel, by backend, as measured",
    ),
    "dycl.runs": ("dycl.launch", "how often a call runs it, on average, as counted"),
    "dycl.rows": ("func.func", "the inputs that have rows, each on its own way"),
    "dycl.row_counts": (
        "func.func",
        "which way rows went in a profile: name, file, line, how often yes, and no",
    ),
    "dycl.row_results": (
        "func.func",
        "how results of rows are put together: their form, ways out and decisions",
    ),
    "dycl.wrapped_params": ("func.func", "the parameters that it shows, if decorated"),
    "dycl.params": ("func.func", "the names of its parameters, as the user wrote them"),
    "dycl.datatypes": (
        "func.func, host.func",
        "the constructors and fields of the trees among the inputs",
    ),
    "dycl.sizes": (
        "func.func, host.func",
        "sizes of inputs that a call decides: names, ranges and dimensions",
    ),
    "dycl.specialized": (
        "func.func, host.func",
        "that `dycl-specialize-sizes` has written the tests of its versions",
    ),
    "dycl.defaults": ("func.func", "the defaults of parameters, by name"),
    "dycl.positional_only": ("func.func", "how many parameters stand before a `/`"),
    "dycl.keyword_only": ("func.func", "how many parameters stand behind a `*`"),
    "dycl.vararg": ("func.func", "the name of the parameter that is written `*args`"),
    "dycl.kwarg": ("func.func", "the name of the parameter that is written `**args`"),
    "dycl.state": (
        "func.func, host.func",
        "what `forward` sets: attributes of the model",
    ),
    "dycl.refilled": (
        "func.func",
        "lists and dicts of the caller's that each return gives beside the output",
    ),
    "dycl.unchanging": (
        "func.func",
        "attributes that functions set, though only to what they are",
    ),
    "dycl.weight": (
        "argument of a kernel",
        "unit: a parameter of the model at every launch",
    ),
    "dycl.custom_kernel": (
        "`torch.operator`",
        "the code of an operator, as the text of a module with one function: MLIR that "
        "`@dycl.kernel`, or the `kernel` of an op on tensors, has given",
    ),
    "dycl.custom_kernel_arguments": (
        "`torch.operator` with `dycl.custom_kernel`",
        "the operands that the code takes, by index, where a number is among them; "
        "without it, the tensors",
    ),
    "dycl.blocked": (
        "argument or result of a kernel",
        "array<i64: dimension, size>: that dimension stands in memory in blocks",
    ),
    "dycl.workspace": ("func.func", "bytes that a compiled kernel needs for a call"),
    "dycl.memory": ("func.func", "what a compiled kernel allocates, as formulas"),
    "dycl.given": (
        "dycl.list, dycl.dict",
        "it is an argument of the network, which the caller has, too, by this name",
    ),
    "dycl.copied": ("func.func", "how many of its ops are copies of others"),
    "dycl.changing": (
        "builtin.module",
        "attributes that functions may set, while it is asked which functions are "
        "needed; no others are taken to change",
    ),
    "dycl.before": (
        "func.func",
        "the function that has the program from before a recursion was inlined",
    ),
    "dycl.asked": (
        "dycl.object",
        "of one that the network makes: names for which its `__getattr__` was asked",
    ),
    "dycl.changed_instances": (
        "builtin.module",
        "the dataclasses whose instances are objects, as their fields are set",
    ),
    "dycl.unchanged": (
        "func.func",
        "the function that has the program from before it made a dataclass whose "
        "fields can be set",
    ),
    "dycl.unguessed": (
        "func.func",
        "the function that has the program from before lengths were guessed",
    ),
    "dycl.unordered": (
        "func.func",
        "the function that has the program from before a set was put in order",
    ),
    "dycl.order": (
        "func.func",
        "the number of the order of a set that is tried, and the key of the program "
        "that the first one led to",
    ),
    "dycl.ordered": ("dycl.for", "unit: in which order its set comes counts"),
    "dycl.registered": ("dycl.setattr", "unit: it stands for `register_buffer`"),
    "dycl.guessed": (
        "",
        "on a loop: nothing is guessed about it any more; on a call or an unpacking "
        "that a guess waits for it",
    ),
    "dycl.generator": (
        "",
        "on a function whose call gives a generator, and on such a call",
    ),
    "dycl.kept": (
        "func.func",
        "array<i64: parameter>: it is not inlined; calls change these numbers",
    ),
    "dycl.peeled_to_see": (
        "dycl.while",
        "how many of its iterations stand in front to see what they give",
    ),
    "dycl.peeled": (
        "",
        "on what is left of a loop with objects how many iterations stand in front; "
        "on an `if` in front that it is open whether there is another one",
    ),
    "dycl.which": (
        "dycl.compare",
        "unit: which of the things it may be an attribute is; equal objects are one",
    ),
    "dycl.unlisted": (
        "dycl.raise",
        "the attribute that is none of the things that are set; refused if it is left",
    ),
    "dycl.memoised": (
        "func.func",
        "of a function that keeps what it gives: the attributes that it reads; of the "
        "entry function: where those stand that are inlined",
    ),
    "dycl.again": (
        "dycl.raise",
        "unit: in a handler, that it raises what that has caught",
    ),
    "dycl.classes": (
        "dycl.raise",
        "the classes that the exception's derives from, besides the builtin one",
    ),
    "dycl.awaits": (
        "",
        "on what calls: the function that it needs and the module does not have",
    ),
    "dycl.recursion": (
        "dycl.call",
        "in the body of its own function: what the calls around it were given",
    ),
    "dycl.template": (
        "func.func",
        "the function with its accesses to state, while state is being found",
    ),
    "dycl.variant": (
        "func.func",
        "of a copy: the kinds of values that the state has in it",
    ),
    "dycl.keys": ("func.func", "of a template: the attributes that are state"),
    "test": ("dycl.if, dycl.while, dycl.for", "the condition in the user's words"),
    "name": ("dycl.if, dycl.while", "what the decision is called in `net.path`"),
    "dycl.likely": (
        "dycl.if, dycl.while",
        "the side that most calls of a profile take; nothing, if both are taken often",
    ),
    "structure": (
        "dycl.return, host.return",
        "what is returned, with a `#dycl.leaf<i>` for each operand",
    ),
    "arena": ("host.func", "bytes of the memory that its buffers share"),
    "numbers": ("graph.return", "which operands are slots that stand for a number"),
    "zero": ("host.alloc", "unit: nothing fills it, so that it begins as zeros"),
    "offset": (
        "host.alloc, host.keep, host.launch",
        "where in the arena a buffer or workspace begins, a multiple of 64",
    ),
}
"""Attribute -> the ops that have it, and what it says."""
