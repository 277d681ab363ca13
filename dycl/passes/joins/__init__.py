"""What follows where paths meet: parts of `dycl-specialize-joins`.

continuations  what follows an `if` or a scope, copied for the paths that lead there
lists          forks that change a list from before them
"""
