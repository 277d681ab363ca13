// RUN: dycl-opt --dycl-propagate-constants %s | filecheck %s

// Whatever sizes a tensor has; how many rows there are, only a run knows.
// CHECK:      %[[NO:.+]] = dycl.constant false
// CHECK:      %[[ROWS:.+]] = dycl.call %len(%x)
// CHECK:      dycl.return %[[NO]], %[[ROWS]]
func.func @forward(%x: !torch.vtensor<[?,4],f32>) attributes {dycl.entry} {
  %callable = dycl.constant #dycl.global<"builtins.callable">
  %len = dycl.constant #dycl.global<"builtins.len">
  %no = dycl.call %callable(%x) : (!dycl.value, !torch.vtensor<[?,4],f32>) -> !dycl.value
  %rows = dycl.call %len(%x) : (!dycl.value, !torch.vtensor<[?,4],f32>) -> !dycl.value
  dycl.return %no, %rows
}
