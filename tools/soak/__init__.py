"""Networks under load for as long as is wanted: results, memory and mappings.

    python -m tools.soak --seconds 30          half a minute for each kind of load
    python -m tools.soak --seconds 600 --page docs/soak.md

Each load runs compiled networks over and over and compares every result with what the
first call gave; memory and mappings are read when a tenth of the time is over, and at
the end. The exit status is 1 if a result differs, or memory grows.
"""
