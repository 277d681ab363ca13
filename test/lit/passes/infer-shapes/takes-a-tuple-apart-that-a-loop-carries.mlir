// REQUIRES: torch
// RUN: dycl-opt --dycl-infer-shapes %s | filecheck %s

// What a loop hands on of what torch gives is a tuple for all to see.

// CHECK-LABEL: func.func @forward
// CHECK:         %p = dycl.invoke %x "unbind"()
// CHECK-NEXT:    %0, %1 = dycl.unpack %p -> 2
// CHECK-NEXT:    %p_1 = dycl.tuple(%0, %1)
// CHECK:         dycl.while carry(%q = %p_1,
func.func @forward(%x: !torch.vtensor<[2,4],f32>, %n: !torch.int) attributes {dycl.entry} {
  %p = dycl.invoke %x "unbind"() : (!torch.vtensor<[2,4],f32>) -> !dycl.value
  %i = dycl.constant 0 : i64
  %t, %k = dycl.while carry(%q = %p, %j = %i) {
    %c = dycl.compare lt %j, %n : (!dycl.value, !torch.int) -> !dycl.value
    dycl.condition %c, %q, %j
  } do(%r, %j_1) {
    %one = dycl.constant 1 : i64
    %j_2 = dycl.binary add %j_1, %one
    dycl.yield %r, %j_2
  }
  dycl.return %t
}
