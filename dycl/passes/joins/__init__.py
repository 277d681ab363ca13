"""What follows where paths meet: parts of `dycl-specialize-joins`.

continuations  what follows an `if` or a scope, copied for the paths that lead there
joined         what paths give where they meet
lists          forks that change a list from before them
settling       what a copy knows of the value that its path gives, folded at once
"""
