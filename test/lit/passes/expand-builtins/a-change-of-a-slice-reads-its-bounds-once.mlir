// RUN: dycl-opt --dycl-expand-builtins %s | filecheck %s
// RUN: dycl-opt --dycl-expand-builtins --dycl-expand-builtins %s | filecheck %s

// `y[:k] += 1`: the store is at the slice that was read. Where the elements are ints,
// or something else is done between the two, the bound is asked for again.

// CHECK:      %[[K:.*]] = dycl.invoke %k "item"
// CHECK-NEXT: %[[S:.*]] = dycl.slice(%none, %[[K]], %none)
// CHECK-NEXT: %a = dycl.subscript %y[%[[S]]]
// CHECK-NEXT: %b = dycl.inplace add %a, %one
// CHECK-NEXT: dycl.store_subscript %y[%[[S]]], %b
// CHECK-COUNT-2: dycl.invoke %k "item"
// CHECK:      dycl.store_subscript %n
// CHECK-COUNT-2: dycl.invoke %k "item"
// CHECK:      dycl.store_subscript %y
// CHECK-NOT:  "item"
func.func @forward(%y: !torch.vtensor<[8],f32>, %n: !torch.vtensor<[8],si64>, %k: !torch.vtensor<[],si64>) attributes {dycl.entry} {
  %none = dycl.constant #dycl.none -> !torch.none
  %one = dycl.constant 1 : i64 -> !torch.int
  %s = dycl.slice(%none, %k, %none) : (!torch.none, !torch.vtensor<[],si64>, !torch.none) -> !dycl.value
  %a = dycl.subscript %y[%s] : (!torch.vtensor<[8],f32>, !dycl.value) -> !dycl.value
  %b = dycl.inplace add %a, %one : (!dycl.value, !torch.int) -> !dycl.value
  dycl.store_subscript %y[%s], %b : (!torch.vtensor<[8],f32>, !dycl.value, !dycl.value) -> ()
  %t = dycl.slice(%none, %k, %none) : (!torch.none, !torch.vtensor<[],si64>, !torch.none) -> !dycl.value
  %c = dycl.subscript %n[%t] : (!torch.vtensor<[8],si64>, !dycl.value) -> !dycl.value
  %d = dycl.inplace add %c, %one : (!dycl.value, !torch.int) -> !dycl.value
  dycl.store_subscript %n[%t], %d : (!torch.vtensor<[8],si64>, !dycl.value, !dycl.value) -> ()
  %u = dycl.slice(%none, %k, %none) : (!torch.none, !torch.vtensor<[],si64>, !torch.none) -> !dycl.value
  %e = dycl.subscript %y[%u] : (!torch.vtensor<[8],f32>, !dycl.value) -> !dycl.value
  %v = dycl.invoke %k "add_"(%one) : (!torch.vtensor<[],si64>, !torch.int) -> !dycl.value
  %f = dycl.inplace add %e, %v : (!dycl.value, !dycl.value) -> !dycl.value
  dycl.store_subscript %y[%u], %f : (!torch.vtensor<[8],f32>, !dycl.value, !dycl.value) -> ()
  dycl.return %y : (!torch.vtensor<[8],f32>) -> ()
}
