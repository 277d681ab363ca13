"""Decisions, edges, runs of tensor ops, launches."""
