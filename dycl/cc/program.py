"""A C file with what it includes, as a module of the LLVM dialect."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib import resources

from dycl.cc.data import Data
from dycl.cc.errors import CannotCompile
from dycl.cc.lines import Lines, Place
from dycl.cc.parser import definitions
from dycl.cc.statements import File, print_function
from dycl.cc.syntax import Declaration
from dycl.cc.tokens import Preprocessor
from dycl.cc.types import VOID, Function, align_of, as_value

_LIBRARY = "libc.h"


@dataclass(frozen=True)
class Compiled:
    """A module of the LLVM dialect."""

    text: str
    functions: Sequence[str]
    """What it defines for others."""
    elsewhere: Sequence[str]
    """What it calls, and neither it nor the C library has."""


def compile_c(sources: Mapping[str, str], main: str) -> Compiled:
    """Compile the file `main`, which may include the others. CannotCompile."""
    library = (resources.files("dycl.cc") / _LIBRARY).read_text("utf-8")
    reader = Preprocessor({**sources, _LIBRARY: library})
    head = reader.tokens(_LIBRARY)
    program = _Program([*head, *reader.tokens(main)])
    known = {name for name in definitions(head).declared}
    return program.print(known)


@dataclass
class _Program:
    tokens: Sequence[str]
    globals: list[str] = field(default_factory=list[str])
    texts: dict[bytes, str] = field(default_factory=dict[bytes, str])
    wanted: dict[str, None] = field(default_factory=dict[str, None])
    """What is used, in order."""
    statics: int = 0

    def __post_init__(self) -> None:
        self.parser = definitions(self.tokens)
        self.file = File(self.outside, self.text, self.symbol, self.static)

    def print(self, library: set[str]) -> Compiled:
        parser = self.parser
        exported = [
            n for n, f in parser.functions.items() if not f.declaration.is_static
        ]
        variables = [
            name
            for name, one in parser.declared.items()
            if not isinstance(one.kind, Function)
            and not one.is_static
            and not one.is_extern
        ]
        self.wanted = dict.fromkeys([*variables, *exported])
        functions: list[str] = []
        elsewhere: list[str] = []
        done: set[str] = set()
        while missing := [name for name in self.wanted if name not in done]:
            for name in missing:
                done.add(name)
                one = parser.declared[name]
                if name in parser.functions:
                    found = parser.functions[name]
                    block = parser.body(found)
                    text = print_function(found, block, self.symbol(name), self.file)
                    functions.append(text)
                elif isinstance(one.kind, Function):
                    functions.append(self._declared(one))
                    if name not in library:
                        elsewhere.append(self.symbol(name))
                else:
                    self._variable(one, self.symbol(name))
        text = "\n".join([*self.globals, *functions]) + "\n"
        return Compiled(text, [self.symbol(name) for name in exported], elsewhere)

    # ---- what functions ask for

    def outside(self, lines: Lines, name: str) -> Place:
        """A variable or function of the file, where it is used."""
        if name not in self.parser.declared:
            raise CannotCompile(f"`{name}`, which nothing declares")
        self.wanted.setdefault(name)
        return Place(
            self.parser.declared[name].kind, lines.address_of(self.symbol(name))
        )

    def symbol(self, name: str) -> str:
        """What the linker calls it; it is wanted from now on."""
        self.wanted.setdefault(name)
        return self.parser.declared[name].symbol or name

    def text(self, data: bytes) -> str:
        """The symbol of a string literal."""
        if data not in self.texts:
            self.texts[data] = symbol = f"text..{len(self.texts)}"
            made = Data(self.symbol, self.text, bytearray(data))
            self.globals.append(made.printed(symbol, "internal constant", 1))
        return self.texts[data]

    def static(self, one: Declaration) -> str:
        """The symbol of a variable of a block that lasts."""
        self.statics += 1
        symbol = f"{one.name}.{self.statics}"
        self._variable(one, symbol)
        return symbol

    def _variable(self, one: Declaration, symbol: str) -> None:
        data = Data(self.symbol, self.text)
        data.fill(one.kind, one.initial)
        linkage = "internal" if one.is_static else "weak" if one.is_weak else "external"
        words = f"{linkage} constant" if one.is_const else linkage
        align = max(one.align, align_of(one.kind))
        self.globals.append(data.printed(symbol, words, align))

    def _declared(self, one: Declaration) -> str:
        kind = one.kind
        assert isinstance(kind, Function)
        params = [as_value(param) for param in kind.params]
        listed = ", ".join([*params, *(["..."] if kind.variadic else [])])
        result = "" if kind.result == VOID else f" -> {as_value(kind.result)}"
        return f'llvm.func @"{self.symbol(one.name)}"({listed}){result}'
