// REQUIRES: torch
// RUN: dycl-opt --dycl-infer-shapes %s | filecheck %s

// A tensor of one shape, an int that is not 0 for ever, a bool that the loop binds.
// What changes its type (%g) has none.

// CHECK:      %k = dycl.unbound "k" : () -> !torch.bool
// CHECK-NEXT: %y, %i, %k_1, %h = dycl.while carry(%a : !torch.vtensor<[2],f32> = %x : !torch.vtensor<[2],f32>, %j : !torch.int = %zero : !torch.int, %b : !torch.bool = %k : !torch.bool, %g = %x : !torch.vtensor<[2],f32>) {
// CHECK:        %d = dycl.binary mul %a_1, %two : (!torch.vtensor<[2],f32>, !torch.int) -> !torch.vtensor<[2],f32>
// CHECK:        %size_1 = dycl.constant #dycl.torch_size<[2 : i64]>
// CHECK-NEXT:   %s = dycl.compare eq %size_1
// CHECK:        dycl.yield %d, %j_2, %s_1, %sum : (!torch.vtensor<[2],f32>, !torch.int, !torch.bool, !dycl.value) -> ()
func.func @forward(%x: !torch.vtensor<[2],f32>, %n: !torch.int) attributes {dycl.entry} {
  %zero = dycl.constant 0 : i64
  %k_0 = dycl.unbound "k"
  %y, %i, %k, %h = dycl.while carry(%a = %x : !torch.vtensor<[2],f32>, %j = %zero, %b = %k_0, %g = %x : !torch.vtensor<[2],f32>) {
    %c = dycl.compare lt %j, %n : (!dycl.value, !torch.int) -> !dycl.value
    dycl.condition %c, %a, %j, %b, %g
  } do(%a_1, %j_1, %b_1, %g_1) {
    %two = dycl.constant 2 : i64
    %d = dycl.binary mul %a_1, %two
    %one = dycl.constant 1 : i64
    %j_2 = dycl.binary add %j_1, %one
    %size = dycl.getattr %a_1 "shape"
    %s = dycl.compare eq %size, %zero
    %sum = dycl.invoke %g_1 "sum"()
    dycl.yield %d, %j_2, %s, %sum
  }
  %t = dycl.tuple(%y, %i, %k, %h)
  dycl.return %t
}
