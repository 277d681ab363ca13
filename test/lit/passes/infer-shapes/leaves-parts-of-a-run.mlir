// RUN: dycl-opt %s --dycl-infer-shapes | filecheck %s

// How many parts `x.split(4)` has, a run decides: they are not taken apart as those of one size.

builtin.module {
  func.func @forward(%x: !torch.vtensor<[?,8],f32>, %y: !torch.vtensor<[8,8],f32>) attributes {dycl.entry, dycl.params = ["x", "y"], dycl.sizes = [#dycl.size<"n", 0 to 16, "x" 0>]} {
    %four = dycl.constant 4 : i64
    %yes = dycl.constant true
    %p, %q = dycl.if %yes -> (!dycl.value, !dycl.value) {
      %s = dycl.invoke %x "split"(%four) : (!torch.vtensor<[?,8],f32>, !dycl.value) -> !dycl.value
      %t = dycl.invoke %y "split"(%four) : (!torch.vtensor<[8,8],f32>, !dycl.value) -> !dycl.value
      dycl.yield %s, %t
    } else {
      dycl.yield %four, %four
    }
    %r = dycl.tuple(%p, %q)
    dycl.return %r
  }
}

// CHECK:      %s = dycl.invoke %x "split"
// CHECK:      %[[T:.*]] = dycl.invoke %y "split"
// CHECK-NEXT: dycl.unpack %[[T]] -> 2
// CHECK-NEXT: dycl.tuple
// CHECK-NEXT: dycl.yield %s
