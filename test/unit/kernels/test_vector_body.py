"""Bodies of linalg ops on vectors."""

from dycl.kernels.cpu.loops.vector_body import lane_ops, no_vector_form, vector_body
from dycl.kernels.cpu.mlir import ir, ops, parse

TEXT = """
func.func @f(%x: memref<32xf32>, %m: memref<32xi64>, %y: memref<32xf32>, %s: f32) {{
  %two = arith.constant 2.0 : f32
  linalg.generic {{indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>,
      affine_map<(i) -> (i)>], iterator_types = ["parallel"]}}
      ins(%x, %m : memref<32xf32>, memref<32xi64>) outs(%y : memref<32xf32>) {{
  ^bb0(%a: f32, %b: i64, %out: f32):
    {body}
    linalg.yield %z : f32
  }}
  return
}}
"""
MIXED = """%one = arith.constant 1 : i64
    %c = arith.cmpi eq, %b, %one : i64
    %d = arith.sitofp %b : i64 to f32
    %e = arith.mulf %d, %two fastmath<contract> : f32
    %f = arith.addf %e, %s : f32
    %z = arith.select %c, %a, %f : f32"""
LOOKED_UP = """%i = linalg.index 0 : index
    %z = memref.load %x[%i] : memref<32xf32>"""
COMPLEX = """%k = complex.create %a, %a : complex<f32>
    %z = complex.re %k : complex<f32>"""
EXTENDED = """%low, %high = arith.mulsi_extended %b, %b : i64
    %z = arith.sitofp %low : i64 to f32"""


def body_of(module: ir.Module) -> ir.Block:
    (generic,) = [op for op in ops(module.operation) if op.name == "linalg.generic"]
    return generic.regions[0].blocks[0]


def test_every_lane_has_its_width() -> None:
    module = parse(TEXT.format(body=MIXED))
    body = body_of(module)
    assert no_vector_form(body) is None
    with module.context:
        floats, integers = (
            ir.Type.parse(f"vector<16x{kind}>") for kind in ("f32", "i64")
        )
        outside = body.owner.operation
        with ir.InsertionPoint(outside), ir.Location.unknown():
            elements = [
                ir.Operation.create("ub.poison", results=[kind]).results[0]
                for kind in (floats, integers, floats)
            ]
            (result,) = vector_body(body, elements)
    assert result.type == floats
    assert module.operation.verify()
    text = str(module)
    assert "vector<16xi64> to vector<16xf32>" in text
    assert "arith.constant dense<2.000000e+00> : vector<16xf32>" in text
    assert "vector.broadcast %arg3 : f32 to vector<16xf32>" in text
    assert "fastmath<contract> : vector<16xf32>" in text


def test_what_is_the_same_in_every_lane_is_one_number() -> None:
    module = parse(TEXT.format(body=MIXED))
    body = body_of(module)
    with module.context:
        vector, integer = (ir.Type.parse(t) for t in ("vector<16xf32>", "i64"))
        with ir.InsertionPoint(body.owner.operation), ir.Location.unknown():
            elements = [
                ir.Operation.create("ub.poison", results=[kind]).results[0]
                for kind in (vector, integer, vector)
            ]
            (result,) = vector_body(body, elements)
    assert result.type == vector
    assert module.operation.verify()
    text = str(module)
    assert "arith.sitofp %1 : i64 to f32" in text
    assert "fastmath<contract> : f32" in text
    assert text.count(": vector<16xi1>, vector<16xf32>") == 1


def test_which_ops_differ_from_lane_to_lane() -> None:
    mixed, looked_up = (parse(TEXT.format(body=b)) for b in (MIXED, LOOKED_UP))
    body = body_of(mixed)
    after = ["arith.select", "linalg.yield"]
    assert lane_ops(body, [False, True, False]) == after
    every = ["arith.cmpi", "arith.sitofp", "arith.mulf", "arith.addf", *after]
    assert lane_ops(body, [True, False, False]) == every
    assert "linalg.index" in lane_ops(body_of(looked_up), [True, True, True])


def test_what_has_no_vector_form() -> None:
    why = {
        LOOKED_UP: "linalg.index does not work lane by lane",
        COMPLEX: "complex.create does not work lane by lane",
        EXTENDED: "arith.mulsi_extended does not work lane by lane",
    }
    for body, reason in why.items():
        module = parse(TEXT.format(body=body))
        assert no_vector_form(body_of(module)) == reason
