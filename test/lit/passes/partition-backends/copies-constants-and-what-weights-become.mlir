// RUN: dycl-opt --dycl-partition-backends %s | filecheck %s

// Both parts have the constant, and compute what depends on the weight alone; the mark of
// the weight goes with it.

// CHECK:       %w = dycl.param "w"
// CHECK-NEXT:  %c = dycl.launch @k_toy(%x, %w)
// CHECK-NEXT:  %d = dycl.launch @k_cpu(%c, %w)
// CHECK:       func.func @k_toy(%x: {{.*}}, %w: {{.*}} {dycl.weight})
// CHECK-NEXT:    %a = torch.aten.exp %w
// CHECK-NEXT:    %none = torch.constant.none
// CHECK-NEXT:    torch.aten.linear %x, %a, %none :
// CHECK:       func.func @k_cpu(%c: {{.*}}, %w: {{.*}} {dycl.weight})
// CHECK-NEXT:    %a = torch.aten.exp %w
// CHECK-NEXT:    %none = torch.constant.none
// CHECK-NEXT:    torch.aten.linear %c, %a, %none :
func.func @forward(%x: !torch.vtensor<[1,2],f32>) attributes {dycl.entry} {
  %w = dycl.param "w" : !torch.vtensor<[2,2],f32>
  %y = dycl.launch @k(%x, %w) : (!torch.vtensor<[1,2],f32>, !torch.vtensor<[2,2],f32>) -> !torch.vtensor<[1,2],f32>
  dycl.return %y : (!torch.vtensor<[1,2],f32>) -> ()
}
func.func @k(%x: !torch.vtensor<[1,2],f32>, %w: !torch.vtensor<[2,2],f32> {dycl.weight}) -> !torch.vtensor<[1,2],f32> attributes {dycl.kernel} {
  %none = torch.constant.none
  %a = torch.aten.exp %w : !torch.vtensor<[2,2],f32> -> !torch.vtensor<[2,2],f32>
  %c = torch.aten.linear %x, %a, %none {dycl.backend = "toy", dycl.region = 0 : i64} : !torch.vtensor<[1,2],f32>, !torch.vtensor<[2,2],f32>, !torch.none -> !torch.vtensor<[1,2],f32>
  %d = torch.aten.linear %c, %a, %none {dycl.backend = "cpu", dycl.region = 1 : i64} : !torch.vtensor<[1,2],f32>, !torch.vtensor<[2,2],f32>, !torch.none -> !torch.vtensor<[1,2],f32>
  func.return %d : !torch.vtensor<[1,2],f32>
}
