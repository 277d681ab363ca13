"""Calls of torch, compiled once for dynamic sizes, against eager at each size."""
