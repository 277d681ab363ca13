// RUN: dycl-opt --dycl-specialize-joins %s | filecheck %s

// Three paths, two types: two copies. The floats meet in a scope in front of theirs.

// CHECK-LABEL: func.func @forward
// CHECK-COUNT-2: dycl.binary mul
// CHECK-NOT:     dycl.binary mul

func.func @forward(%p: !torch.bool, %q: !torch.bool) attributes {dycl.entry} {
  %n = dycl.constant 2 : i64
  %f = dycl.constant 2.5 : f64
  %g = dycl.constant 3.5 : f64
  %h = dycl.scope "s" -> (!dycl.value) {
    dycl.if %p : !torch.bool {
      dycl.leave "s" %f
    }
    dycl.if %q : !torch.bool {
      dycl.leave "s" %n
    }
    dycl.leave "s" %g
  }
  %y = dycl.binary mul %h, %h : (!dycl.value, !dycl.value) -> !torch.float
  %z = dycl.unary neg %y : (!torch.float) -> !torch.float
  dycl.return %z : (!torch.float) -> ()
}
