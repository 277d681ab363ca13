// RUN: dycl-opt --dycl-word-tensors %s | filecheck %s

// Several elements become words, a single one its number; arguments of the exception,
// and the texts among them.

// CHECK:      dycl.if %p
// CHECK:        %[[N:.*]] = dycl.invoke %y "item"()
// CHECK-NEXT:   %[[W:.*]] = dycl.constant "a float32 tensor of shape (2, 3)"
// CHECK-NEXT:   %s = dycl.invoke %f "format"(%[[N]], %[[W]])
// CHECK-NEXT:   %[[O:.*]] = dycl.constant "a float32 tensor of shape (any size,)"
// CHECK-NEXT:   dycl.raise "builtins.ValueError"(%s, %[[O]])
func.func @forward(%p: !torch.bool, %x: !torch.vtensor<[2,3],f32>, %y: !torch.vtensor<[1],f32>, %z: !torch.vtensor<[?],f32>) attributes {dycl.entry} {
  dycl.if %p : !torch.bool {
    %f = dycl.constant "{:.2f} and {}"
    %s = dycl.invoke %f "format"(%y, %x) : (!dycl.value, !torch.vtensor<[1],f32>, !torch.vtensor<[2,3],f32>) -> !dycl.value
    dycl.raise "builtins.ValueError"(%s, %z) : (!dycl.value, !torch.vtensor<[?],f32>) -> ()
  } {test = "p"}
  dycl.return %x : (!torch.vtensor<[2,3],f32>) -> ()
}
