"""What checks are made of; nothing here changes the program.

findings       `dycl-check-typed`: the errors so far, and what derives from them
meetings       the same, where sides of an `if` and iterations of a loop meet
causes         `dycl-check-normal`: why a value is not known: what it derives from
shared_arguments  `dycl-check-normal`: writes to what recursions hand on
unbound_constants  `dycl-check-normal`: reads of names that some paths leave unbound
managers       `dycl-check-normal`: context managers that are still there
attributes     `dycl-check-normal`: attributes that did not become constants
numpy_numbers  `dycl-check-normal`: numbers that NumPy gives, and Python's are not
"""
