"""The torch dialect reads and writes what torch-mlir does, and says no otherwise."""

import math
import runpy
from pathlib import Path
from typing import Any

import pytest
from xdsl.context import Context
from xdsl.dialects.builtin import (
    Builtin,
    DenseIntOrFPElementsAttr,
    FileLineColLoc,
    IntAttr,
    ModuleOp,
    StringAttr,
    TensorType,
    f32,
    i64,
)
from xdsl.dialects.func import Func
from xdsl.dialects.test import TestOp as SourceOp
from xdsl.parser import Parser
from xdsl.traits import Pure
from xdsl.utils.exceptions import ParseError, VerifyException

from dycl.ir.torch import (
    BoolT,
    ConstantFloatOp,
    ConstantOp,
    FloatT,
    IntT,
    ListConstructOp,
    ListType,
    NoneT,
    NonVTensorType,
    OptionalType,
    PythonScalar,
    Torch,
    TorchParserMixin,
    TupleConstructOp,
    TupleType,
    VTensorLiteralOp,
    VTensorType,
    constant,
    op_names,
    plain_op,
    si64,
    torch_op,
)

LOCATION = FileLineColLoc(StringAttr("net.py"), IntAttr(3), IntAttr(1))


class DyclParser(TorchParserMixin, Parser):
    """The parser with the mixin, as `dycl-opt` has it."""


def parse(text: str, parser: type[Parser] = DyclParser) -> ModuleOp:
    """The verified module of the text."""
    context = Context()
    for dialect in (Builtin, Func, Torch):
        context.load_dialect(dialect)
    module = parser(context, text).parse_module()
    module.verify()
    return module


def generic(module: ModuleOp) -> str:
    """The module in MLIR's generic form."""
    from io import StringIO

    from xdsl.printer import Printer

    out = StringIO()
    Printer(stream=out, print_generic_format=True).print_op(module)
    return out.getvalue()


# --- round trips through torch-mlir -------------------------------------------

HANDWRITTEN = {
    path.stem: path.read_text(encoding="utf-8")
    for path in sorted((Path(__file__).parent / "torch_samples").glob("*.mlir"))
}


def _traced(name: str) -> str:
    """The torch dialect of a small function, by torch-mlir's own importer."""
    torch: Any = pytest.importorskip("torch")
    fx: Any = pytest.importorskip("torch_mlir.extras.fx_importer")
    from torch.fx.experimental.proxy_tensor import make_fx

    functional = torch.nn.functional
    x, image, w = torch.ones(2, 4, 8), torch.ones(1, 3, 8, 8), torch.ones(4, 3, 3, 3)
    v = torch.ones(4)
    functions: dict[str, tuple[Any, tuple[Any, ...]]] = {
        "conv_bn_relu": (
            lambda i, w, v: functional.relu(
                functional.batch_norm(functional.conv2d(i, w, None, 2, 1), v, v, v, v)
            ),
            (image, w, v),
        ),
        "linear": (lambda x, w: functional.linear(x, w, None), (x, torch.ones(5, 8))),
        "sdpa": (functional.scaled_dot_product_attention, (x, x, x)),
        "layer_norm": (lambda x: functional.layer_norm(x, (8,)), (x,)),
        "softmax": (lambda x: torch.softmax(x * 0.5, -1).mean((1, 2)), (x,)),
        "masked": (lambda x: x.masked_fill(x > 1, float("-inf")).argmax(-1), (x,)),
        "gelu": (lambda x: functional.gelu(x, approximate="tanh"), (x,)),
        "index": (lambda x, i: x[:, i] + 1, (x, torch.tensor([0, 1]))),
    }
    function, inputs = functions[name]
    graph = make_fx(function, pre_dispatch=True)(*inputs)
    ir: Any = pytest.importorskip("torch_mlir.ir")
    dialect: Any = pytest.importorskip("torch_mlir.dialects.torch")
    context = ir.Context()
    dialect.register_dialect(context)
    importer = fx.FxImporter(context=context)
    importer.import_stateless_graph(graph.graph, func_name="f")
    return str(importer.module)


TRACED = (
    "conv_bn_relu",
    "linear",
    "sdpa",
    "layer_norm",
    "softmax",
    "masked",
    "gelu",
    "index",
)


def _torch_mlir(text: str, *, as_generic: bool) -> str:
    """The text after torch-mlir has read it."""
    ir: Any = pytest.importorskip("torch_mlir.ir")
    dialect: Any = pytest.importorskip("torch_mlir.dialects.torch")
    context = ir.Context()
    dialect.register_dialect(context)
    module = ir.Module.parse(text, context)
    return str(module.operation.get_asm(print_generic_op_form=as_generic))


@pytest.mark.parametrize("name", [*HANDWRITTEN, *TRACED])
def test_torch_mlir_reads_back_what_it_wrote(name: str):
    """Custom and generic form, read in either form: all four are the same module."""
    pytest.importorskip("torch_mlir")
    text = HANDWRITTEN[name] if name in HANDWRITTEN else _traced(name)
    expected = _torch_mlir(text, as_generic=True)
    for source in (text, expected):
        module = parse(source)
        assert _torch_mlir(str(module), as_generic=True) == expected
        assert _torch_mlir(generic(module), as_generic=True) == expected


def test_empty_tuple_survives_in_generic_form():
    """torch-mlir cannot read its own custom form of it; xDSL can."""
    text = "%0 = torch.prim.TupleConstruct  :  -> !torch.tuple<>"
    module = parse(text)
    assert str(parse(str(module))) == str(module)
    expected = '%0 = "torch.prim.TupleConstruct"() : () -> !torch.tuple<>'
    assert expected in _torch_mlir(generic(module), as_generic=True)


@pytest.mark.parametrize("name", HANDWRITTEN)
def test_printed_form_is_a_fixed_point(name: str):
    """What xDSL prints it reads, without torch-mlir, as the same module."""
    module = parse(HANDWRITTEN[name])
    assert str(parse(str(module))) == str(module)
    assert parse(generic(module)).is_structurally_equivalent(module)


def test_op_names_are_those_of_the_installed_torch_mlir():
    """The list in the repository is complete, has nothing else, and counts right."""
    pytest.importorskip("torch_mlir")
    tool = runpy.run_path("tools/torch_op_counts.py")
    assert tool["FILE"].read_text(encoding="utf-8").splitlines() == tool["lines"]()


# --- effects ------------------------------------------------------------------


def _overload(name: str) -> Any:
    torch: Any = pytest.importorskip("torch")
    namespace, op, *overload = name.split(".")[1:]
    packet = getattr(getattr(torch.ops, namespace, None), op, None)
    return getattr(packet, overload[0] if overload else "default", None)


def test_pure_operations_write_nothing_and_draw_nothing():
    """No pure class where torch says that the operation mutates or is random."""
    torch: Any = pytest.importorskip("torch")
    seeded = torch.Tag.nondeterministic_seeded
    wrong: set[str] = set()
    for name in op_names():
        overload = _overload(name) if name.startswith("torch.aten.") else None
        if overload is None or not torch_op(name).has_trait(Pure):
            continue
        if overload._schema.is_mutable or seeded in overload.tags:
            wrong.add(name)
    assert wrong == {"torch.aten.scaled_dot_product_attention"}


@pytest.mark.parametrize(
    ("name", "pure"),
    [
        ("torch.aten.add.Tensor", True),
        ("torch.aten.__and__.Tensor", True),
        ("torch.aten.add_.Tensor", False),
        ("torch.aten.rand", False),
        ("torch.bind_symbolic_shape", False),
        ("torch.prim.If", False),
        ("torch.constant.int", True),
    ],
)
def test_purity(name: str, pure: bool):
    """Passes may drop or merge exactly the operations without effects."""
    assert torch_op(name).has_trait(Pure) is pure


# --- building -----------------------------------------------------------------


@pytest.mark.parametrize("value", [5, -1, True, 0.5, -math.inf, "é\n", None])
def test_constant_keeps_value_and_location(value: PythonScalar):
    """The text of a constant gives back the same Python value."""
    built = constant(value, location=LOCATION)
    assert built.location == LOCATION
    module = ModuleOp([built])
    module.verify()
    for text in (str(module), generic(module)):
        (read,) = parse(text).ops
        assert isinstance(read, ConstantOp)
        assert read.python_value() == value
        assert type(read.python_value()) is type(value)


def test_containers_and_calls_are_built_with_types():
    """The types of containers follow from their elements."""
    tensor = VTensorType.of((1, -1), f32)
    x = SourceOp(result_types=[tensor]).results[0]
    one = constant(1, location=LOCATION)
    ints = ListConstructOp([one], IntT, location=LOCATION)
    pair = TupleConstructOp([x, one], location=LOCATION)
    add = plain_op("torch.aten.add.Tensor")([x, x, one], [tensor], location=LOCATION)
    for op in (ints, pair, add):
        op.verify()
        assert op.location == LOCATION
    assert ints.result.type == ListType.of(IntT)
    assert pair.result.type == TupleType.of([tensor, IntT])
    assert add.name == "torch.aten.add.Tensor"


def test_literal_takes_its_type_from_the_value():
    """A dense value of a torch element type is enough."""
    value = DenseIntOrFPElementsAttr.from_list(TensorType(si64, [2]), [1, 2])
    literal = VTensorLiteralOp(value, location=LOCATION)
    assert literal.result.type == VTensorType.of((2,), si64)
    signless = DenseIntOrFPElementsAttr.from_list(TensorType(i64, [2]), [1, 2])
    with pytest.raises(VerifyException, match="si64"):
        VTensorLiteralOp(signless, location=LOCATION)


@pytest.mark.parametrize(
    ("shape", "is_single"),
    [((), True), ((1, 1), True), ((2,), False), ((-1,), False), ((-1, -1), False)],
)
def test_whether_a_tensor_has_one_element(shape, is_single):
    assert VTensorType.of(shape, f32).is_single == is_single


def test_tensor_type_facts():
    """What is known of a tensor: sizes, element type, both."""
    known = VTensorType.of((1, -1), f32)
    assert (known.sizes(), known.element_type()) == ((1, -1), f32)
    assert known.is_fully_typed()
    unranked, untyped = VTensorType.of(None, f32), VTensorType.of((2,), None)
    assert (unranked.sizes(), untyped.element_type()) == (None, None)
    assert not unranked.is_fully_typed()
    assert not untyped.is_fully_typed()
    assert str(OptionalType.of(known)) == "!torch.optional<vtensor<[1,?],f32>>"
    assert str(TupleType.of([NoneT])) == "!torch.tuple<none>"


def test_one_class_per_name():
    """A class is made once; a name that torch-mlir has not is an error."""
    assert torch_op("torch.aten.relu") is torch_op("torch.aten.relu")
    with pytest.raises(KeyError, match="no_such_op"):
        torch_op("torch.aten.no_such_op")
    with pytest.raises(ValueError, match="syntax of its own"):
        plain_op("torch.constant.int")


# --- parsing ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("!torch.list<f32>", "unknown torch type 'f32'"),
        ("!torch.vtensor<[2],i64>", "not an element type"),
        ("!torch.vtensor<[-1],f32>", "integer"),
        ("!torch.nonsense", "not registered"),
    ],
)
def test_bad_types_are_refused(text: str, message: str):
    """torch-mlir refuses them too."""
    with pytest.raises((ParseError, VerifyException), match=message):
        parse(f"func.func private @f({text})")


def test_float_literal_needs_a_point():
    """An int is not silently taken for a float, nor bits for a number."""
    with pytest.raises(ParseError, match="float literal"):
        parse("%0 = torch.constant.float 5")
    (op,) = parse("%0 = torch.constant.float 0x3FE0000000000000", Parser).ops
    assert isinstance(op, ConstantFloatOp)
    assert op.python_value() == 0.5


def test_bits_in_literals_are_not_numbers():
    """With the mixin they are floats; without it they are refused."""
    text = (
        "%0 = torch.vtensor.literal(dense<[1.0, 0xFF800000]> : tensor<2xf32>)"
        " : !torch.vtensor<[2],f32>"
    )
    (op,) = parse(text).ops
    assert isinstance(op, VTensorLiteralOp)
    assert isinstance(op.value, DenseIntOrFPElementsAttr)
    assert list(op.value.get_values()) == [1.0, -math.inf]
    with pytest.raises(ParseError, match="bits of floats"):
        parse(text, Parser)


def test_a_literal_without_elements_has_no_bits():
    """The `0x` of its type is a size."""
    text = (
        "%0 = torch.vtensor.literal(dense<> : tensor<0xf32>) : !torch.vtensor<[0],f32>"
    )
    (op,) = parse(text, Parser).ops
    assert isinstance(op, VTensorLiteralOp)


@pytest.mark.parametrize(
    "text",
    [
        "!torch.vtensor, !torch.vtensor <[2],f32>, !torch.vtensor<[2],f32>",
        "!torch.vtensor, !torch.vtensor // comment\n<[2],f32>, !torch.vtensor",
        "!torch.int, !torch.int, !torch.list<list<list<list<int>>>>",
    ],
)
def test_cached_types_are_the_parsed_types(text: str):
    """The cache changes no type."""
    text = f"func.func private @f({text})"
    assert str(parse(text)) == str(parse(text, Parser))


def test_types_are_equal_only_if_their_parameters_are():
    shapes: list[list[int] | None] = [[2], [3], [2, 3], [], [-1], None]
    tensors = [VTensorType.of(shape, f32) for shape in shapes]
    tensors += [VTensorType.of([2], si64), NonVTensorType.of([2], f32)]
    lists = [ListType.of(IntT), ListType.of(FloatT), OptionalType.of(IntT)]
    tuples = [TupleType.of([IntT]), TupleType.of([IntT, IntT]), TupleType.of([BoolT])]
    every = [*tensors, *lists, *tuples]
    assert len(set(every)) == len(every)
    for first in every:
        assert [other for other in every if other == first] == [first]
    assert VTensorType.of([2], f32) == VTensorType.of([2], f32)
