"""Code that users give for operators of theirs."""
