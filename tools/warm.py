"""Runs our tools in processes that begin with everything imported: for `make lit`.

    python tools/warm.py serve SOCKET            as long as its parent lives
    python -I -S tools/warm.py SOCKET MODULE ARGUMENTS...      as `python -m MODULE`

Five hundred command lines of the text tests import the same passes, xDSL, MLIR and
torch: a second or more each, for work of some milliseconds. Here one process imports
what the commands before have needed, and is forked for each: whatever a command does to
its process is gone with it. Input, output, folder, environment and exit status are
those of the caller. The forks of one server share Python's seed of hashes.
"""

# All that a caller imports is compiled into Python or small: `socket` and `json`, which
# the server has, would double the time of its start.
import _socket
import marshal
import os
import sys

_HEAD = 8
"""Bytes in front of a request that say how many follow."""
_MLIR = "dycl.kernels.cpu.mlir"
_SETS_UP = "dycl.kernels.cpu.unit"
"""MLIR looks up what its passes rewrite at their first run: four fifths of what
`dycl-kernel-opt` takes for a small kernel."""
_DIED = 134
"""The exit status of a command that a signal has killed."""


def call(path: str, module: str, arguments: list[str]) -> int:
    """Have the server run `module`; its exit status."""
    request = marshal.dumps((module, arguments, os.getcwd(), dict(os.environ)))
    data = len(request).to_bytes(_HEAD, "little") + request
    files = b"".join(file.to_bytes(4, sys.byteorder) for file in (0, 1, 2))
    server = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
    server.connect(path)
    to_hand_over = [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, files)]
    sent = server.sendmsg([data], to_hand_over)
    if rest := data[sent:]:  # The command may be through, and nobody there.
        server.sendall(rest)
    status = server.recv(16)
    return int(status) if status else _DIED


def serve(path: str) -> None:
    """Fork for each caller, up to when the parent has ended.

    The folder of the socket is the server's own, and goes with it.
    """
    import gc
    import signal
    import socket

    parent = os.getppid()
    news, told = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
    news.setblocking(False)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # Nobody asks for their status.
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(path)
        server.listen(64)
        server.settimeout(1.0)
        while os.getppid() == parent:
            try:
                caller, _ = server.accept()
            except TimeoutError:
                continue
            caller.setblocking(True)
            _import(news)
            gc.freeze()  # What is there is looked at by no fork, and so not copied.
            if os.fork() == 0:
                server.close()
                signal.signal(signal.SIGCHLD, signal.SIG_DFL)
                _run(caller, told)
            caller.close()
    os.unlink(path)
    os.rmdir(os.path.dirname(path))


def _import(news: _socket.socket) -> None:
    """Import what the commands so far had to."""
    import contextlib
    import importlib

    while True:
        try:
            modules = news.recv(1 << 18).decode().split()
        except BlockingIOError:
            return
        for name in modules:
            if name not in sys.modules:
                with contextlib.suppress(Exception):
                    importlib.import_module(name)
        if _MLIR in modules:
            with contextlib.suppress(Exception):
                importlib.import_module(_SETS_UP).set_up()


def _run(caller: _socket.socket, told: _socket.socket) -> None:
    """Be the command, and end."""
    import atexit
    import traceback

    before = set(sys.modules)
    status = 1
    try:
        status = _main(caller)
    except BaseException:
        traceback.print_exc()
    finally:
        atexit._run_exitfuncs()
        sys.stdout.flush()
        sys.stderr.flush()
        # Before the caller goes on: the next command finds it imported.
        told.send(" ".join(name for name in sys.modules if name not in before).encode())
        caller.sendall(str(status).encode())
        os._exit(0)


def _size(data: bytes) -> int:
    return int.from_bytes(data[:_HEAD], "little")


def _main(caller: _socket.socket) -> int:
    """Run the command as Python would; its exit status."""
    import importlib
    import socket

    data, fds, _, _ = socket.recv_fds(caller, 1 << 16, 3)
    while len(data) < _HEAD or len(data) < _HEAD + _size(data):
        data += caller.recv(1 << 16)
    for target, fd in enumerate(fds):
        os.dup2(fd, target)
        os.close(fd)
    # Those that the server has know whether its own can seek, and are terminals.
    sys.stdin, sys.stdout = os.fdopen(0), os.fdopen(1, "w")
    sys.stderr = os.fdopen(2, "w", buffering=1, errors="backslashreplace")
    name, arguments, folder, environment = marshal.loads(data[_HEAD:])
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(folder)
    module = importlib.import_module(name)
    sys.argv = [module.__file__, *arguments]
    try:
        found = module.main()
    except SystemExit as end:
        found = end.code
    if isinstance(found, str):
        print(found, file=sys.stderr)
        return 1
    return found or 0


if __name__ == "__main__":
    if sys.argv[1] == "serve":
        serve(sys.argv[2])
    else:
        sys.exit(call(sys.argv[1], sys.argv[2], sys.argv[3:]))
