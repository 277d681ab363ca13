"""ExecuTorch: a straight line for each path, its kernels those of XNNPACK, in f32."""

import os

from bench.peers.keep import kept
from bench.peers.lines import traces
from bench.subjects import Subject


def lines(subject: Subject, threads: int, folder):
    """What XNNPACK does not take runs by the portable kernels."""
    # Its pool has a thread for each processor that the process may use.
    allowed = sorted(os.sched_getaffinity(0))
    os.sched_setaffinity(0, allowed[-threads:])
    from executorch.runtime import Runtime

    runtime = Runtime.get()

    def opened(path, line):
        file = folder / f"trace_{path}.pte"
        kept(file, lambda: _convert(line, file))
        program = runtime.load_program(str(file))
        method = program.load_method("forward")

        def run(*inputs):
            return [tensor.clone() for tensor in method.execute(list(inputs))]

        run.program = program
        return run

    return traces(subject, folder, opened)


def _convert(line, file):
    from executorch.backends.xnnpack.partition.xnnpack_partitioner import (
        XnnpackPartitioner,
    )
    from executorch.exir import to_edge_transform_and_lower

    edge = to_edge_transform_and_lower(line.program, partitioner=[XnnpackPartitioner()])
    file.write_bytes(edge.to_executorch().buffer)
