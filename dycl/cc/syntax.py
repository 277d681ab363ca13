"""What C text says: expressions, and statements."""

from collections.abc import Sequence
from dataclasses import dataclass

from dycl.cc.types import Number, Type


@dataclass(frozen=True)
class Constant:
    """A number that is known."""

    value: float
    kind: Number


@dataclass(frozen=True)
class Text:
    """A string literal, with its zero."""

    data: bytes


@dataclass(frozen=True)
class Name:
    """A variable or a function."""

    name: str


@dataclass(frozen=True)
class Unary:
    """One of `- ~ ! * &`."""

    sign: str
    operand: "Expression"


@dataclass(frozen=True)
class Step:
    """`++` and `--`; `late`: its value is that from before."""

    sign: str
    operand: "Expression"
    late: bool


@dataclass(frozen=True)
class Binary:
    """Any with two operands, also `&&`, `||` and the comma."""

    sign: str
    left: "Expression"
    right: "Expression"


@dataclass(frozen=True)
class Assign:
    """`sign` is what stands before the `=`; perhaps nothing."""

    sign: str
    target: "Expression"
    value: "Expression"


@dataclass(frozen=True)
class Choice:
    """`condition ? yes : no`."""

    condition: "Expression"
    yes: "Expression"
    no: "Expression"


@dataclass(frozen=True)
class Call:
    """A call of a function, or through an address."""

    function: "Expression"
    arguments: "Sequence[Expression]"


@dataclass(frozen=True)
class Member:
    """`base.name`."""

    base: "Expression"
    name: str


@dataclass(frozen=True)
class Cast:
    """`(kind)operand`."""

    kind: Type
    operand: "Expression"


@dataclass(frozen=True)
class SizeOf:
    """Of an expression; that of a type is known."""

    operand: "Expression"


@dataclass(frozen=True)
class Braced:
    """What an array or a record starts with; names are None where they do not stand."""

    items: "Sequence[tuple[str | None, Initial]]"


@dataclass(frozen=True)
class Literal:
    """`(kind){...}`."""

    kind: Type
    initial: Braced


Expression = (
    Constant
    | Text
    | Name
    | Unary
    | Step
    | Binary
    | Assign
    | Choice
    | Call
    | Member
    | Cast
    | SizeOf
    | Literal
)
Initial = Braced | Expression


@dataclass(frozen=True)
class Declaration:
    """A name that has a type, in a file or in a block."""

    name: str
    kind: Type
    initial: Initial | None = None
    is_static: bool = False
    is_extern: bool = False
    is_weak: bool = False
    is_const: bool = False
    align: int = 0
    symbol: str = ""
    """What the linker is to call it; "": the same."""


@dataclass(frozen=True)
class Block:
    """Statements in a row; names end with it, but for those of one declaration."""

    items: "Sequence[Statement]"
    is_scope: bool = True


@dataclass(frozen=True)
class Evaluate:
    """An expression, for what it does."""

    expression: Expression


@dataclass(frozen=True)
class If:
    """`if (condition) yes else no`."""

    condition: Expression
    yes: "Statement"
    no: "Statement | None"


@dataclass(frozen=True)
class Loop:
    """Any loop; `late`: its test stands behind its body."""

    start: "Statement | None"
    test: Expression | None
    step: Expression | None
    body: "Statement"
    late: bool = False


@dataclass(frozen=True)
class Switch:
    """`switch (value) body`."""

    value: Expression
    body: "Statement"


@dataclass(frozen=True)
class Case:
    """`case value:`; None: `default:`."""

    value: int | None


@dataclass(frozen=True)
class Jump:
    """`break`, `continue`, or `goto label`."""

    word: str
    label: str = ""


@dataclass(frozen=True)
class Label:
    """Where a goto goes."""

    name: str


@dataclass(frozen=True)
class Return:
    """The end of a function."""

    value: Expression | None


Statement = (
    Block | Declaration | Evaluate | If | Loop | Switch | Case | Jump | Label | Return
)


@dataclass(frozen=True)
class Definition:
    """A function with a body, whose tokens are read when it is wanted."""

    declaration: Declaration
    params: Sequence[str]
    body: Sequence[str]
