"""Python's `try` as regions: a body, and a handler for each `except`.

What a body that raises has done by then is not undone, and names that it has bound are
handed on in dicts of one entry. Which handler runs has to be known before the run:
`dycl-resolve-tries`. One that is left is refused, as `REFUSAL` says.
"""

import builtins
from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects.builtin import ArrayAttr, StringAttr, UnitAttr
from xdsl.ir import Attribute, Region
from xdsl.irdl import (
    irdl_op_definition,
    opt_prop_def,
    prop_def,
    region_def,
    var_region_def,
    var_result_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from dycl.ir.dialect.effects import RaiseOp
from dycl.ir.dialect.ends import YieldOp, verify_end
from dycl.ir.dialect.syntax import (
    parse_region,
    parse_result_types,
    print_region,
    print_result_types,
)
from dycl.ir.interfaces import (
    RegionBranchOp,
)

FINALLY = "finally"
"""In the place of exceptions: what is done before any of them goes on."""

WITH = "with"
"""Likewise, where it is an `__exit__`: a run that ends so leaves it out."""

ELSE = "else"
"""The test of the `dycl.if` behind a `dycl.try` that is an `else` of it."""

_OTHERS = ("?", FINALLY, WITH)


@irdl_op_definition
class TryOp(RegionBranchOp):
    """Run the body; where it raises, the first handler that catches the exception.

    Each region that yields gives the op's results. `catches` has a text for each
    handler: the exceptions of Python's own that it catches, by name, with a space
    between them, and classes of the user's by their full names; `?` if others are among
    them; `finally`, `with`: every exception, which goes on behind the handler, the only
    one then. A handler sees names as the body has left them: they are in cells.

    `one_statement`: the body binds no name and changes nothing before it may raise.
    """

    name = "dycl.try"
    REFUSAL: ClassVar[tuple[str, str, str]] = (
        "DY107",
        "this may raise, and whether the `try` around it runs a handler then is not "
        "known at compile time",
        "test the condition with `if` instead, in front of the `try`",
    )
    """Code, what is refused, and what to do instead; said of what may raise."""

    catches = prop_def(ArrayAttr[StringAttr])
    one_statement = opt_prop_def(UnitAttr)
    results_ = var_result_def()
    body = region_def("single_block")
    handlers = var_region_def("single_block")

    def __init__(
        self,
        result_types: Sequence[Attribute],
        body: Region,
        catches: Sequence[str],
        handlers: Sequence[Region],
        *,
        one_statement: bool = False,
    ):
        super().__init__(
            properties={
                "catches": ArrayAttr([StringAttr(names) for names in catches]),
                "one_statement": UnitAttr() if one_statement else None,
            },
            result_types=[result_types],
            regions=[body, handlers],
        )

    def handler_of(self, kind: type[BaseException]) -> Region | None:
        """The handler that surely catches an exception of the body, if there is one."""
        for names, handler in zip(self.catches.data, self.handlers, strict=True):
            if names.data in _OTHERS:
                return None
            own = [n for n in names.data.split() if "." not in n]
            if any(issubclass(kind, getattr(builtins, n)) for n in own):
                return handler
        return None

    def catches_raised(self, raised: RaiseOp) -> Region | None:
        """The handler that catches what a `raise` in the body raises, if one does.

        No handler may be for "?".
        """
        own = [n.removeprefix("builtins.") for n in raised.class_names]
        kinds = [getattr(builtins, n) for n in own if hasattr(builtins, n)]
        for names, handler in zip(self.catches.data, self.handlers, strict=True):
            for name in names.data.split():
                if name in (FINALLY, WITH, *raised.class_names):
                    return handler
                cls = getattr(builtins, name, None)
                if cls is not None and any(issubclass(kind, cls) for kind in kinds):
                    return handler
        return None

    @property
    def goes_on(self) -> bool:
        """Whether exceptions go on behind the handler: a `finally` or a `with`."""
        return [names.data for names in self.catches] in ([FINALLY], [WITH])

    def print(self, printer: Printer) -> None:
        if self.one_statement is not None:
            printer.print_string(" one_statement")
        print_result_types(printer, self.result_types)
        print_region(printer, self.body, hide_end=True)
        for names, handler in zip(self.catches.data, self.handlers, strict=True):
            printer.print_string(" except ")
            printer.print_attribute(names)
            print_region(printer, handler, hide_end=True)
        if self.attributes:
            printer.print_op_attributes(self.attributes)

    @classmethod
    def parse(cls, parser: Parser) -> "TryOp":
        one_statement = parser.parse_optional_keyword("one_statement") is not None
        types = parse_result_types(parser)
        body = parse_region(parser, YieldOp)
        catches: list[str] = []
        handlers: list[Region] = []
        while parser.parse_optional_keyword("except") is not None:
            catches.append(parser.parse_str_literal())
            handlers.append(parse_region(parser, YieldOp))
        op = cls(types, body, catches, handlers, one_statement=one_statement)
        op.attributes.update(parser.parse_optional_attr_dict())
        return op

    def verify_(self) -> None:
        if len(self.catches.data) != len(self.handlers):
            raise VerifyException("dycl.try says of each handler what it catches")
        for names in self.catches.data:
            for item in [] if names.data in _OTHERS else names.data.split():
                if "." in item:
                    continue
                builtin = getattr(builtins, item, None)
                if not isinstance(builtin, type) or not issubclass(
                    builtin, BaseException
                ):
                    raise VerifyException(f"Python has no exception {item}")
        verify_end(self, "the body", self.body)
        for handler in self.handlers:
            verify_end(self, "a handler", handler)
