// RUN: dycl-opt --dycl-eliminate-dead-code %s | filecheck %s

// Unused calls go only if they are known to write to nothing.

// CHECK-LABEL: func.func @forward
// CHECK-NOT:     "exp"
// CHECK:         %a = dycl.invoke %x "add_"(%x)
// CHECK:         %b = dycl.invoke %y "exp_or_not"()
// CHECK:         %c = dycl.call %save(%x)
// CHECK:         %d = dycl.call %relu(%x, %true)
// CHECK:         %e = dycl.inplace add %y, %y
// CHECK-NOT:     dycl.call
// CHECK:         dycl.return
func.func @forward(%x: !torch.vtensor<[2],f32>, %y: !dycl.value) attributes {dycl.entry} {
  %u = dycl.invoke %x "exp"() : (!torch.vtensor<[2],f32>) -> !dycl.value
  %a = dycl.invoke %x "add_"(%x) : (!torch.vtensor<[2],f32>, !torch.vtensor<[2],f32>) -> !dycl.value
  %b = dycl.invoke %y "exp_or_not"()
  %save = dycl.constant #dycl.global<"torch.save">
  %c = dycl.call %save(%x) : (!dycl.value, !torch.vtensor<[2],f32>) -> !dycl.value
  %relu = dycl.constant #dycl.global<"torch.nn.functional.relu">
  %true = dycl.constant true
  %d = dycl.call %relu(%x, %true) : (!dycl.value, !torch.vtensor<[2],f32>, !dycl.value) -> !dycl.value
  %e = dycl.inplace add %y, %y
  %v = dycl.call %relu(%x) : (!dycl.value, !torch.vtensor<[2],f32>) -> !dycl.value
  dycl.return %y
}
