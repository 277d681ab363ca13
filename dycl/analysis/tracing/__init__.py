"""What an op is in `torch.aten` ops that torch-mlir lowers as eager computes."""
