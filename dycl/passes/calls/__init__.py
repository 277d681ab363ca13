"""What `dycl-inline-calls` finds besides calls: properties, operators, hooks."""
