"""What `dycl-resolve-tries` is made of, beside the pass itself.

raising    what in a body may raise
jumping    a body in which only `raise` does
splitting  a body that begins with an exception that the data decides
"""
