// RUN: dycl-opt --dycl-simplify-control %s | filecheck %s

// What stands in the other branch is gone, refusals too.

// CHECK-LABEL: func.func @forward
// CHECK-NOT:     dycl.unsupported
// CHECK:         dycl.return %x
func.func @forward(%x: !dycl.value) attributes {dycl.entry} {
  %c = dycl.constant false
  dycl.if %c {
    %u = dycl.unsupported "DY107" "`try` cannot be compiled" "test the condition"
    dycl.yield
  }
  dycl.return %x
}
