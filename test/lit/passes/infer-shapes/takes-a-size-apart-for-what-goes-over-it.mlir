// RUN: dycl-opt %s --dycl-infer-shapes | filecheck %s

// `x.shape.index(8)`, `sum(x.shape)` and `*b, d = x.shape` go over the sizes.

builtin.module {
  func.func @forward(%x: !torch.vtensor<[?,8],f32>) attributes {dycl.entry, dycl.params = ["x"], dycl.sizes = [#dycl.size<"n", 0 to 16, "x" 0>]} {
    %s = dycl.getattr %x "shape" : (!torch.vtensor<[?,8],f32>) -> !dycl.value
    %eight = dycl.constant 8 : i64
    %i = dycl.invoke %s "index"(%eight)
    %sum = dycl.constant #dycl.global<"builtins.sum">
    %t = dycl.call %sum(%s)
    %b, %d = dycl.unpack %s -> 2 star 0 : (!dycl.value) -> (!dycl.value, !dycl.value)
    %r = dycl.tuple(%i, %t, %b)
    dycl.return %r
  }
}

// CHECK:      %[[N:.*]], %{{.*}} = dycl.unpack %s -> 2
// CHECK-NEXT: %[[SIZE:.*]] = dycl.tuple(%[[N]], %{{.*}})
// CHECK-NEXT: dycl.invoke %[[SIZE]] "index"
// CHECK:      %[[N:.*]], %{{.*}} = dycl.unpack %s -> 2
// CHECK-NEXT: %[[SIZE:.*]] = dycl.tuple(%[[N]], %{{.*}})
// CHECK-NEXT: dycl.call %sum(%[[SIZE]])
// CHECK:      %[[N:.*]], %{{.*}} = dycl.unpack %s -> 2
// CHECK-NEXT: %[[SIZE:.*]] = dycl.tuple(%[[N]], %{{.*}})
// CHECK-NEXT: dycl.unpack %[[SIZE]] -> 2 star 0
