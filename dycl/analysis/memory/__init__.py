"""What shares memory, what is written to, how long a buffer is needed."""
