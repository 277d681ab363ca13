// RUN: dycl-opt %s --dycl-raise-failures | filecheck %s

// Two tensors that never fit, and the negative of None, on paths that data decides.

builtin.module {
  func.func @forward(%p: !dycl.value, %a: !torch.vtensor<[2],f32>, %b: !torch.vtensor<[3],f32>) attributes {dycl.entry, dycl.params = ["p", "a", "b"]} {
    dycl.if %p {
      %y = dycl.binary add %a, %b : (!torch.vtensor<[2],f32>, !torch.vtensor<[3],f32>) -> !dycl.value
      dycl.return %y
    } else {
      dycl.yield
    }
    dycl.if %p {
      dycl.yield
    } else {
      %n = dycl.constant #dycl.none
      %m = dycl.unary neg %n
      dycl.return %m
    }
    dycl.return %a : (!torch.vtensor<[2],f32>) -> ()
  }
}

// CHECK:      dycl.if %p
// CHECK-NEXT:   [[TEXT:%[0-9]+]] = dycl.constant "The size of tensor a (2) must match the size of tensor b (3) at non-singleton dimension 0"
// CHECK-NEXT:   dycl.raise "builtins.RuntimeError"([[TEXT]])
// CHECK:      } else {
// CHECK:        [[WHY:%[0-9]+]] = dycl.constant "bad operand type for unary -: 'NoneType'"
// CHECK-NEXT:   dycl.raise "builtins.TypeError"([[WHY]])
// CHECK-NEXT: }
// CHECK-NEXT: dycl.return %a
