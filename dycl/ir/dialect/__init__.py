"""The `dycl` dialect: Python values, control flow, and the decisions of a network.

The whole grammar on one page. `v` is an SSA value. In the source and normal levels
every value has the one type `!dycl.value`, which the syntax leaves out; where a type is
known, an op ends in `: (T, ...) -> T`.

    values    constant A | getattr v "name" | setattr v "name", v
              | call v(v, ..., key = v) | invoke v "method"(v, ..., key = v)
              | unary neg|pos|invert|not v | binary add|sub|... v, v
              | inplace add|sub|... v, v | compare lt|le|... v, v | truth v
              | subscript v[v] | store_subscript v[v], v
              | update_subscript [add|sub|...] v[v, ...], v
              | tuple(v, ...) | list(v, ...) | dict(v, v, ...) | slice(v, v, v)
              | record v as A
              | position v in A else "IndexError: ..."
              | unpack v -> n [star n] | select v, v, v | unbound "name"
              | unsupported "code" ... | format "text with {}"(v, ..., key = v)
    effects   effect "module.function"(v, ..., key = v) | yield_value v
    control   if v -> (T, ...) {..} else {..} | for v in v carry(v = v, ...) {..}
              | while carry(v = v, ...) {.. condition v, v...} do {..}
              | switch v -> (T, ...) case 0 {..} ... default {..}
              | scope "label" -> (T, ...) {..}
              | try [one_statement] -> (T, ...) {..} except "Error" {..} ...
    functions local_function "label"(v, ...) {..} | local_call "label"(v, ...)
              | local_return v...
    ends      yield v... | return v... | break v... | continue v... | condition v, v...
              | leave "label" v... | unreachable
              | raise "module.Error" as "builtins.Exception"(v, ...)
    lists     sequence(v, ...) | append v, v | extend v, v | length v | get v[v]
              | concat stack|cat|tensor|index v dim N | tolist v
    trees     field v "name" | has_field v "name" | has_attribute v "name"
              is_node v ["class", ...]
    model     object @path "module.Class" {attribute = A, ...}
    typed     param "path" : T | item v | view v | cast v | dim v N
              | checked v, v "message" | launch @kernel(v, ...)
              | builtin "function"(v, ...)

`A` are the attributes of `dycl.ir.values`.
"""

from xdsl.ir import Dialect

from dycl.ir.arrays import NumpyAttr
from dycl.ir.attributes import (
    DeviceAttr,
    DictAttr,
    FunctionAttr,
    GlobalAttr,
    LeafAttr,
    LoggerAttr,
    MethodAttr,
    NoneValueAttr,
    ParamAttr,
    PartialAttr,
    PropertyAttr,
    RangeAttr,
    SetAttr,
    TorchSizeAttr,
    TupleAttr,
    UnsupportedAttr,
)
from dycl.ir.datatypes import DatatypeAttr, NodeType
from dycl.ir.dialect.aggregates import (
    DictOp,
    ListOp,
    RecordOp,
    SliceOp,
    StoreSubscriptOp,
    SubscriptOp,
    TupleOp,
    UnpackOp,
    UpdateSubscriptOp,
)
from dycl.ir.dialect.calls import (
    CallOp,
    GetattrOp,
    InvokeOp,
    SetattrOp,
    YieldValueOp,
)
from dycl.ir.dialect.control import IfOp, ScopeOp
from dycl.ir.dialect.effects import EffectOp, FormatOp, RaiseOp
from dycl.ir.dialect.ends import (
    BreakOp,
    ConditionOp,
    ContinueOp,
    LeaveOp,
    ReturnOp,
    UnreachableOp,
    YieldOp,
)
from dycl.ir.dialect.exceptions import TryOp
from dycl.ir.dialect.local_functions import (
    LocalCallOp,
    LocalFunctionOp,
    LocalReturnOp,
)
from dycl.ir.dialect.loops import ForOp, WhileOp
from dycl.ir.dialect.model import (
    BuiltinOp,
    CastOp,
    CheckedOp,
    DimOp,
    ItemOp,
    LaunchOp,
    ObjectOp,
    ParamOp,
    RefineOp,
    ViewOp,
)
from dycl.ir.dialect.nodes import (
    FieldOp,
    HasAttributeOp,
    HasFieldOp,
    IdentityOp,
    IsNodeOp,
    SameNodeOp,
)
from dycl.ir.dialect.operators import (
    BinaryOp,
    CompareOp,
    ConstantOp,
    InplaceOp,
    SelectOp,
    ToBoolOp,
    UnaryOp,
    UnboundOp,
    UnsupportedOp,
)
from dycl.ir.dialect.scalars import ScalarOp
from dycl.ir.dialect.selection import PositionOp, SwitchOp
from dycl.ir.dialect.sequences import (
    AppendOp,
    ConcatOp,
    ExtendOp,
    GetOp,
    LengthOp,
    SequenceOp,
    SequenceType,
    TakeOp,
    ToListOp,
)
from dycl.ir.dialect.syntax import ValueType
from dycl.ir.dialect.tensors import TensorOp
from dycl.ir.input_sizes import SizeAttr
from dycl.ir.records import RecordAttr, RecordTypeAttr

Dycl = Dialect(
    "dycl",
    [
        AppendOp,
        BinaryOp,
        BreakOp,
        BuiltinOp,
        CallOp,
        CastOp,
        CheckedOp,
        CompareOp,
        DimOp,
        ConcatOp,
        ConditionOp,
        ConstantOp,
        ContinueOp,
        DictOp,
        EffectOp,
        ForOp,
        FormatOp,
        ExtendOp,
        TakeOp,
        FieldOp,
        GetOp,
        GetattrOp,
        HasFieldOp,
        HasAttributeOp,
        IdentityOp,
        IfOp,
        InplaceOp,
        InvokeOp,
        IsNodeOp,
        SameNodeOp,
        ItemOp,
        LaunchOp,
        LeaveOp,
        LengthOp,
        ListOp,
        LocalCallOp,
        LocalFunctionOp,
        LocalReturnOp,
        ObjectOp,
        ParamOp,
        PositionOp,
        RaiseOp,
        RecordOp,
        RefineOp,
        ReturnOp,
        ScopeOp,
        SelectOp,
        SequenceOp,
        SetattrOp,
        SliceOp,
        StoreSubscriptOp,
        SubscriptOp,
        SwitchOp,
        ToListOp,
        ToBoolOp,
        TryOp,
        TupleOp,
        UnaryOp,
        UnboundOp,
        UnpackOp,
        UpdateSubscriptOp,
        UnreachableOp,
        UnsupportedOp,
        ViewOp,
        WhileOp,
        YieldOp,
        YieldValueOp,
    ],
    [
        ValueType,
        DatatypeAttr,
        DeviceAttr,
        DictAttr,
        FunctionAttr,
        GlobalAttr,
        LeafAttr,
        LoggerAttr,
        MethodAttr,
        NodeType,
        NoneValueAttr,
        NumpyAttr,
        ParamAttr,
        PartialAttr,
        PropertyAttr,
        RangeAttr,
        RecordAttr,
        RecordTypeAttr,
        SetAttr,
        SequenceType,
        SizeAttr,
        TorchSizeAttr,
        TupleAttr,
        UnsupportedAttr,
    ],
)

__all__ = [
    "AppendOp",
    "BinaryOp",
    "BreakOp",
    "BuiltinOp",
    "CallOp",
    "CastOp",
    "CheckedOp",
    "CompareOp",
    "ConcatOp",
    "ConditionOp",
    "ConstantOp",
    "ContinueOp",
    "DictOp",
    "DimOp",
    "Dycl",
    "EffectOp",
    "ExtendOp",
    "FieldOp",
    "ForOp",
    "FormatOp",
    "GetOp",
    "GetattrOp",
    "HasAttributeOp",
    "HasFieldOp",
    "IdentityOp",
    "IfOp",
    "InplaceOp",
    "InvokeOp",
    "IsNodeOp",
    "ItemOp",
    "LaunchOp",
    "LeaveOp",
    "LengthOp",
    "ListOp",
    "LocalCallOp",
    "LocalFunctionOp",
    "LocalReturnOp",
    "NodeType",
    "ObjectOp",
    "ParamOp",
    "PositionOp",
    "RaiseOp",
    "RecordOp",
    "RefineOp",
    "ReturnOp",
    "SameNodeOp",
    "ScalarOp",
    "ScopeOp",
    "SelectOp",
    "SequenceOp",
    "SequenceType",
    "SetattrOp",
    "SliceOp",
    "StoreSubscriptOp",
    "SubscriptOp",
    "SwitchOp",
    "TakeOp",
    "TensorOp",
    "ToBoolOp",
    "ToListOp",
    "TryOp",
    "TupleOp",
    "UnaryOp",
    "UnboundOp",
    "UnpackOp",
    "UnreachableOp",
    "UnsupportedOp",
    "UpdateSubscriptOp",
    "ValueType",
    "ViewOp",
    "WhileOp",
    "YieldOp",
    "YieldValueOp",
]
