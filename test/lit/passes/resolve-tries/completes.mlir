// RUN: dycl-opt --dycl-resolve-tries %s | filecheck %s

// A constant raises nothing: the body completes.

// CHECK:      func.func @forward
// CHECK-NEXT:   %a = dycl.constant 2 : i64
// CHECK-NEXT:   dycl.return %a
func.func @forward() attributes {dycl.entry} {
  %r = dycl.try -> (!dycl.value) {
    %a = dycl.constant 2 : i64
    dycl.yield %a
  } except "?" {
    %b = dycl.constant 3 : i64
    dycl.yield %b
  }
  dycl.return %r
}
