"""Random statements that dynamic networks are made of: experts, counters, growth."""

from .statements import Statements


class Routes(Statements):
    """Writes several lines at once, or changes a tensor of integers in place."""

    def write_integers(self):
        """A tensor of ints or bools is changed in place."""
        kind = self.pick("J", "J", "M")
        kept = {"more", *self.frozen}
        names = [n for n in self.names(kind) if n not in kept]
        if not names or not self.chance(self.rare):
            name = self.new_name("J")
            self.line(f"{name} = {self.atom('J')} {self.pick('| 1', '^ 1')}")
            self.env[name] = "J"
            names, kind = [name], "J"
        name = self.rng.choice(names)
        if kind == "M":
            change = self.pick(
                f"{name} &= {self.atom('M')}",
                f"{name}[0, 0] = {self.atom('B')}",
                f"{name} ^= {self.expression('M', 1)}",
            )
        else:
            change = self.pick(
                f"{name} += {self.expression(self.pick('I', 'J', 'M'), 1)}",
                f"{name} *= {self.pick(2, -1)}",
                f"{name} //= {self.pick(2, -2)}",
                f"{name} %= 3",
                f"{name}[0, {self.pick(0, -1)}] = {self.atom('I')}",
                f"{name}[{name} > 1] = {self.pick(0, -1)}",
                f"{name}[:, 1:] += {self.pick(1, 2)}",
            )
        return self.line(change)

    def write_routes(self):
        """Experts by scores: all of a loop, the best few, or one."""
        name, a = self.new_name("T"), self.atom("T")
        scores = f"torch.softmax(self.a({self.atom('T')}), 1)"
        self.line(f"{name} = {a} * 0.5")
        kind = self.pick("all", "best", "first")
        if kind == "all":
            self.line("for i, expert in enumerate(self.experts):")
            self.line(f"    if {scores}[0, i] > {self.pick('0.137', '0.313')}:")
            self.line(f"        {name} = {name} + expert({a}) * {scores}[0, i]")
        elif kind == "best":
            self.line(f"for i in {scores}[:, :3].topk(2).indices[0].tolist():")
            self.line(f"    {name} = {name} + self.experts[i]({a})")
        else:
            self.line(f"value, place = {scores}[0, :3].max(0)")
            self.line(f"{name} = self.experts[place]({a}) * value")
        self.env[name] = "T"

    def write_grow(self):
        """A tensor that a loop makes longer."""
        name, count = self.new_name("U"), self.new_name("I")
        self.line(f"{name} = {self.atom('T')}[:, :{self.pick(0, 1, 2)}]")
        self.line(f"{count} = 0")
        self.line(f"while {count} < {self.pick(2, 3)} and {self.gate()}:")
        self.line(f"    {name} = torch.cat([{name}, {self.atom('T')} * 0.5], 1)")
        self.line(f"    {count} += 1")
        self.env |= {name: "U", count: "I"}
