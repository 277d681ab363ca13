// RUN: dycl-opt --dycl-expand-builtins %s | filecheck %s

// The width `w // 2` is that of ints; of a tensor that is written to it is read.

// CHECK:      %[[H:.+]] = dycl.binary floordiv %n, %two
// CHECK:      %[[P:.+]] = dycl.list(%[[H]], %zero)
// CHECK:      dycl.call %pad(%x, %[[P]])
// CHECK:      %[[I:.+]] = dycl.invoke %v "item"()
// CHECK:      %[[Q:.+]] = dycl.list(%[[I]], %zero)
// CHECK:      dycl.call %pad(%x, %[[Q]])
func.func @forward(%x: !torch.vtensor<[4,4],f32>, %n: !torch.int) attributes {dycl.entry} {
  %zero = dycl.constant 0
  %two = dycl.constant 2
  %pad = dycl.constant #dycl.global<"torch.nn.functional.pad">
  %tensor = dycl.constant #dycl.global<"torch.tensor">
  %l = dycl.list(%n) : (!torch.int) -> !dycl.value
  %w = dycl.call %tensor(%l) : (!dycl.value, !dycl.value) -> !torch.vtensor<[1],si64>
  %h = dycl.binary floordiv %w, %two : (!torch.vtensor<[1],si64>, !dycl.value) -> !torch.vtensor<[1],si64>
  %p = dycl.list(%h, %zero) : (!torch.vtensor<[1],si64>, !dycl.value) -> !dycl.value
  %a = dycl.call %pad(%x, %p) : (!dycl.value, !torch.vtensor<[4,4],f32>, !dycl.value) -> !dycl.value
  %v = dycl.call %tensor(%l) : (!dycl.value, !dycl.value) -> !torch.vtensor<[1],si64>
  %u = dycl.inplace add %v, %two : (!torch.vtensor<[1],si64>, !dycl.value) -> !torch.vtensor<[1],si64>
  %q = dycl.list(%v, %zero) : (!torch.vtensor<[1],si64>, !dycl.value) -> !dycl.value
  %b = dycl.call %pad(%x, %q) : (!dycl.value, !torch.vtensor<[4,4],f32>, !dycl.value) -> !dycl.value
  dycl.return %a, %b
}
