// RUN: dycl-opt --dycl-outline-branches=min-ops=2 --verify-diagnostics %s | filecheck %s

// A run of fewer than min-ops operations stays; so do literals and numbers.

// CHECK-LABEL: func.func @forward
// CHECK:         %one = torch.vtensor.literal
// CHECK-NEXT:    %int0 = torch.constant.int 0
// CHECK-NEXT:    %l = torch.prim.ListConstruct %one, %x
// CHECK-NEXT:    %y = torch.aten.cat %l, %int0
// CHECK-NEXT:    dycl.return %y
// CHECK-NOT:     func.func
func.func @forward(%x: !torch.vtensor<[1],f32>) attributes {dycl.entry} {
  %one = torch.vtensor.literal(dense<1.0> : tensor<1xf32>) : !torch.vtensor<[1],f32>
  %int0 = torch.constant.int 0
  %l = torch.prim.ListConstruct %one, %x : (!torch.vtensor<[1],f32>, !torch.vtensor<[1],f32>) -> !torch.list<vtensor<[1],f32>>
  // expected-remark @+1 {{not outlined: 1 operations; min-ops is 2}}
  %y = torch.aten.cat %l, %int0 : !torch.list<vtensor<[1],f32>>, !torch.int -> !torch.vtensor<[2],f32>
  dycl.return %y : (!torch.vtensor<[2],f32>) -> ()
}
