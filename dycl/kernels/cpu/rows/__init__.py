"""Softmax, norms, arg-max: row by row, in as few passes as the dependences allow.

`row_groups.py` finds the ops of a program, `row_plan.py` decides in which pass each
runs, `row_program.py` and `row_pass.py` write it down.
"""
