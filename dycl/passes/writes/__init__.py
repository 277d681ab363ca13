"""Updates in place become values: stores, views, and the names that see them."""
