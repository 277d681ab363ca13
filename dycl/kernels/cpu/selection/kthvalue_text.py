"""The function that puts the element that `kthvalue` gives in its place in a row."""

from dycl.kernels.cpu.selection.order_text import Order, comparison, exchange


def kthvalue_text(order: Order, k: int) -> list[str]:
    """Functions in MLIR text; the last of them is called `<order.name>.select`.

    As eager does it: a row is parted by the median of three until one element is left.
    `order` has the largest elements first; a NaN is the largest.
    """
    return [
        comparison(order),
        exchange(order),
        _exchange_larger(order),
        _select(order, k),
    ]


def _exchange_larger(order: Order) -> str:
    """Exchange two elements if the first is the larger one."""
    return order.function(
        "larger",
        "%p: index, %q: index",
        f"""
        %x = memref.load %v[%p] : {order.values}
        %y = memref.load %v[%q] : {order.values}
        {order.before("%larger", "%x", "%y")}
        scf.if %larger {{
          {order.call("swap", "%p", "%q")}
        }}
        return
        """,
    )


def _select(order: Order, k: int) -> str:
    return order.function(
        "select",
        "",
        f"""
        %k = arith.constant {k - 1} : index
        %end = arith.constant {order.size - 1} : index
        scf.while (%l = %c0, %r = %end) : (index, index) -> (index, index) {{
          %more = arith.cmpi sgt, %r, %l : index
          scf.condition(%more) %l, %r : index, index
        }} do {{
        ^bb0(%l: index, %r: index):
          %next = arith.addi %l, %c1 : index
          %two = arith.cmpi eq, %r, %next : index
          %part:2 = scf.if %two -> (index, index) {{
            {order.call("larger", "%l", "%r")}
            scf.yield %l, %l : index, index
          }} else {{
            %size = arith.subi %r, %l : index
            %half = arith.divui %size, %c2 : index
            %middle = arith.addi %l, %half : index
            {order.call("swap", "%middle", "%next")}
            {order.call("larger", "%next", "%r")}
            {order.call("larger", "%l", "%r")}
            {order.call("larger", "%next", "%l")}
            %pivot = memref.load %v[%l] : {order.values}
            {_parted(order)}
            {order.call("swap", "%l", "%cut#1")}
            %right = arith.cmpi sle, %cut#1, %k : index
            %left = arith.cmpi sge, %cut#1, %k : index
            %before = arith.subi %cut#1, %c1 : index
            %l1 = arith.select %right, %cut#0, %l : index
            %r1 = arith.select %left, %before, %r : index
            scf.yield %l1, %r1 : index, index
          }}
          scf.yield %part#0, %part#1 : index, index
        }}
        return
        """,
    )


def _parted(order: Order) -> str:
    """The lines that exchange what is on the wrong side of `%pivot`."""
    return f"""
            %cut:2 = scf.while (%p = %next, %q = %r)
                : (index, index) -> (index, index) {{
              %after = arith.addi %p, %c1 : index
              %low = scf.while (%at = %after) : (index) -> index {{
                %x = memref.load %v[%at] : {order.values}
                {order.before("%less", "%pivot", "%x")}
                scf.condition(%less) %at : index
              }} do {{
              ^bb0(%at: index):
                %on = arith.addi %at, %c1 : index
                scf.yield %on : index
              }}
              %ahead = arith.subi %q, %c1 : index
              %high = scf.while (%at = %ahead) : (index) -> index {{
                %x = memref.load %v[%at] : {order.values}
                {order.before("%larger", "%x", "%pivot")}
                scf.condition(%larger) %at : index
              }} do {{
              ^bb0(%at: index):
                %on = arith.subi %at, %c1 : index
                scf.yield %on : index
              }}
              %apart = arith.cmpi sge, %high, %low : index
              scf.condition(%apart) %low, %high : index, index
            }} do {{
            ^bb0(%low: index, %high: index):
              {order.call("swap", "%low", "%high")}
              scf.yield %low, %high : index, index
            }}"""
