"""What `dycl.if` and `dycl.while` say of the decision that they take."""

from xdsl.dialects.builtin import StringAttr

from dycl.ir.interfaces import RegionBranchOp

LIKELY = "dycl.likely"
"""The attribute that says which side most calls of a profile take: i1."""


class DecisionOp(RegionBranchOp):
    """An op that goes one of two ways.

    Attributes: `test`, the condition in the user's words; `name`, what the decision is
    called in `net.path` (set when branches are outlined).
    """

    @property
    def test(self) -> str:
        """The condition in the user's words, or ""."""
        return self._text("test")

    @property
    def decision_name(self) -> str:
        """What the decision is called in `net.path`, or ""."""
        return self._text("name")

    @property
    def is_decision(self) -> bool:
        """Whether the host records which way was taken."""
        return "name" in self.attributes or "test" in self.attributes

    def _text(self, attribute: str) -> str:
        value = self.attributes.get(attribute)
        return value.data if isinstance(value, StringAttr) else ""
