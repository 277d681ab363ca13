// REQUIRES: torch
// RUN: dycl-opt --dycl-infer-shapes %s | filecheck %s

// What a tensor's shape decides is a constant.

// CHECK-LABEL: func.func @forward
// CHECK:         %c_1 = dycl.constant 3 : i64 -> !torch.int
// CHECK:         %d_1 = dycl.constant 2 : i64 -> !torch.int
// CHECK:         %v = dycl.invoke %x "view"(%c_1, %n) {{.*}} -> !torch.vtensor<[3,4],f32>
func.func @forward(%x: !torch.vtensor<[3,4],f32>) attributes {dycl.entry} {
  %n = dycl.constant -1 : i64
  %s = dycl.getattr %x "shape" : (!torch.vtensor<[3,4],f32>) -> !dycl.value
  %c, %w = dycl.unpack %s -> 2
  %d = dycl.invoke %x "dim"() : (!torch.vtensor<[3,4],f32>) -> !dycl.value
  %v = dycl.invoke %x "view"(%c, %n) : (!torch.vtensor<[3,4],f32>, !dycl.value, !dycl.value) -> !dycl.value
  %t = dycl.tuple(%v, %d)
  dycl.return %t
}
