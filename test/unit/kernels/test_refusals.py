"""What cannot be compiled is named, with the user's line, and nothing aborts."""

import pytest

from dycl.diag import CompileError
from dycl.kernels.cpu import CpuBackend

VEC = "!torch.vtensor<[4],f32>"
GOOD = f"""func.func @good(%x: {VEC}) -> {VEC} {{
  %y = torch.aten.relu %x : {VEC} -> {VEC} loc("net.py":2:5)
  return %y : {VEC} loc("net.py":3:5)
}} loc("net.py":1:1)
"""


def kernel(name: str, body: str, arguments: str = f"%x: {VEC}") -> str:
    return f"""func.func @{name}({arguments}) -> {VEC} {{
  {body}
  return %y : {VEC} loc("net.py":89:5)
}} loc("net.py":80:1)
"""


UPSAMPLE = """func.func @wider(%x: !torch.vtensor<[1,2,3,3],f32>)
    -> !torch.vtensor<[1,2,5,7],f32> {
  %5 = torch.constant.int 5
  %7 = torch.constant.int 7
  %n = torch.constant.none
  %f = torch.constant.bool false
  %l = torch.prim.ListConstruct %5, %7 : (!torch.int, !torch.int) -> !torch.list<int>
  %0 = torch.aten.upsample_bilinear2d.vec %x, %l, %f, %n
    : !torch.vtensor<[1,2,3,3],f32>, !torch.list<int>, !torch.bool, !torch.none
    -> !torch.vtensor<[1,2,5,7],f32> loc("deep.py":45:5)
  return %0 : !torch.vtensor<[1,2,5,7],f32>
}
"""


def refusal(text: str) -> CompileError:
    with pytest.raises(CompileError) as caught:
        CpuBackend().compile(text)
    assert caught.value.code == "DY502"
    return caught.value


def test_an_op_without_lowering_is_named_with_its_line() -> None:
    error = refusal(GOOD + UPSAMPLE)
    assert error.what == (
        "kernel @wider cannot be built: torch op aten.upsample_bilinear2d.vec "
        "at deep.py:45 has no lowering for these operands"
    )
    assert str(error.at) == "deep.py:45:5"


def test_every_bad_kernel_is_listed() -> None:
    other = UPSAMPLE.replace("@wider", "@other").replace('"deep.py":45', '"net.py":88')
    error = refusal(UPSAMPLE + GOOD + other)
    assert error.what == "kernels @wider, @other cannot be built"
    assert [note.split(":")[0] for note in error.notes] == [
        "@wider, deep.py",
        "@other, net.py",
    ]
    assert "aten.upsample_bilinear2d.vec at net.py:88 has no lowering" in error.notes[1]


def test_an_unknown_op_is_named_in_both_forms() -> None:
    for op in (
        f"torch.aten.foo %x : {VEC} -> {VEC}",
        f'"torch.aten.foo"(%x) : ({VEC}) -> {VEC}',
    ):
        error = refusal(GOOD + kernel("bad", f'%y = {op} loc("net.py":88:9)'))
        assert error.what == (
            "kernel @bad cannot be built: "
            "torch op aten.foo at net.py:88 is unknown to torch-mlir"
        )
        assert str(error.at) == "net.py:88:9"


def test_an_op_with_wrong_operands_is_named() -> None:
    error = refusal(
        GOOD
        + kernel(
            "bad",
            f"""%n = torch.constant.none
  %y = "torch.aten.relu"(%n) : (!torch.none) -> {VEC} loc("net.py":88:9)""",
        )
    )
    assert error.what.startswith(
        "kernel @bad cannot be built: the op at net.py:88 is not valid: "
        "'torch.aten.relu' op operand #0 must be"
    )


@pytest.mark.parametrize(
    "loose", ["!torch.vtensor", "!torch.vtensor<*,f32>", "!torch.vtensor<[4],unk>"]
)
def test_an_untyped_tensor_is_an_error_and_not_an_abort(loose: str) -> None:
    body = f"""%z = torch.aten.relu %x : {VEC} -> {loose} loc("net.py":88:9)
  %y = torch.aten.relu %z : {loose} -> {VEC}"""
    error = refusal(GOOD + kernel("bad", body))
    assert error.what == (
        "kernel @bad cannot be built: a result of torch.aten.relu "
        f"has no known rank and dtype ({loose})"
    )
    assert str(error.at) == "net.py:88:9"


@pytest.mark.parametrize("loose", ["!torch.vtensor", "!torch.none", "tensor<4xf32>"])
def test_an_argument_that_cannot_cross_the_border_is_refused(loose: str) -> None:
    text = kernel("bad", f"%y = torch.aten.relu %v : {VEC} -> {VEC}")
    text = text.replace(f"%x: {VEC}", f"%x: {loose}, %v: {VEC}")
    assert "argument 0: " in refusal(text).what


@pytest.mark.parametrize(
    ("text", "what"),
    [
        (
            GOOD.replace("func.func", "func.func private"),
            "kernel @good cannot be built: it is not public",
        ),
        (
            GOOD.replace("@good", '@"net.good"'),
            "kernel @net.good cannot be built: its name is not a C identifier",
        ),
        (
            f"func.func private @gone({VEC}) -> {VEC}",
            "kernel @gone cannot be built",
        ),
        (
            kernel(
                "compares",
                f"""%c = torch.aten.gt.float %a, %a : !torch.float, !torch.float
    -> !torch.bool loc("net.py":88:9)
  %y = torch.aten.relu %x : {VEC} -> {VEC}""",
                f"%x: {VEC}, %a: !torch.float",
            ),
            "kernel @compares cannot be built: "
            "torch.aten.gt.float compares scalars, which the host does",
        ),
        (
            kernel(
                "draws",
                f"""%n = torch.constant.none
  %y = torch.aten.bernoulli %x, %n : {VEC}, !torch.none -> {VEC} loc("net.py":88:9)""",
            ),
            "kernel @draws cannot be built: "
            "torch op at net.py:88 draws random numbers, which a kernel cannot",
        ),
    ],
)
def test_refused_with_a_reason(text: str, what: str) -> None:
    assert refusal(text).what == what


def test_text_that_is_not_mlir_is_refused() -> None:
    assert "the op is not valid: " in refusal("func.func @a(").what


def test_an_instance_norm_without_weights_ends_no_process() -> None:
    image = "!torch.vtensor<[1,4,8,8],f32>"
    optional = ", ".join(["!torch.none"] * 4)
    numbers = "!torch.bool, !torch.float, !torch.float, !torch.bool"
    error = refusal(f"""func.func @norm(%x: {image}) -> {image} {{
  %n = torch.constant.none
  %t = torch.constant.bool true
  %e = torch.constant.float 1.000000e-05
  %y = torch.aten.instance_norm %x, %n, %n, %n, %n, %t, %e, %e, %t
    : {image}, {optional}, {numbers} -> {image} loc("net.py":7:5)
  return %y : {image}
}}
""")
    assert "torch.aten.instance_norm has no weights" in error.what
    assert str(error.at) == "net.py:7:5"
