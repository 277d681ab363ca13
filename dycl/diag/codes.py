"""The error codes: one line each, the phase first.

A code is `DY`, one digit for the phase and two for the error. The digit says who
refuses:

    1  frontend (Python source)      5  host and kernels
    2  normalise (also: any pass)    6  run time
    3  type (shapes, dtypes)         9  internal: our bug
    4  partition

To add one, add a line, in order. A code is never reused: people search for it.
"""

CODES: dict[str, str] = {
    "DY101": "this statement cannot be compiled",
    "DY102": "this expression cannot be compiled",
    "DY103": "generators cannot be compiled, unless consumed where they are created",
    "DY104": "a function uses the variable of a comprehension around it",
    "DY105": "a variable of an enclosing scope is assigned",
    "DY106": "the arguments that `*` or `**` unpacks are not known",
    "DY107": "`try` cannot be compiled",
    "DY108": "this context manager cannot be compiled",
    "DY109": "a decorator hides what the function does",
    "DY110": "the source of a function cannot be read",
    "DY112": "a `raise` of an unknown exception, or one that every run reaches",
    "DY113": "a name is not defined",
    "DY114": "a value of the model or of a global cannot be compiled",
    "DY117": "`del` of an attribute cannot be compiled",
    "DY118": "a computed format in an f-string cannot be compiled",
    "DY119": "`super()` does not resolve to a function of the user",
    "DY120": "the model is in training mode",
    "DY121": "an import inside a function fails",
    "DY122": "something in an exported program cannot be compiled",
    "DY123": "the inputs do not fit the exported program",
    "DY124": "a file has changed since it was imported",
    "DY201": "a call cannot be resolved",
    "DY202": "the arguments of a call do not fit the function",
    "DY203": "calls are nested too deep, or a recursion cannot be compiled",
    "DY204": "a module has a forward hook that cannot be compiled",
    "DY205": "a list or dict is changed in a way that depends on the input",
    "DY206": "an attribute of the model cannot be compiled",
    "DY207": "which module is called depends on the input",
    "DY208": "the state has a new type after every call",
    "DY209": "something in the model cannot be compiled (found in a late phase)",
    "DY290": "a pass could not do what it was asked",
    "DY291": "repeated passes did not reach a fixed point",
    "DY292": "a plug-in cannot be loaded",
    "DY293": "a pass changed what the program computes",
    "DY299": "the program is not in normal form",
    "DY301": "what an operation gives is not known",
    "DY302": "the two sides of a branch give values that cannot be joined",
    "DY303": "a name may be unbound where it is read",
    "DY304": "a loop-carried value changes its type between iterations",
    "DY305": "eager raises an error here, whatever the elements of its tensors are",
    "DY306": "random numbers are drawn",
    "DY307": "a tensor is changed that is seen elsewhere",
    "DY308": "a set is changed, or the order of its items matters",
    "DY309": "a function of another library cannot be compiled",
    "DY401": "the program is not partitioned into host and kernels",
    "DY501": "the host program is not complete",
    "DY502": "a kernel cannot be built",
    "DY503": "the host cannot be compiled to native code",
    "DY504": "the network cannot be saved: its code cannot be linked",
    "DY505": "a kernel cannot run here",
    "DY506": "a profile does not fit the network",
    "DY507": "a network, or a part of it, is not a CUDA graph",
    "DY508": "a tuning file cannot be used",
    "DY601": "an input does not fit the compiled network",
    "DY602": "a loop ran more often than max_iterations allows",
    "DY603": "an artifact cannot be loaded",
    "DY604": "weights do not fit the network",
    "DY605": "a recursion is deeper than max_recursion allows",
    "DY901": "an internal error of DyCL",
}
"""Code -> what it means in one line, without the particulars of one program."""
