"""Programs on plain numbers, with inputs that take both sides of every decision.

Some are the programs that broke the first DyCL (stale flags, `range(1, 4)`, loops over
layers, branches in called code), others follow lists and dicts through control flow.
"""

CASES: dict = {}


def on(*inputs):
    """Run the function for these inputs."""

    def register(function):
        CASES[function] = inputs
        return function

    return register


@on(1, -1)
def stale_flag(x):
    flag = 0
    y = x + 1
    flag = y * 2
    if flag == 0:
        return 1
    return 2


@on(1, -1)
def constant_reassigned_in_a_branch(x):
    k = 1
    if x > 0:
        k = 2
    if k == 1:
        return "one"
    return "two"


@on(1, -1)
def range_with_a_start(x):
    out = []
    for i in range(1, 4):
        out.append(x + i)
    return out


LAYERS = (abs, float, str)


@on(1, -1)
def loop_over_functions(x):
    out = []
    for layer in LAYERS:
        out.append(layer(x))
    return out


@on(1, -1, 9)
def conditional_expressions(x):
    y = 1 if x > 0 else 2
    z = x if x > 5 else -x
    return y + z


def clipped(a):
    if a > 1:
        return a * 2
    if a > 0:
        return a * 3
    return 0


@on(1, -1, 0, 5)
def branch_in_a_called_function(x):
    return clipped(x) + clipped(x + 1)


@on(1, -1, 5, 3, 0)
def break_and_continue(x):
    t = 0
    for i in range(5):
        if x == i:
            continue
        t += i
        if t > x * 3:
            break
    return t, i


@on(1, -1, 7)
def loop_inside_a_branch(x):
    y = 0
    if x > 0:
        for i in range(3):
            if x == i:
                return "early"
            y += i
    return y


@on(1, -1, 5)
def list_appended_until_a_break(x):
    outs = []
    for i in range(4):
        outs.append(x + i)
        if x + i > 2:
            break
    return outs


@on(1, -1)
def list_read_after_it_grew(x):
    outs = []
    for i in range(3):
        outs.append(x * i)
    t = 0
    for i, o in enumerate(outs):
        t += o * i
    return t, [o + 1 for o in outs if len(outs) > 2], len(outs), outs[-1]


@on(1, -1)
def list_under_two_names(x):
    a = [x]
    b = a
    b.append(2)
    c = [None]
    c[0] = a
    a.append(3)
    return a is b, c, len(b) == 3


@on(1, -1)
def list_changed_on_both_sides(x):
    values = [x, 2]
    if x > 0:
        values[0] = 5
    else:
        values += [4]
        values.pop()
    values += [6]
    return values


@on(1, -1)
def list_methods(x):
    s = [x, 1, 2]
    a = s.pop()
    b = s.pop(0)
    s.insert(0, 5)
    s.extend([6, 7])
    s.reverse()
    rest = s[1:] * 2 + [a]
    s.clear()
    return a, b, s, rest


@on(1, -1)
def dict_of_values(x):
    d = {"a": x, "a": x + 3}  # noqa: F601
    d["b"] = x + 1
    if "b" in d:
        d["c"] = 2
    t = 0
    for _, v in d.items():
        t += v
    return d, t, len(d), d.get("z", 5), d.get("a", 1), list(d)


@on(1, -1)
def lists_in_a_list(x):
    rows = [[], []]
    for i in range(4):
        rows[i % 2].append(x + i)
    return rows


@on(1)
def while_on_a_counter(x):
    i = 0
    while i < 3:
        x = x + i
        i += 1
    return x, i


@on(1, 4, 8, 20)
def while_with_jumps(x):
    i = 0
    t = 0
    while i < 5 and t >= 0:
        i += 1
        if i == 2:
            continue
        if x > i * 3:
            break
        t += x
    return t, i


@on(1)
def state_that_may_be_none(x, state=None):
    if state is None:
        state = (x, x + 1)
    if state is None:
        return 0
    a, b = state
    return a * b


@on(3)
def recursion_that_ends(n, k=4):
    if k == 0:
        return n
    return recursion_that_ends(n + k, k - 1)


@on(1, 0, 5)
def logic(x):
    return 0 < x < 3, not x, (x and 5), (x or 7), 0 < x == 1 != 3


@on(3, 12)
def text(x):
    name = "big" if (y := x * 2) > 10 else "small"
    return f"{{{name}}} {y!r:>4}"
