// RUN: dycl-opt -p "dycl-infer-shapes,dycl-split-tuples,dycl-infer-shapes" %s | filecheck %s

// Sizes of two paths, wherever they come from, are one size made of a choice for each
// int.

// CHECK:      %r, %r_1, %r_2 = dycl.if %p : !torch.bool -> (!dycl.value, !torch.int, !torch.int) {
// CHECK:      %r_3 = dycl.tuple(%r_1, %r_2)
// CHECK-NEXT: %r_4 = dycl.call %{{.*}}(%r_3)
// CHECK-NEXT: dycl.return %r_4
func.func @forward(%x: !torch.vtensor<[?,3],f32>, %p: !torch.bool) attributes {dycl.entry, dycl.params = ["x", "p"], dycl.sizes = [#dycl.size<"n", 0, "x" 0>]} {
  %r = dycl.if %p : !torch.bool -> (!dycl.value) {
    %s = dycl.getattr %x "shape" : (!torch.vtensor<[?,3],f32>) -> !dycl.value
    dycl.yield %s
  } else {
    %c = dycl.constant #dycl.torch_size<[1 : i64, 2 : i64]>
    dycl.yield %c
  }
  dycl.return %r
}
