// RUN: dycl-opt %s | dycl-opt | filecheck %s

// An empty branch and a yield of nothing are left out; an exit is not.

func.func @f(%p: !dycl.value, %a: !dycl.value, %b: !dycl.value) -> !dycl.value {
  // CHECK: %x, %y = dycl.if %p -> (!dycl.value, !dycl.value) {
  // CHECK-NEXT: dycl.yield %a, %b
  // CHECK-NEXT: } else {
  // CHECK-NEXT: dycl.yield %b, %a
  // CHECK-NEXT: } {test = "p"}
  %x, %y = dycl.if %p -> (!dycl.value, !dycl.value) {
    dycl.yield %a, %b
  } else {
    dycl.yield %b, %a
  } {test = "p"}
  // CHECK-NEXT: dycl.if %x {
  // CHECK-NEXT: dycl.return %y
  // CHECK-NEXT: }
  dycl.if %x {
    dycl.return %y
  } else {
    dycl.yield
  }
  // CHECK-NEXT: dycl.if %y {
  // CHECK-NEXT: dycl.setattr
  // CHECK-NEXT: } else {
  // CHECK-NEXT: dycl.setattr
  // CHECK-NEXT: }
  dycl.if %y {
    dycl.setattr %a "b", %b
    dycl.yield
  } else {
    dycl.setattr %b "a", %a
  }
  dycl.return %a
}

// CHECK-LABEL: @typed
func.func @typed(%p: !torch.bool, %a: !torch.int) {
  // CHECK: dycl.if %p : !torch.bool -> (!torch.int) {
  // CHECK-NEXT: dycl.yield %a : (!torch.int) -> ()
  // CHECK: } {name = "gate"}
  %x = dycl.if %p : !torch.bool -> (!torch.int) {
    dycl.yield %a : (!torch.int) -> ()
  } else {
    dycl.return %a : (!torch.int) -> ()
  } {name = "gate"}
  dycl.return %x : (!torch.int) -> ()
}
