"""Console scripts: `dycl`, `dycl-opt` and what they share."""
