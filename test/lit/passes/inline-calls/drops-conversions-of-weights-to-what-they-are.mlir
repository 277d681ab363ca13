// RUN: dycl-opt --dycl-inline-calls %s | filecheck %s

// A weight that is converted to its own dtype is the very tensor, unless it is copied.

// CHECK-LABEL: func.func @forward
// CHECK:         dycl.invoke %w "to"(%d, copy = %yes)
// CHECK-NEXT:    dycl.invoke %w "double"()
// CHECK-NOT:     dycl.invoke
// CHECK:         dycl.return %{{.*}}, %{{.*}}, %w, %w, %w
dycl.object @"" "net.Net" {}
func.func @forward(%x: !torch.vtensor<[4],f32>) attributes {dycl.entry} {
  %w = dycl.constant #dycl.param<"w", [4 : i64], f32>
  %c = dycl.constant #dycl.device<"cpu">
  %d = dycl.constant #dycl.global<"torch.float32">
  %yes = dycl.constant true
  %a = dycl.invoke %w "to"(%d, copy = %yes) : (!dycl.value, !dycl.value, !dycl.value) -> !dycl.value
  %b = dycl.invoke %w "double"()
  %e = dycl.invoke %w "to"(device = %c, dtype = %d, non_blocking = %yes) : (!dycl.value, !dycl.value, !dycl.value, !dycl.value) -> !dycl.value
  %f = dycl.invoke %w "float"()
  %g = dycl.invoke %w "to"(%x) : (!dycl.value, !torch.vtensor<[4],f32>) -> !dycl.value
  dycl.return %a, %b, %e, %f, %g
}
