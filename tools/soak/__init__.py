"""Networks under load for as long as is wanted: results, memory and mappings.

    python -m tools.soak --seconds 30          half a minute for each kind of load
    make soak-long                             ten minutes of threads; docs/soak.md

Each load runs compiled networks over and over and compares every result with what the
first call gave, or, of NaN and the like, with eager; `processes` has those of several
processes, full disks and interrupted compilers. Memory and mappings are read when a
tenth of the time is over, and at the end. The exit status is 1 if a result differs, or
memory grows.
"""
