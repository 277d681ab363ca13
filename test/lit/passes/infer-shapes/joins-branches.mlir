// REQUIRES: torch
// RUN: dycl-opt --dycl-infer-shapes %s | filecheck %s

// A result of an `if` has the type that both sides agree on; a side that leaves does not
// count, and a name that a side leaves unbound takes the other side's type.

// CHECK-LABEL: func.func @forward
// CHECK:         %a, %b, %c, %d = dycl.if %p : !torch.bool -> (!torch.vtensor<[3],f32>, !torch.vtensor<[3],f32>, !torch.int, !dycl.value) {
// CHECK:           %u = dycl.unbound "b" : () -> !torch.vtensor<[3],f32>
// CHECK:         %e = dycl.if %p : !torch.bool -> (!torch.vtensor<[],f32>) {
func.func @forward(%x: !torch.vtensor<[3],f32>) attributes {dycl.entry} {
  %one = dycl.constant 1 : i64
  %two = dycl.constant 2 : i64
  %s = dycl.invoke %x "sum"() : (!torch.vtensor<[3],f32>) -> !dycl.value
  %p = dycl.to_bool %s
  %a, %b, %c, %d = dycl.if %p -> (!dycl.value, !dycl.value, !dycl.value, !dycl.value) {
    %y = dycl.invoke %x "exp"() : (!torch.vtensor<[3],f32>) -> !dycl.value
    %u = dycl.unbound "b"
    dycl.yield %y, %u, %one, %s
  } else {
    %y = dycl.invoke %x "cos"() : (!torch.vtensor<[3],f32>) -> !dycl.value
    dycl.yield %y, %y, %two, %y
  }
  %e = dycl.if %p -> (!dycl.value) {
    dycl.return %a
  } else {
    dycl.yield %s
  }
  %t = dycl.tuple(%a, %b, %c, %d, %e)
  dycl.return %t
}
