// RUN: dycl-opt --dycl-specialize-joins %s | filecheck %s

// One side is not known yet: another pass may still find out that it is an int.

// CHECK-LABEL: func.func @forward
// CHECK:         } else {
// CHECK-NEXT:      dycl.yield %x
// CHECK-NEXT:    }
// CHECK-NEXT:    dycl.return %h
func.func @forward(%x: !dycl.value, %p: !torch.bool) attributes {dycl.entry} {
  %n = dycl.constant 2 : i64
  %h = dycl.if %p : !torch.bool -> (!dycl.value) {
    dycl.yield %n
  } else {
    dycl.yield %x
  }
  dycl.return %h
}
