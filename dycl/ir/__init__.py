"""The IR: dialects, the values they hold, and what every op means.

`dycl.ir.dialect` has the grammar of the `dycl` dialect on one page, `dycl.ir.torch`
torch-mlir's own syntax, `dycl.ir.host` the last level. This module is the face of the
package for passes: `from dycl.ir import IfOp`.
"""

from dycl.ir.dialect import *  # noqa: F403
