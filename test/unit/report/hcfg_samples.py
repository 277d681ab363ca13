"""Host programs to draw, as text, and how to build their graphs."""

from dycl.report import Graph, build_graph
from dycl.tools.cli_show import parse_module

T = "!torch.vtensor<[1,8],f32>"
BOOL = "!torch.bool"


def graph_of(body: str) -> Graph:
    """The graph of a host function with arguments `%x` (a tensor) and `%p` (a bool)."""
    return build_graph(
        parse_module(
            f"func.func @forward(%x: {T}, %p: {BOOL}) attributes {{dycl.entry}} {{\n"
            f"{body}\n}}",
            "net.mlir",
        )
    )


def kernel(result: str, name: str, argument: str = "%x") -> str:
    return f"%{result} = dycl.launch @{name}({argument}) : ({T}) -> {T}\n"


def returned(value: str = "%x") -> str:
    return f"dycl.return {value} : ({T}) -> ()\n"


def skips(count: int) -> str:
    """`count` blocks in a row, each skipped or run (SkipNet, BlockDrop)."""
    text, value = kernel("y0", "stem"), "%y0"
    for i in range(count):
        text += (
            f"%y{i + 1} = dycl.if %p : {BOOL} -> ({T}) {{\n"
            f"  {kernel(f'z{i}', f'block{i}_then', value)}"
            f"  dycl.yield %z{i} : ({T}) -> ()\n"
            f"}} else {{ dycl.yield {value} : ({T}) -> () }}\n"
            f'  {{name = "block{i}", test = "policy[{i}] > 0.5"}}'
            f' loc("models/net.py":{i + 10}:9)\n'
        )
        value = f"%y{i + 1}"
    return text + returned(value)


def exits(count: int) -> str:
    """`count` early exits in guard form (Shallow-Deep, RANet)."""
    text, value = "", "%x"
    for i in range(count):
        text += kernel(f"y{i}", f"stage{i}", value)
        value = f"%y{i}"
        text += (
            f"dycl.if %p : {BOOL} {{ {returned(value)} }}"
            f' {{name = "exit{i + 1}", test = "p.max() > self.threshold"}}\n'
        )
    return text + returned(value)


NESTED = (
    f"%y = dycl.if %p : {BOOL} -> ({T}) {{\n"
    f"  {kernel('a', 'outer_then')}"
    f"  dycl.if %p : {BOOL} {{ {returned('%a')} }} {{test = 'inner'}}\n"
    f"  {kernel('b', 'after_inner', '%a')}"
    f"  dycl.yield %b : ({T}) -> ()\n"
    "} else {\n"
    f"  %e = dycl.if %p : {BOOL} -> ({T}) {{\n"
    f"    {kernel('c', 'elif_then')}"
    f"    dycl.yield %c : ({T}) -> ()\n"
    "  } else {\n"
    f"    {kernel('d', 'else')}"
    f"    dycl.yield %d : ({T}) -> ()\n"
    "  } {test = 'elif'}\n"
    f"  dycl.yield %e : ({T}) -> ()\n"
    "} {test = 'outer'}\n".replace("'", '"')
    + returned("%y")
).replace("'", '"')

SCOPE = (
    f'%y = dycl.scope "call" -> ({T}) {{\n'
    f'  dycl.if %p : {BOOL} {{ dycl.leave "call" %x : ({T}) -> () }} {{test = "t"}}\n'
    f"  {kernel('a', 'late')}"
    f'  dycl.leave "call" %a : ({T}) -> ()\n'
    "}\n" + kernel("z", "after", "%y") + returned("%z")
)

LOOP = (
    f"%y = dycl.while carry(%c : {T} = %x : {T}) {{\n"
    f"  {kernel('s', 'score', '%c')}"
    f"  dycl.condition %p, %c : ({BOOL}, {T}) -> ()\n"
    "} do(%d) {\n"
    f"  {kernel('n', 'step', '%d')}"
    f"  dycl.yield %n : ({T}) -> ()\n"
    '} {test = "not done"}\n' + returned("%y")
)

LONG_THEN = (
    f"%y = dycl.if %p : {BOOL} -> ({T}) {{\n"
    f"  {kernel('a', 'first')}  {kernel('b', 'second', '%a')}"
    f"  dycl.yield %b : ({T}) -> ()\n"
    f"}} else {{ dycl.yield %x : ({T}) -> () }}\n"
    '{test = "t"}\n' + kernel("z", "after", "%y") + returned("%z")
)

SCOPES_OF_ONE_NAME = (
    f'%y = dycl.scope "call" -> ({T}) {{\n'
    f'  %i = dycl.scope "call" -> ({T}) {{ dycl.leave "call" %x : ({T}) -> () }}\n'
    f"  {kernel('a', 'between', '%i')}"
    f'  dycl.leave "call" %a : ({T}) -> ()\n'
    "}\n" + kernel("z", "after", "%y") + returned("%z")
)
