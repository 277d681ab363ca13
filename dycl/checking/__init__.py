"""Is a compiled network the model? Values, paths and margins against eager.

    result = dycl.check(net, model, (x,))
    result.ok           whether all is equal
    print(result)       the first kernel that drifts, the decision that differs, margins

The program of a network, which its artifact holds, is run by the interpreter twice:
with the compiled kernels (`runs.CompiledRun`), and with interpreted ones, where each
compiled kernel is given the same inputs (`runs.ReferenceRun`). `watching` finds what a
decision compares, `eager` sees the decisions of the model itself.
"""

from dycl.checking.checker import check
from dycl.checking.comparisons import Comparison
from dycl.checking.paths import Margin, PathDifference
from dycl.checking.program import CheckError
from dycl.checking.result import CallCheck, CheckResult
from dycl.checking.runs import Launch
from dycl.checking.values import Error, Leaf

__all__ = [
    "CallCheck",
    "CheckError",
    "CheckResult",
    "Comparison",
    "Error",
    "Launch",
    "Leaf",
    "Margin",
    "PathDifference",
    "check",
]
