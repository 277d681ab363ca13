"""DyCL."""
