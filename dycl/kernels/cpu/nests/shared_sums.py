"""A matrix of constants times a column of vectors, with the sums that its rows share.

A Fourier matrix of 16 complex elements, as real numbers 32 rows of 32, takes 160
additions and products instead of 1024. None of it is about Fourier: columns, and rows,
that are equal but for signs share sums and differences, and what is left falls into
smaller matrices, of which the same is true again.
"""

from collections.abc import Mapping, Sequence
from fractions import Fraction

from dycl.kernels.cpu.nests.function import NOTHING, Function, Value

Row = tuple[float | Fraction, ...]


class SharedSums:
    """Adds to a function what computes such products."""

    def __init__(self, function: Function):
        """`function`: the one that the vectors are of."""
        self._function = function

    def times(self, rows: Sequence[Row], values: Sequence[Value]) -> list[Value]:
        """The matrix with these rows times a column of vectors, one for each row."""
        # Numbers are compared and negated only: floats do it in a tenth of the time.
        rows = [tuple(map(float, row)) for row in rows]
        distinct: list[Row] = []
        for row in rows:
            if any(row) and row not in distinct and _negated(row) not in distinct:
                distinct.append(row)
        known: dict[Row, Value] = {}
        for numbers, columns in _blocks(distinct):
            block = [tuple(distinct[i][j] for j in columns) for i in numbers]
            found = self._block(block, [values[j] for j in columns])
            known |= zip((distinct[i] for i in numbers), found, strict=True)
        return [self._with_sign(row, known) for row in rows]

    def _with_sign(self, row: Row, known: Mapping[Row, Value]) -> Value:
        if not any(row):
            return self._function.splat("0.0")
        if row in known:
            return known[row]
        return self._function.on_vectors("arith.negf", known[_negated(row)])

    def _block(self, rows: Sequence[Row], values: Sequence[Value]) -> list[Value]:
        """The same for rows of which no two are equal but for their sign, and which do
        not fall into matrices without common columns."""
        columns = list(zip(*rows, strict=True))
        if pairs := _twins(columns):
            return self._of_twin_columns(columns, values, pairs)
        if pairs := _twins(rows):
            return self._of_twin_rows(rows, values, pairs)
        return [self._sum(row, values) for row in rows]

    def _of_twin_columns(
        self,
        columns: Sequence[Row],
        values: Sequence[Value],
        pairs: Mapping[int, int],
    ) -> list[Value]:
        """Rows need the sum of two vectors whose columns are twins, or the difference:
        both stand in the place of the two."""
        apart, needed = list(columns), list(values)
        for i, j in pairs.items():
            apart[i], apart[j] = _parts(columns[i], columns[j])
            for at, op in ((i, "addf"), (j, "subf")):
                if any(apart[at]):
                    two = values[i], values[j]
                    needed[at] = self._function.on_vectors(f"arith.{op}", *two)
        return self.times(list(zip(*apart, strict=True)), needed)

    def _of_twin_rows(
        self, rows: Sequence[Row], values: Sequence[Value], pairs: Mapping[int, int]
    ) -> list[Value]:
        """Two rows that are twins are the sum and the difference of what they have in
        common and of what they have not."""
        apart = list(rows)
        for i, j in pairs.items():
            apart[i], apart[j] = _parts(rows[i], rows[j])
        found = self.times(apart, values)
        for i, j in pairs.items():
            two = found[i], found[j]
            found[i] = self._function.on_vectors("arith.addf", *two)
            found[j] = self._function.on_vectors("arith.subf", *two)
        return found

    def _sum(self, factors: Row, values: Sequence[Value]) -> Value:
        """The sum of vectors with constant factors."""
        terms = [(f, v) for f, v in zip(factors, values, strict=True) if f]
        # What has the factor 1 needs no product.
        terms.sort(key=lambda term: abs(term[0]) != 1)
        function, total = self._function, NOTHING
        for factor, value in terms:
            by = repr(float(factor))
            if not total:
                total = value
                if factor != 1:
                    total = function.on_vectors("arith.mulf", value, function.splat(by))
            elif factor in (1, -1):
                op = "addf" if factor == 1 else "subf"
                total = function.on_vectors(f"arith.{op}", total, value)
            else:
                product = value, function.splat(by), total
                total = function.on_vectors("vector.fma", *product)
        return total


def operations(rows: Sequence[Row]) -> int:
    """How many additions, products and both at once a column takes."""
    function = Function()
    SharedSums(function).times(rows, [function.value() for _ in rows[0]])
    return len(function.ops)


def sharing(rows: Sequence[Row]) -> list[list[int]]:
    """The rows by number, those together that share sums."""
    pairs = _twins(rows)
    alone = set(range(len(rows))) - {*pairs, *pairs.values()}
    return sorted([[i] for i in alone] + [[i, j] for i, j in pairs.items()])


def _negated(row: Row) -> Row:
    return tuple(-x for x in row)


def _twins(rows: Sequence[Row]) -> dict[int, int]:
    """Rows, each of which is equal but for signs to a later one: the first such."""
    sizes = [tuple(abs(x) for x in row) for row in rows]
    waiting: dict[tuple[object, ...], int] = {}
    pairs: dict[int, int] = {}
    for j, size in enumerate(sizes):
        if size in waiting:
            pairs[waiting.pop(size)] = j
        else:
            waiting[size] = j
    return dict(sorted(pairs.items()))


def _parts(one: Row, other: Row) -> tuple[Row, Row]:
    """What a row has in common with its twin, and what it has not."""
    pairs = list(zip(one, other, strict=True))
    same = tuple(x if x == y else type(x)(0) for x, y in pairs)
    return same, tuple(x if x != y else type(x)(0) for x, y in pairs)


def _blocks(rows: Sequence[Row]) -> list[tuple[list[int], list[int]]]:
    """Rows and columns that are matrices of their own, with zeros beside them."""
    blocks: list[tuple[list[int], set[int]]] = []
    for i, row in enumerate(rows):
        numbers, columns = [i], {j for j, x in enumerate(row) if x}
        apart: list[tuple[list[int], set[int]]] = []
        for block in blocks:
            if block[1].isdisjoint(columns):
                apart.append(block)
            else:
                numbers, columns = [*block[0], *numbers], columns | block[1]
        blocks = [*apart, (numbers, columns)]
    return [(sorted(numbers), sorted(columns)) for numbers, columns in blocks]
