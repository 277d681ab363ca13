"""The reference interpreter: what a module of any level computes, op by op.

    result = Interpreter(module, weights).run([x])
    result.value     what `forward` returns, as the Python structure it is
    result.path      one (test, taken, location) for every `dycl.if` that was run
    result.kernels   how often each kernel was launched

The meaning of value ops is `dycl.ir.semantics`, that of torch ops torch itself. Tensors
are real torch tensors; a program without tensors runs without torch.
"""

from dycl.ir.interpreter.calls import bind_arguments
from dycl.ir.interpreter.machine import Interpreter
from dycl.ir.interpreter.observer import Observer, Run
from dycl.ir.interpreter.result import Decision, Result, location_of
from dycl.ir.interpreter.signals import InterpreterError, UnsupportedReached

__all__ = [
    "Decision",
    "Interpreter",
    "InterpreterError",
    "Observer",
    "Result",
    "Run",
    "UnsupportedReached",
    "bind_arguments",
    "location_of",
]
