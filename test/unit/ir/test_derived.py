"""What follows from an object's members is worked out once while they stay."""

from xdsl.dialects.builtin import DictionaryAttr

from dycl.ir import ObjectOp
from dycl.ir.values import to_attr


def test_is_worked_out_anew_for_other_members_only() -> None:
    seen: list[int] = []

    def count(members: DictionaryAttr) -> int:
        seen.append(len(members.data))
        return len(members.data)

    op = ObjectOp("a", "b.C", {"x": to_attr(1)})
    assert [op.derived(count), op.derived(count), op.copied().derived(count)] == [1] * 3
    assert seen == [1]
    copy = op.copied()
    op.members = DictionaryAttr({})
    assert (op.derived(count), copy.derived(count)) == (0, 1)
