"""Artifacts that somebody has changed, by structure and with their hashes made anew.

Each has to be loaded right, or refused by a sentence: no crash, no traceback, no hang.
"""

from tools.mutants.edits import mutant
from tools.mutants.judging import Verdict, judge

__all__ = ["Verdict", "judge", "mutant"]
