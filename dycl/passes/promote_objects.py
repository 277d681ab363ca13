"""`dycl-promote-objects`: what is set on an object that the network makes is a value.

Before                         After
------                         -----
dycl.setattr %cell "n", %x     dycl.return %x
%n = dycl.getattr %cell "n"
dycl.return %n

It is memory-to-register promotion, with the attributes of one object as the memory: the
object is the same wherever its path stands, whatever name, list or other object it was
reached by. Each round goes as far as calls are inlined, and what is read there may tell
which calls come next; when all is resolved, nothing reads the attributes any more, and
the writes go. An object that is returned is made anew for the caller (`#dycl.record`).

Needs:  `dycl-inline-calls`, which makes an object of a call of its class.
Leaves: no access to an object whose calls are all inlined.
Skips:  what stands behind a call that is not inlined, unless the object was handed to
        nobody (`objects.private`), or in a `try`; objects that a loop makes; an object
        that is kept in an attribute of the model: it is a constant if it is always the
        same (`objects.kept`).
"""

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from dycl.ir import SetattrOp
from dycl.ir.environment import Environment
from dycl.ir.functions import entry_function
from dycl.ir.rewriting import erase
from dycl.ir.walking import walk
from dycl.passes.objects.kept import keep_constant_objects, kept_with_parts
from dycl.passes.objects.walk import Walk
from dycl.passes.state.attributes import key_of


@dataclass(frozen=True)
class PromoteObjectsPass(ModulePass):
    """What is set on an object that the network makes is a value."""

    name = "dycl-promote-objects"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Change the entry function; raises nothing."""
        entry = entry_function(op)
        environment = Environment(op)
        if entry is None:
            return
        writes = [o for o in walk(entry) if isinstance(o, SetattrOp)]
        if keep_constant_objects(op, writes, environment):
            environment = Environment(op)
        if not environment.made:
            return
        walked = Walk(entry, environment)
        walked.run()
        writes = [o for o in walk(entry) if isinstance(o, SetattrOp)]
        gone = walked.private - walked.waiting
        if walked.is_whole:
            waiting = kept_with_parts(writes, walked.kept) if walked.is_kept else set()
            gone |= environment.made - waiting - walked.waiting
        for write in writes:
            key = key_of(write)
            if key and key[0] in gone:
                erase(write)
