"""Lists whose length the data decides: their names, and paths that meet in one."""
