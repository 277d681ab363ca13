"""What `dycl-check-typed` is made of; nothing here changes the program.

findings  the errors so far, what derives from them, and names without a value
meetings  where sides of an `if` and iterations of a loop meet
"""
