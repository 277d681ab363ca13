"""What `dycl-resolve-tries` is made of, beside the pass itself.

splitting  a body that begins with an exception that the data decides
"""
