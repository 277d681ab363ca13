"""From tokens to declarations, and to the statements of a function's body.

What printed hosts use of C, and no more: no bit fields, no old declarations, no
variable arrays. Bodies are read when they are wanted: headers have many functions.
"""

import re
from collections.abc import Sequence

from dycl.cc.declarations import Declarations
from dycl.cc.errors import CannotCompile
from dycl.cc.folding import binary, unary, wrapped
from dycl.cc.syntax import (
    Assign,
    Block,
    Braced,
    Call,
    Case,
    Cast,
    Choice,
    Constant,
    Definition,
    Evaluate,
    Expression,
    If,
    Initial,
    Jump,
    Label,
    Literal,
    Loop,
    Member,
    Name,
    Return,
    SizeOf,
    Statement,
    Step,
    Switch,
    Text,
)
from dycl.cc.types import DOUBLE, FLOAT, INT, LONG, SIZE, Number, size_of

_LEVELS = (
    *(("||",), ("&&",), ("|",), ("^",), ("&",), ("==", "!="), ("<", "<=", ">", ">=")),
    *(("<<", ">>"), ("+", "-"), ("*", "/", "%")),
)
"""Binary operators, the loosest first."""
_PRECEDENCE = {sign: level for level, signs in enumerate(_LEVELS) for sign in signs}
_ASSIGNMENTS = ("=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=")


class Parser(Declarations):
    """Reads one file; its typedefs, tags and enumerators are known from there on."""

    def body(self, definition: Definition) -> Block:
        """The statements of a function. CannotCompile."""
        self.tokens, self.at = definition.body, 0
        self.hidden = set(definition.params)
        found = self.statement()
        assert isinstance(found, Block)
        return found

    # ---- statements

    def statement(self) -> Statement:
        """One statement, which may be a block."""
        word = self.peek()
        match word:
            case "{":
                return self.block()
            case ";":
                self.next()
                return Block([])
            case "if":
                self.next()
                condition = self.parenthesised()
                yes = self.statement()
                no = self.statement() if self.accept("else") else None
                return If(condition, yes, no)
            case "while" | "do" | "for":
                return self.loop()
            case "switch":
                self.next()
                return Switch(self.parenthesised(), self.statement())
            case "case" | "default":
                self.next()
                value = self.whole() if word == "case" else None
                self.expect(":")
                return Case(value)
            case "break" | "continue" | "goto":
                self.next()
                label = self.next() if word == "goto" else ""
                self.expect(";")
                return Jump(word, label)
            case "return":
                self.next()
                value = None if self.peek() == ";" else self.expression()
                self.expect(";")
                return Return(value)
            case _:
                return self.plain_statement()

    def plain_statement(self) -> Statement:
        """A label, a declaration, or an expression."""
        if self.peek(1) == ":":
            label = self.next()
            self.next()
            return Label(label)
        if self.is_type():
            return Block(list(self.declarations(local=True)), is_scope=False)
        found = self.expression()
        self.expect(";")
        return Evaluate(found)

    def block(self) -> Block:
        """`{...}`"""
        self.expect("{")
        items: list[Statement] = []
        while not self.accept("}"):
            items.append(self.statement())
        return Block(items)

    def loop(self) -> Loop:
        """Any of the three kinds."""
        match self.next():
            case "while":
                return Loop(None, self.parenthesised(), None, self.statement())
            case "do":
                body = self.statement()
                self.expect("while")
                test = self.parenthesised()
                self.expect(";")
                return Loop(None, test, None, body, late=True)
            case _:
                self.expect("(")
                start = self.statement()
                test = None if self.peek() == ";" else self.expression()
                self.expect(";")
                step = None if self.peek() == ")" else self.expression()
                self.expect(")")
                return Loop(start, test, step, self.statement())

    def parenthesised(self) -> Expression:
        """`(...)`"""
        self.expect("(")
        found = self.expression()
        self.expect(")")
        return found

    # ---- expressions

    def expression(self) -> Expression:
        """With commas."""
        found = self.assignment()
        while self.accept(","):
            found = binary(",", found, self.assignment())
        return found

    def assignment(self) -> Expression:
        """Without commas outside of parentheses."""
        left = self.choice()
        sign = self.peek()
        if sign not in _ASSIGNMENTS:
            return left
        self.next()
        return Assign(sign[:-1], left, self.assignment())

    def choice(self) -> Expression:
        """`a ? b : c`, or what binds closer."""
        condition = self.binary(0)
        if not self.accept("?"):
            return condition
        yes = self.expression()
        self.expect(":")
        no = self.choice()
        if isinstance(condition, Constant):
            return yes if condition.value else no
        return Choice(condition, yes, no)

    def binary(self, level: int) -> Expression:
        """Operators that bind as close as `level`, or closer."""
        left = self.unary()
        while (found := _PRECEDENCE.get(self.peek(), -1)) >= level:
            sign = self.next()
            left = binary(sign, left, self.binary(found + 1))
        return left

    def unary(self) -> Expression:
        """What has its operator before it."""
        word = self.peek()
        if word in ("-", "~", "!", "*", "&"):
            self.next()
            return unary(word, self.unary())
        if word == "+":
            self.next()
            return self.unary()
        if word in ("++", "--"):
            self.next()
            return Step(word, self.unary(), late=False)
        if word == "sizeof":
            return self.size()
        if word == "(" and self.is_type(1):
            self.next()
            kind = self.type_name()
            self.expect(")")
            if self.peek() == "{":
                return self.postfix(Literal(kind, self.braced()))
            operand = self.unary()
            if isinstance(operand, Constant) and isinstance(kind, Number):
                return Constant(wrapped(operand.value, kind), kind)
            return Cast(kind, operand)
        return self.postfix(self.primary())

    def size(self) -> Expression:
        """`sizeof` of a type or an expression."""
        self.expect("sizeof")
        if self.peek() == "(" and self.is_type(1):
            self.next()
            kind = self.type_name()
            self.expect(")")
            return Constant(size_of(kind), SIZE)
        return SizeOf(self.unary())

    def postfix(self, found: Expression) -> Expression:
        """What has its operator behind it."""
        while True:
            match self.peek():
                case "[":
                    self.next()
                    found = unary("*", binary("+", found, self.expression()))
                    self.expect("]")
                case "(":
                    self.next()
                    given: list[Expression] = []
                    while not self.accept(")"):
                        given.append(self.assignment())
                        if self.peek() != ")":
                            self.expect(",")
                    found = Call(found, given)
                case "." | "->":
                    base = found if self.next() == "." else unary("*", found)
                    found = Member(base, self.next())
                case "++" | "--":
                    found = Step(self.next(), found, late=True)
                case _:
                    return found

    def primary(self) -> Expression:
        """A name, a number, a text, or what stands in parentheses."""
        word = self.next()
        if word == "(":
            found = self.expression()
            self.expect(")")
            return found
        if word[0] == '"':
            data = characters(word)
            while self.peek()[:1] == '"':
                data += characters(self.next())
            return Text(data + b"\0")
        if word[0] == "'":
            return Constant(characters(word)[0], INT)
        if word[0].isdigit() or word[0] == ".":
            return number(word)
        if word in self.enumerators and word not in self.hidden:
            return Constant(self.enumerators[word], INT)
        if not (word[0].isalpha() or word[0] == "_"):
            raise CannotCompile(f"`{word}` where an expression should be")
        return Name(word)

    # ---- what a variable starts with

    def initial(self) -> Initial:
        """Behind the `=` of a declaration."""
        return self.braced() if self.peek() == "{" else self.assignment()

    def braced(self) -> Braced:
        """`{1, .name = 2}`"""
        self.expect("{")
        items: list[tuple[str | None, Initial]] = []
        while not self.accept("}"):
            name = None
            if self.accept("."):
                name = self.next()
                self.expect("=")
            items.append((name, self.initial()))
            if self.peek() != "}":
                self.expect(",")
        return Braced(items)

    def whole(self) -> int:
        """A known int."""
        found = self.choice()
        if not isinstance(found, Constant):
            raise CannotCompile("a size, or a case, that is no known number")
        return int(found.value)


def number(word: str) -> Constant:
    """A literal. CannotCompile."""
    plain = word.lower()
    is_hex = plain.startswith("0x")
    if "." in plain or (not is_hex and "e" in plain) or (is_hex and "p" in plain):
        digits = plain.rstrip("fl")
        value = float.fromhex(digits) if is_hex else float(digits)
        return Constant(value, FLOAT if "f" in plain[len(digits) :] else DOUBLE)
    digits = plain.rstrip("ul")
    is_octal = len(digits) > 1 and digits[0] == "0" and not is_hex
    value = int(digits, 8 if is_octal else 0)
    suffix = plain[len(digits) :]
    signed = "u" not in suffix
    if "l" not in suffix and value < 2**31:
        return Constant(value, Number(4, signed))
    if signed and value < 2**63:
        return Constant(value, LONG)
    wide = "l" in suffix or value >= 2**32
    return Constant(value, Number(8 if wide else 4, signed=False))


_ESCAPES = {"n": 10, "t": 9, "r": 13, "0": 0, "a": 7, "b": 8, "f": 12, "v": 11}
_ESCAPE = re.compile(rb"\\([0-7]{1,3}|x[0-9a-fA-F]+|.)", re.DOTALL)


def characters(word: str) -> bytes:
    """The bytes of a literal in quotes."""

    def one(found: re.Match[bytes]) -> bytes:
        text = found[1].decode("latin-1")
        if text[0] == "x":
            return bytes([int(text[1:], 16)])
        if text.isdigit():
            return bytes([int(text, 8)])
        return bytes([_ESCAPES.get(text, ord(text))])

    return _ESCAPE.sub(one, word[1:-1].encode())


def definitions(tokens: Sequence[str]) -> Parser:
    """A file, with its declarations and the functions that it defines."""
    parser = Parser(tokens)
    parser.file()
    return parser
