"""Heaps of a selection, as functions in MLIR text; see `order_text.py`."""

from dycl.kernels.cpu.selection.order_text import Order


def adjust_heap(order: Order) -> str:
    """Let an element sink from `hole` in the heap of `n` elements at `first`.

    The element is given; first the larger child moves up to the last level, then the
    element rises from there.
    """
    return order.function(
        "adjust",
        f"%first: index, %hole: index, %n: index, %new: {order.element}, %new_i: i64",
        f"""
        %n1 = arith.subi %n, %c1 : index
        %half = arith.divui %n1, %c2 : index
        %deep = scf.while (%at = %hole) : (index) -> index {{
          %more = arith.cmpi ult, %at, %half : index
          scf.condition(%more) %at : index
        }} do {{
        ^bb0(%at: index):
          %above = arith.addi %at, %c1 : index
          %right = arith.muli %above, %c2 : index
          %left = arith.subi %right, %c1 : index
          %r = arith.addi %first, %right : index
          %l = arith.addi %first, %left : index
          %x = memref.load %v[%r] : {order.values}
          %y = memref.load %v[%l] : {order.values}
          {order.before("%less", "%x", "%y")}
          %child = arith.select %less, %left, %right : index
          %from = arith.addi %first, %child : index
          %to = arith.addi %first, %at : index
          {order.load("%moved", "%from")}
          {order.store("%moved", "%to")}
          scf.yield %child : index
        }}
        %parity = arith.remui %n, %c2 : index
        %even = arith.cmpi eq, %parity, %c0 : index
        %doubled = arith.muli %deep, %c2 : index
        %next = arith.addi %doubled, %c2 : index
        %ends = arith.cmpi eq, %next, %n : index
        %lone = arith.andi %even, %ends : i1
        %bottom = scf.if %lone -> index {{
          %from = arith.addi %first, %n1 : index
          %to = arith.addi %first, %deep : index
          {order.load("%moved", "%from")}
          {order.store("%moved", "%to")}
          scf.yield %n1 : index
        }} else {{
          scf.yield %deep : index
        }}
        %end = scf.while (%at = %bottom) : (index) -> index {{
          %inside = arith.cmpi ugt, %at, %hole : index
          %goes = scf.if %inside -> i1 {{
            %below = arith.subi %at, %c1 : index
            %parent = arith.divui %below, %c2 : index
            %p = arith.addi %first, %parent : index
            %x = memref.load %v[%p] : {order.values}
            {order.before("%less", "%x", "%new")}
            scf.yield %less : i1
          }} else {{
            scf.yield %no : i1
          }}
          scf.condition(%goes) %at : index
        }} do {{
        ^bb0(%at: index):
          %below = arith.subi %at, %c1 : index
          %parent = arith.divui %below, %c2 : index
          %p = arith.addi %first, %parent : index
          %to = arith.addi %first, %at : index
          {order.load("%moved", "%p")}
          {order.store("%moved", "%to")}
          scf.yield %parent : index
        }}
        %to = arith.addi %first, %end : index
        {order.store("%new", "%to")}
        return
        """,
    )


def _adjust(order: Order, first: str, hole: str, n: str, new: str) -> str:
    kinds = f"{order.values}, {order.indices}, index, index, index, {order.element}"
    given = f"%v, %i, {first}, {hole}, {n}, {new}, {new}_i"
    return f"func.call @{order.name}.adjust({given}) : ({kinds}, i64) -> ()"


def heap_select(order: Order) -> str:
    """Make the first of `[first, last)` a heap in `[first, middle)`."""
    return order.function(
        "heap",
        "%first: index, %middle: index, %last: index",
        f"""
        %n = arith.subi %middle, %first : index
        %parents = arith.divui %n, %c2 : index
        scf.for %k = %c0 to %parents step %c1 {{
          %up = arith.subi %parents, %k : index
          %parent = arith.subi %up, %c1 : index
          %at = arith.addi %first, %parent : index
          {order.load("%new", "%at")}
          {_adjust(order, "%first", "%parent", "%n", "%new")}
        }}
        scf.for %k = %middle to %last step %c1 {{
          {order.load("%new", "%k")}
          {order.load("%top", "%first")}
          {order.before("%less", "%new", "%top")}
          scf.if %less {{
            {order.store("%top", "%k")}
            {_adjust(order, "%first", "%c0", "%n", "%new")}
          }}
        }}
        return
        """,
    )


def sort_heap(order: Order) -> str:
    """Sort a heap in `[first, last)`."""
    return order.function(
        "unheap",
        "%first: index, %last: index",
        f"""
        %n = arith.subi %last, %first : index
        scf.for %k = %c1 to %n step %c1 {{
          %left = arith.subi %n, %k : index
          %at = arith.addi %first, %left : index
          {order.load("%new", "%at")}
          {order.load("%top", "%first")}
          {order.store("%top", "%at")}
          {_adjust(order, "%first", "%c0", "%left", "%new")}
        }}
        return
        """,
    )
