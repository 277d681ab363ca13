"""The function that puts the `k` elements that `topk` gives in front of a row."""

from dycl.kernels.cpu.selection.heap_text import adjust_heap, heap_select, sort_heap
from dycl.kernels.cpu.selection.order_text import (
    Order,
    comparison,
    exchange,
    insertion_sort,
    partition,
)

_SMALL = 16
"""As many elements `std::sort` does not part any more."""
_HEAP_SHARE = 64
"""Up to which share of a row eager uses a heap."""


def topk_text(order: Order, k: int, is_sorted: bool) -> list[str]:
    """Functions in MLIR text; the last of them is called `<order.name>.topk`.

    As eager does it: by `std::partial_sort` for a small `k`, else by
    `std::nth_element` and, if they are asked for in order, `std::sort` of those before
    the last one.
    """
    parts = [comparison(order), exchange(order), adjust_heap(order), heap_select(order)]
    if k * _HEAP_SHARE <= order.size:
        parts.append(sort_heap(order))
        lines = f"""
            {order.call("heap", "%c0", "%k", "%n")}
            {order.call("unheap", "%c0", "%k")}"""
    else:
        parts += [partition(order), insertion_sort(order), _nth_element(order)]
        lines = order.call("nth", "%last", "%n")
        if is_sorted and k - 1 > _SMALL:
            parts += [sort_heap(order), _sort_parts(order, k - 1)]
            lines += "\n" + order.call("parts", "%last")
        if is_sorted:
            lines += "\n" + order.call("insert", "%c0", "%last")
    numbers = f"""
        %k = arith.constant {k} : index
        %last = arith.constant {k - 1} : index
        %n = arith.constant {order.size} : index
    """
    return [*parts, order.function("topk", "", f"{numbers}{lines}\nreturn\n")]


def _depth(size: int) -> int:
    """How often a row is parted before a heap is used instead."""
    return 2 * (size.bit_length() - 1)


def _nth_element(order: Order) -> str:
    """Put the element at `nth` that belongs there; none behind it comes before it."""
    return order.function(
        "nth",
        "%nth: index, %n: index",
        f"""
        %most = arith.constant {_depth(order.size)} : index
        %end:3 = scf.while (%f = %c0, %l = %n, %d = %most)
            : (index, index, index) -> (index, index, index) {{
          %size = arith.subi %l, %f : index
          %more = arith.cmpi ugt, %size, %c3 : index
          scf.condition(%more) %f, %l, %d : index, index, index
        }} do {{
        ^bb0(%f: index, %l: index, %d: index):
          %deep = arith.cmpi eq, %d, %c0 : index
          %next:3 = scf.if %deep -> (index, index, index) {{
            %middle = arith.addi %nth, %c1 : index
            {order.call("heap", "%f", "%middle", "%l")}
            {order.call("swap", "%f", "%nth")}
            scf.yield %f, %f, %c0 : index, index, index
          }} else {{
            %cut = {order.call("partition", "%f", "%l", result="index")}
            %right = arith.cmpi ule, %cut, %nth : index
            %f1 = arith.select %right, %cut, %f : index
            %l1 = arith.select %right, %l, %cut : index
            %d1 = arith.subi %d, %c1 : index
            scf.yield %f1, %l1, %d1 : index, index, index
          }}
          scf.yield %next#0, %next#1, %next#2 : index, index, index
        }}
        {order.call("insert", "%end#0", "%end#1")}
        return
        """,
    )


def _sort_parts(order: Order, size: int) -> str:
    """Part `[0, last)` until no part is large; a sort by insertion does the rest.

    Parts that wait are on a stack: where each begins and ends, and how deep it may be
    parted.
    """
    most = _depth(size)
    stack = f"memref<{most + 2}x3xindex>"
    slots = ("%c0", "%c1", "%c2")

    def push(at: str, *values: str) -> str:
        return "\n".join(
            f"memref.store {value}, %stack[{at}, {slot}] : {stack}"
            for slot, value in zip(slots, values, strict=True)
        )

    return order.function(
        "parts",
        "%last: index",
        f"""
        %most = arith.constant {most} : index
        %stack = memref.alloca() : {stack}
        {push("%c0", "%c0", "%last", "%most")}
        scf.while (%waiting = %c1) : (index) -> index {{
          %more = arith.cmpi ugt, %waiting, %c0 : index
          scf.condition(%more) %waiting : index
        }} do {{
        ^bb0(%waiting: index):
          %top = arith.subi %waiting, %c1 : index
          %f = memref.load %stack[%top, %c0] : {stack}
          %l = memref.load %stack[%top, %c1] : {stack}
          %d = memref.load %stack[%top, %c2] : {stack}
          %size = arith.subi %l, %f : index
          %large = arith.cmpi ugt, %size, %c16 : index
          %left = scf.if %large -> index {{
            %deep = arith.cmpi eq, %d, %c0 : index
            %now = scf.if %deep -> index {{
              {order.call("heap", "%f", "%l", "%l")}
              {order.call("unheap", "%f", "%l")}
              scf.yield %top : index
            }} else {{
              %cut = {order.call("partition", "%f", "%l", result="index")}
              %d1 = arith.subi %d, %c1 : index
              %next = arith.addi %top, %c1 : index
              {push("%top", "%cut", "%l", "%d1")}
              {push("%next", "%f", "%cut", "%d1")}
              %both = arith.addi %next, %c1 : index
              scf.yield %both : index
            }}
            scf.yield %now : index
          }} else {{
            scf.yield %top : index
          }}
          scf.yield %left : index
        }}
        return
        """,
    )
