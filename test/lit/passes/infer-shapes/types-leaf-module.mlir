// REQUIRES: torch
// RUN: dycl-opt --dycl-infer-shapes %s | filecheck %s

// A call of a torch module has the shape that the recorded module gives.

dycl.object @fc "torch.nn.modules.linear.Linear" {__leaf__ = "torch.nn.modules.linear.Linear", weight = #dycl.param<"fc.weight", [5 : i64, 3 : i64], f32>, bias = #dycl.none}

// CHECK-LABEL: func.func @forward
// CHECK:         %y = dycl.call %fc(%x) {{.*}} -> !torch.vtensor<[1,5],f32>
func.func @forward(%x: !torch.vtensor<[1,3],f32>) attributes {dycl.entry} {
  %fc = dycl.constant @fc
  %y = dycl.call %fc(%x) : (!dycl.value, !torch.vtensor<[1,3],f32>) -> !dycl.value
  dycl.return %y
}
