// RUN: dycl-opt --dycl-make-tensor-ops --verify-diagnostics %s | filecheck %s

// A call stays a call where there is no op on tensors of the operator's name. What it
// makes of others, `test_new_op.py` shows: no op of ours is one.

// CHECK-LABEL: func.func @f
func.func @f(%x: !dycl.value) -> !dycl.value {
  // CHECK: dycl.call %unknown(%x)
  %unknown = dycl.constant #dycl.global<"torch.ops.mine.shrink">
  %a = dycl.call %unknown(%x)
  // CHECK: dycl.call %other(%a)
  %other = dycl.constant #dycl.global<"torch.ops.dycl.unary">
  // expected-remark@+1 {{not made dycl.unary: it is no op on tensors}}
  %b = dycl.call %other(%a)
  // CHECK: dycl.call %torchs(%b)
  %torchs = dycl.constant #dycl.global<"torch.relu">
  %c = dycl.call %torchs(%b)
  dycl.return %c
}
