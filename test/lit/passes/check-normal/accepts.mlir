// RUN: dycl-opt --dycl-check-normal %s | filecheck %s

// Calls of torch, data-dependent decisions and loops over data are normal form.

// CHECK-LABEL: func.func @forward
func.func @forward(%x: !dycl.value) attributes {dycl.entry} {
  %relu = dycl.constant #dycl.global<"torch.relu">
  %y = dycl.call %relu(%x)
  %z = dycl.for %row in %y carry(%s = %x) {
    dycl.yield %row
  }
  %p = dycl.to_bool %y
  dycl.if %p { dycl.return %z }
  dycl.return %y
}
