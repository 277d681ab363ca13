"""Sizes that the data decides: names, slices of them, stores into them."""
