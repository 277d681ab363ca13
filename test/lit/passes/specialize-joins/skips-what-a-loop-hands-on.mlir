// RUN: dycl-opt --dycl-specialize-joins --verify-diagnostics %s | filecheck %s

// The next iteration takes values of one type; copies cannot help.

// CHECK-LABEL: func.func @forward
// CHECK:         } else {
// CHECK-NEXT:      dycl.yield %f
// CHECK-NEXT:    }
// CHECK-NEXT:    dycl.yield %h
func.func @forward(%p: !torch.bool) attributes {dycl.entry} {
  %n = dycl.constant 2 : i64
  %f = dycl.constant 2.5 : f64
  %r = dycl.while carry(%a = %n) {
    dycl.condition %p, %a : (!torch.bool, !dycl.value) -> ()
  } do (%b) {
    // expected-remark@+1 {{a loop carries the value}}
    %h = dycl.if %p : !torch.bool -> (!dycl.value) {
      dycl.yield %n
    } else {
      dycl.yield %f
    }
    dycl.yield %h
  }
  dycl.return %r
}
