// RUN: dycl-opt %s --dycl-infer-shapes | filecheck %s

// `x.shape + (3,)` and `x.shape * 2` are of the class `torch.Size`, as in eager.

builtin.module {
  func.func @forward(%x: !torch.vtensor<[?,8],f32>) attributes {dycl.entry, dycl.params = ["x"], dycl.sizes = [#dycl.size<"n", 0 to 16, "x" 0>]} {
    %s = dycl.getattr %x "shape" : (!torch.vtensor<[?,8],f32>) -> !dycl.value
    %t = dycl.constant #dycl.tuple<[3 : i64]>
    %u = dycl.binary add %s, %t
    %two = dycl.constant 2 : i64
    %v = dycl.binary mul %s, %two
    %r = dycl.tuple(%u, %v)
    dycl.return %r
  }
}

// CHECK:      %s = dycl.getattr %x "shape"
// CHECK:      %[[ROWS:.*]], %{{.*}} = dycl.unpack %s -> 2
// CHECK:      %[[THREE:.*]] = dycl.unpack %t -> 1
// CHECK-NEXT: %[[ALL:.*]] = dycl.tuple(%[[ROWS]], %{{.*}}, %[[THREE]])
// CHECK-NEXT: %[[SIZE:.*]] = dycl.constant #dycl.global<"torch.Size">
// CHECK-NEXT: %u = dycl.call %[[SIZE]](%[[ALL]])
// CHECK:      %[[TWICE:.*]] = dycl.tuple(%[[N:.*]], %[[C:.*]], %[[N]], %[[C]])
// CHECK-NEXT: %[[SIZE:.*]] = dycl.constant #dycl.global<"torch.Size">
// CHECK-NEXT: %v = dycl.call %[[SIZE]](%[[TWICE]])
