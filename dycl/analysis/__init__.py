"""Questions about the IR: each analysis returns a value and stores nothing in it."""
