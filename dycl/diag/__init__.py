"""What the compiler says: errors with a location and a remedy, and remarks."""

from dycl.diag.codes import CODES
from dycl.diag.crash import (
    crash_folder,
    internal_error,
    report_crash,
    see_again,
    write_reproducer,
)
from dycl.diag.errors import (
    CodedError,
    CompileError,
    CompileErrors,
    InternalError,
    PassFailed,
    in_order,
)
from dycl.diag.remarks import (
    Note,
    Remark,
    collect_notes,
    collect_remarks,
    note,
    pass_on,
    pass_on_notes,
    remark,
)
from dycl.diag.source import SourceLoc

__all__ = [
    "CODES",
    "CodedError",
    "CompileError",
    "CompileErrors",
    "InternalError",
    "Note",
    "PassFailed",
    "Remark",
    "SourceLoc",
    "collect_notes",
    "collect_remarks",
    "crash_folder",
    "in_order",
    "internal_error",
    "note",
    "pass_on",
    "pass_on_notes",
    "remark",
    "report_crash",
    "see_again",
    "write_reproducer",
]
