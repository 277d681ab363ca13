// RUN: dycl-opt %s | dycl-opt | filecheck %s

func.func @f(%p: !dycl.value, %n: !torch.int) -> !dycl.value {
  // CHECK: %x, %m = dycl.scope "call 1" -> (!dycl.value, !torch.int) {
  // CHECK-NEXT: dycl.scope "call 2" {
  // CHECK-NEXT: dycl.if %p {
  // CHECK-NEXT: dycl.leave "call 1" %p, %n : (!dycl.value, !torch.int) -> ()
  // CHECK-NEXT: }
  // CHECK-NEXT: dycl.leave "call 2"
  // CHECK-NEXT: } {note = "kept"}
  // CHECK-NEXT: dycl.unreachable
  // CHECK-NEXT: }
  %x, %m = dycl.scope "call 1" -> (!dycl.value, !torch.int) {
    dycl.scope "call 2" {
      dycl.if %p { dycl.leave "call 1" %p, %n : (!dycl.value, !torch.int) -> () }
      dycl.leave "call 2"
    } {note = "kept"}
    dycl.unreachable
  }
  dycl.return %x
}
