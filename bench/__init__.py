"""Speed as ratios, measured side by side in one run: `make bench`.

Nothing here is asserted by a test: a ratio is read together with the machine that the
run prints at its head.
"""
