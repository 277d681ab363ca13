"""Parts of a selection as functions in MLIR text: what compares and moves elements.

Elements are pairs: a value in `%v` and where it came from, in `%i`. How equal elements
come to lie follows from the order in which those algorithms compare and exchange that
eager's C++ library (libstdc++) has for `std::nth_element`, `std::partial_sort` and
`std::sort`; so each of these functions compares and exchanges in that order.
"""

from dataclasses import dataclass

FLOATS = ("f16", "bf16", "f32", "f64")


@dataclass(frozen=True)
class Order:
    """Rows of `size` elements of type `element`, the largest first or last.

    `name` is what the names of all functions begin with.
    """

    name: str
    size: int
    element: str
    largest: bool

    @property
    def row(self) -> str:
        """The arguments that stand for a row."""
        return f"%v: {self.values}, %i: {self.indices}"

    @property
    def values(self) -> str:
        """The type of the values of a row."""
        return f"memref<{self.size}x{self.element}>"

    @property
    def indices(self) -> str:
        """The type of the indices of a row."""
        return f"memref<{self.size}xi64>"

    def call(self, function: str, *arguments: str, result: str = "()") -> str:
        """A call of one of these functions with a row and indices."""
        given = ", ".join(["%v", "%i", *arguments])
        kinds = ", ".join([self.values, self.indices, *["index"] * len(arguments)])
        return f"func.call @{self.name}.{function}({given}) : ({kinds}) -> {result}"

    def load(self, result: str, at: str) -> str:
        """The lines that read an element: `%result` and `%result_i`."""
        return (
            f"{result} = memref.load %v[{at}] : {self.values}\n"
            f"{result}_i = memref.load %i[{at}] : {self.indices}"
        )

    def store(self, value: str, at: str) -> str:
        """The lines that write an element."""
        return (
            f"memref.store {value}, %v[{at}] : {self.values}\n"
            f"memref.store {value}_i, %i[{at}] : {self.indices}"
        )

    def before(self, result: str, one: str, other: str) -> str:
        """The line that asks whether `one` comes before `other`."""
        kinds = f"({self.element}, {self.element}) -> i1"
        call = f"func.call @{self.name}.before({one}, {other}) : {kinds}"
        return f"{result} = {call}"

    def function(self, name: str, arguments: str, body: str, result: str = "") -> str:
        """A function on a row; `body` ends with its own `return`."""
        given = f"{self.row}, {arguments}" if arguments else self.row
        head = f"func.func private @{self.name}.{name}({given}){result}"
        return f"{head} {{\n{_CONSTANTS}{body}}}\n"


def comparison(order: Order) -> str:
    """`before`: a NaN is the largest number."""
    kind = order.element
    if kind in FLOATS:
        sign = "ogt" if order.largest else "olt"
        nan, number = ("%a", "%b") if order.largest else ("%b", "%a")
        lines = f"""
          %beyond = arith.cmpf {sign}, %a, %b : {kind}
          %nan = arith.cmpf uno, {nan}, {nan} : {kind}
          %number = arith.cmpf ord, {number}, {number} : {kind}
          %only = arith.andi %nan, %number : i1
          %c = arith.ori %only, %beyond : i1"""
    else:
        sign = "sgt" if order.largest else "slt"
        lines = f"%c = arith.cmpi {sign}, %a, %b : {kind}"
    head = f"func.func private @{order.name}.before(%a: {kind}, %b: {kind}) -> i1"
    return f"{head} {{\n{lines}\nreturn %c : i1\n}}\n"


def exchange(order: Order) -> str:
    """Exchange two elements."""
    return order.function(
        "swap",
        "%p: index, %q: index",
        f"""
        {order.load("%one", "%p")}
        {order.load("%other", "%q")}
        {order.store("%one", "%q")}
        {order.store("%other", "%p")}
        return
        """,
    )


def insertion_sort(order: Order) -> str:
    """Sort what lies in `[first, last)`; equal elements stay in order."""
    return order.function(
        "insert",
        "%first: index, %last: index",
        f"""
        %second = arith.addi %first, %c1 : index
        scf.for %k = %second to %last step %c1 {{
          {order.load("%new", "%k")}
          %end = scf.while (%at = %k) : (index) -> index {{
            %inside = arith.cmpi ugt, %at, %first : index
            %goes = scf.if %inside -> i1 {{
              %left = arith.subi %at, %c1 : index
              %old = memref.load %v[%left] : {order.values}
              {order.before("%less", "%new", "%old")}
              scf.yield %less : i1
            }} else {{
              scf.yield %no : i1
            }}
            scf.condition(%goes) %at : index
          }} do {{
          ^bb0(%at: index):
            %left = arith.subi %at, %c1 : index
            {order.load("%old", "%left")}
            {order.store("%old", "%at")}
            scf.yield %left : index
          }}
          {order.store("%new", "%end")}
        }}
        return
        """,
    )


def partition(order: Order) -> str:
    """Part `[first, last)` by the median of three; where the second part begins.

    The pivot lies at `first` then.
    """
    return order.function(
        "partition",
        "%first: index, %last: index",
        f"""
        %size = arith.subi %last, %first : index
        %half = arith.divui %size, %c2 : index
        %pa = arith.addi %first, %c1 : index
        %pb = arith.addi %first, %half : index
        %pc = arith.subi %last, %c1 : index
        %a = memref.load %v[%pa] : {order.values}
        %b = memref.load %v[%pb] : {order.values}
        %c = memref.load %v[%pc] : {order.values}
        {order.before("%ab", "%a", "%b")}
        {order.before("%bc", "%b", "%c")}
        {order.before("%ac", "%a", "%c")}
        %m1 = arith.select %ac, %pc, %pa : index
        %m2 = arith.select %bc, %pb, %m1 : index
        %m3 = arith.select %bc, %pc, %pb : index
        %m4 = arith.select %ac, %pa, %m3 : index
        %middle = arith.select %ab, %m2, %m4 : index
        {order.call("swap", "%first", "%middle")}
        %pivot = memref.load %v[%first] : {order.values}
        %cut:2 = scf.while (%f = %pa, %l = %last) : (index, index) -> (index, index) {{
          %low = scf.while (%at = %f) : (index) -> index {{
            %x = memref.load %v[%at] : {order.values}
            {order.before("%less", "%x", "%pivot")}
            scf.condition(%less) %at : index
          }} do {{
          ^bb0(%at: index):
            %next = arith.addi %at, %c1 : index
            scf.yield %next : index
          }}
          %start = arith.subi %l, %c1 : index
          %high = scf.while (%at = %start) : (index) -> index {{
            %x = memref.load %v[%at] : {order.values}
            {order.before("%less", "%pivot", "%x")}
            scf.condition(%less) %at : index
          }} do {{
          ^bb0(%at: index):
            %next = arith.subi %at, %c1 : index
            scf.yield %next : index
          }}
          %more = arith.cmpi ult, %low, %high : index
          scf.condition(%more) %low, %high : index, index
        }} do {{
        ^bb0(%low: index, %high: index):
          {order.call("swap", "%low", "%high")}
          %next = arith.addi %low, %c1 : index
          scf.yield %next, %high : index, index
        }}
        return %cut#0 : index
        """,
        " -> index",
    )


_CONSTANTS = """
%c0 = arith.constant 0 : index
%c1 = arith.constant 1 : index
%c2 = arith.constant 2 : index
%c3 = arith.constant 3 : index
%c16 = arith.constant 16 : index
%no = arith.constant false
"""
