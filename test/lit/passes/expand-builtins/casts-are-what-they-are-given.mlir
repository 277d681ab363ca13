// RUN: dycl-opt --dycl-expand-builtins %s | filecheck %s

// CHECK-LABEL: func.func @forward
// CHECK-NOT:     dycl.call
// CHECK:         dycl.return %x, %l
func.func @forward(%x: !torch.vtensor<[4],f32>) attributes {dycl.entry} {
  %cast = dycl.constant #dycl.global<"typing.cast">
  %annotate = dycl.constant #dycl.global<"torch.jit.annotate">
  %type = dycl.constant #dycl.global<"torch.Tensor">
  %l = dycl.list()
  %y = dycl.call %cast(%type, %x) : (!dycl.value, !dycl.value, !torch.vtensor<[4],f32>) -> !dycl.value
  %z = dycl.call %annotate(%type, %l)
  dycl.return %y, %z
}
