// RUN: dycl-opt --dycl-scalarize-aggregates %s | filecheck %s

// An `if` says which tensor the item is, and so what is a second name of what.

// CHECK-LABEL: func.func @forward
// CHECK:         %[[A:.*]] = dycl.if %{{.*}} -> (!torch.vtensor<[4],f32>) {
// CHECK-NEXT:      dycl.yield %y
// CHECK:         } else {
// CHECK-NEXT:      dycl.yield %x
// CHECK:         } {test = "k == 0"}
// CHECK:         %[[L:.*]] = dycl.list(%[[A]])
// CHECK:         dycl.return %[[L]]
func.func @forward(%k: !torch.int, %x: !torch.vtensor<[4],f32>, %y: !torch.vtensor<[4],f32>) attributes {dycl.entry} {
  %l = dycl.list(%x) : (!torch.vtensor<[4],f32>) -> !dycl.value
  dycl.store_subscript %l[%k], %y : (!dycl.value, !torch.int, !torch.vtensor<[4],f32>) -> ()
  dycl.return %l
}
