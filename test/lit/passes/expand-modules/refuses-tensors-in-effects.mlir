// REQUIRES: torch
// RUN: dycl-opt --dycl-infer-shapes --dycl-expand-modules %s | filecheck %s

// torch writes a tensor in a way of its own, and is not there at run time.

// CHECK: dycl.unsupported "DY301" "a tensor cannot be written as text without torch{{.*}}" "write its numbers
// CHECK: dycl.unsupported "DY301" "a tensor cannot be written as text without torch" "write its numbers
// CHECK: dycl.unsupported "DY301" "Unknown format code 'd' for object of type 'float'"
// CHECK: dycl.unsupported "DY301" "`print` with `color=` cannot be compiled"
func.func @forward(%x: !torch.vtensor<[2],f32>, %n: !torch.float) attributes {dycl.entry} {
  %print = dycl.constant #dycl.global<"builtins.print">
  %0 = dycl.call %print(%x) : (!dycl.value, !torch.vtensor<[2],f32>) -> !dycl.value
  %form = dycl.constant "{:d}"
  %1 = dycl.invoke %form "format"(%x) : (!dycl.value, !torch.vtensor<[2],f32>) -> !dycl.value
  %2 = dycl.invoke %form "format"(%n) : (!dycl.value, !torch.float) -> !dycl.value
  %3 = dycl.call %print(%1, %2)
  %4 = dycl.call %print(color = %form)
  dycl.return %x : (!torch.vtensor<[2],f32>) -> ()
}
