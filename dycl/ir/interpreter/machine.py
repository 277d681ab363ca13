"""The machine: runs blocks op by op, and keeps the record of one run."""

from collections.abc import Mapping, Sequence
from typing import Any, cast

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, SSAValue

from dycl.ir.dialect import (
    AppendOp,
    CallOp,
    ConstantOp,
    DictOp,
    EffectOp,
    GetattrOp,
    InvokeOp,
    LaunchOp,
    LocalCallOp,
    LocalFunctionOp,
    ParamOp,
    SelectOp,
    SequenceOp,
    SetattrOp,
    StoreSubscriptOp,
    UnboundOp,
    UnsupportedOp,
    ViewOp,
)
from dycl.ir.interpreter.calls import (
    Function,
    attribute,
    bind_arguments,
    evaluate_call,
    function_symbols,
    set_attribute,
    signature_of,
)
from dycl.ir.interpreter.control import end_of, read, run_control, structure_of
from dycl.ir.interpreter.effects import perform
from dycl.ir.interpreter.host import Memory, evaluate_host, own_items
from dycl.ir.interpreter.objects import LiveEnvironment
from dycl.ir.interpreter.observer import Observer, Unobserved
from dycl.ir.interpreter.recursion import check_depth, deeper_python
from dycl.ir.interpreter.result import Decision, Result, location_of
from dycl.ir.interpreter.signals import (
    Env,
    InterpreterError,
    Return,
    Signal,
    Unbound,
    UnsupportedReached,
)
from dycl.ir.interpreter.state import (
    arguments_of,
    left_by,
    own_inputs,
    refilled_in,
    write_back,
)
from dycl.ir.interpreter.tensors import evaluate_torch
from dycl.ir.refilled import refilled_by, taken_apart
from dycl.ir.semantics import evaluate
from dycl.ir.state import state_of
from dycl.ir.torch import TensorType, TorchOp
from dycl.ir.values import from_attr


class Interpreter:
    """Runs the functions of one module; the module is not changed."""

    def __init__(
        self,
        module: ModuleOp,
        weights: Mapping[str, object],
        observer: Observer | None = None,
    ):
        """Weights by their names in the state dict: torch tensors or NumPy arrays.

        `observer` sees each op, and may run kernels in its own way.
        """
        self._module = module
        self._weights = weights
        self._observer = Unobserved() if observer is None else observer

    def run(
        self,
        inputs: Sequence[object],
        entry: str = "forward",
        state: Mapping[str, object] | None = None,
    ) -> Result:
        """Call the function `entry` with these positional arguments.

        `state` are attributes of the model that have another value than the module has
        recorded, by name: the `state` of the result of the call before.

        Raises what the program raises (with a note that says where),
        UnsupportedReached at Python that DyCL refuses, NotEvaluated at what has no
        form in the IR, InterpreterError when the module cannot be run.
        """
        machine = _Machine(self._module, self._weights, self._observer)
        function = machine.function(entry)
        given = state or {}
        environment = machine.environment
        lifted = state_of(function)
        values = inputs
        if lifted is not None:
            own = own_inputs(lifted, inputs)
            values = [*own, *arguments_of(function, lifted, given, environment)]
        else:
            environment.set_state(given)
        arguments = bind_arguments(
            entry,
            signature_of(function),
            values,
            {},
            lambda name: machine.default(function, name),
        )
        value = environment.returned(machine.run_function(function, arguments))
        left = environment.state()
        refilled: dict[str, object] = {}
        if lifted is not None:
            value, new = cast("tuple[object, list[object]]", value)
            left = left_by(lifted, new, given, environment)
            write_back(lifted, new, inputs)
            refilled = refilled_in(lifted, new, inputs)
        if lifted is None or not lifted.returned:
            value, refilled = taken_apart(value, refilled_by(function))
        return Result(value, tuple(machine.path), machine.kernels, left, refilled)


class _Machine:
    """One run: the objects, the functions, and what has happened so far."""

    def __init__(
        self, module: ModuleOp, weights: Mapping[str, object], observer: Observer
    ):
        self.environment = LiveEnvironment(module, weights)
        self._observer = observer
        self.path: list[Decision] = []
        self.kernels: dict[str, int] = {}
        self._functions = function_symbols(module)
        self._memory = Memory()
        self._depth = 0
        """How many calls of local functions are open."""
        self._defaults: dict[tuple[Function, str], object] = {}

    def decide(self, op: Operation, decision: Decision) -> None:
        self.path.append(decision)
        self._observer.decided(op, decision.taken)

    def function(self, symbol: str) -> Function:
        function = self._functions.get(symbol)
        if function is None or not function.body.blocks:
            raise InterpreterError(f"the module has no function @{symbol}")
        return function

    def default(self, function: Function, name: str) -> object:
        """A default is made once, so that a list among them is shared by all calls."""
        key = (function, name)
        if key not in self._defaults:
            value = from_attr(signature_of(function).defaults[name])
            self._defaults[key] = self.environment.live(value)
        return self._defaults[key]

    def run_function(self, function: Function, arguments: Sequence[object]) -> object:
        return structure_of(self._run_body(function, arguments), self.environment)

    def _run_body(self, function: Function, arguments: Sequence[object]) -> Return:
        block = function.body.block
        if len(arguments) != len(block.args):
            raise InterpreterError(
                f"@{function.sym_name.data} takes {len(block.args)} values, "
                f"got {len(arguments)}"
            )
        signal = self.run_block(block, dict(zip(block.args, arguments, strict=True)))
        if not isinstance(signal, Return):
            raise InterpreterError(
                f"@{function.sym_name.data} ends in {type(signal).__name__.lower()}"
            )
        return signal

    def run_block(self, block: Block, env: Env) -> Signal:
        """Run a block to its end; only nested regions and calls nest Python calls."""
        for op in block.ops:
            try:
                signal = self._step(op, env)
            except Exception as error:
                _note_place(error, op)
                raise
            if signal is not None:
                return signal
        raise InterpreterError("a block has no end")

    def _step(self, op: Operation, env: Env) -> Signal | None:
        signal = end_of(op, env)
        if signal is not None:
            return signal
        if isinstance(op, LocalFunctionOp):
            return None
        if op.regions:
            return run_control(op, env, self)
        results = self._evaluate(op, env)
        if len(results) != len(op.results):
            raise InterpreterError(f"{op.name} gave {len(results)} values")
        env.update(zip(op.results, results, strict=True))
        return None

    def _evaluate(self, op: Operation, env: Env) -> Sequence[object]:
        match op:
            case UnboundOp():
                return [Unbound(op.variable.data)]
            case LocalCallOp():
                return self._call_local(op, env)
            case UnsupportedOp():
                raise UnsupportedReached(op.code.data, op.what.data, op.help.data, op)
            case SelectOp():
                # Only the value that is taken is read.
                taken = read(op.condition, env)
                return [env[op.if_true if taken else op.if_false]]
            case _:
                operands = [_given(op, v, env) for v in op.operands]
                results = self._evaluate_operands(op, operands)
                self._observer.evaluated(op, operands, results)
                return results

    def _evaluate_operands(
        self, op: Operation, operands: list[object]
    ) -> Sequence[object]:
        environment = self.environment
        match op:
            case TorchOp():
                return evaluate_torch(op, operands)
            case ConstantOp():
                return [environment.constant(op.value)]
            case CallOp() | InvokeOp():
                return [evaluate_call(op, operands, self)]
            case EffectOp():
                perform(op, operands)
                return []
            case GetattrOp():
                return [attribute(operands[0], op.attribute.data, self)]
            case SetattrOp():
                set_attribute(operands[0], op.attribute.data, operands[1], self)
                return []
            case StoreSubscriptOp():
                environment.store(operands[0], operands[1], operands[2])
                return []
            case ParamOp():
                return [environment.param(op.path.data)]
            case ViewOp():
                return [_reshape(operands[0], op)]
            case LaunchOp():
                return self._launch(op.kernel_name, operands)
            case SequenceOp() | AppendOp():
                return evaluate(op, own_items(op, operands), environment)
            case _ if op.name.startswith("host."):
                return evaluate_host(
                    op, operands, environment, self._launch, self._memory
                )
            case _:
                return evaluate(op, operands, environment)

    def _call_local(self, op: LocalCallOp, env: Env) -> Sequence[object]:
        """What a local function gives; it may be called anew before it is done."""
        function = op.function
        given = [env[value] for value in op.arguments]
        memory, self._memory = self._memory, Memory()
        self._depth += 1
        check_depth(self._depth, op)
        inside = env | dict(zip(function.params, given, strict=True))
        with deeper_python(self._depth):
            signal = self.run_block(function.body.block, inside)
        self._depth -= 1
        self._memory = memory
        if not isinstance(signal, Return):
            raise InterpreterError(f"{op.name} ends in {type(signal).__name__.lower()}")
        return signal.values

    def _launch(self, kernel: str, operands: Sequence[object]) -> Sequence[object]:
        self.kernels[kernel] = self.kernels.get(kernel, 0) + 1
        function = self.function(kernel)
        return self._observer.launched(
            kernel, operands, lambda: self._run_body(function, operands).values
        )


def _reshape(tensor: object, op: ViewOp) -> object:
    result = op.result.type
    sizes = result.sizes() if isinstance(result, TensorType) else None
    if sizes is None:
        raise InterpreterError("a dycl.view needs a result with a shape")
    return cast(Any, tensor).reshape(sizes)


def _note_place(error: Exception, op: Operation) -> None:
    """Say once, at the innermost op, where in the user's program it happened."""
    if not getattr(error, "__notes__", None):
        location = location_of(op.location)
        error.add_note(f"in {op.name}" + (f" at {location}" if location else ""))


def _given(op: Operation, value: SSAValue, env: Env) -> object:
    """An operand; a dict that stands for a variable may have none yet."""
    is_handed_on = isinstance(op, DictOp | StoreSubscriptOp)
    return env[value] if is_handed_on else read(value, env)
