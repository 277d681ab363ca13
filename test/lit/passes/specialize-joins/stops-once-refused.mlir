// RUN: dycl-opt --dycl-specialize-joins %s | filecheck %s

// A recursion is refused, so nothing is copied: what follows would only grow.

// CHECK-LABEL: func.func @forward
// CHECK-NOT:     dycl.copied
// CHECK:         %h = dycl.if
// CHECK:         %y = dycl.tuple(%h, %r)
func.func @forward(%p: !torch.bool) attributes {dycl.entry} {
  %r = dycl.unsupported "DY203" "the data ends this recursion" "write it as a loop"
  %n = dycl.constant 2 : i64
  %f = dycl.constant 2.5 : f64
  %h = dycl.if %p : !torch.bool -> (!dycl.value) {
    dycl.yield %n
  } else {
    dycl.yield %f
  }
  %y = dycl.tuple(%h, %r)
  dycl.return %y
}
