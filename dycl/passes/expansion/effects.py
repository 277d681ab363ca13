"""Effects in the type phase: `dycl.effect`, the arguments of `dycl.raise`, and texts.

Before                            After
------                            -----
%f = dycl.constant "n = {:.2f}"   %s = dycl.format "n = {:.2f}"(%k)
%s = dycl.invoke %f "format"(%k)  dycl.effect "builtins.print"(%s)
%0 = dycl.call %print(%s)         dycl.return
dycl.return %0

What leaves the network is a number or a text. Structures and what torch has for dtypes
and devices become the text that Python prints for them; a tensor is refused.
"""

import re
import string
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import cast

from xdsl.ir import Operation, SSAValue

from dycl.analysis.memory.effects import host_effect
from dycl.analysis.tensors.abstract import OpenSizes, Scalar, Tensor, leaves, type_of
from dycl.analysis.tensors.structures import Leaf
from dycl.analysis.tracing.graph import Untraceable
from dycl.ir import CallOp, ConstantOp, EffectOp, FormatOp, InvokeOp
from dycl.ir.library import resolve_global
from dycl.ir.rewriting import insert_before
from dycl.ir.torch import StrT
from dycl.ir.unpacking import split_arguments
from dycl.ir.values import DeviceRef, GlobalRef, LoggerRef, ParamRef, to_attr

_PLAIN = (bool, int, float, str, type(None))
_KEYWORDS = {"builtins.print": ("sep", "end", "file", "flush")}
_STREAMS = ("sys.stdout", "sys.stderr")


@dataclass(frozen=True)
class Given:
    """One argument: what is known of it, and the SSA values of its leaves."""

    abstract: object
    leaves: Sequence[Leaf]


@dataclass(frozen=True)
class Arguments:
    """Makes the operands of one effect, in front of `anchor`."""

    anchor: Operation
    value: Callable[[Leaf, Operation], SSAValue]

    def exact(self, given: Given) -> SSAValue:
        """A number, a text or None as it is. Untraceable: it is something else."""
        known = given.abstract
        if isinstance(known, Scalar):
            return self.value(given.leaves[0], self.anchor)
        if isinstance(known, _PLAIN):
            return self._constant(known)
        raise Untraceable(_not_shown(known))

    def shown(self, given: Given) -> SSAValue:
        """What `print` writes for it: as it is, or as text."""
        if isinstance(given.abstract, (Scalar, *_PLAIN)):
            return self.exact(given)
        return self.text("{}", [given], {})

    def text(
        self, template: str, given: Sequence[Given], named: dict[str, Given]
    ) -> SSAValue:
        """`template.format(...)`. Untraceable: a field asks for what is not done."""
        parts: list[str] = []
        values: list[SSAValue] = []
        counter = iter(range(len(given)))
        for literal, name, spec, conversion in string.Formatter().parse(template):
            parts.append(_escaped(literal))
            if name is None:
                continue
            field = _field(name, given, named, counter)
            kind = conversion or ""
            spec = "".join(
                _part_of_spec(*part, given, named, counter)
                for part in string.Formatter().parse(spec or "")
            )
            if isinstance(field.abstract, (Scalar, *_PLAIN)):
                parts.append(_hole(kind, spec))
                values.append(self.exact(field))
                _check_spec(parts[-1], field.abstract)
            elif spec:
                raise Untraceable(f"the format `{spec}` needs a number or a string")
            else:
                rest = iter(field.leaves)
                parts += self._parts(field.abstract, rest, kind == "r", values)
        if not values:
            return self._constant("".join(parts).format())
        op = FormatOp("".join(parts), values, {}, StrT)
        return self._insert(op)

    def _parts(
        self,
        known: object,
        rest: Iterator[Leaf],
        as_repr: bool,
        values: list[SSAValue],
    ) -> list[str]:
        """The template's text for a value, and the values for its holes."""
        match known:
            case Scalar():
                values.append(self.value(next(rest), self.anchor))
                return ["{!r}" if as_repr else "{}"]
            case tuple() | list() if type(known) in (tuple, list, OpenSizes):
                items = list(cast("Sequence[object]", known))
                inner = [self._parts(item, rest, True, values) for item in items]
                joined = ", ".join("".join(parts) for parts in inner)
                if isinstance(known, OpenSizes):
                    return [f"torch.Size([{joined}])"]
                if isinstance(known, list):
                    return [f"[{joined}]"]
                return [f"({joined},)" if len(items) == 1 else f"({joined})"]
            case dict():
                entries = cast("dict[object, object]", known).items()
                pairs = [
                    f"{_escaped(repr(key))}: "
                    + "".join(self._parts(item, rest, True, values))
                    for key, item in entries
                ]
                return ["{{" + ", ".join(pairs) + "}}"]
            case _:
                next(rest)
                return [_escaped(_constant_text(known, as_repr))]

    def _constant(self, value: object) -> SSAValue:
        return self._insert(ConstantOp(to_attr(value), type_of(value)))

    def _insert(self, op: Operation) -> SSAValue:
        insert_before(self.anchor, op)
        return op.results[0]


def _part_of_spec(
    literal: str,
    name: str | None,
    spec: str | None,
    conversion: str | None,
    given: Sequence[Given],
    named: dict[str, Given],
    counter: Iterator[int],
) -> str:
    """A text in a format, with the field behind it: `.{n}f` of a known `n`.

    Untraceable: the input decides the field.
    """
    if name is None:
        return literal
    field = _field(name, given, named, counter).abstract
    if not isinstance(field, _PLAIN):
        raise Untraceable("a format that the input decides has no lowering")
    return literal + _hole(conversion or "", spec or "").format(field)


def expand_effect(
    op: CallOp | InvokeOp, given: Sequence[Given], make: Arguments
) -> EffectOp:
    """The effect of a call that `host_effect` knows. Untraceable: it has no form."""
    receiver = given[0].abstract
    name = host_effect(op, [g.abstract for g in given])
    assert name is not None
    args, kwargs = cast(
        "tuple[list[Given], dict[str, Given]]", split_arguments(op, given[1:])
    )
    if name == "builtins.print":
        arguments = [make.shown(value) for value in args]
    elif name == "warnings.warn":
        return EffectOp(name, _warning(args, kwargs, make), {})
    else:
        if isinstance(receiver, LoggerRef):
            args.insert(0, Given(receiver.name, ()))
        arguments = _logged(name, args, make)
    keywords: dict[str, SSAValue] = {}
    for key, value in kwargs.items():
        if key not in _KEYWORDS.get(name, ()):
            raise Untraceable(f"`{_last(name)}` with `{key}=` cannot be compiled")
        if key == "file":
            value = Given(_stream(value.abstract), ())
            if value.abstract is None:
                continue
        keywords[key] = make.exact(value)
    return EffectOp(name, arguments, keywords)


def _logged(name: str, args: Sequence[Given], make: Arguments) -> list[SSAValue]:
    """What a logger is given. What the message takes by `%s` may be a text of it."""
    level = _last(name) == "log"
    position = int(name.startswith("logging.Logger.")) + level
    message = args[position].abstract if position < len(args) else None
    values = args[position + 1 :]
    kinds = re.findall("%(.)", message) if isinstance(message, str) else []
    if kinds != ["s"] * len(values):
        return [make.exact(item) for item in args]
    before = [make.exact(item) for item in args[: position + 1]]
    return before + [make.shown(item) for item in values]


def expand_text(
    op: Operation, given: Sequence[Given], make: Arguments
) -> SSAValue | None:
    """The text that an op makes of numbers and texts; None: it makes none.

    Raises Untraceable for a text that the host cannot make.
    """
    known = [item.abstract for item in given]
    match op, known:
        case InvokeOp(), [str(template), *_] if op.method.data == "format":
            args, kwargs = split_arguments(op, given[1:])
            return make.text(template, cast("list[Given]", args), _named(kwargs))
        case CallOp(), [GlobalRef("builtins.str" | "builtins.repr" as name), _]:
            template = "{!r}" if name == "builtins.repr" else "{}"
            return make.text(template, given[1:], {})
        case _:
            return None


def _named(kwargs: dict[str, object]) -> dict[str, Given]:
    return cast("dict[str, Given]", kwargs)


def _warning(
    args: list[Given], kwargs: dict[str, Given], make: Arguments
) -> list[SSAValue]:
    """The text and the category's name; where it was is told from the location."""
    named = dict(zip(("message", "category", "stacklevel"), args, strict=False))
    named |= kwargs
    message = named.pop("message", None)
    category = named.pop("category", Given(GlobalRef("builtins.UserWarning"), ()))
    named.pop("stacklevel", None)
    if message is None or named:
        raise Untraceable("`warn` takes a text and a category here, no more")
    found = category.abstract
    name = found.name if isinstance(found, GlobalRef) else "builtins.UserWarning"
    if not (found is None or isinstance(found, GlobalRef)) or not _is_warning(name):
        raise Untraceable("the category of a warning must be one of Python's own")
    return [make.exact(message), make.exact(Given(name, ()))]


def _is_warning(name: str) -> bool:
    target = resolve_global(name) if name.startswith("builtins.") else None
    return isinstance(target, type) and issubclass(target, Warning)


def _stream(known: object) -> str | None:
    if known is None:
        return None
    if isinstance(known, GlobalRef) and known.name in _STREAMS:
        return known.name.removeprefix("sys.")
    raise Untraceable("`print` writes to `sys.stdout` or `sys.stderr` here, no more")


def _field(
    name: str, given: Sequence[Given], named: dict[str, Given], counter: Iterator[int]
) -> Given:
    """What the field `{}`, `{0}` or `{key}` stands for."""
    try:
        if not name:
            return given[next(counter)]
        return given[int(name)] if name.isdigit() else named[name]
    except (IndexError, KeyError, StopIteration):
        raise Untraceable(f"the field `{{{name}}}` of a text has no lowering") from None


def _hole(conversion: str, spec: str) -> str:
    return (
        "{" + (f"!{conversion}" if conversion else "") + (f":{spec}" * bool(spec)) + "}"
    )


_TRIES: dict[str, object] = {"int": 65, "float": 1.5, "bool": True, "str": "a"}


def _check_spec(hole: str, known: object) -> None:
    """Untraceable: Python cannot write a value of this kind so."""
    value = _TRIES[known.kind] if isinstance(known, Scalar) else known
    try:
        hole.format(value)
    except (ValueError, TypeError) as error:
        raise Untraceable(str(error)) from None


def _escaped(text: str) -> str:
    return text.replace("{", "{{").replace("}", "}}")


def _constant_text(known: object, as_repr: bool) -> str:
    """How Python writes a constant."""
    if isinstance(known, _PLAIN) or type(known).__name__ == "Size":
        return repr(known) if as_repr else str(known)
    if isinstance(known, DeviceRef):
        import torch

        device = torch.device(known.device)
        return repr(device) if as_repr else str(device)
    if isinstance(known, GlobalRef) and known.name.startswith("torch."):
        target = resolve_global(known.name)
        if type(target).__name__ in ("dtype", "layout", "memory_format"):
            return str(target)
    raise Untraceable(_not_shown(known))


def _not_shown(known: object) -> str:
    if any(isinstance(leaf, (Tensor, ParamRef)) for leaf in leaves(known)):
        return "a tensor cannot be written as text without torch"
    return f"a value of type {type(known).__name__} cannot be written as text here"


def _last(name: str) -> str:
    return name.rpartition(".")[2]
