// RUN: dycl-opt --dycl-expand-builtins %s | filecheck %s

// `k not in (1, 2)`; a text in the tuple is equal to no number.

// CHECK:      dycl.compare eq %{{.*}}, %k : (!dycl.value, !torch.int) -> !torch.bool
// CHECK-NEXT: %[[d:.*]] = dycl.compare eq %{{.*}}, %k
// CHECK-NOT:  dycl.compare
// CHECK:      dycl.select
// CHECK-NEXT: dycl.unary not
func.func @forward(%k: !torch.int) attributes {dycl.entry} {
  %t = dycl.constant #dycl.tuple<[1 : i64, "a", 2 : i64]>
  %r = dycl.compare not_in %k, %t : (!torch.int, !dycl.value) -> !dycl.value
  dycl.return %r
}
