"""What was found of each operator, kept line by line."""

import json
from collections import Counter
from pathlib import Path

from tools.commits import commit


class Results:
    """Lines of JSON in files: an operator, a form, a dtype, and its calls."""

    def __init__(self, files, keeps):
        """Append to the first file; `keeps`: what the files hold counts, too."""
        self.found = {}
        self.count = Counter()
        self.files = [Path(file) for file in files]
        for file in self.files if keeps else self.files[:0]:
            for line in file.read_text().splitlines() if file.exists() else ():
                self._note(json.loads(line))
        if self.files and not keeps:
            self.files[0].write_text("")

    def holds(self, name, form, dtype):
        """Whether an operator is known already."""
        return (name, form, dtype) in self.found

    def add(self, name, form, dtype, calls, seconds):
        """Keep the (call, outcome, words) of an operator."""
        line = {"operator": name, "form": form, "dtype": dtype, "calls": calls}
        line |= {"seconds": round(seconds, 1), "commit": commit()}
        self._note(line)
        if self.files:
            with self.files[0].open("a") as file:
                file.write(json.dumps(line) + "\n")

    def _note(self, line):
        self.found[line["operator"], line["form"], line["dtype"]] = line
        self.count.update(outcome for _, outcome, _ in line["calls"])
