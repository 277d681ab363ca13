"""`graph.scalars` as PTX for one thread.

Its parameters are the memory that it reads and fills, the conditions that it sets, and
the record of the run (`dycl.runtime.cuda.record`). The driver has
`cudaGraphSetConditional`: no library is linked.
"""

from dataclasses import dataclass

from xdsl.dialects.builtin import MemRefType, i1, i64
from xdsl.ir import Attribute, Operation, SSAValue

import dycl.ir as d
from dycl.diag import InternalError
from dycl.ir import graph, host
from dycl.ir.host.types import dtype_of
from dycl.ir.values import from_attr
from dycl.kernels.cuda.graph.arithmetic import Arithmetic
from dycl.runtime.cuda.record import COUNT, ENTRIES, EXIT, MOST_DECISIONS, STOPPED

ENTRY = "numbers"
NO_BODY = (1 << 32) - 1
"""What a switch is set to that is to run nothing."""
_LOADS = {
    "int64": ("rd", "s64"),
    "int32": ("rd", "s32"),
    "int16": ("rd", "s16"),
    "int8": ("rd", "s8"),
    "uint8": ("rd", "u8"),
    "bool": ("rd", "u8"),
    "float64": ("fd", "f64"),
    "float32": ("f", "f32"),
    "float16": ("rs", "b16"),
    "bfloat16": ("rs", "u16"),
}
_HEAD = """.version 8.0
.target sm_90
.address_size 64
"""
_SET = ".extern .func cudaGraphSetConditional(.param .b64 handle, .param .b32 value);\n"
_CALL = (
    "{{ .param .b64 h; .param .b32 v; st.param.b64 [h], {0}; st.param.b32 [v], {1}; "
    "call.uni cudaGraphSetConditional, (h, v); }}"
)


@dataclass(frozen=True)
class Thread:
    """The PTX of a node, and what its parameters are."""

    ptx: str
    memory: tuple[SSAValue, ...]
    conditions: tuple[SSAValue, ...]


def thread_of(node: graph.ScalarsOp) -> Thread:
    """A node as PTX. InternalError: an op is unknown."""
    return _Printer(node).print()


class _Printer:
    def __init__(self, node: graph.ScalarsOp):
        self.node = node
        self.code = Arithmetic()
        self.values: dict[SSAValue, str] = {}
        self.memory: dict[SSAValue, str] = {}
        self.conditions: dict[SSAValue, str] = {}
        ops = [*node.body.block.ops]
        self.records = any(isinstance(op, graph.RecordOp) for op in ops)
        self.sets = any(isinstance(op, graph.SetOp) for op in ops)
        self.count = ""

    def print(self) -> Thread:
        code = self.code
        if self.records:
            self.count = code.made("rd", "ld.global.s64", f"[%record+{COUNT}]")
        before = code.made("rd", "ld.global.s64", f"[%record+{STOPPED}]")
        code.line(f"setp.ne.s64 {code.stopped}, {before}, 0")
        for op in self.node.body.block.ops:
            self._op(op)
        if self.records:
            code.line(f"st.global.s64 [%record+{COUNT}], {self.count}")
        one = code.made("rd", "mov.s64", "1")
        code.line(f"@{code.stopped} st.global.s64 [%record+{STOPPED}], {one}")
        code.line("ret")
        return Thread(self._text(), tuple(self.memory), tuple(self.conditions))

    def _text(self) -> str:
        names = [*self.memory.values(), *self.conditions.values(), "%record"]
        parameters = ",\n".join(f"\t.param .u64 {ENTRY}_{i}" for i in range(len(names)))
        loads = [f"ld.param.u64 {n}, [{ENTRY}_{i}];" for i, n in enumerate(names)]
        kinds = {"rd": "b64", "fd": "f64", "p": "pred", "r": "b32", "f": "f32"}
        kinds["rs"] = "b16"
        registers = [
            f".reg .{kinds[prefix]} %{prefix}<{count + 1}>;"
            for prefix, count in self.code.counts.items()
            if count
        ]
        registers += [f".reg .b64 {', '.join(names)};"]
        body = "\n".join(f"\t{text}" for text in [*registers, *loads, *self.code.lines])
        head = _HEAD + (_SET if self.sets else "")
        start = f".visible .entry {ENTRY}(\n{parameters}\n)\n.reqntid 1\n"
        return f"{head}{start}{{\n{body}\n}}\n"

    def _address(self, memory: SSAValue) -> str:
        return f"[{self.memory.setdefault(memory, f'%m{len(self.memory)}')}]"

    def _op(self, op: Operation) -> None:
        match op:
            case graph.WriteOp():
                self._write(op)
            case graph.SetOp():
                self._set(op)
            case graph.RecordOp():
                self._record(op)
            case graph.StopOp():
                self.code.stop_if(self.values[op.value])
            case graph.ExitOp():
                number = self.code.constant(op.index, i64)
                guard = "" if op.when is None else f"@{self.values[op.when]} "
                self.code.line(f"{guard}st.global.s64 [%record+{EXIT}], {number}")
            case graph.EndOp():
                pass
            case _:
                [result] = op.results
                self.values[result] = self._value(op)

    def _value(self, op: Operation) -> str:
        code, given = self.code, [self.values.get(v, "") for v in op.operands]
        kinds: list[Attribute] = list(op.operand_types)
        match op:
            case d.ConstantOp():
                known = from_attr(op.value)
                assert isinstance(known, (bool, int, float))
                return code.constant(known, op.result.type)
            case host.ReadOp():
                return self._read(op.operand)
            case d.BinaryOp():
                return code.binary(op.kind_name, given[0], given[1], kinds)
            case d.CompareOp():
                return code.compare(op.kind_name, given[0], given[1], kinds)
            case d.UnaryOp():
                return code.unary(op.kind_name, given[0], kinds[0])
            case d.ToBoolOp():
                return code.truth(given[0], kinds[0])
            case d.SelectOp():
                return code.select(given[0], given[1], given[2], kinds[1])
            case d.BuiltinOp():
                return code.function(op.function.data, given[0], kinds[0])
            case d.PositionOp():
                keys = op.known_keys
                assert isinstance(keys, (int, tuple))
                return code.position(given[0], keys, bool(op.error.data))
            case _:
                raise InternalError(f"no thread computes {op.name}")

    def _read(self, memory: SSAValue) -> str:
        code = self.code
        assert isinstance(memory.type, MemRefType)
        dtype = dtype_of(memory.type)
        prefix, kind = _LOADS[dtype]
        value = code.made(prefix, f"ld.global.{kind}", self._address(memory))
        match dtype:
            case "bool":
                return code.made("p", "setp.ne.s64", value, "0")
            case "float16":
                return code.made("fd", "cvt.f64.f16", value)
            case "bfloat16":
                bits = code.made("r", "cvt.u32.u16", value)
                high = code.made("r", "shl.b32", bits, "16")
                single = code.made("f", "mov.b32", high)
                return code.made("fd", "cvt.f64.f32", single)
            case "float32":
                return code.made("fd", "cvt.f64.f32", value)
            case _:
                return value

    def _write(self, op: graph.WriteOp) -> None:
        value, kind = self.values[op.value], op.value.type
        if kind == i1:
            word = self.code.made("r", "selp.u32", "1", "0", value)
            self.code.line(f"st.global.u8 {self._address(op.slot)}, {word}")
        else:
            name = "s64" if kind == i64 else "f64"
            self.code.line(f"st.global.{name} {self._address(op.slot)}, {value}")

    def _set(self, op: graph.SetOp) -> None:
        code, value = self.code, self.values[op.value]
        if op.value.type == i1:
            goes_on = code.negated(code.stopped)
            holds = code.made("p", "and.pred", value, goes_on)
            word = code.made("r", "selp.u32", "1", "0", holds)
        else:
            number = code.made("r", "cvt.u32.u64", value)
            none = str(NO_BODY)
            word = code.made("r", "selp.u32", none, number, code.stopped)
        name = f"%c{len(self.conditions)}"
        handle = self.conditions.setdefault(op.condition, name)
        code.lines.append(_CALL.format(handle, word))

    def _record(self, op: graph.RecordOp) -> None:
        """Entry number `count` of the record: the decision, and its side."""
        code = self.code
        side = code.made("r", "selp.u32", "1", "0", self.values[op.value])
        entry = code.made("r", "add.u32", side, str(2 * op.index))
        fits = code.made("p", "setp.lt.s64", self.count, str(MOST_DECISIONS))
        happens = fits
        if op.when is not None:
            when = self.values[op.when]
            happens = code.made("p", "and.pred", when, fits)
            code.stop_if(code.made("p", "and.pred", when, code.negated(fits)))
        else:
            code.stop_if(code.negated(fits))
        offset = code.made("rd", "mul.lo.s64", self.count, "4")
        address = code.made("rd", "add.s64", offset, "%record")
        code.line(f"@{happens} st.global.u32 [{address}+{ENTRIES}], {entry}")
        following = code.made("rd", "add.s64", self.count, "1")
        self.count = code.made("rd", "selp.s64", following, self.count, happens)
