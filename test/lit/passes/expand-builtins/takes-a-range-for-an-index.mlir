// RUN: dycl-opt --dycl-expand-builtins %s | filecheck %s
// RUN: dycl-opt --dycl-expand-builtins --dycl-expand-builtins %s | filecheck %s

// A range between brackets is the list of its ints; one of unknown length stays.

// CHECK:      %[[zero:.*]] = dycl.constant 0 : i64
// CHECK-NEXT: %[[one:.*]] = dycl.constant 1 : i64
// CHECK-NEXT: %[[l:.*]] = dycl.list(%[[zero]], %[[one]])
// CHECK:      %[[t:.*]] = dycl.tuple(%[[l]], %k)
// CHECK-NEXT: dycl.store_subscript %x[%[[t]]], %k
// CHECK:      %[[open:.*]] = dycl.call %range(%n)
// CHECK-NEXT: %r = dycl.subscript %x[%[[open]]]
func.func @forward(%x: !torch.vtensor<[4,4],f32>, %n: !torch.int) attributes {dycl.entry} {
  %range = dycl.constant #dycl.global<"builtins.range">
  %k = dycl.constant 2 : i64 -> !torch.int
  %some = dycl.call %range(%k) : (!dycl.value, !torch.int) -> !dycl.value
  %i = dycl.tuple(%some, %k) : (!dycl.value, !torch.int) -> !dycl.value
  dycl.store_subscript %x[%i], %k : (!torch.vtensor<[4,4],f32>, !dycl.value, !torch.int) -> ()
  %open = dycl.call %range(%n) : (!dycl.value, !torch.int) -> !dycl.value
  %r = dycl.subscript %x[%open] : (!torch.vtensor<[4,4],f32>, !dycl.value) -> !dycl.value
  dycl.return %r
}
