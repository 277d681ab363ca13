// RUN: dycl-opt --dycl-specialize-joins %s | filecheck %s
// REQUIRES: torch

// Two ints have one type, but the shape of a slice depends on which it is.

// CHECK-LABEL: func.func @forward
// CHECK:         dycl.if %p : !torch.bool {
// CHECK-NEXT:      %{{.*}} = dycl.slice(%none, %two, %none)
// CHECK:           dycl.return
// CHECK:         } else {
// CHECK-NEXT:      %{{.*}} = dycl.slice(%none, %four, %none)
// CHECK:           dycl.return
func.func @forward(%x: !torch.vtensor<[4],f32>, %p: !torch.bool) attributes {dycl.entry} {
  %none = dycl.constant #dycl.none
  %two = dycl.constant 2 : i64 -> !torch.int
  %four = dycl.constant 4 : i64 -> !torch.int
  %k = dycl.select %p, %two, %four : (!torch.bool, !torch.int, !torch.int) -> !torch.int
  %s = dycl.slice(%none, %k, %none) : (!dycl.value, !torch.int, !dycl.value) -> !dycl.value
  %y = dycl.subscript %x[%s] : (!torch.vtensor<[4],f32>, !dycl.value) -> !dycl.value
  dycl.return %y
}
