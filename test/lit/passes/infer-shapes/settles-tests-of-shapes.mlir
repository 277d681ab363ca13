// REQUIRES: torch
// RUN: dycl-opt --dycl-infer-shapes %s | filecheck %s

// A test of a shape has one outcome, and the result is what that side gives: a second
// test behind it is settled in the same run, and so is a leave inside. The other side is
// still there, so the result's type stays open.

// CHECK-LABEL: func.func @forward
// CHECK:         %r = dycl.if %c : !torch.bool -> (!dycl.value) {
// CHECK:         %m = dycl.invoke %r "numel"()
// CHECK-NEXT:    %m_1 = dycl.constant 2 : i64 -> !torch.int
// CHECK:         %s = dycl.scope "f" -> (!dycl.value) {
// CHECK:         %l = dycl.invoke %s "numel"()
// CHECK-NEXT:    %l_1 = dycl.constant 2 : i64 -> !torch.int
func.func @forward(%x: !torch.vtensor<[3],f32>) attributes {dycl.entry} {
  %zero = dycl.constant 0 : i64
  %three = dycl.constant 3 : i64
  %two = dycl.constant 2 : i64
  %n = dycl.invoke %x "numel"() : (!torch.vtensor<[3],f32>) -> !dycl.value
  %c = dycl.compare eq %n, %three
  %r = dycl.if %c -> (!dycl.value) {
    %y = dycl.invoke %x "narrow"(%zero, %zero, %two) : (!torch.vtensor<[3],f32>, !dycl.value, !dycl.value, !dycl.value) -> !dycl.value
    dycl.yield %y
  } else {
    dycl.yield %x : (!torch.vtensor<[3],f32>) -> ()
  }
  %m = dycl.invoke %r "numel"()
  %d = dycl.compare eq %m, %three
  %s = dycl.scope "f" -> (!dycl.value) {
    %u = dycl.if %d -> (!dycl.value) {
      dycl.leave "f" %x : (!torch.vtensor<[3],f32>) -> ()
    } else {
      dycl.yield %r
    }
    dycl.leave "f" %u
  }
  %l = dycl.invoke %s "numel"()
  dycl.return %l
}
