"""The two checks that xDSL's verifier lacks: order of definitions, and places."""

import pytest
from xdsl.dialects import test as opaque
from xdsl.dialects.builtin import (
    FileLineColLoc,
    IntAttr,
    ModuleOp,
    NameLoc,
    NoneAttr,
    StringAttr,
    i32,
)
from xdsl.ir import Block, Operation, Region, SSAValue

from dycl.ir.verify import OpVerifyException, verify_dominance, verify_locations


def op(*operands: SSAValue, regions: list[Region] | None = None) -> opaque.TestOp:
    return opaque.TestOp(operands, result_types=[i32], regions=regions or [])


def test_straight_line_is_fine() -> None:
    a = op()
    verify_dominance(ModuleOp([a, op(*a.results)]))


def test_a_use_outside_of_the_program_is_found() -> None:
    a = op()
    module = ModuleOp([a])
    verify_dominance(module)
    forgotten = op(*a.results)
    with pytest.raises(OpVerifyException, match="which is not in the program"):
        verify_dominance(module)
    forgotten.erase()
    verify_dominance(module)


def test_use_before_definition_names_op_and_operand() -> None:
    a = op()
    use = op(*a.results)
    with pytest.raises(OpVerifyException, match=r"operand #0 of 'test\.op'") as error:
        verify_dominance(ModuleOp([use, a]))
    assert error.value.op is use


def test_regions_see_what_is_outside_and_their_arguments() -> None:
    a = op()
    block = Block(arg_types=[i32])
    block.add_op(op(a.results[0], block.args[0]))
    verify_dominance(ModuleOp([a, op(regions=[Region(block)])]))


def test_value_does_not_leave_its_region() -> None:
    inside = op()
    outer = op(regions=[Region(Block([inside]))])
    with pytest.raises(OpVerifyException, match="outside the region"):
        verify_dominance(ModuleOp([outer, op(*inside.results)]))


def test_value_does_not_reach_the_sibling_region() -> None:
    inside = op()
    regions = [Region(Block([inside])), Region(Block([op(*inside.results)]))]
    with pytest.raises(OpVerifyException):
        verify_dominance(ModuleOp([op(regions=regions)]))


def test_result_is_not_visible_in_its_own_region() -> None:
    block = Block()
    outer = op(regions=[Region(block)])
    block.add_op(op(*outer.results))
    with pytest.raises(OpVerifyException):
        verify_dominance(ModuleOp([outer]))


def test_blocks_of_one_region_see_each_other_but_keep_their_order() -> None:
    a, b = op(), op()
    verify_dominance(
        ModuleOp([op(regions=[Region([Block([op(*b.results), a]), Block([b])])])])
    )
    a, b = op(), op()
    blocks = [Block([op(*a.results), a]), Block([b])]
    with pytest.raises(OpVerifyException):
        verify_dominance(ModuleOp([op(regions=[Region(blocks)])]))


def test_depth_beyond_the_recursion_limit() -> None:
    inner: Operation = op()
    place = FileLineColLoc(StringAttr("net.py"), IntAttr(1), IntAttr(1))
    inner.location = place
    for _ in range(3000):
        inner = op(regions=[Region(Block([inner]))])
        inner.location = place
    module = ModuleOp([inner])
    verify_dominance(module)
    verify_locations(module, "nobody")


def test_lost_place_names_the_pass() -> None:
    known, lost = op(), op()
    known.location = FileLineColLoc(StringAttr("net.py"), IntAttr(1), IntAttr(1))
    lost.location = NameLoc(StringAttr("gate"), NoneAttr())
    message = "dycl-x lost the location of 'test.op'"
    with pytest.raises(OpVerifyException, match=message) as error:
        verify_locations(ModuleOp([known, lost]), "dycl-x")
    assert error.value.op is lost
