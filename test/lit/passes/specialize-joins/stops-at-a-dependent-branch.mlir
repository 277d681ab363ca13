// RUN: dycl-opt --dycl-specialize-joins %s | filecheck %s

// Each copy of the second `if` may give one type, once its test is known: stop there.
// (A value that is None on a path is followed: follows-what-may-be-none.mlir.)

// CHECK-LABEL: func.func @forward
// CHECK-COUNT-2: dycl.compare is
// CHECK-COUNT-1: dycl.binary mul
// CHECK-NOT:     dycl.binary mul
func.func @forward(%p: !torch.bool) attributes {dycl.entry} {
  %none = dycl.constant #dycl.none
  %n = dycl.constant 2 : i64
  %f = dycl.constant 2.5 : f64
  %h = dycl.if %p : !torch.bool -> (!dycl.value) {
    dycl.yield %n
  } else {
    dycl.yield %f
  }
  %q = dycl.compare is %h, %none : (!dycl.value, !dycl.value) -> !torch.bool
  %g = dycl.if %q : !torch.bool -> (!dycl.value) {
    dycl.yield %f
  } else {
    dycl.yield %h
  }
  %y = dycl.binary mul %g, %g : (!dycl.value, !dycl.value) -> !torch.float
  dycl.return %y : (!torch.float) -> ()
}
