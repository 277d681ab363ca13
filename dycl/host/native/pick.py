"""The C library of an artifact: it takes the host of the best of several targets."""

from collections.abc import Sequence

from dycl.host.native.program import NativeProgram
from dycl.host.native.types import c_table, c_text
from dycl.runtime.targets import features_of


def print_entry(program: NativeProgram, targets: Sequence[str]) -> str:
    """The text of `model.c`, for a host that was compiled for `targets`, best first."""
    tables = program.tables
    decisions = [
        f"{{{', '.join(map(c_text, texts))}, {line}}}"
        for *texts, line in tables["decisions"]
    ]
    kinds = [
        f"{{{c_text(target)}, {c_text(' '.join(features_of(target)))}}}"
        for target in targets
    ]
    names = [c_text(path) for path, *_ in tables["weights"]]
    lines = [
        "/* What C programs link of an artifact. Printed by DyCL. */",
        "",
        '#include "pick.h"',
        "",
        "/* Name, test, file, line. */",
        *c_table("const dycl_decision dycl_decisions[]", decisions),
        f"const int64_t dycl_decision_count = {len(decisions)};",
        "",
        *c_table("const char *const dycl_weight_names[]", names),
        f"const int64_t dycl_weight_count = {len(names)};",
        "",
        "/* Name, and what the processor has to have; the best first. */",
        *c_table("const struct dycl_target dycl_targets[]", kinds),
        f"const int dycl_target_count = {len(targets)};",
    ]
    return "\n".join(lines) + "\n"
