"""Declarations: types, typedefs, and the names that have them."""

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import replace

from dycl.cc.errors import CannotCompile
from dycl.cc.syntax import Braced, Declaration, Definition, Expression, Initial, Text
from dycl.cc.types import (
    BOOL,
    VOID,
    Array,
    Function,
    Number,
    Pointer,
    Record,
    Type,
    decayed,
)

_PLAIN = {
    "void": VOID,
    "_Bool": BOOL,
    "char": Number(1),
    "short": Number(2),
    "int": Number(4),
    "float": Number(4, real=True),
    "double": Number(8, real=True),
}
_WORDS = frozenset(
    (
        *("const", "volatile", "restrict", "_Atomic", "static", "extern", "inline"),
        *("typedef", "struct", "union", "enum", "signed", "unsigned", "long"),
        *("__typeof__", "__attribute__", *_PLAIN),
    )
)
"""What a declaration may begin with, besides a typedef's name."""
_IGNORED = ("const", "volatile", "restrict")


class Declarations:
    """Reads declarations; whoever derives from it reads expressions."""

    def __init__(self, tokens: Sequence[str]):
        """Of a whole file."""
        self.tokens = tokens
        self.at = 0
        self.typedefs: dict[str, Type] = {}
        self.tags: dict[str, Record] = {}
        self.enumerators: dict[str, int] = {}
        self.hidden: set[str] = set()
        """Variables of the function that is read: they hide what is called alike."""
        self.declared: dict[str, Declaration] = {}
        """What the file has, by name; a definition stands for its declarations."""
        self.functions: dict[str, Definition] = {}

    @abstractmethod
    def expression(self) -> Expression:
        """An expression stands here."""

    @abstractmethod
    def initial(self) -> Initial:
        """What a variable starts with stands here."""

    @abstractmethod
    def whole(self) -> int:
        """A known int stands here."""

    # ---- tokens

    def peek(self, ahead: int = 0) -> str:
        """A token that is not taken yet; "" behind the end."""
        at = self.at + ahead
        return self.tokens[at] if at < len(self.tokens) else ""

    def next(self) -> str:
        """Take a token."""
        if self.at >= len(self.tokens):
            raise CannotCompile("text that ends too soon")
        self.at += 1
        return self.tokens[self.at - 1]

    def accept(self, token: str) -> bool:
        """Take a token, if it is this one."""
        found = self.peek() == token
        self.at += found
        return found

    def expect(self, token: str) -> None:
        """Take this token. CannotCompile: it is another one."""
        if not self.accept(token):
            near = " ".join(self.tokens[max(self.at - 6, 0) : self.at + 4])
            raise CannotCompile(f"`{token}` is missing in `{near}`")

    def skip(self, start: str, end: str) -> Sequence[str]:
        """Take what stands between two tokens, and these."""
        first, depth = self.at, 0
        while True:
            token = self.next()
            depth += (token == start) - (token == end)
            if depth == 0:
                return self.tokens[first : self.at]

    def is_type(self, ahead: int = 0) -> bool:
        """Whether a type stands here."""
        word = self.peek(ahead)
        return word in _WORDS or (word in self.typedefs and word not in self.hidden)

    # ---- declarations

    def file(self) -> None:
        """Read all declarations of the file."""
        while self.at < len(self.tokens):
            for one in self.declarations(local=False):
                before = self.declared.get(one.name)
                if before is not None:
                    one = self._merged(before, one)
                self.declared[one.name] = one

    @staticmethod
    def _merged(before: Declaration, now: Declaration) -> Declaration:
        first = before if before.initial is not None else now
        return replace(
            first,
            symbol=before.symbol or now.symbol,
            is_static=before.is_static or now.is_static,
            is_extern=before.is_extern and now.is_extern,
        )

    def declarations(self, local: bool) -> Iterator[Declaration]:
        """The names of a declaration that ends in `;`, or a function's body."""
        words, base = self._specifiers()
        while not self.accept(";"):
            name, kind, params = self.declarator(base)
            symbol = self._trailers(words)
            if "typedef" in words:
                self.typedefs[name] = kind
                self.accept(",")
                continue
            if local:
                self.hidden.add(name)
            made = Declaration(
                name,
                kind,
                is_static="static" in words,
                is_extern="extern" in words or isinstance(kind, Function),
                is_weak="weak" in words,
                is_const="const" in words and not isinstance(_element(kind), Pointer),
                align=64 if "aligned" in words else 0,
                symbol=symbol,
            )
            if self.peek() == "{" and isinstance(kind, Function):
                self.functions[name] = Definition(made, params, self.skip("{", "}"))
                yield made
                return
            if self.accept("="):
                initial = self.initial()
                kind = _counted(kind, initial)
                made = replace(made, kind=kind, initial=initial)
            yield made
            if self.peek() != ";":
                self.expect(",")

    def _specifiers(self) -> tuple[set[str], Type]:
        """The words before the names, and the type that they say."""
        words: set[str] = set()
        found: Type | None = None
        long, signed, is_atomic = 0, True, False
        while self.is_type():
            word = self.peek()
            if found is not None and word in self.typedefs:
                break  # It is the name that is declared.
            self.next()
            if word == "__attribute__":
                words |= set(self.skip("(", ")"))
            elif word in ("struct", "union"):
                found = self._record(word == "union")
            elif word == "enum":
                found = self._enum()
            elif word == "__typeof__":
                self.expect("(")
                found = self.declared[self.next()].kind
                self.expect(")")
            elif word in _PLAIN:
                if word != "int" or found is None:
                    found = _PLAIN[word]
            elif word == "long":
                long += 1
            elif word in ("signed", "unsigned"):
                signed = word == "signed"
            elif word in self.typedefs:
                found = self.typedefs[word]
            elif word == "_Atomic":
                is_atomic = True
            else:
                words.add(word)
        if long and (found is None or found == _PLAIN["int"]):
            found = Number(8)
        found = _PLAIN["int"] if found is None else found
        if not signed:
            assert isinstance(found, Number)
            found = replace(found, signed=False)
        return words, _atomic(found) if is_atomic else found

    def _trailers(self, words: set[str]) -> str:
        """Attributes behind a name; what the linker calls it."""
        symbol = ""
        while self.peek() in ("__attribute__", "__asm__"):
            if self.next() == "__attribute__":
                words |= set(self.skip("(", ")"))
                continue
            self.expect("(")
            found = self.initial()
            assert isinstance(found, Text)
            symbol = found.data[:-1].decode()
            self.expect(")")
        return symbol

    def _record(self, is_union: bool) -> Record:
        name = self.next() if self.peek() != "{" else ""
        found = self.tags.get(name)
        if found is None:
            found = Record(name, is_union)
            if name:
                self.tags[name] = found
        if self.accept("{"):
            while not self.accept("}"):
                for one in self.declarations(local=False):
                    found.add(one.name, one.kind)
        return found

    def _enum(self) -> Type:
        if self.peek() != "{":
            self.next()
        if self.accept("{"):
            value = 0
            while not self.accept("}"):
                name = self.next()
                if self.accept("="):
                    value = self.whole()
                self.enumerators[name] = value
                value += 1
                self.accept(",")
        return _PLAIN["int"]

    # ---- declarators

    def type_name(self) -> Type:
        """A type without a name, as in a cast."""
        _, base = self._specifiers()
        return self.declarator(base)[1]

    def declarator(self, kind: Type) -> tuple[str, Type, list[str]]:
        """A name, the type that it has, and its parameters' names if it is a function.

        `kind` is what stands before it.
        """
        while True:
            if self.accept("*"):
                kind = Pointer(kind)
            elif self.peek() in _IGNORED:
                self.next()
            elif self.accept("_Atomic"):
                kind = _atomic(kind)
            else:
                break
        if self.peek() == "(" and self.peek(1) == "*":
            start = self.at
            self.skip("(", ")")
            outer, _ = self._suffix(kind)
            end, self.at = self.at, start + 1
            name, kind, params = self.declarator(outer)
            self.expect(")")
            self.at = end
            return name, kind, params
        is_name = self.peek()[:1].isalpha() or self.peek()[:1] == "_"
        name = self.next() if is_name and self.peek() != "__attribute__" else ""
        kind, params = self._suffix(kind)
        return name, kind, params

    def _suffix(self, kind: Type) -> tuple[Type, list[str]]:
        if self.accept("["):
            count = None if self.peek() == "]" else self.whole()
            self.expect("]")
            return Array(self._suffix(kind)[0], count), []
        if not self.accept("("):
            return kind, []
        types: list[Type] = []
        names: list[str] = []
        variadic = False
        while not self.accept(")"):
            if self.accept("..."):
                variadic = True
                continue
            _, base = self._specifiers()
            name, found, _ = self.declarator(base)
            if found != VOID:
                types.append(decayed(found))
                names.append(name)
            if self.peek() != ")":
                self.expect(",")
        return Function(kind, tuple(types), variadic), names


def _atomic(kind: Type) -> Type:
    if not isinstance(kind, Number | Pointer):
        raise CannotCompile(f"an atomic {kind}")
    return replace(kind, atomic=True)


def _element(kind: Type) -> Type:
    while isinstance(kind, Array):
        kind = kind.of
    return kind


def _counted(kind: Type, initial: Initial) -> Type:
    """An array as long as what it starts with."""
    if not isinstance(kind, Array) or kind.count is not None:
        return kind
    if isinstance(initial, Text):
        return Array(kind.of, len(initial.data))
    return Array(kind.of, len(initial.items)) if isinstance(initial, Braced) else kind
