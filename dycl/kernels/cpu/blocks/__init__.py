"""Images and matrices in blocks of 16 channels: who works on them, and how they move.

`block_*.py` rewrite an op to one on blocks, between a pack and an unpack;
`propagate_blocks.py` makes packs and unpacks meet and go; `lower_blocks.py` makes
loops of those that stay.
"""
