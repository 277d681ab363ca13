// RUN: dycl-opt %s --dycl-infer-shapes | filecheck %s

// Of a `torch.Size`, `new` makes a tensor of that size; of another tuple, one of the elements.

builtin.module {
  func.func @forward(%x: !torch.vtensor<[2,3],f32>) attributes {dycl.entry, dycl.params = ["x"]} {
    %s = dycl.invoke %x "size"() : (!torch.vtensor<[2,3],f32>) -> !dycl.value
    %y = dycl.invoke %x "new"(%s) : (!torch.vtensor<[2,3],f32>, !dycl.value) -> !dycl.value
    %t = dycl.constant #dycl.tuple<[2 : i64, 3 : i64]>
    %z = dycl.invoke %x "new"(%t) : (!torch.vtensor<[2,3],f32>, !dycl.value) -> !dycl.value
    %r = dycl.tuple(%y, %z)
    dycl.return %r
  }
}

// CHECK: %s_1 = dycl.constant #dycl.torch_size<[2 : i64, 3 : i64]>
// CHECK: dycl.invoke %x "new_empty"(%s_1) : {{.*}} -> !torch.vtensor<[2,3],f32>
// CHECK: dycl.invoke %x "new"(%t) : {{.*}} -> !torch.vtensor<[2],f32>
