"""Lists, tuples and dicts, followed until their items are plain values."""
