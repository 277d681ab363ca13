// RUN: dycl-opt --dycl-check-typed %s | filecheck %s

// A typed program passes.

// CHECK-LABEL: func.func @forward
func.func @forward(%x: !torch.vtensor<[1],f32>) attributes {dycl.entry} {
  %y = torch.aten.relu %x : !torch.vtensor<[1],f32> -> !torch.vtensor<[1],f32>
  dycl.return %y {structure = #dycl.leaf<0>} : (!torch.vtensor<[1],f32>) -> ()
}
