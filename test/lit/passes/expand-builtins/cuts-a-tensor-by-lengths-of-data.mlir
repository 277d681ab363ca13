// RUN: dycl-opt --dycl-expand-builtins %s | filecheck %s

// Lengths below zero, and of another sum, raise; then there are slices.
// CHECK:      %[[LOW:.+]] = dycl.compare lt %k
// CHECK:      dycl.if %[[LOW]]
// CHECK-NEXT:   dycl.raise "builtins.RuntimeError"
// CHECK:      %[[SIZE:.+]] = dycl.invoke %x "size"
// CHECK:      dycl.compare ne %{{.+}}, %[[SIZE]]
// CHECK:      dycl.raise "builtins.RuntimeError"
// CHECK:      %[[STOP:.+]] = dycl.binary add %{{.+}}, %k
// CHECK:      %[[A:.+]] = dycl.slice(%{{.+}}, %[[STOP]]
// CHECK:      %[[FIRST:.+]] = dycl.subscript %x
// CHECK:      dycl.slice(%[[STOP]]
// CHECK:      %[[SECOND:.+]] = dycl.subscript %x
// CHECK:      dycl.tuple(%[[FIRST]], %[[SECOND]])
// Known lengths are torch's own business.
// CHECK:      dycl.invoke %x "split"(%known
// CHECK:      dycl.raise "builtins.IndexError"
// CHECK:      %z = dycl.subscript %x
func.func @forward(%x: !torch.vtensor<[4,4],f32>, %k: !torch.int) attributes {dycl.entry} {
  %two = dycl.constant 2 : i64
  %dim = dycl.constant -1 : i64
  %sizes = dycl.list(%k, %two) : (!torch.int, !dycl.value) -> !dycl.value
  %p = dycl.invoke %x "split"(%sizes, dim = %dim) : (!torch.vtensor<[4,4],f32>, !dycl.value, !dycl.value) -> !dycl.value
  %known = dycl.list(%two, %two)
  %y = dycl.invoke %x "split"(%known) : (!torch.vtensor<[4,4],f32>, !dycl.value) -> !dycl.value
  %z = dycl.invoke %x "narrow"(%dim, %two, %k) : (!torch.vtensor<[4,4],f32>, !dycl.value, !dycl.value, !torch.int) -> !dycl.value
  dycl.return %p, %y, %z
}
