// RUN: dycl-opt --dycl-expand-builtins %s | filecheck %s

// What a list is made of is not what it holds where it is compared, or is sizes.

// CHECK-LABEL: func.func @forward
// CHECK:         dycl.compare eq %l, %m
// CHECK:         dycl.invoke %x "split"(%l)
func.func @forward(%x: !torch.vtensor<[4],f32>, %n: !torch.int) attributes {dycl.entry} {
  %l = dycl.list(%n) : (!torch.int) -> !dycl.value
  %m = dycl.list(%n, %n) : (!torch.int, !torch.int) -> !dycl.value
  %0 = dycl.invoke %l "append"(%n) : (!dycl.value, !torch.int) -> !dycl.value
  %r = dycl.compare eq %l, %m
  %s = dycl.invoke %x "split"(%l) : (!torch.vtensor<[4],f32>, !dycl.value) -> !dycl.value
  dycl.return %r, %s
}
