"""What the machine can do at most, measured by code from the same compiler."""

import ctypes
import time
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import torch

from dycl.kernels.cpu.mlir import engine, parse, run_passes
from dycl.kernels.cpu.objects.pass_on_target import pass_on_target
from dycl.kernels.cpu.target import note_target
from dycl.runtime.targets import NATIVE, features_of

_LOWER = (
    "convert-scf-to-cf,convert-vector-to-llvm,finalize-memref-to-llvm,"
    "convert-func-to-llvm{use-bare-ptr-memref-call-conv=1},convert-cf-to-llvm,"
    "convert-arith-to-llvm,convert-index-to-llvm,reconcile-unrealized-casts"
)
_VECTOR = "vector<16xf32>"


class Ceiling:
    """A loop that does one thing only; `amount` of it in each call."""

    def __init__(self, text, tensors, amount, target):
        """`text` is a function @ceiling of memrefs."""
        self.amount = amount
        self.tensors = tensors
        self._module = parse(text)
        note_target(self._module, target)
        run_passes(self._module, _LOWER)
        with self._module.context:
            pass_on_target(self._module)
            self._code = engine(self._module, 2)
        entry = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
        self._call = entry(self._code.raw_lookup("ceiling"))
        self._slots = (ctypes.c_int64 * len(tensors))(*(t.data_ptr() for t in tensors))
        start = ctypes.addressof(self._slots)
        places = (start + 8 * i for i in range(len(tensors)))
        self._pointers = (ctypes.c_void_p * len(tensors))(*places)

    def __call__(self):
        """Run once."""
        self._call(ctypes.addressof(self._pointers))


def multiply_adds(target=NATIVE):
    """Independent sums of products in registers; floating-point operations."""
    trips = 4000
    # With AVX2, each takes two of sixteen registers.
    sums = 24 if "avx512f" in features_of(target) else 6
    loop = _loop(trips, 1, sums, lambda i: [f"%b{i} = vector.fma %a{i}, %x, %z"])
    text = f"""
    func.func @ceiling(%o: memref<{sums * 16}xf32>) {{
      %x = arith.constant dense<1.0001> : {_VECTOR}
      {loop} return }}"""
    return Ceiling(text, [torch.zeros(sums * 16)], trips * sums * 16 * 2, target)


def gain_of_threads(loops, seconds=0.02):
    """How often as many multiply-adds are done by some threads as by one, just now.

    `loops`: of `multiply_adds`, one for each thread.

    It is less than their number where processors are hyperthreads of one core, as on a
    virtual machine they may be by turns, or where other programs have them.
    """
    threads = len(loops)

    def rate(loop, begin):
        begin.wait()
        calls, start = 0, time.perf_counter()
        while (now := time.perf_counter()) < start + seconds:
            loop()
            calls += 1
        return calls / (now - start)

    alone = rate(loops[0], Barrier(1))
    begin = Barrier(threads)
    with ThreadPoolExecutor(threads) as pool:
        return sum(pool.map(rate, loops, [begin] * threads)) / alone


def reads(nbytes, target=NATIVE, apart=False):
    """Streams through memory of that size, added up; bytes.

    `apart`: each of the sums has a part of the memory to itself, so that as many
    streams are read side by side, which more of the machine's prefetching follows.
    """
    sums = 16 if "avx512f" in features_of(target) else 6
    count = max(1, nbytes // 4 // (16 * sums)) * 16 * sums
    own = 1 if apart else sums
    part = count // (sums // own)

    def body(i):
        stream, place = divmod(i, own)
        return [
            f"%k{i} = arith.constant {part * stream + 16 * place} : index",
            f"%p{i} = arith.addi %i, %k{i} : index",
            f"%l{i} = vector.load %m[%p{i}] : memref<{count}xf32>, {_VECTOR}",
            f"%b{i} = arith.addf %a{i}, %l{i}",
        ]

    loop = _loop(part, 16 * own, sums, body)
    text = f"""
    func.func @ceiling(%m: memref<{count}xf32>, %o: memref<{sums * 16}xf32>) {{
      {loop} return }}"""
    # Ones: pages of zeros that nobody wrote to are all one page.
    tensors = [torch.ones(count), torch.zeros(sums * 16)]
    return Ceiling(text, tensors, count * 4, target)


def _loop(stop, step, sums, body):
    starts = ", ".join(f"%a{i} = %z" for i in range(sums))
    types = ", ".join([_VECTOR] * sums)
    lines = "\n".join(
        line if line.endswith(("index", _VECTOR)) else f"{line} : {_VECTOR}"
        for i in range(sums)
        for line in body(i)
    )
    done = ", ".join(f"%b{i}" for i in range(sums))
    stores = "\n".join(
        f"%at{i} = arith.constant {16 * i} : index\n"
        f"vector.store %r#{i}, %o[%at{i}] : memref<{sums * 16}xf32>, {_VECTOR}"
        for i in range(sums)
    )
    return f"""
      %z = arith.constant dense<0.5> : {_VECTOR}
      %c0 = arith.constant 0 : index
      %stop = arith.constant {stop} : index
      %step = arith.constant {step} : index
      %r:{sums} = scf.for %i = %c0 to %stop step %step
          iter_args({starts}) -> ({types}) {{
        {lines}
        scf.yield {done} : {types}
      }}
      {stores}"""
