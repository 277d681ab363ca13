"""What the frontend does not take: one function per refusal, each with code and remedy.

A refusal becomes a `dycl.unsupported` op at the user's location. It is reported only if
it is still there after normalisation: Python that no path reaches is not refused.
"""

from dataclasses import dataclass

from dycl.frontend.source import ChangedSource, IsCoroutine, NoSource
from dycl.ir import TryOp


@dataclass(frozen=True)
class Refusal:
    """Code, what is refused, and what to do instead."""

    code: str
    what: str
    help: str


def statement(text: str) -> Refusal:
    """A statement with no lowering."""
    return Refusal(
        "DY101",
        f"the statement `{text}` cannot be compiled",
        "move it out of the code that `forward` reaches",
    )


def expression(kind: str) -> Refusal:
    """An expression with no lowering."""
    return Refusal(
        "DY102",
        f"the expression `{kind}` cannot be compiled",
        "write it with calls, operators, subscripts and list displays",
    )


def autograd_context(name: str) -> Refusal:
    """The context of an autograd function, used for more than to keep something."""
    return Refusal(
        "DY102",
        f"`{name}`, the context of an autograd function, is used for more than its "
        "attributes",
        "write `forward` without it: a compiled network computes no gradients",
    )


def generator() -> Refusal:
    """`await`, and a `yield` that is not taken."""
    return Refusal(
        "DY103",
        "coroutines, and generators that yield inside of `try` or `with`, cannot be "
        "compiled",
        "return a list or tuple instead of yielding",
    )


def kept_generator(text: str) -> Refusal:
    """A generator expression that is not consumed where it is created."""
    return Refusal(
        "DY103",
        f"the generator `{text}` is not consumed where it is created",
        "make a list of it: `[...]` instead of `(...)`",
    )


def late_binding(name: str) -> Refusal:
    """A function inside a comprehension that uses the comprehension's variable."""
    return Refusal(
        "DY104",
        f"the function sees `{name}` at the time of the call, not of the definition",
        f"bind its value as a default: `lambda ..., {name}={name}: ...`",
    )


def outer_name(kind: str, name: str) -> Refusal:
    """`global` and `nonlocal`."""
    return Refusal(
        "DY105",
        f"`{kind} {name}`: a variable of an enclosing scope cannot be assigned",
        "return the new value, or keep it in a local variable",
    )


def exception_handling() -> Refusal:
    """`try`."""
    return Refusal(*TryOp.REFUSAL)


def exception_of_exit() -> Refusal:
    """An `__exit__` that looks at the exception it is given."""
    return Refusal(
        "DY107",
        "which exception this `__exit__` is given is not known at compile time",
        "let it do the same for all exceptions, and for none",
    )


def leaving_jump() -> Refusal:
    """`break` or `continue` in a `finally` that a loop inside of the `try` leads to."""
    return Refusal(
        "DY107",
        "`break` or `continue` in a `finally` cannot be compiled where a loop in the "
        "`try` returns",
        "put it behind the `try`",
    )


def caught_exception(name: str) -> Refusal:
    """`except E as name`, where the name is read."""
    return Refusal(
        "DY107",
        f"`{name}`, the exception that was caught, cannot be used",
        "leave out `as`, and write the message out",
    )


def decorated(text: str) -> Refusal:
    """A decorator that is not known to leave the function as it is."""
    return Refusal(
        "DY109",
        f"the decorator `@{text}` hides what the function does",
        "remove it, or decorate outside of the model",
    )


def memoised(name: str, why: str) -> Refusal:
    """A function that is run once for the same arguments, which may be seen."""
    return Refusal(
        "DY109",
        f"`{name}` keeps what it gives for the next call, and {why}",
        "compute it in `__init__`, or remove the decorator",
    )


def unread(why: NoSource) -> Refusal:
    """A function whose source is not to be had, or is another one by now."""
    if isinstance(why, ChangedSource):
        return Refusal(
            "DY124",
            f"the source of `{why}` has changed since it was imported",
            "restart the process, or reload the file and build the model again",
        )
    if isinstance(why, IsCoroutine):
        return Refusal(
            "DY103",
            f"`{why}` is a coroutine, which cannot be compiled",
            "write it with `def`, and call it without `await`",
        )
    return Refusal(
        "DY110",
        f"the source of `{why}` cannot be read",
        "define it in a file: DyCL compiles Python source, not bytecode",
    )


def unknown_exception(text: str) -> Refusal:
    """A `raise` of anything but a class, or a call of a class, that is known now."""
    return Refusal(
        "DY112",
        f"which exception `{text}` names is not known at compile time",
        "name its class here: `raise ValueError(text)`; without `*` and `from`",
    )


def unknown_name(name: str) -> Refusal:
    """A name that is not defined."""
    return Refusal("DY113", f"the name `{name}` is not defined", "define or import it")


def no_ir_form(text: str, reason: str, holds_weights: bool = False) -> Refusal:
    """A value of the model or of a global that the IR cannot hold."""
    if holds_weights:
        return Refusal(
            "DY114",
            f"`{text}` is a tensor or module outside of the model",
            f"make it the model's own: `self.{text} = {text}` in `__init__`",
        )
    return Refusal(
        "DY114",
        f"`{text}` is {reason}, which cannot be compiled",
        "use numbers, strings, and lists, tuples or dicts of them",
    )


def failed_import(reason: str) -> Refusal:
    """An import inside a function that fails now."""
    return Refusal(
        "DY121",
        f"this import fails: {reason}",
        "install the package, or move the import out of the code that is compiled",
    )


def delete_target() -> Refusal:
    """`del` of an attribute."""
    return Refusal(
        "DY117",
        "`del` of an attribute cannot be compiled",
        "give it another value, or keep it in a local variable",
    )


def format_spec() -> Refusal:
    """An f-string whose format is itself computed."""
    return Refusal(
        "DY118",
        "a computed format in an f-string cannot be compiled",
        "write the format out",
    )


def exported(what: str) -> Refusal:
    """Something in the graph of an exported program."""
    return Refusal(
        "DY122",
        f"{what} in an exported program cannot be compiled",
        "write it with other torch operations, or compile the model itself",
    )


def higher_order(name: str) -> Refusal:
    """An operator of torch on functions that has no region in the IR."""
    return Refusal(
        "DY122",
        f"the higher-order operator `{name}` cannot be compiled",
        "use `torch.cond` or `torch.while_loop`, or compile the model itself",
    )


def exported_update(what: str) -> Refusal:
    """An exported program that keeps something for the next call."""
    return Refusal(
        "DY122",
        f"the exported program changes {what}",
        "take the state as an argument and return the new one",
    )


def exported_output(what: str) -> Refusal:
    """A returned structure that the IR has no value for."""
    return Refusal(
        "DY122",
        f"the exported program returns {what}",
        "return tensors, numbers, None, or tuples, lists and dicts of these",
    )
