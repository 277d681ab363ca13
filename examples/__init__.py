"""Dynamic networks, written as a PyTorch user writes them."""
