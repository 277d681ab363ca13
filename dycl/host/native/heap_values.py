"""Lists, and tensors whose size a run decides, as lines of C.

Both are addresses of what heap.h makes: `const dycl_list *`, `const dycl_tensor *`. A
kernel is passed the elements and each dynamic size; a result of dynamic size is a
`dycl_tensor` that it fills.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from xdsl.dialects.builtin import MemRefType, f64
from xdsl.ir import Attribute, Block, Operation, SSAValue

import dycl.ir as d
from dycl.host.native.tables import Tables
from dycl.host.native.types import (
    CannotPrint,
    c_type,
    declared,
    dtype_code,
    item_size,
    member,
)
from dycl.ir import host
from dycl.ir.dialect.local_functions import function_around
from dycl.ir.host.layouts import memory_shape
from dycl.ir.host.types import byte_size, dtype_of, is_static
from dycl.ir.walking import walk

_HEAP_OPS = (
    *(d.SequenceOp, d.AppendOp, d.ExtendOp, d.TakeOp, d.ConcatOp),
    d.ToListOp,
    *(host.CastOp, host.KeepOp, host.ViewOp, host.LaunchOp, d.LocalCallOp),
)


class Printer(Protocol):
    """What is needed of the printer of the whole body."""

    texts: dict[SSAValue, str]
    tables: Tables

    def local(self, value: SSAValue) -> str:
        """A new local variable's name, which stands for the value from now on."""
        ...

    def fresh(self, wanted: str) -> str:
        """A new local variable's name."""
        ...


@dataclass
class HeapValues:
    """Prints ops on lists and on buffers of dynamic size."""

    printer: Printer
    lends: bool
    """Whether buffers of known size may lie where `dycl_sweep` looks."""

    def lines(self, op: Operation) -> list[str] | None:
        """The lines for an op; None: it is about neither. CannotPrint."""
        match op:
            case d.SequenceOp():
                return self._longer(op, "EMPTY", op.items)
            case d.AppendOp():
                return self._longer(op, self._text(op.sequence), [op.value])
            case d.ExtendOp():
                first, other = self._text(op.sequence), self._text(op.other)
                more = f"{other}->items, {other}->length"
                leads = _leads(op.result.type)
                return self._made(
                    op.result, f"dycl_longer(h, {first}, {more}, {leads})"
                )
            case d.TakeOp():
                bounds = f"{self._text(op.start)}, {self._text(op.stop)}"
                call = f"h, {self._text(op.sequence)}, {bounds}"
                leads = _leads(op.result.type)
                return self._made(op.result, f"dycl_take({call}, {leads})")
            case d.LengthOp():
                return self._value(op.result, f"{self._text(op.sequence)}->length")
            case d.GetOp():
                return self._get(op)
            case d.ConcatOp():
                return self._concat(op)
            case d.ToListOp():
                return self._to_list(op)
            case d.DimOp():
                size = _sizes(op.operand, self._text(op.operand))[op.dimension]
                return self._value(op.result, size)
            case host.AllocOp() if not is_static(op.result.type):
                name = self.printer.local(op.result)
                kind = c_type(op.result.type, fills=True)
                return [f"{declared(kind, name)} = NOTHING;"]
            case host.CastOp():
                return self._seen_as(op, op.operand, op.result)
            case host.ViewOp() if not _both_static(op):
                return self._seen_as(op, op.operand, op.result)
            case host.KeepOp() if not is_static(op.result.type):
                return self._made(op.result, self._own(op.operand))
            case _:
                return None

    # ---- kernels

    def given(self, value: SSAValue) -> list[str]:
        """What a kernel is passed for an input: the elements, and each dynamic size."""
        text = self._text(value)
        if not isinstance(value.type, MemRefType) or is_static(value.type):
            return [text]
        sizes = zip(_sizes(value, text), memory_shape(value.type), strict=True)
        return [f"{text}->data", *(text for text, known in sizes if known < 0)]

    def launch(self, op: host.LaunchOp) -> tuple[list[str], list[str]]:
        """The lines before and after the call that has results of dynamic size."""
        before: list[str] = []
        after: list[str] = []
        for value in op.outputs:
            if is_static(value.type):
                continue
            if not isinstance(value.owner, host.AllocOp):
                raise CannotPrint("a join whose sides have sizes that a run decides")
            name, rank = self._text(value), _rank(value)
            size = item_size(dtype_of(_buffer(value)))
            before.append(f"if (({name} = dycl_promise(h, {rank})) == NULL) NO_MEMORY;")
            after.append(f"if (!dycl_adopt(h, {name}, {rank}, {size})) NO_MEMORY;")
        return before, after

    # ---- loops

    def sweep(self, loop: d.WhileOp) -> list[str]:
        """What stands at the head of a loop that makes lists or open buffers."""
        if function_around(loop) is not None:
            return []  # what calls the function holds is not in sight
        if not any(_makes(op) for op in walk(loop)):
            return []
        roots = [v for v in _visible(loop) if self._is_root(v)]
        names = dict.fromkeys(self._text(v) for v in roots)
        return [f"SWEEP({', '.join(names) or 'NULL'});"]

    def _is_root(self, value: SSAValue) -> bool:
        if not value.uses or value not in self.printer.texts:
            return False
        if isinstance(value.type, d.SequenceType):
            return True
        if not isinstance(value.type, MemRefType):
            return False
        own = isinstance(value.owner, host.AllocOp | host.ParamOp | d.ConstantOp)
        return not is_static(value.type) or (self.lends and not own)

    # ---- pieces

    def _text(self, value: SSAValue) -> str:
        return self.printer.texts[value]

    def _value(self, result: SSAValue, expression: str) -> list[str]:
        name = self.printer.local(result)
        kind = c_type(result.type)
        const = "" if kind.startswith("const ") else "const "
        return [f"{const}{declared(kind, name)} = {expression};"]

    def _made(self, result: SSAValue, expression: str) -> list[str]:
        """A value that there may be no memory for."""
        lines = self._value(result, expression)
        return [*lines, f"if ({self._text(result)} == NULL) NO_MEMORY;"]

    def _own(self, value: SSAValue) -> str:
        """A buffer as one that no launch writes to."""
        text = self._text(value)
        if is_static(value.type):
            assert isinstance(value.type, MemRefType)
            return f"dycl_own(h, {text}, {byte_size(value.type)})"
        size = item_size(dtype_of(_buffer(value)))
        return f"dycl_own_sized(h, {text}, {_rank(value)}, {size})"

    def _longer(
        self, op: d.SequenceOp | d.AppendOp, first: str, items: Sequence[SSAValue]
    ) -> list[str]:
        if not items:
            return self._value(op.result, first)
        lines: list[str] = []
        texts: list[str] = []
        for item in items:
            text = self._text(item)
            if isinstance(item.type, MemRefType):
                name = self.printer.fresh(f"own_{text}")
                kind = "const void *" if is_static(item.type) else c_type(item.type)
                lines.append(f"{kind}{name} = {self._own(item)};")
                lines.append(f"if ({name} == NULL) NO_MEMORY;")
                text = name
            texts.append(f"{{.{member(item.type)} = {text}}}")
        given = self.printer.fresh("more")
        lines.append(f"const dycl_value {given}[] = {{{', '.join(texts)}}};")
        more = f"{given}, {len(items)}, {_leads(op.result.type)}"
        return [*lines, *self._made(op.result, f"dycl_longer(h, {first}, {more})")]

    def _get(self, op: d.GetOp) -> list[str]:
        place = self.printer.fresh("place")
        items, index = self._text(op.sequence), self._text(op.index)
        error = self.printer.tables.add_error(
            op, "builtins.IndexError", ["list index out of range"]
        )
        return [
            f"const dycl_value *{place} = dycl_get({items}, {index});",
            f"if ({place} == NULL) RAISE({error});",
            *self._value(op.result, f"{place}->{member(op.result.type)}"),
        ]

    def _concat(self, op: d.ConcatOp) -> list[str]:
        assert isinstance(op.sequence.type, d.SequenceType)
        element, kind = op.sequence.type.element, op.kind_name
        dtype, items = dtype_of(_buffer(op.result)), self._text(op.sequence)
        joined = self.printer.fresh("made")
        head = f"const dycl_tensor *{joined};"
        if not isinstance(element, MemRefType):
            lines = [head]
            if kind == "tensor" and dtype != "float32":
                text = "torch.tensor([]) is of floats; the network was compiled for "
                text += dtype
                lines.append(f"if ({items}->length == 0) {self._raise(op, text)}")
            real = "true" if element == f64 else "false"
            call = f"{items}, {real}, {dtype_code(dtype)}, {item_size(dtype)}"
            text = f"value cannot be converted to type {dtype} without overflow"
            errors = [self._raise(op, text)]
            call = f"dycl_of_numbers(h, {call}, &{joined})"
        else:
            is_stack, rank = kind == "stack", element.get_num_dims()
            dim = op.dimension
            lines, known = [head], "NULL"
            if is_static(element):
                known = self.printer.fresh("sizes")
                listed = ", ".join(map(str, memory_shape(element))) or "0"
                lines.append(f"static const int64_t {known}[] = {{{listed}}};")
            call = f"{items}, {known}, {rank}, {dim}, {'true' if is_stack else 'false'}"
            errors = [self._raise(op, *one) for one in _concat_errors(is_stack, dim)]
            call = f"dycl_concat(h, {call}, {item_size(dtype)}, &{joined})"
        lines += [f"switch ({call}) {{", "case 1: NO_MEMORY;"]
        lines += [f"case {i}: {error}" for i, error in enumerate(errors, 2)]
        lines.append("}")
        data = "->data" if is_static(op.result.type) else ""
        return [*lines, *self._value(op.result, f"{joined}{data}")]

    def _raise(self, op: Operation, text: str, kind: str = "RuntimeError") -> str:
        error = self.printer.tables.add_error(op, f"builtins.{kind}", [text])
        return f"RAISE({error});"

    def _to_list(self, op: d.ToListOp) -> list[str]:
        value, next_ = op.operand, self.printer.fresh("next")
        sizes, rank = self.printer.fresh("sizes"), _rank(value)
        text, listed = self._text(value), ", ".join(_sizes(value, self._text(value)))
        data = text if is_static(value.type) else f"{text}->data"
        code = dtype_code(dtype_of(_buffer(value)))
        call = f"dycl_to_list(h, {data}, {sizes}, {rank}, {code}, &{next_})"
        return [
            f"const int64_t {sizes}[] = {{{listed}}};",
            f"int64_t {next_} = 0;",
            *self._made(op.result, call),
        ]

    def _seen_as(self, op: Operation, value: SSAValue, result: SSAValue) -> list[str]:
        """The same elements under another type."""
        text, wanted = self._text(value), memory_shape(_buffer(result))
        known = _sizes(value, text)
        if isinstance(op, host.CastOp):
            if is_static(value.type) == is_static(result.type):
                self.printer.texts[result] = text
                return []
            sizes = known
        else:
            sizes = [str(size) for size in wanted]
            if wanted.count(-1) > 1:
                raise CannotPrint("a view of which a run decides several sizes")
        lines: list[str] = []
        if isinstance(op, host.ViewOp):
            count, rest = self.printer.fresh("count"), 1
            lines.append(f"const int64_t {count} = {' * '.join(known) or '1'};")
            for size in wanted:
                rest *= 1 if size < 0 else size
            if -1 in wanted:
                sizes[wanted.index(-1)] = f"{count} / {rest}" if rest else "0"
                test = f"{count} % {rest}" if rest else count
            else:
                test = f"{count} != {rest}"
            error = self.printer.tables.add_error(
                op, "builtins.ValueError", [f"the sizes do not fit {list(wanted)}"]
            )
            lines.append(f"if ({test}) RAISE({error});")
        data = text if is_static(value.type) else f"{text}->data"
        if is_static(result.type):
            return [*lines, *self._value(result, data)]
        listed = self.printer.fresh("sizes")
        lines.append(f"const int64_t {listed}[] = {{{', '.join(sizes) or '0'}}};")
        call = f"dycl_sized(h, {_rank(result)}, {data}, {listed})"
        return [*lines, *self._made(result, call)]


def _concat_errors(is_stack: bool, dim: int) -> list[tuple[str, str]]:
    """What is said where there are no tensors, and where they do not fit; the class."""
    if is_stack:
        return [
            ("stack expects a non-empty TensorList", "RuntimeError"),
            ("stack expects each tensor to be equal size", "RuntimeError"),
        ]
    return [
        ("torch.cat(): expected a non-empty list of Tensors", "ValueError"),
        (f"Sizes of tensors must match except in dimension {dim}.", "RuntimeError"),
    ]


def _buffer(value: SSAValue) -> MemRefType[Attribute]:
    assert isinstance(value.type, MemRefType)
    return value.type


def _rank(value: SSAValue) -> int:
    return len(memory_shape(_buffer(value)))


def _sizes(value: SSAValue, text: str) -> list[str]:
    """Each size of a buffer as C text."""
    shape = memory_shape(_buffer(value))
    return [f"{text}->sizes[{i}]" if s < 0 else str(s) for i, s in enumerate(shape)]


def _leads(found: Attribute) -> str:
    """Whether the items of a list are addresses."""
    assert isinstance(found, d.SequenceType)
    is_address = isinstance(found.element, MemRefType | d.SequenceType)
    return "true" if is_address else "false"


def _both_static(op: host.ViewOp) -> bool:
    return is_static(op.operand.type) and is_static(op.result.type)


def _makes(op: Operation, entered: frozenset[Operation] = frozenset()) -> bool:
    """Whether an op makes what lasts until a sweep; `entered` are the functions that
    call it, and make nothing but what their calls of each other do."""
    if not isinstance(op, _HEAP_OPS):
        return False
    if isinstance(op, d.LocalCallOp):
        function = op.function
        inside = entered | {function}
        return function not in entered and any(
            _makes(inner, inside) for inner in walk(function)
        )
    if isinstance(op, host.LaunchOp):
        return not all(is_static(v.type) for v in op.outputs)
    kinds = [v.type for v in (*op.operands, *op.results)]
    return any(isinstance(k, d.SequenceType) or not is_static(k) for k in kinds)


def _visible(loop: d.WhileOp) -> list[SSAValue]:
    """What has a value where an iteration of `loop` begins."""
    result: list[SSAValue] = list(loop.before.block.args)
    op: Operation = loop
    while isinstance(block := op.parent, Block):
        before: list[SSAValue] = []
        for other in block.ops:
            if other is op:
                break
            before += other.results
        result = [*block.args, *before, *result]
        owner = op.parent_op()
        if owner is None or isinstance(owner, host.FuncOp):
            break
        op = owner
    return result


def makes_blocks(func: host.FuncOp) -> bool:
    """Whether a host makes lists, or tensors of dynamic size."""
    return any(
        isinstance(v.type, d.SequenceType)
        or (isinstance(v.type, MemRefType) and not is_static(v.type))
        for op in walk(func.body)
        for v in op.results
    )


def lends(func: host.FuncOp) -> bool:
    """Whether a buffer of known size may be an item of a list, or an open one."""
    return any(
        isinstance(op, d.GetOp | d.ConcatOp | host.ViewOp)
        and is_static(op.results[0].type)
        and not (isinstance(op, host.ViewOp) and is_static(op.operand.type))
        for op in walk(func.body)
    )
