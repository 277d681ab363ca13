// RUN: dycl-opt %s | dycl-opt | filecheck %s

func.func @forward(%x: !torch.vtensor<[2,2],f32>) attributes {dycl.entry} {
  // CHECK: %w = dycl.param "a.weight" : !torch.vtensor<[2,2],f32>
  %w = dycl.param "a.weight" : !torch.vtensor<[2,2],f32>
  // CHECK-NEXT: %v = dycl.view %x : (!torch.vtensor<[2,2],f32>) -> !torch.vtensor<[4],f32>
  %v = dycl.view %x : (!torch.vtensor<[2,2],f32>) -> !torch.vtensor<[4],f32>
  // CHECK-NEXT: %y, %p = dycl.launch @kernel(%x, %w) : (!torch.vtensor<[2,2],f32>, !torch.vtensor<[2,2],f32>) -> (!torch.vtensor<[2,2],f32>, !torch.vtensor<[1],i1>)
  %y, %p = dycl.launch @kernel(%x, %w)
    : (!torch.vtensor<[2,2],f32>, !torch.vtensor<[2,2],f32>)
    -> (!torch.vtensor<[2,2],f32>, !torch.vtensor<[1],i1>)
  // CHECK-NEXT: %c = dycl.item %p : (!torch.vtensor<[1],i1>) -> !torch.bool
  %c = dycl.item %p : (!torch.vtensor<[1],i1>) -> !torch.bool
  // CHECK-NEXT: dycl.return %y, %c
  // CHECK-SAME: {structure = #dycl.tuple<[#dycl.leaf<0>, #dycl.leaf<1>]>}
  // CHECK-SAME: : (!torch.vtensor<[2,2],f32>, !torch.bool) -> ()
  dycl.return %y, %c {structure = #dycl.tuple<[#dycl.leaf<0>, #dycl.leaf<1>]>}
    : (!torch.vtensor<[2,2],f32>, !torch.bool) -> ()
}

// CHECK: func.func @kernel
// CHECK-SAME: attributes {dycl.kernel}
func.func @kernel(%x: !torch.vtensor<[2,2],f32>, %w: !torch.vtensor<[2,2],f32>)
    -> (!torch.vtensor<[2,2],f32>, !torch.vtensor<[1],i1>) attributes {dycl.kernel} {
  %p = torch.vtensor.literal(dense<true> : tensor<1xi1>) : !torch.vtensor<[1],i1>
  %y = torch.aten.matmul %x, %w : !torch.vtensor<[2,2],f32>,
    !torch.vtensor<[2,2],f32> -> !torch.vtensor<[2,2],f32>
  func.return %y, %p : !torch.vtensor<[2,2],f32>, !torch.vtensor<[1],i1>
}
