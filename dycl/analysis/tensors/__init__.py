"""Abstract values: shapes, dtypes and kinds, as one walk finds them."""
