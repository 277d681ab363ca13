// RUN: dycl-opt --dycl-lift-state %s | filecheck %s

// Writing to a buffer sets the attribute that holds it; other tensors stay weights.

// CHECK:      func.func @forward(%x: !torch.vtensor<[2],f32>, %mean: !torch.vtensor<[2],f32>)
// CHECK:        %[[NEW:.*]] = dycl.invoke %mean "add_"(%x)
// CHECK:        %y = dycl.binary add %[[NEW]], %w
// CHECK:        dycl.tuple(%[[NEW]])
dycl.object @"" "m.Net" {mean = #dycl.param<"mean", [2 : i64], f32>, w = #dycl.param<"w", [2 : i64], f32>}
func.func @forward(%x: !torch.vtensor<[2],f32>) attributes {dycl.entry, dycl.params = ["x"]} {
  %mean = dycl.constant #dycl.param<"mean", [2 : i64], f32> -> !torch.vtensor<[2],f32>
  %w = dycl.constant #dycl.param<"w", [2 : i64], f32> -> !torch.vtensor<[2],f32>
  %0 = dycl.invoke %mean "add_"(%x) : (!torch.vtensor<[2],f32>, !torch.vtensor<[2],f32>) -> !torch.vtensor<[2],f32>
  %y = dycl.binary add %mean, %w : (!torch.vtensor<[2],f32>, !torch.vtensor<[2],f32>) -> !torch.vtensor<[2],f32>
  dycl.return %y : (!torch.vtensor<[2],f32>) -> ()
}
