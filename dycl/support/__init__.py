"""What several levels need and none owns: files by digest, places in memory,
reasons and their codes.

Modules here know nothing of models, IR or torch, and import nothing of `dycl`.
"""
