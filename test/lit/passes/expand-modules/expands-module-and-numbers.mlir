// REQUIRES: torch
// RUN: dycl-opt --dycl-infer-shapes --dycl-expand-modules --dycl-eliminate-dead-code %s | filecheck %s
// RUN: dycl-opt --dycl-infer-shapes --dycl-expand-modules --dycl-expand-modules --dycl-eliminate-dead-code %s | filecheck %s

// A leaf module becomes aten ops and parameters, a read becomes `dycl.item`, and what is
// returned is taken apart.

dycl.object @fc "torch.nn.modules.linear.Linear" {__leaf__ = "torch.nn.modules.linear.Linear", weight = #dycl.param<"fc.weight", [5 : i64, 3 : i64], f32>, bias = #dycl.param<"fc.bias", [5 : i64], f32>}

// CHECK-LABEL: func.func @forward
// CHECK-NEXT:    %fc_weight = dycl.param "fc.weight" : !torch.vtensor<[5,3],f32>
// CHECK-NEXT:    %fc_bias = dycl.param "fc.bias" : !torch.vtensor<[5],f32>
// CHECK-NEXT:    %y = torch.aten.linear %x, %fc_weight, %fc_bias : {{.*}} -> !torch.vtensor<[1,5],f32>
// CHECK:         %m = torch.aten.mean %y, %none
// CHECK-NEXT:    %i = dycl.item %m : (!torch.vtensor<[],f32>) -> !torch.float
// CHECK-NEXT:    %z = torch.aten.mul.Scalar %y, %i : !torch.vtensor<[1,5],f32>, !torch.float
// CHECK-NEXT:    dycl.return %z, %i {structure = #dycl.tuple<[#dycl.leaf<0>, [#dycl.leaf<1>, 3 : i64]]>}
func.func @forward(%x: !torch.vtensor<[1,3],f32>) attributes {dycl.entry} {
  %fc = dycl.constant @fc
  %y = dycl.call %fc(%x) : (!dycl.value, !torch.vtensor<[1,3],f32>) -> !dycl.value
  %m = dycl.invoke %y "mean"()
  %i = dycl.invoke %m "item"()
  %z = dycl.binary mul %y, %i
  %three = dycl.constant 3 : i64
  %l = dycl.list(%i, %three)
  %t = dycl.tuple(%z, %l)
  dycl.return %t
}
