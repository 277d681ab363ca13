"""Which loops are computed in one function, and what is kept in memory between them.

A loop joins the group of those that use it if all of them are in one group, and

- it is elementwise: it is computed where it is used;
- it folds the columns of rows that the group has, or may have: softmax, norms;
- it is a contraction or a long reduction, and what the group stores is made of its
  results one by one: the group is its epilogue.

Sorts, scans and scatters are groups of their own (`apart.py`).

What is read many times, as an operand of a contraction is, joins only if it costs
nothing to compute again. All other loops begin a group, whose result has memory.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from dycl.kernels.cuda.tile.apart import Apart
from dycl.kernels.cuda.tile.cuts import Cut
from dycl.kernels.cuda.tile.index import Atom, Index, of, own_atoms, unflat
from dycl.kernels.cuda.tile.nodes import Loop, Movement, Nest, Node
from dycl.kernels.cuda.tile.sizes import Size, at_most, count
from dycl.schedules.cuda import LONGEST_ROW

_PLACES = 4
"""At how many places at most a loop is computed again."""
_FREE = ("arith.extf", "arith.truncf", "arith.sitofp", "arith.extsi", "linalg.yield")
_COUNTING = ("linalg.index", "arith.index_cast")


@dataclass(eq=False)
class Group:
    """What one function computes; its results are those of `root`."""

    root: Nest
    indices: tuple[Index, ...]
    """Those of an element of the first result that is stored."""
    members: list[Nest] = field(default_factory=list[Nest])
    anchor: Loop | None = None
    """The contraction or reduction whose epilogue `root` is."""
    anchor_at: tuple[Index, ...] = ()
    """Which of its elements an element of the result is made of."""
    rows: frozenset[Atom] | None = None
    """The atoms of `indices` that count rows; the others count columns."""

    @property
    def columns(self) -> Size:
        """How many columns a row has."""
        return count(a.size for a in self._atoms if a not in (self.rows or ()))

    @property
    def _atoms(self) -> list[Atom]:
        return [a for i in self.indices for a in i.atoms]


@dataclass(frozen=True)
class _Request:
    """Somebody needs an element of a loop."""

    group: Group
    loop: Loop
    at: tuple[Index, ...]
    is_costly: bool
    """Whether it is asked for more often than there are elements."""
    is_guarded: bool
    """Whether it is not there for all elements that ask."""


def kind_of(nest: Nest) -> str:
    """`map`, `reduction`, `contraction`, or `apart`."""
    if isinstance(nest, Apart):
        return "apart"
    if not any(nest.is_reduced):
        return "map"
    return "contraction" if is_contraction(nest) else "reduction"


def is_contraction(nest: Nest) -> bool:
    """Whether it is a sum of products that `tl.dot` computes."""
    body = nest.body
    names = [op.name for op in body if op.name not in _FREE]
    if names != ["arith.mulf", "arith.addf"] or len(nest.inputs) != 2:
        return False
    if any(str(op.results[0].type) == "f64" for op in body if op.results):
        return False
    product = next(op for op in body if op.name == "arith.mulf")
    total = next(op for op in body if op.name == "arith.addf")
    result = nest.block_arguments[-1]
    if result not in total.operands or product.results[0] not in total.operands:
        return False
    _, left, right = sides(nest)
    return count(d.size for d in left) != 1 != count(d.size for d in right)


def sides(nest: Nest) -> tuple[list[Atom], list[Atom], list[Atom]]:
    """Of a contraction the dims of both operands, of the left one and of the right."""
    reads = [set[Atom]().union(*(i.atoms for i in m)) for m in nest.maps[:2]]
    batch: list[Atom] = []
    left: list[Atom] = []
    right: list[Atom] = []
    for dim, is_reduced in zip(nest.dims, nest.is_reduced, strict=True):
        if is_reduced or dim.size == 1:
            continue
        if dim in reads[0] and dim in reads[1]:
            batch.append(dim)
        else:
            (left if dim in reads[0] else right).append(dim)
    return batch, left, right


def grouped(outputs: Sequence[Loop], order: Sequence[Loop]) -> dict[Nest, Group]:
    """By nest, the group that computes it, in the order in which they are to run.

    `order`: every loop, behind those that it uses.
    """
    kept = {loop.nest for loop in outputs}
    requests: dict[Nest, list[_Request]] = {}
    groups: dict[Nest, Group] = {}
    for nest in dict.fromkeys(loop.nest for loop in reversed(order)):
        asked = requests.get(nest, [])
        group = None if nest in kept else _joined(nest, asked)
        if group is None:
            loop = next(one for one in order if one.nest is nest)
            group = Group(nest, own_atoms(loop.shape))
            if kind_of(nest) in ("reduction", "contraction"):
                group.anchor, group.anchor_at = loop, group.indices
            asked = [_Request(group, loop, group.indices, False, False)]
            kept.add(nest)
        groups[nest] = group
        group.members.append(nest)
        guarded = {(r.loop, r.at) for r in asked if r.is_guarded}
        for loop, at in dict.fromkeys((r.loop, r.at) for r in asked):
            for request in _requests(group, loop, at, (loop, at) in guarded):
                requests.setdefault(request.loop.nest, []).append(request)
    return groups


def _joined(nest: Nest, asked: Sequence[_Request]) -> Group | None:
    """The group that a nest joins; None: it begins its own."""
    kind = kind_of(nest)
    if kind == "apart":
        return None
    (group, *others) = dict.fromkeys(r.group for r in asked)
    places = list(dict.fromkeys((r.loop, r.at) for r in asked))
    if others or len(places) > _PLACES:
        return None
    if kind == "map":
        costly = any(r.is_costly for r in asked)
        return group if not costly or _is_free(nest) else None
    if any(r.is_costly or r.is_guarded for r in asked):
        return None
    if kind == "reduction" and _folds_rows(nest, group, asked):
        return group
    if len(places) == 1 and group.anchor is None and group.rows is None:
        request = asked[0]
        if solved(group.indices, request.at, request.loop.shape) is not None:
            group.anchor, group.anchor_at = request.loop, request.at
            return group
    return None


def _is_free(nest: Nest) -> bool:
    return (
        all(op.name in (*_FREE, *_COUNTING) for op in nest.body) and not nest.looked_up
    )


def _folds_rows(nest: Nest, group: Group, asked: Sequence[_Request]) -> bool:
    """Whether it folds the columns of the group's rows; says which these are."""
    size = count(nest.reduced_sizes)
    if not at_most(size, LONGEST_ROW) or is_window(nest):
        return False
    atoms = {a for i in group.indices for a in i.atoms}
    used = frozenset[Atom]().union(*(i.atoms for r in asked for i in r.at))
    if group.anchor is not None:
        long = count(group.anchor.nest.reduced_sizes)
        own = kind_of(group.anchor.nest) == "reduction"
        return own and long == size and used <= atoms and _covers(used, asked)
    rows = group.rows if group.rows is not None else used
    columns = count(a.size for a in atoms - rows)
    if not used <= rows or not rows <= atoms or columns != size:
        return False
    if group.rows is None and not _covers(used, asked):
        return False
    group.rows = rows
    return True


def _covers(used: Iterable[Atom], asked: Sequence[_Request]) -> bool:
    """Whether no row is folded more than once."""
    return count(a.size for a in used) == count(asked[0].loop.shape)


def is_window(nest: Nest) -> bool:
    """Whether neighbours read the same elements."""
    return any(len(i.terms) > 1 for m in nest.maps[: len(nest.inputs)] for i in m)


def _requests(
    group: Group, loop: Loop, at: tuple[Index, ...], guarded: bool
) -> list[_Request]:
    """What one element of a loop needs; `guarded`: it is not there for all that ask."""
    nest = loop.nest
    if isinstance(nest, Apart):
        pairs = zip(nest.inputs, nest.reads_again, strict=True)
        asked = (_through(group, n, own_atoms(n.shape), a, True) for n, a in pairs)
        return [request for some in asked for request in some]
    columns = of(Atom("c", count(nest.reduced_sizes), "c"))
    reduced = unflat(columns, nest.reduced_sizes)
    costly = kind_of(nest) == "contraction" or (
        any(nest.is_reduced) and is_window(nest)
    )
    result: list[_Request] = []
    for piece in loop.reads(at, reduced):
        result += _through(group, piece.source, piece.indices, costly, guarded)
    for start in nest.starts:
        result += _through(group, start, at, False, guarded)
    for source in nest.looked_up:
        result += _through(group, source, own_atoms(source.shape), True, True)
    return result


def _through(
    group: Group, node: Node, at: tuple[Index, ...], costly: bool, guarded: bool
) -> list[_Request]:
    if isinstance(node, Loop):
        return [_Request(group, node, at, costly, guarded)]
    if not isinstance(node, Movement):
        return []
    result: list[_Request] = []
    pieces = node.pieces(at)
    for piece in pieces:
        held = guarded or len(pieces) > 1 or isinstance(node, Cut)
        costly = costly or isinstance(node, Cut)
        result += _through(group, piece.source, piece.indices, costly, held)
    return result


def solved(
    indices: Sequence[Index], at: Sequence[Index], shape: Sequence[Size]
) -> "dict[Atom, tuple[int, tuple[Size, ...], int]] | None":
    """How elements at `indices` follow from those at `at`, if they are one to one.

    For each atom of `indices`: the dimension of `shape` whose index it is a part of,
    the sizes of all parts, and which of them it is.
    """
    wanted = {a for i in indices for a in i.atoms}
    result: dict[Atom, tuple[int, tuple[Size, ...], int]] = {}
    for dim, (index, size) in enumerate(zip(at, shape, strict=True)):
        left = {times: atom for atom, times in index.terms}
        stride: Size = 1
        atoms: list[Atom] = []
        for _ in index.terms:
            atom = left.pop(stride, None)
            if not isinstance(atom, Atom) or atom in result:
                return None
            stride = stride * atom.size
            atoms.insert(0, atom)
        if stride != size or index.constant != 0:
            return None
        sizes = tuple(a.size for a in atoms)
        result |= {a: (dim, sizes, i) for i, a in enumerate(atoms)}
    return result if set(result) == wanted else None
