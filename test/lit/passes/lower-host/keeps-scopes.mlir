// RUN: dycl-opt --dycl-lower-host %s | filecheck %s

// A scope is left from inside an `if` of it, as before.

// CHECK:         %r = dycl.scope "call" -> (f64) {
// CHECK-NEXT:      dycl.if %c : i1 {
// CHECK-NEXT:        dycl.leave "call" %a : (f64) -> ()
// CHECK-NEXT:      }
// CHECK-NEXT:      dycl.leave "call" %b : (f64) -> ()
// CHECK-NEXT:    }
func.func @forward(%c: !torch.bool, %a: !torch.float, %b: !torch.float) attributes {dycl.entry} {
  %r = dycl.scope "call" -> (!torch.float) {
    dycl.if %c : !torch.bool {
      dycl.leave "call" %a : (!torch.float) -> ()
    }
    dycl.leave "call" %b : (!torch.float) -> ()
  }
  dycl.return %r : (!torch.float) -> ()
}
