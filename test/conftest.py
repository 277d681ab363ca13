"""What holds for every test of ours."""

import os

# Threads of OpenMP spin while they wait: with one worker of pytest for each core, they
# take the time of the other worker, and a file of tests took seven times as long.
os.environ.setdefault("OMP_NUM_THREADS", "1")
